import { tmpdir } from 'node:os';
import { describe, expect, test } from 'vitest';
import { openPostgresStore } from '../../src/store/postgres/postgres.ts';
import { checkAgainstModel } from '../modelStore/compare.ts';
import { missingForServer } from './server.ts';
import { freeName } from './memories.ts';
import { sharedServer } from './shared.ts';

const missing = missingForServer();
/** The master key of the test server is used for every folder. */
const KEYS = { folder: tmpdir() };

describe('PostgreSQL', () => {
  test.skipIf(missing !== null)(
    'answers like a store of plain Maps after any sequence of operations, also when reopened',
    async () => {
      const url = `${(await sharedServer()).url()}?max_connections=3`;
      let lastRun = 0;
      const runs = await checkAgainstModel(60, async (run, options) => {
        if (run !== lastRun) await freeName(url, options.memoryId);
        lastRun = run;
        return openPostgresStore(url, { ...options, partitions: 3, keys: KEYS });
      });
      expect(runs).toBe(60);
    },
    1_800_000,
  );
});
