import { DAY_MS } from '../../model/model.ts';
import { bytesOf, type SetInfo, type VectorPlace, type VectorStorage } from '../tables/tables.ts';
import type { Database } from './database.ts';

/**
 * Each set is a table of sqlite-vec's `vec0`: int8, partitioned by kind only (each partition value reserves 1,024
 * rows), with the day, state, sensitivity and scope of the unit.
 */
export class SqliteVectorStorage implements VectorStorage {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  prepare(dimensions: number): { name: string } {
    const taken = this.#db.get("SELECT 1 FROM vector_set WHERE name = 'unit_vector'");
    const name = taken ? 'unit_vector_2' : 'unit_vector';
    this.#db.exec(`CREATE VIRTUAL TABLE ${name} USING vec0 (
      unit_id INTEGER PRIMARY KEY, kind INTEGER PARTITION KEY,
      embedding int8[${dimensions}] distance_metric=cosine,
      occurred_day INTEGER, state INTEGER, sensitivity INTEGER, scope INTEGER)`);
    return { name };
  }

  clear(set: SetInfo): void {
    this.#db.exec(`DROP TABLE IF EXISTS ${this.tableOf(set)}`);
    if (set.role === 'serving') this.#db.exec('DELETE FROM vector_change');
  }

  stored(set: SetInfo, unitIds: readonly number[]): Map<number, Int8Array> {
    const sql = `SELECT embedding FROM ${this.tableOf(set)} WHERE unit_id = ?`;
    const vectors = new Map<number, Int8Array>();
    for (const unitId of unitIds) {
      const row = this.#db.get<{ embedding: Uint8Array }>(sql, BigInt(unitId));
      if (row) vectors.set(unitId, int8Of(row.embedding));
    }
    return vectors;
  }

  insert(set: SetInfo, vectors: readonly { place: VectorPlace; vector: Int8Array }[]): void {
    const sql = `INSERT INTO ${this.tableOf(set)} (unit_id, kind, embedding, occurred_day, state, sensitivity, scope)
      VALUES (?, ?, vec_int8(?), ?, ?, ?, ?)`;
    for (const { place, vector } of vectors) {
      this.#db.run(
        sql,
        BigInt(place.id),
        BigInt(place.kind),
        bytesOf(vector),
        BigInt(Math.floor(place.occurred_at / DAY_MS)),
        BigInt(place.state),
        BigInt(place.sensitivity),
        BigInt(place.scope),
      );
      this.#noteChange(set, place.id);
    }
  }

  delete(set: SetInfo, unitIds: readonly number[]): Int8Array[] {
    const stored = this.stored(set, unitIds);
    const sql = `DELETE FROM ${this.tableOf(set)} WHERE unit_id = ?`;
    for (const unitId of stored.keys()) {
      this.#db.run(sql, BigInt(unitId));
      this.#noteChange(set, unitId);
    }
    return [...stored.values()];
  }

  refresh(set: SetInfo, { id, state, sensitivity, scope }: Omit<VectorPlace, 'kind' | 'occurred_at'>): void {
    this.#db.run(
      `UPDATE ${this.tableOf(set)} SET state = ?, sensitivity = ?, scope = ? WHERE unit_id = ?`,
      BigInt(state),
      BigInt(sensitivity),
      BigInt(scope),
      BigInt(id),
    );
    this.#noteChange(set, id);
  }

  unitIds(set: SetInfo): number[] {
    const sql = `SELECT unit_id AS id FROM ${this.tableOf(set)}`;
    return Array.from(this.#db.iterate<{ id: number }>(sql), (row) => row.id);
  }

  noteServing(): void {}

  /** The day is rounded down, also before 1970. */
  disagreeing(set: SetInfo): number[] {
    const rows = this.#db.all<{ id: number }>(
      `SELECT v.unit_id AS id FROM ${this.tableOf(set)} v LEFT JOIN unit u ON u.id = v.unit_id
       WHERE u.id IS NULL OR u.kind <> v.kind OR u.state <> v.state OR u.sensitivity <> v.sensitivity
         OR u.scope <> v.scope
         OR (u.occurred_at - (u.occurred_at % ${DAY_MS} + ${DAY_MS}) % ${DAY_MS}) / ${DAY_MS} <> v.occurred_day`,
    );
    return rows.map((row) => row.id);
  }

  /** The name of the set's table. */
  tableOf({ id }: SetInfo): string {
    const row = this.#db.get<{ name: string }>('SELECT name FROM vector_set WHERE id = ?', id);
    if (!row) throw new Error(`There is no set of vectors ${id}.`);
    return row.name;
  }

  /** Informs copies in memory, in all processes. */
  #noteChange({ role }: SetInfo, unitId: number): void {
    if (role === 'serving') this.#db.run('INSERT OR REPLACE INTO vector_change (unit_id) VALUES (?)', unitId);
  }
}

export function int8Of(bytes: Uint8Array): Int8Array {
  return new Int8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
