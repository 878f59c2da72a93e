import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../test/temporary.ts';
import { openSqliteStore } from './sqlite.ts';

/** Our own tables, without the internal tables of FTS5. */
const SCHEMA = `SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL
  AND name NOT LIKE 'unit\\_text\\_%' ESCAPE '\\' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY type, name`;

test('the migrations result in schema.sql (after a change: vitest run src/store/sqlite/schema.test.ts -u)', async () => {
  const path = join(temporaryFolder(), 'memory.db');
  const store = openSqliteStore(path, { memoryId: 'm', timeZone: 'UTC' });
  const { schemaVersion } = await store.admin.info();
  await store.close();
  const db = new DatabaseSync(path);
  const statements = db
    .prepare(SCHEMA)
    .all()
    .map((row) => `${String(row['sql'])};`);
  db.close();
  const head = `-- What the migrations result in, schema version ${schemaVersion}. Generated; see schema.test.ts.`;
  await expect(`${[head, ...statements].join('\n\n')}\n`).toMatchFileSnapshot('./schema.sql');
});
