import { tmpdir } from 'node:os';
import { describe, expect, onTestFinished, test } from 'vitest';
import { missingForServer } from '../../../test/postgres/server.ts';
import {
  AS_LARGE,
  dumpMemory,
  freeName,
  applyDamage,
  withReadsFromCopy,
} from '../../../test/postgres/memories.ts';
import { sharedServer, withDatabase } from '../../../test/postgres/shared.ts';
import {
  describeReads,
  describeStore,
  type OpenStore,
  type StoreUnderTest,
} from '../../../test/conformance/conformance.ts';
import { CHAIN_END } from '../tables/turns.ts';
import { openPostgresStore, type PostgresStoreOptions } from './postgres.ts';

const PARTITIONS = 3;
/** The server's own master key is used, whatever the folder. */
const KEYS = { folder: tmpdir() };

type Options = Parameters<OpenStore>[0] & Pick<PostgresStoreOptions, 'copies'>;

async function open(options: Options): Promise<StoreUnderTest> {
  // Opening connections takes longer than the tests themselves.
  const url = `${(await sharedServer()).url()}?max_connections=3`;
  await freeName(url, options.memoryId);
  const stores = [await openPostgresStore(url, { ...options, partitions: PARTITIONS, keys: KEYS })];
  onTestFinished(async () => {
    for (const store of stores) await store.close();
  });
  const openAnother = async () => {
    const store = await openPostgresStore(url, { ...options, timeZone: 'UTC', keys: KEYS });
    stores.push(store);
    return store;
  };
  return {
    store: stores[0]!,
    openAnother,
    async reopen() {
      for (const store of stores) await store.close();
      return openAnother();
    },
    dump: () => dumpMemory(url, options.memoryId),
    damage: (damage) => applyDamage(url, options.memoryId, damage),
  };
}

async function openWithCopy(options: Options): Promise<StoreUnderTest> {
  const opened = await open(options);
  return {
    ...opened,
    store: withReadsFromCopy(opened.store),
    openAnother: async () => withReadsFromCopy(await opened.openAnother()),
    reopen: async () => withReadsFromCopy(await opened.reopen()),
  };
}

const missing = missingForServer();
describe.skipIf(missing !== null)(`a server of its own ${missing ?? ''}`, () => {
  describeStore('PostgreSQL', open);
  describeReads('PostgreSQL, read from copies of small memories', openWithCopy);
  describeReads('PostgreSQL, read from copies of large memories', (options) =>
    openWithCopy({ ...options, copies: AS_LARGE }),
  );

  test('turns are continued after one look at each of three indexes, however many there are', async () => {
    await open({ memoryId: 'plan', timeZone: 'UTC', now: () => 0 });
    await withDatabase((await sharedServer()).url(), (sql) =>
      sql.begin(async (tx) => {
        // Small tables are scanned otherwise.
        await tx`SET LOCAL enable_seqscan = off`;
        const plan = await tx.unsafe(`EXPLAIN (COSTS OFF) ${CHAIN_END.replaceAll('$1', '1')}`);
        const steps = plan.map((row) => String(row['QUERY PLAN'])).join('\n');
        expect(steps.match(/Index (?:Only )?Scan Backward using \w*(?:unit|checkpoint|turn)/g)).toHaveLength(
          3,
        );
        expect(steps).not.toMatch(/Seq Scan|Sort/);
      }),
    );
  });
});
