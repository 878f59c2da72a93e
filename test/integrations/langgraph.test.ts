/** The store for LangGraph, built on LangGraph's base class, compared with LangGraph's own in-memory store. */
import { InMemoryStore, type BaseStore } from '@langchain/langgraph-checkpoint';
import { describe, expect, onTestFinished, test } from 'vitest';
import { OmoideStore } from '../../integrations/langgraph/omoideStore.ts';
import { openMemory, type Memory } from '../../src/index.ts';
import { temporaryFolder } from '../temporary.ts';

async function open(
  dataDir = temporaryFolder(),
): Promise<{ store: OmoideStore; memory: Memory; dataDir: string }> {
  const memory = await openMemory({
    dataDir,
    embedder: { provider: 'hashed' },
    worker: false,
    timeZone: 'UTC',
  });
  onTestFinished(() => memory.close());
  return { store: new OmoideStore(memory), memory, dataDir };
}

const USER = ['users', 'u1'];

async function fill(store: BaseStore): Promise<void> {
  await store.put([...USER, 'memories'], 'm1', { text: 'Hana is allergic to shellfish.', score: 3 });
  await store.put([...USER, 'memories'], 'm2', { text: 'The dog is called Pochi.', score: 5 });
  await store.put([...USER, 'profile'], 'name', { first: 'Hana' });
  await store.put(['users', 'u2', 'memories'], 'm1', { text: 'Ken likes tea.', score: 1 });
  await store.put(['docs'], 'a/b"c', { nested: { list: [1, 'x', null] }, empty: '' });
  await store.put([...USER, 'memories'], 'm2', { text: 'The dog is called Momo.', score: 6 });
  await store.put(['docs'], 'gone', { text: 'never mind' });
  await store.delete(['docs'], 'gone');
  await store.delete(['docs'], 'never there');
}

/** The comparable part of an item: each store has its own times and order. */
function plain(items: readonly { namespace: string[]; key: string; value: object }[]) {
  const bare = items.map(({ namespace, key, value }) => ({ namespace, key, value }));
  return bare.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}

describe('compared with LangGraph’s own store', () => {
  const SEARCHES: Parameters<BaseStore['search']>[] = [
    [[]],
    [['users']],
    [USER],
    [[...USER, 'memories']],
    [['nobody']],
    [[], { filter: { score: 6 } }],
    [[], { filter: { score: { $gte: 3 } } }],
    [[], { filter: { score: { $lt: 6, $gt: 1 } } }],
    [[], { filter: { first: { $ne: 'Hana' } } }],
    [[], { filter: { first: 'Hana', score: 3 } }],
  ];
  const LISTS: Parameters<BaseStore['listNamespaces']>[] = [
    [],
    [{ prefix: ['users'] }],
    [{ suffix: ['memories'] }],
    [{ prefix: ['users', '*', 'memories'] }],
    [{ maxDepth: 1 }],
    [{ prefix: ['users'], maxDepth: 2 }],
    [{ limit: 2 }],
    [{ limit: 2, offset: 1 }],
  ];

  test('gets, searches and lists the same', async () => {
    const { store, dataDir } = await open();
    const other = new InMemoryStore();
    await Promise.all([fill(store), fill(other)]);
    const { store: again } = await open(dataDir);
    for (const own of [store, again]) {
      for (const key of ['m1', 'm2', 'nothing']) {
        const [item, expected] = await Promise.all(
          [own, other].map((each) => each.get([...USER, 'memories'], key)),
        );
        expect(item?.value).toEqual(expected?.value);
      }
      expect((await own.get(['docs'], 'a/b"c'))?.value).toEqual({
        nested: { list: [1, 'x', null] },
        empty: '',
      });
      for (const search of SEARCHES)
        expect(plain(await own.search(...search))).toEqual(plain(await other.search(...search)));
      for (const list of LISTS)
        expect((await own.listNamespaces(...list)).toSorted()).toEqual(
          (await other.listNamespaces(...list)).toSorted(),
        );
    }
  });

  test('rejects the namespaces that LangGraph rejects', async () => {
    const { store } = await open();
    for (const namespace of [[], ['langgraph'], ['a.b'], ['']])
      await expect(store.put(namespace, 'k', { a: 1 })).rejects.toThrow(/[Nn]amespace/);
  });
});

test('a search with a query ranks by meaning', async () => {
  const { store } = await open();
  await fill(store);
  const found = await store.search(USER, { query: 'Who is allergic to shellfish?', limit: 1 });
  expect(found).toMatchObject([{ key: 'm1', value: { text: 'Hana is allergic to shellfish.' } }]);
  expect(found[0]?.score).toBeGreaterThan(0);
  expect(await store.search(['users', 'u2'], { query: 'shellfish', limit: 5, filter: { score: 3 } })).toEqual(
    [],
  );
});

test('an item without index is stored, and no query finds it', async () => {
  const { store, dataDir } = await open();
  await store.put(['keys'], 'k', { text: 'a hidden pineapple' }, false);
  expect((await store.get(['keys'], 'k'))?.value).toEqual({ text: 'a hidden pineapple' });
  expect(await store.search(['keys'], { query: 'hidden pineapple' })).toEqual([]);
  expect((await (await open(dataDir)).store.get(['keys'], 'k'))?.value).toEqual({
    text: 'a hidden pineapple',
  });
});

test('a deleted item is erased from the memory', async () => {
  const { store, memory } = await open();
  await store.put(['docs'], 'k', { text: 'the secret recipe' });
  await store.delete(['docs'], 'k');
  expect(await store.get(['docs'], 'k')).toBeNull();
  expect(await memory.units.list({ withArchived: true, maxSensitivity: 'secret' })).toEqual([]);
});

test('items are recalled like other memories', async () => {
  const { store, memory } = await open();
  await fill(store);
  const { hits } = await memory.recall('What is Hana allergic to?');
  expect(hits.map(({ text }) => text).join()).toContain('shellfish');
});
