import { formatRow, IMAGED_KEYS, type ImagedTable, type Row, type RowImage } from '../rows/rows.ts';
import type { Database } from './database.ts';

/**
 * Records rows before they are changed, while recording is on. Code that changes a row of these tables calls
 * `touch` before; outside of `record` that does nothing.
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

  /** Called after a row with a new key was added. */
  touchNew(table: ImagedTable, ...key: number[]): void {
    if (this.#touched) this.#keep(table, key, () => null);
  }

  /** Images of the rows that `body` changed, in the order of their first change. */
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

  /** The current row. */
  read(table: ImagedTable, key: readonly number[]): Row | null {
    if (table === 'unit_vector') return readVector(this.#db, key);
    const sql = `SELECT * FROM ${table} WHERE ${keyCondition(table)}`;
    return this.#db.get(sql, ...key) ?? null;
  }
}

/** Restores a row, or deletes it. Not for `unit_vector`. */
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
  return IMAGED_KEYS[table].map((column) => `${column} = ?`).join(' AND ');
}

function readVector(db: Database, [setId, unitId]: readonly number[]): Row | null {
  const set = db.get<{ name: string }>('SELECT name FROM vector_set WHERE id = ?', setId ?? 0);
  if (!set) return null;
  return db.get(`SELECT embedding FROM ${set.name} WHERE unit_id = ?`, BigInt(unitId ?? 0)) ?? null;
}
