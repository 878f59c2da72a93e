import type { Driver, SqlValue } from '../tables/tables.ts';
import type { Database } from './database.ts';
import { openWords, type Value } from '../rows/rows.ts';

/** A file holds one memory, so that statements need not name it. */
const WITHOUT_MEMORY = [
  [/(?:\w+\.)?memory_id = \$1\s+AND\s+/g, ''],
  [/\s(?:WHERE|AND)\s+(?:\w+\.)?memory_id = \$1/g, ''],
  [/\bmemory_id, |\$1, /g, ''],
] as const;

const DIALECT = [
  ...WITHOUT_MEMORY,
  [/::\w+(?:\[\])?/g, ''],
  [/= ANY \(\?\)/g, 'IN (SELECT value FROM json_each(?))'],
  [/<> ALL \(\?\)/g, 'NOT IN (SELECT value FROM json_each(?))'],
  [/unnest\(\?\) WITH ORDINALITY j \(id, place\)/g, '(SELECT value AS id, key AS place FROM json_each(?)) j'],
  [/unnest\(\?\) j \(id\)/g, '(SELECT value AS id FROM json_each(?)) j'],
  [/\bjson_agg\(/g, 'json_group_array('],
  [/\bjson_build_array\(/g, 'json_array('],
  [/\bto_json\(/g, 'json('],
  [/\bstrpos\(/g, 'instr('],
  [/\bleast\(/g, 'min('],
  [/\bgreatest\(/g, 'max('],
  // Joins are read in the order in which they are written.
  [/(?<!LEFT |CROSS )JOIN/g, 'CROSS JOIN'],
  // A statement with a plain `LIMIT ?` is planned again whenever its number is bound.
  [/LIMIT \?/g, 'LIMIT +?'],
] as const;

const translated = new Map<string, string>();

/** A statement of the shared tables, which is written for PostgreSQL, as SQLite reads it. */
export function toSqlite(sql: string): string {
  const known = translated.get(sql);
  if (known !== undefined) return known;
  const text = DIALECT.reduce((all, [from, to]) => all.replaceAll(from, to), sql);
  translated.set(sql, text);
  return text;
}

/** Runs the statements of the shared tables at once. */
export class SqliteDriver implements Driver {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  get keys() {
    return this.#db.keys;
  }

  all<T extends object>(sql: string, ...values: SqlValue[]): T[] {
    return this.#db.all<T>(toSqlite(sql), ...values.map(single));
  }

  run(sql: string, ...values: SqlValue[]): number {
    return this.#db.run(toSqlite(sql), ...values.map(single)).changes;
  }

  insert(
    table: string,
    columns: Readonly<Record<string, string>>,
    rows: readonly (readonly Value[])[],
    tail = '',
  ): number {
    const names = Object.keys(columns);
    const sql = toSqlite(
      `INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')}) ${tail}`,
    );
    return rows.reduce((inserted, row) => inserted + this.#db.run(sql, ...row).changes, 0);
  }

  insertNew(table: string, row: Readonly<Record<string, Value>>): number {
    const names = Object.keys(row);
    const sql = `INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`;
    return this.#db.run(sql, ...Object.values(row)).id;
  }

  insertAll(
    table: string,
    columns: Readonly<Record<string, string>>,
    rows: readonly (readonly Value[])[],
  ): number {
    const names = Object.keys(columns);
    const sql = `INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`;
    const ids = rows.map((row) => this.#db.run(sql, ...row).id);
    return ids[0] ?? 0;
  }

  sealTurns(words: readonly string[]): Uint8Array[] {
    return words.map((text) => this.#db.keys.sealTurn(text));
  }

  withWords<Kept extends { readonly sealed: Uint8Array | null }>(rows: readonly Kept[]) {
    return rows.map((row) => ({ ...row, ...openWords(this.#db.keys, row.sealed) }));
  }
}

function single(value: SqlValue): Value {
  return isList(value) ? JSON.stringify(value) : value;
}

function isList(value: SqlValue): value is readonly Value[] {
  return Array.isArray(value);
}
