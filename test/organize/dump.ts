/** The whole content of a memory's file, for exact comparison. */
import { DatabaseSync } from 'node:sqlite';

/** The journal, and the change counters for copies in memory: they only grow. */
const RECORDS = /^(?:journal|sqlite_|text_change$|topic_change$|vector_change$)/;

/** The rows of every table, each as JSON with bytes in hex, in order. */
export function dump(path: string): Record<string, string[]> {
  const db = new DatabaseSync(path, { readOnly: true });
  try {
    const tables = db
      .prepare(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY name",
      )
      .all()
      .map((row) => String(row['name']))
      .filter((name) => !RECORDS.test(name));
    return Object.fromEntries(tables.map((name) => [name, rowsOf(db, name)]));
  } finally {
    db.close();
  }
}

function rowsOf(db: DatabaseSync, table: string): string[] {
  const statement = db.prepare(`SELECT * FROM "${table}"`);
  statement.setReadBigInts(true);
  const written = (_key: string, value: unknown) => {
    if (typeof value === 'bigint') return String(value);
    return value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value;
  };
  return statement
    .all()
    .map((row) => JSON.stringify(row, written))
    .sort();
}
