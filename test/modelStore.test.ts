import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openSqliteStore } from '../src/store/sqlite/sqlite.ts';
import { checkAgainstModel } from './modelStore/compare.ts';
import { propertyRuns } from './propertyRuns.ts';
import { temporaryFolder } from './temporary.ts';

describe.each([
  ['in the table', Infinity],
  ['in memory', 0],
])('SQLite, vectors %s', (_where, copyFromVectors) => {
  test('answers like a store of plain Maps after any sequence of operations, also when reopened', async () => {
    const folder = temporaryFolder();
    const runs = await checkAgainstModel(propertyRuns(60), async (run, options) =>
      openSqliteStore(join(folder, `${run}.db`), { ...options, copyFromVectors }),
    );
    expect(runs).toBe(propertyRuns(60));
  });
});
