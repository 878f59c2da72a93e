import { tmpdir } from 'node:os';
import { describe, expect, test } from 'vitest';
import { openPostgresStore } from '../../src/store/postgres/postgres.ts';
import { checkAgainstModel } from '../modelStore/compare.ts';
import { missingForServer } from './server.ts';
import { AS_LARGE, freeName, withReadsFromCopy } from './memories.ts';
import { sharedServer } from './shared.ts';

const missing = missingForServer();
/** The master key of the test server is used for every folder. */
const KEYS = { folder: tmpdir() };

describe('PostgreSQL', () => {
  test.skipIf(missing !== null).each([
    ['its tables', 60, {}],
    ['copies of a small memory', 30, {}],
    ['copies of a large memory', 30, AS_LARGE],
  ])(
    'answers from %s like a store of plain Maps after any sequence of operations, also when reopened',
    async (place, runsWanted, copies) => {
      const url = `${(await sharedServer()).url()}?max_connections=3`;
      let lastRun = 0;
      const runs = await checkAgainstModel(runsWanted, async (run, options) => {
        if (run !== lastRun) await freeName(url, options.memoryId);
        lastRun = run;
        const store = await openPostgresStore(url, { ...options, partitions: 3, keys: KEYS, copies });
        return place === 'its tables' ? store : withReadsFromCopy(store);
      });
      expect(runs).toBe(runsWanted);
    },
    1_800_000,
  );
});
