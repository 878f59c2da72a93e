import { formatRow, IMAGED_KEYS, type ImagedTable, type Row, type RowImage } from '../rows/rows.ts';
import type { Session, Value } from './session.ts';
import { parseVector } from './statement.ts';

/**
 * Keeps what rows were before they are changed, while it is told to. Whoever changes a row of these tables calls `touch`
 * before; outside of `record` that does nothing. One for each transaction.
 */
export class RowRecorder {
  readonly #tx: Session;
  #touched: Map<string, Omit<RowImage, 'after'>> | null = null;

  constructor(tx: Session) {
    this.#tx = tx;
  }

  async touch(table: ImagedTable, ...key: number[]): Promise<void> {
    if (!this.#touched || this.#touched.has(nameOf(table, key))) return;
    this.#touched.set(nameOf(table, key), { table, key, before: await this.read(table, key) });
  }

  /** Called after a row was added whose key was not known before. */
  touchNew(table: ImagedTable, ...key: number[]): void {
    if (!this.#touched || this.#touched.has(nameOf(table, key))) return;
    this.#touched.set(nameOf(table, key), { table, key, before: null });
  }

  /** Images of the rows that `body` changed, in the order in which they were touched first. */
  async record(body: () => Promise<void>): Promise<RowImage[]> {
    this.#touched = new Map();
    try {
      await body();
      const images: RowImage[] = [];
      for (const image of this.#touched.values()) {
        images.push({ ...image, after: await this.read(image.table, image.key) });
      }
      return images.filter((image) => formatRow(image.before) !== formatRow(image.after));
    } finally {
      this.#touched = null;
    }
  }

  /** The row as it is. */
  async read(table: ImagedTable, key: readonly number[]): Promise<Row | null> {
    if (table === 'unit_vector') return this.#readVector(key);
    const row = await this.#tx.get(`SELECT * FROM ${table} WHERE ${keyCondition(table)}`, ...key);
    return row ? withoutMemory(row) : null;
  }

  async #readVector(key: readonly number[]): Promise<Row | null> {
    const row = await this.#tx.get<{ embedding: string }>(
      `SELECT embedding::text FROM unit_vector WHERE ${keyCondition('unit_vector')}`,
      ...key,
    );
    return row ? { embedding: new Uint8Array(parseVector(row.embedding).buffer) } : null;
  }
}

/** Makes a row as it was, or takes it away. Not for `unit_vector`. */
export async function writeRow(
  tx: Session,
  table: ImagedTable,
  key: readonly number[],
  row: Row | null,
): Promise<void> {
  await tx.run(`DELETE FROM ${table} WHERE ${keyCondition(table)}`, ...key);
  if (!row) return;
  const columns = Object.keys(row);
  await tx.run(
    `INSERT INTO ${table} (memory_id, ${columns.join(', ')}) VALUES ($1, ${columns.map(() => '?').join(', ')})`,
    ...(Object.values(row) as Value[]),
  );
}

function nameOf(table: ImagedTable, key: readonly number[]): string {
  return `${table} ${key.join(' ')}`;
}

function keyCondition(table: ImagedTable): string {
  return ['memory_id = $1', ...IMAGED_KEYS[table].map((column) => `${column} = ?`)].join(' AND ');
}

function withoutMemory(row: Row): Row {
  return Object.fromEntries(Object.entries(row).filter(([column]) => column !== 'memory_id'));
}
