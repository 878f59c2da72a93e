import { tmpdir } from 'node:os';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { internals, openMemory, type Memory } from '../../../engine/engine.ts';
import { newDatabase } from '../../../../test/postgres/processes.ts';
import { missingForServer } from '../../../../test/postgres/server.ts';
import { sharedServer } from '../../../../test/postgres/shared.ts';
import { temporaryFolder } from '../../../../test/temporary.ts';
import { add, draft, fact } from '../../../../test/conformance/samples.ts';
import type { Store } from '../../store.ts';
import { connect } from '../database.ts';
import { openPostgresStore } from '../postgres.ts';
import type { CopyLimits } from './copy.ts';

/** More turns than are copied when they are seen for the first time. */
const MANY = 101;

/** More turns than are copied as a whole. */
const LARGE = 2_001;

async function openStore(url: string, copies: Partial<CopyLimits> = {}): Promise<Store> {
  const store = await openPostgresStore(url, {
    memoryId: 'copied',
    timeZone: 'UTC',
    keys: { folder: tmpdir() },
    copies,
  });
  onTestFinished(() => store.close());
  return store;
}

async function open(url: string): Promise<Memory> {
  const memory = await openMemory({
    dataDir: temporaryFolder(),
    store: url,
    memoryId: 'copied',
    timeZone: 'UTC',
    embedder: null,
    worker: false,
    learn: false,
  });
  onTestFinished(() => memory.close());
  return memory;
}

function turns(count: number): { conversationId: string; speaker: string; text: string }[] {
  return Array.from({ length: count }, (_, i) => ({
    conversationId: 'walks',
    speaker: 'Aoi',
    text: `Walk ${i} led to the bridge over the river.`,
  }));
}

/** How many statements were sent while `work` ran. There must be one connection for statements. */
async function statementsOf(url: string, work: () => Promise<unknown>): Promise<number> {
  const db = connect(url);
  try {
    const count = async () => {
      const [row] = await db.sql.unsafe<{ sent: number }[]>(
        'SELECT coalesce(sum(generic_plans + custom_plans), 0)::integer AS sent FROM pg_prepared_statements',
        [],
        { prepare: false },
      );
      return row?.sent ?? 0;
    };
    const before = await count();
    await work();
    return (await count()) - before;
  } finally {
    await db.close();
  }
}

const recall = (memory: Memory) => memory.recall('the bridge', { count: false, limit: 300 });

const missing = missingForServer();
describe.skipIf(missing !== null)(`a copied memory ${missing ?? ''}`, () => {
  test('is asked by one statement in a recall, while nothing changed', async () => {
    const url = `${await newDatabase(await sharedServer())}?max_connections=2`;
    const memory = await open(url);
    await memory.add(turns(3));
    expect(await statementsOf(url, () => recall(memory))).toBeGreaterThan(5);
    expect(internals(memory).store.copiedBytes).toBeGreaterThan(1_000);
    expect(await statementsOf(url, () => recall(memory))).toBe(1);
  });

  test('with many units is copied at the second recall without a change', async () => {
    const url = `${await newDatabase(await sharedServer())}?max_connections=2`;
    const memory = await open(url);
    await memory.add(turns(MANY));
    await recall(memory);
    expect(internals(memory).store.copiedBytes).toBe(0);
    const { hits } = await recall(memory);
    expect(internals(memory).store.copiedBytes).toBeGreaterThan(0);
    expect((await recall(memory)).hits).toEqual(hits);
  });

  test('is read again after a write, by this process or another', async () => {
    const url = await newDatabase(await sharedServer());
    const [own, other] = [await open(url), await open(`${url}?application_name=other`)];
    await own.add(turns(1));
    expect((await recall(own)).hits).toHaveLength(1);
    expect((await recall(other)).hits).toHaveLength(1);
    await own.add({ conversationId: 'walks', speaker: 'Aoi', text: 'The bridge was closed.' });
    expect((await recall(own)).hits).toHaveLength(2);
    expect((await recall(other)).hits).toHaveLength(2);
    await other.forget({ turn: 1 });
    expect((await recall(own)).hits).toHaveLength(1);
  });

  test('has the counts of accesses of all processes', async () => {
    const url = await newDatabase(await sharedServer());
    const [own, other] = [await open(url), await open(`${url}?application_name=other`)];
    await own.add(turns(2));
    await recall(own);
    for (const memory of [own, other, other]) {
      await memory.recall('the bridge');
      await internals(memory).settle();
    }
    const { store } = internals(own);
    const counted = () => store.units.get([1, 2]).then((units) => units.map((unit) => unit.accessCount));
    expect(await store.together(counted)).toEqual([3, 3]);
    expect(store.copiedBytes).toBeGreaterThan(0);
  });

  test('is dropped when caches are cleared', async () => {
    const memory = await open(await newDatabase(await sharedServer()));
    await memory.add(turns(2));
    await recall(memory);
    expect(internals(memory).store.copiedBytes).toBeGreaterThan(0);
    internals(memory).dropCaches();
    expect(internals(memory).store.copiedBytes).toBe(0);
  });
});

describe.skipIf(missing !== null)(`a large memory ${missing ?? ''}`, () => {
  test('is copied for searches after twenty recalls, recalls the same from the copy, and asks less', async () => {
    const url = `${await newDatabase(await sharedServer())}?max_connections=2`;
    const memory = await open(url);
    await memory.add(turns(LARGE));
    const { hits } = await recall(memory);
    const before = await statementsOf(url, () => recall(memory));
    for (let i = 2; i < 20; i += 1) await recall(memory);
    await vi.waitFor(() => expect(internals(memory).store.copiedBytes).toBeGreaterThan(LARGE), 30_000);
    expect((await recall(memory)).hits).toEqual(hits);
    expect(await statementsOf(url, () => recall(memory))).toBeLessThanOrEqual(before - 3);
  }, 120_000);

  test('is followed: what any process adds, changes and archives is read, and nothing else', async () => {
    const url = `${await newDatabase(await sharedServer())}?max_connections=2`;
    const own = await openStore(url, { whole: 0, recalls: 1 });
    const other = await openStore(`${url}&application_name=other`);
    await other.evidence.append(Array.from({ length: 50 }, (_, i) => draft(`Walk ${i} led to the bridge.`)));
    const find = (term: string) =>
      own.together(async () =>
        (await own.indexes.text.search([term], {}, 100)).map(({ unitId }) => unitId).sort((a, b) => a - b),
      );
    expect(await find('bridg')).toHaveLength(50);
    await vi.waitFor(() => expect(own.copiedBytes).toBeGreaterThan(0));
    expect(await find('bridg')).toHaveLength(50);
    const [river] = await other.evidence.append([draft('The river was high.')]);
    expect(await find('river')).toEqual([river?.unitId]);
    const [liked] = await other.units.save([add({ content: fact('Aoi', 'likes', 'rivers') })]);
    expect(await find('river')).toEqual([river?.unitId, liked?.id]);
    const archived = {
      type: 'update',
      unitId: liked?.id ?? 0,
      set: { state: 'archived' },
      reason: 'test',
    } as const;
    await other.units.save([archived]);
    expect(await find('river')).toEqual([river?.unitId]);
    const vector = new Float32Array(8).fill(1);
    await other.indexes.vectors.upsert('m', [{ unitId: 1, vector }]);
    const near = () => own.together(() => own.indexes.vectors.query(vector, {}, 10));
    // The first vectors make another set, for which the copy is made anew.
    expect(await near()).toEqual([{ unitId: 1, score: 1 }]);
    await vi.waitFor(async () => {
      await near();
      expect(own.copiedBytes).toBeGreaterThan(0);
    });
    await other.indexes.vectors.upsert('m', [{ unitId: 2, vector }]);
    expect(await near()).toEqual([
      { unitId: 1, score: 1 },
      { unitId: 2, score: 1 },
    ]);
    await other.indexes.vectors.remove([1]);
    expect(await near()).toEqual([{ unitId: 2, score: 1 }]);
    expect(own.copiedBytes).toBe(0);
  });
});
