import { describe, expect, onTestFinished, test } from 'vitest';
import { internals, openMemory, type Memory } from '../../../engine/engine.ts';
import { newDatabase } from '../../../../test/postgres/processes.ts';
import { missingForServer } from '../../../../test/postgres/server.ts';
import { sharedServer } from '../../../../test/postgres/shared.ts';
import { temporaryFolder } from '../../../../test/temporary.ts';
import { connect } from '../database.ts';

/** More turns than are copied when they are seen for the first time. */
const MANY = 101;

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
