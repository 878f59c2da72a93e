import { Database } from './database.ts';
import { migrate } from './migrate.ts';

interface SchemaObject {
  readonly type: string;
  readonly name: string;
  readonly sql: string;
}

/** Tables of FTS5, sqlite-vec and SQLite itself. */
const MADE_BY_OTHERS = /^(?:sqlite_|unit_text_|unit_vector)/;

/** Parts of the schema that are missing, changed, or not ours, including the triggers that protect turns from changes. */
export function schemaProblems(db: Database): string[] {
  const schema = expectedSchema();
  const found = readSchema(db);
  const missing = [...schema.values()].filter(({ name }) => !found.has(name));
  const changed = [...schema.values()].filter(
    ({ name, sql }) => found.has(name) && found.get(name)?.sql !== sql,
  );
  const strange = [...found.values()].filter(({ name }) => !schema.has(name));
  return [
    ...missing.map(({ type, name }) => `The ${type} ${name} is missing.`),
    ...changed.map(({ type, name }) => `The ${type} ${name} was changed.`),
    ...strange.map(({ type, name }) => `There is a ${type} ${name} that does not belong to a memory.`),
  ];
}

/** Damaged pages of the file, and inconsistent rows and indexes, at most `max`. */
export function fileProblems(db: Database, max: number): string[] {
  // A query lets FTS5 notice what other connections wrote: its integrity check would take that for damage.
  db.get('SELECT 1 FROM unit_text LIMIT 1');
  return db
    .all<{ integrity_check: string }>(`PRAGMA integrity_check(${max})`)
    .map((row) => row.integrity_check)
    .filter((message) => message !== 'ok');
}

let expected: ReadonlyMap<string, SchemaObject> | undefined;

/** The schema of a new memory, read once in each process. */
function expectedSchema(): ReadonlyMap<string, SchemaObject> {
  expected ??= readExpected();
  return expected;
}

function readExpected(): Map<string, SchemaObject> {
  const empty = new Database(':memory:');
  try {
    migrate(empty);
    return readSchema(empty);
  } finally {
    empty.close();
  }
}

function readSchema(db: Database): Map<string, SchemaObject> {
  const rows = db.all<{ type: string; name: string; sql: string | null }>(
    'SELECT type, name, sql FROM sqlite_schema',
  );
  const own = rows.flatMap(({ type, name, sql }) =>
    sql === null || MADE_BY_OTHERS.test(name) ? [] : [{ type, name, sql }],
  );
  return new Map(own.map((object) => [object.name, object]));
}
