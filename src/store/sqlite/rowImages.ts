import type { Database, Row, Value } from './database.ts';

/** The tables that a reorganisation changes, with the columns of their keys. */
const KEYS = {
  topic: ['id'],
  topic_parent: ['topic_id', 'parent_id'],
  topic_member: ['topic_id', 'unit_id'],
  topic_centroid: ['topic_id'],
  unit: ['id'],
  unit_version: ['unit_id', 'version'],
  /** Of the set with an id, whatever its table is called. */
  unit_vector: ['set_id', 'unit_id'],
} as const;
export type ImagedTable = keyof typeof KEYS;

/** A row before and after a change; null where there is none. */
export interface RowImage {
  readonly table: ImagedTable;
  readonly key: readonly number[];
  readonly before: Row | null;
  readonly after: Row | null;
}

/**
 * Keeps what rows were before they are changed, while it is told to. Whoever changes a row of these tables calls `touch`
 * before; outside of `record` that does nothing.
 */
export class RowRecorder {
  readonly #db: Database;
  #touched: Map<string, Omit<RowImage, 'after'>> | null = null;

  constructor(db: Database) {
    this.#db = db;
  }

  touch(table: ImagedTable, ...key: number[]): void {
    if (this.#touched) this.#keep(table, key, () => this.read(table, key));
  }

  /** Called after a row was added whose key was not known before. */
  touchNew(table: ImagedTable, ...key: number[]): void {
    if (this.#touched) this.#keep(table, key, () => null);
  }

  /** Images of the rows that `body` changed, in the order in which they were touched first. */
  record(body: () => void): RowImage[] {
    this.#touched = new Map();
    try {
      body();
      return [...this.#touched.values()]
        .map((image) => ({ ...image, after: this.read(image.table, image.key) }))
        .filter((image) => formatRow(image.before) !== formatRow(image.after));
    } finally {
      this.#touched = null;
    }
  }

  #keep(table: ImagedTable, key: readonly number[], before: () => Row | null): void {
    const name = `${table} ${key.join(' ')}`;
    if (!this.#touched?.has(name)) this.#touched?.set(name, { table, key, before: before() });
  }

  /** The row as it is. */
  read(table: ImagedTable, key: readonly number[]): Row | null {
    if (table === 'unit_vector') return readVector(this.#db, key);
    const sql = `SELECT * FROM ${table} WHERE ${keyCondition(table)}`;
    return this.#db.get(sql, ...key) ?? null;
  }
}

/** Makes a row as it was, or takes it away. Not for `unit_vector`. */
export function writeRow(db: Database, table: ImagedTable, key: readonly number[], row: Row | null): void {
  db.run(`DELETE FROM ${table} WHERE ${keyCondition(table)}`, ...key);
  if (!row) return;
  const columns = Object.keys(row);
  db.run(
    `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
    ...Object.values(row),
  );
}

function keyCondition(table: ImagedTable): string {
  return KEYS[table].map((column) => `${column} = ?`).join(' AND ');
}

function readVector(db: Database, [setId, unitId]: readonly number[]): Row | null {
  const set = db.get<{ name: string }>('SELECT name FROM vector_set WHERE id = ?', setId ?? 0);
  if (!set) return null;
  return db.get(`SELECT embedding FROM ${set.name} WHERE unit_id = ?`, BigInt(unitId ?? 0)) ?? null;
}

/** As JSON; bytes as `{ "base64": … }`. */
export function formatRow(row: Row | null): string | null {
  if (!row) return null;
  return JSON.stringify(row, (_, value: unknown) =>
    value instanceof Uint8Array ? { base64: Buffer.from(value).toString('base64') } : value,
  );
}

export function parseRow(text: string | null): Row | null {
  if (text === null) return null;
  const row = JSON.parse(text) as Record<string, Value | { base64: string }>;
  return Object.fromEntries(
    Object.entries(row).map(([column, value]) => [
      column,
      value !== null && typeof value === 'object' && 'base64' in value
        ? new Uint8Array(Buffer.from(value.base64, 'base64'))
        : value,
    ]),
  );
}
