import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../test/temporary.ts';
import { openSqliteStore } from './sqlite.ts';

/** Our own tables, without the internal tables of FTS5. */
const SCHEMA = `SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL
  AND name NOT LIKE 'unit\\_text\\_%' ESCAPE '\\' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' 
  ORDER BY type = 'trigger', type DESC, name`;

const SCHEMA_1 = readFileSync(new URL('migrations/001_memory.sql', import.meta.url), 'utf8');
const APPLICATION_ID = 0x4f6d6f69;

test('the migrations result in schema.sql (after a change: vitest run src/store/sqlite/schema.test.ts -u)', async () => {
  const path = join(temporaryFolder(), 'memory.db');
  const old = new DatabaseSync(path);
  old.exec(`${SCHEMA_1}; PRAGMA user_version = 1; PRAGMA application_id = ${APPLICATION_ID};`);
  old.close();
  const migrated = await openAndRead(path);
  const head = `-- What the migrations result in, schema version ${migrated.version}. Generated; see schema.test.ts.`;
  await expect(`${[head, ...migrated.statements].join('\n\n')}\n`).toMatchFileSnapshot('./schema.sql');
  expect(await openAndRead(join(temporaryFolder(), 'memory.db'))).toEqual(migrated);
});

async function openAndRead(path: string) {
  const store = openSqliteStore(path, { memoryId: 'm', timeZone: 'UTC' });
  const { schemaVersion: version } = await store.admin.info();
  await store.close();
  const db = new DatabaseSync(path);
  const statements = db.prepare(SCHEMA).all();
  db.close();
  return { version, statements: statements.map((row) => `${String(row['sql'])};`) };
}
