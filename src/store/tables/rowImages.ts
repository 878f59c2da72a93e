import { formatRow, IMAGED_KEYS, type ImagedTable, type Row, type RowImage } from '../rows/rows.ts';
import type { Sql } from './sql.ts';
import type { Steps } from './steps.ts';
import type { VectorSets } from './vectorSets.ts';

/**
 * Records rows before they are changed, while recording is on. Code that changes a row of these tables calls
 * `touch` before; outside of `record` that does nothing.
 */
export class RowRecorder {
  readonly #tx: Sql;
  readonly #vectorSets: VectorSets;
  #touched: Map<string, Omit<RowImage, 'after'>> | null = null;

  constructor(tx: Sql, vectorSets: VectorSets) {
    this.#tx = tx;
    this.#vectorSets = vectorSets;
  }

  *touch(table: ImagedTable, ...key: number[]): Steps<void> {
    if (!this.#touched || this.#touched.has(nameOf(table, key))) return;
    this.#touched.set(nameOf(table, key), { table, key, before: yield* this.read(table, key) });
  }

  /** Called after a row with a new key was added. */
  touchNew(table: ImagedTable, ...key: number[]): void {
    if (!this.#touched || this.#touched.has(nameOf(table, key))) return;
    this.#touched.set(nameOf(table, key), { table, key, before: null });
  }

  /** Images of the rows that `body` changed, in the order of their first change. */
  *record(body: () => Steps<void>): Steps<RowImage[]> {
    this.#touched = new Map();
    try {
      yield* body();
      const images: RowImage[] = [];
      for (const image of this.#touched.values()) {
        images.push({ ...image, after: yield* this.read(image.table, image.key) });
      }
      return images.filter((image) => formatRow(image.before) !== formatRow(image.after));
    } finally {
      this.#touched = null;
    }
  }

  /** The current row. */
  *read(table: ImagedTable, key: readonly number[]): Steps<Row | null> {
    if (table === 'unit_vector') return yield* this.#vectorSets.row(key);
    const row = yield* this.#tx.get(`SELECT * FROM ${table} WHERE ${keyCondition(table)}`, ...key);
    return row ? imageOf(row) : null;
  }
}

/** Restores a row, or deletes it. Not for `unit_vector`. */
export function* writeRow(tx: Sql, table: ImagedTable, key: readonly number[], row: Row | null): Steps<void> {
  yield* tx.run(`DELETE FROM ${table} WHERE ${keyCondition(table)}`, ...key);
  if (!row) return;
  const columns = Object.keys(row);
  yield* tx.run(
    `INSERT INTO ${table} (memory_id, ${columns.join(', ')}) VALUES ($1, ${columns.map(() => '?').join(', ')})`,
    ...Object.values(row),
  );
}

function nameOf(table: ImagedTable, key: readonly number[]): string {
  return `${table} ${key.join(' ')}`;
}

function keyCondition(table: ImagedTable): string {
  return ['memory_id = $1', ...IMAGED_KEYS[table].map((column) => `${column} = ?`)].join(' AND ');
}

/** Columns that one store has and another lacks. The revision is that of any later write. */
const NOT_IMAGED = new Set(['memory_id', 'revision']);

function imageOf(row: Row): Row {
  return Object.fromEntries(Object.entries(row).filter(([column]) => !NOT_IMAGED.has(column)));
}
