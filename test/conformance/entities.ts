import { describe, expect, test } from 'vitest';
import { nameKeys } from '../../src/text/text.ts';
import type { Store } from '../../src/store/store.ts';
import { readDerived } from './derivations.ts';
import type { OpenStore } from './storeUnderTest.ts';
import { add, draft, fact, mention, openMemory, person, say, saveOne, START } from './samples.ts';

/** Ids of the entities with this name, the most likely first. */
async function named(store: Store, name: string): Promise<number[]> {
  const found = await store.entities.find(nameKeys(name));
  return [...new Set(nameKeys(name).flatMap((key) => (found.get(key) ?? []).map((entity) => entity.id)))];
}

async function listed(
  store: Store,
  ...[filter, page]: Parameters<Store['entities']['list']>
): Promise<string[]> {
  return (await store.entities.list(filter, page)).map((entity) => entity.name);
}

export function describeEntities(open: OpenStore): void {
  describe('entities', () => {
    test('are created at the first mention, and found again by name and type', async () => {
      const { store } = await openMemory(open);
      const unitIds = await say(store, 'a', 'b', 'c');
      await mention(
        store,
        unitIds[0]!,
        person(' 田中 ', { aliases: ['田中さん', 'Tanaka', '田中', ' ', 'ＴＡＮＡＫＡ'] }),
      );
      await mention(
        store,
        unitIds[1]!,
        person('田中'),
        person('Tanaka', { aliases: ['Ken'] }),
        person('田中', { type: 'organization' }),
      );
      await mention(store, unitIds[2]!, person('課長', { entityId: 1, surface: '課長' }));
      expect(await store.entities.get([2, 99, 1])).toEqual([
        { id: 2, type: 'organization', name: '田中', aliases: [], salience: 1 / 5 },
        {
          id: 1,
          type: 'person',
          name: '田中',
          aliases: ['田中さん', 'Tanaka', 'Ken', '課長'],
          salience: 3 / 7,
        },
      ]);
      expect((await store.admin.verify()).problems).toEqual([]);
    });

    test('are found by each of their names, in any script and with any title', async () => {
      const { store } = await openMemory(open);
      const [unitId] = await say(store, 'a');
      await mention(
        store,
        unitId!,
        person('田中', { aliases: ['タロウ'] }),
        person('王先生'),
        person('Sarah Connor'),
        person('Sarah Smith'),
      );
      for (const name of ['田中さん', 'Tanaka', 'たなか', 'Mr. Tanaka', '太郎']) {
        expect([name, await named(store, name)]).toEqual([name, [1]]);
      }
      for (const name of ['王', '老王', 'Wang', '王老師'])
        expect([name, await named(store, name)]).toEqual([name, [2]]);
      expect(await named(store, 'Sarah')).toEqual([3, 4]);
      expect((await named(store, 'Sarah Smith'))[0]).toBe(4);
      expect(await named(store, '鈴木')).toEqual([]);
      expect(await store.entities.find([])).toEqual(new Map());
      const found = await store.entities.find(['tanaka', 'none', 'tanaka']);
      expect([...found.keys()]).toEqual(['tanaka']);
    });

    test('are listed by number of mentions, and filtered by type and name', async () => {
      const { store } = await openMemory(open);
      const unitIds = await say(store, 'a', 'b', 'c');
      await mention(store, unitIds[0]!, person('Ann'), person('Ben', { aliases: ['100%_Ben'] }));
      await mention(store, unitIds[1]!, person('Ben'), person('大阪', { type: 'place' }));
      await mention(
        store,
        unitIds[2]!,
        person('Ben'),
        person('大阪', { type: 'place' }),
        person('田中', { aliases: ["O'Tan"] }),
      );
      expect(await listed(store, {}, { limit: 9 })).toEqual(['Ben', '大阪', 'Ann', '田中']);
      expect(await listed(store, {}, { limit: 2, offset: 1 })).toEqual(['大阪', 'Ann']);
      expect(await listed(store, { type: 'place' }, { limit: 9 })).toEqual(['大阪']);
      expect(await listed(store, { type: 'event' }, { limit: 9 })).toEqual([]);
      expect(await listed(store, { query: 'ＥＮ' }, { limit: 9 })).toEqual(['Ben']);
      expect(await listed(store, { query: 'n' }, { limit: 9 })).toEqual(['Ben', 'Ann', '田中']);
      expect(await listed(store, { query: 'たなか' }, { limit: 9 })).toEqual(['田中']);
      expect(await listed(store, { query: '%' }, { limit: 9 })).toEqual(['Ben']);
      expect(await listed(store, { query: "o'" }, { limit: 9 })).toEqual(['田中']);
      expect(await listed(store, { query: '' }, { limit: 1 })).toEqual(['Ben']);
      expect(await listed(store, { query: 'n', type: 'place' }, { limit: 9 })).toEqual([]);
    });

    test('gain salience with each mention, from 0 to almost 1', async () => {
      const { store } = await openMemory(open);
      const unitIds = await say(store, ...Array.from({ length: 12 }, (_, i) => `turn ${i}`));
      const saliences: number[] = [];
      for (const unitId of unitIds) {
        await mention(store, unitId, person('Ann'), person('Ann', { surface: 'her', confidence: 0.5 }));
        saliences.push((await store.entities.get([1]))[0]!.salience);
      }
      expect(saliences).toEqual(unitIds.map((_, i) => (i + 1) / (i + 5)));
    });

    describeMentions(open);
    describeEdges(open);
    describeChanges(open);
    describeMerging(open);
  });
}

function describeMentions(open: OpenStore): void {
  test('have mentions, one for each unit, newest first, with the wording of highest confidence', async () => {
    const { store } = await openMemory(open);
    const times = [3, 1, 2, 2];
    const unitIds = await say(
      store,
      ...times.map((at) => draft('x', { occurredAt: START + at, conversationId: `c${at}` })),
    );
    for (const unitId of unitIds) {
      await mention(
        store,
        unitId,
        person('Ann', { surface: 'she', confidence: 0.5 }),
        person('Ann', { surface: 'Ann', confidence: 0.9 }),
        person('Ann', { surface: 'Annie', confidence: 0.9 }),
      );
    }
    const list = async (limit: number, offset?: number) =>
      (await store.entities.mentionsOf(1, { limit, ...(offset !== undefined && { offset }) })).map(
        (found) => found.unitId,
      );
    expect(await list(9)).toEqual([1, 4, 3, 2]);
    expect(await list(2, 1)).toEqual([4, 3]);
    expect(await store.entities.mentionsOf(1, { limit: 1 })).toEqual([
      { unitId: 1, entityId: 1, surface: 'Ann', confidence: 0.9 },
    ]);
    expect(await store.entities.mentionsOf(99, { limit: 9 })).toEqual([]);
    expect((await store.entities.ofUnits([3, 99, 1])).map((found) => found.unitId)).toEqual([3, 1]);
  });
}

function describeEdges(open: OpenStore): void {
  test.each([
    ['a lone surrogate', 'a\ud800b'],
    ['a NUL', 'a\0b'],
    ['quotes', `'; DROP TABLE entity; --"`],
    ['wildcards', '%_*?['],
    ['signs only', '…'],
    ['an emoji', '👨‍👩‍👧'],
    ['marks', 'e\u0301\u0323'],
    ['another direction', 'שרה'],
    ['great length', '田中'.repeat(20_000)],
  ])('may have names with %s', async (_what, name) => {
    const { store, reopen } = await openMemory(open);
    const [a, b] = await say(store, 'a', 'b');
    await mention(store, a!, person('Ann', { aliases: [name] }), person(name, { type: 'thing' }));
    const again = await reopen();
    await mention(again, b!, person(name, { type: 'thing' }));
    expect((await again.entities.list({}, { limit: 9 })).map((entity) => entity.id)).toEqual([2, 1]);
    expect(await named(again, name)).toEqual([1, 2]);
    expect(await listed(again, { query: name }, { limit: 9 })).toHaveLength(2);
    expect((await again.admin.verify()).problems).toEqual([]);
  });

  test('have relations, with more confidence the more units state them', async () => {
    const { store } = await openMemory(open);
    const unitIds = await say(store, 'a', 'b', 'c');
    const relate = (unitId: number, weight: number, relation = 'knows', back = false) =>
      store.units.applyDerivation({
        mark: { unitId, kind: 'relate', fingerprint: `${weight} ${relation}` },
        changes: [],
        mentions: [person('Ann'), person('Ben')],
        relations: [
          { from: back ? 1 : 0, to: back ? 0 : 1, relation, weight },
          { from: back ? 1 : 0, to: back ? 0 : 1, relation, weight: weight / 2 },
          { from: 0, to: 0, relation: 'is', weight: 1 },
        ],
      });
    await relate(unitIds[0]!, 0.5);
    await relate(unitIds[1]!, 0.4);
    await relate(unitIds[2]!, 0.2, 'knows', true);
    const edges = await store.entities.edgesOf(1);
    expect(edges).toEqual([
      { fromEntityId: 1, toEntityId: 2, relation: 'knows', weight: expect.closeTo(0.7), evidence: [1, 2] },
      { fromEntityId: 2, toEntityId: 1, relation: 'knows', weight: expect.closeTo(0.2), evidence: [3] },
    ]);
    expect(await store.entities.edgesOf(2)).toEqual(edges);
    expect(await store.entities.edgesOf(9)).toEqual([]);
    await relate(unitIds[0]!, 0.5, 'likes');
    expect(await store.entities.edgesOf(1)).toMatchObject([
      { relation: 'knows', weight: expect.closeTo(0.4), evidence: [2] },
      { relation: 'likes', evidence: [1] },
      { relation: 'knows', evidence: [3] },
    ]);
  });
}

function describeChanges(open: OpenStore): void {
  test('can be given another name, type, aliases and salience', async () => {
    const { store } = await openMemory(open);
    const [a, b] = await say(store, 'a', 'b');
    await mention(store, a!, person('Tanaka', { aliases: ['Ken'] }));
    const changed = await store.entities.update(1, {
      name: '佐藤',
      type: 'other',
      aliases: ['Sato', '佐藤', 'Sato'],
      salience: 0.9,
    });
    expect(changed).toEqual({ id: 1, type: 'other', name: '佐藤', aliases: ['Sato'], salience: 0.9 });
    expect(await store.entities.get([1])).toEqual([changed]);
    expect(await named(store, 'さとう')).toEqual([1]);
    expect(await named(store, 'Tanaka')).toEqual([]);
    expect(await named(store, 'Ken')).toEqual([]);
    await mention(store, b!, person('Sato', { type: 'other' }));
    expect(await store.entities.get([1])).toEqual([changed]);
    expect(await store.entities.update(1, {})).toEqual(changed);
    expect(await store.entities.update(1, { salience: 0 })).toMatchObject({ salience: 0 });
    expect((await store.admin.verify()).problems).toEqual([]);
  });

  test.each([
    ['a blank name', { name: ' ' }],
    ['an empty alias', { aliases: [''] }],
    ['an unknown type', { type: 'robot' as 'person' }],
    ['a salience over 1', { salience: 1.5 }],
  ])('cannot be changed to %s', async (_what, set) => {
    const { store } = await openMemory(open);
    const [unitId] = await say(store, 'a');
    await mention(store, unitId!, person('Ann'));
    const before = await readDerived(store);
    await expect(store.entities.update(1, { aliases: ['x'], ...set })).rejects.toMatchObject({
      code: 'INVALID_INPUT',
    });
    await expect(store.entities.update(9, { name: 'Ben' })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await readDerived(store)).toEqual(before);
  });
}

function describeMerging(open: OpenStore): void {
  test('merge their names, mentions, edges and facts', async () => {
    const { store } = await openMemory(open);
    const unitIds = await say(store, 'a', 'b', 'c');
    const relate = (unitId: number, ...names: string[]) =>
      store.units.applyDerivation({
        mark: { unitId, kind: 'relate', fingerprint: names.join() },
        changes: [],
        mentions: names.map((name, i) =>
          person(name, { confidence: name === 'Tanaka' ? 0.9 : 0.5 + i / 10 }),
        ),
        relations: names.slice(1).map((_, i) => ({ from: 0, to: i + 1, relation: 'knows', weight: 0.5 })),
      });
    await relate(unitIds[0]!, 'Ann', '田中');
    await relate(unitIds[1]!, 'Ann', 'Tanaka', '田中');
    await relate(unitIds[2]!, 'Tanaka', '田中', 'Ann');
    const payload = { ...fact('Ann', 'knows', 'Tanaka').payload, objectEntityId: 3 };
    const { id } = await saveOne(store, add({ content: { kind: 'fact', payload } as never }));
    const merged = await store.entities.merge(3, 2);
    expect(merged).toEqual({ id: 2, type: 'person', name: '田中', aliases: ['Tanaka'], salience: 3 / 7 });
    expect(await store.entities.get([3, 2])).toEqual([merged]);
    expect(await named(store, 'Tanaka')).toEqual([2]);
    expect(await store.entities.mentionsOf(3, { limit: 9 })).toEqual([]);
    expect((await store.entities.mentionsOf(2, { limit: 9 })).map(({ surface }) => surface)).toEqual([
      'Tanaka',
      'Tanaka',
      '田中',
    ]);
    expect(await store.entities.edgesOf(2)).toEqual([
      { fromEntityId: 1, toEntityId: 2, relation: 'knows', weight: 0.75, evidence: [1, 2] },
      { fromEntityId: 2, toEntityId: 1, relation: 'knows', weight: 0.5, evidence: [3] },
    ]);
    expect(await store.units.get([id])).toMatchObject([{ version: 2, payload: { objectEntityId: 2 } }]);
    expect((await store.admin.verify()).problems).toEqual([]);
    await relate(unitIds[0]!, 'Tanaka', 'Ann');
    expect(await listed(store, {}, { limit: 9 })).toEqual(['Ann', '田中']);
  });

  test('keep a salience set by hand when they are merged', async () => {
    const { store } = await openMemory(open);
    const [unitId] = await say(store, 'a');
    await mention(store, unitId!, person('Ann'), person('Ben'), person('Cleo'));
    await store.entities.update(1, { salience: 0.9 });
    expect(await store.entities.merge(1, 2)).toMatchObject({ id: 2, salience: 0.9 });
    await store.entities.update(3, { salience: 0.4 });
    expect(await store.entities.merge(2, 3)).toMatchObject({ id: 3, salience: 0.4, aliases: ['Ben', 'Ann'] });
  });

  test('can be merged only when both exist and differ', async () => {
    const { store } = await openMemory(open);
    const [unitId] = await say(store, 'a');
    await mention(store, unitId!, person('Ann'), person('Ben'));
    const before = await readDerived(store);
    await expect(store.entities.merge(1, 9)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(store.entities.merge(9, 1)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(store.entities.merge(1, 1)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    expect(await readDerived(store)).toEqual(before);
  });
}
