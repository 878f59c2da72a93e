import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openSqliteStore } from '../src/store/sqlite/sqlite.ts';
import { checkAgainstModel } from './modelStore/against.ts';
import { propertyRuns } from './propertyRuns.ts';
import { temporaryFolder } from './temporary.ts';

describe.each([
  ['in the table', Infinity],
  ['in memory', 0],
])('SQLite, vectors %s', (_where, copyFromVectors) => {
  test('answers as a store of plain Maps does, whatever was done, also when it is opened again', async () => {
    const folder = temporaryFolder();
    const runs = await checkAgainstModel(propertyRuns(60), async (run, options) =>
      openSqliteStore(join(folder, `${run}.db`), { ...options, copyFromVectors }),
    );
    expect(runs).toBe(propertyRuns(60));
  });
});
