import { DAY_MS, SCOPES, SENSITIVITIES, STATES, type Unit } from '../../model/model.ts';
import { addDirection, checkDimensionCount, SUM_STEPS } from '../rows/rows.ts';
import type { Database } from './database.ts';

/** `serving`: the vectors that are searched. `next`: those of another model that will replace them. */
export type VectorRole = 'serving' | 'next';

interface SetRow {
  id: number;
  name: string;
  model: string;
  dimensions: number;
  count: number;
}

/**
 * One model's vectors in a table of sqlite-vec's `vec0`: int8, partitioned by kind only (each partition value
 * reserves 1,024 rows), with the day, state, sensitivity and scope of the unit. Callers hold the transaction, and
 * call `save` when they have finished writing.
 */
export class VectorSet {
  readonly id: number;
  readonly role: VectorRole;
  /** The name of its table. */
  readonly name: string;
  readonly model: string;
  readonly dimensions: number;
  readonly #db: Database;
  #readSum: Float64Array | undefined;
  #count: number;

  private constructor(db: Database, role: VectorRole, row: SetRow) {
    this.#db = db;
    this.role = role;
    this.id = row.id;
    this.name = row.name;
    this.model = row.model;
    this.dimensions = row.dimensions;
    this.#count = row.count;
  }

  static open(db: Database, role: VectorRole): VectorSet | undefined {
    const row = db.get<SetRow>(
      'SELECT id, name, model, dimensions, count FROM vector_set WHERE role = ?',
      role,
    );
    return row && new VectorSet(db, role, row);
  }

  /** @throws MemoryError INVALID_INPUT for an unsupported number of dimensions */
  static create(db: Database, role: VectorRole, model: string, dimensions: number): VectorSet {
    checkDimensionCount(dimensions);
    const taken = db.get("SELECT 1 FROM vector_set WHERE name = 'unit_vector'");
    const name = taken ? 'unit_vector_2' : 'unit_vector';
    db.exec(`CREATE VIRTUAL TABLE ${name} USING vec0 (
      unit_id INTEGER PRIMARY KEY, kind INTEGER PARTITION KEY,
      embedding int8[${dimensions}] distance_metric=cosine,
      occurred_day INTEGER, state INTEGER, sensitivity INTEGER, scope INTEGER)`);
    const sum = bytes(new Float64Array(dimensions));
    const { id } = db.run(
      'INSERT INTO vector_set (role, name, model, dimensions, count, sum) VALUES (?, ?, ?, ?, 0, ?)',
      role,
      name,
      model,
      dimensions,
      sum,
    );
    return new VectorSet(db, role, { id, name, model, dimensions, count: 0 });
  }

  /** Creates a set with a given id. */
  static restore(
    db: Database,
    row: { id: number; role: VectorRole; model: string; dimensions: number },
  ): void {
    const made = VectorSet.create(db, row.role, row.model, row.dimensions);
    db.run('UPDATE vector_set SET id = ? WHERE id = ?', row.id, made.id);
  }

  get count(): number {
    return this.#count;
  }

  /** The sum of the vectors at unit length, in steps. Loaded on demand, since every search opens the set. */
  get #sum(): Float64Array {
    if (this.#readSum) return this.#readSum;
    const row = this.#db.get<{ sum: Uint8Array }>('SELECT sum FROM vector_set WHERE id = ?', this.id);
    if (!row) throw new Error(`There is no set of vectors ${this.id}.`);
    return (this.#readSum = new Float64Array(row.sum.slice().buffer));
  }

  /** The mean of the vectors at unit length; null when there are none. */
  mean(): Float32Array | null {
    if (this.#count === 0) return null;
    return Float32Array.from(this.#sum, (value) => value / SUM_STEPS / this.#count);
  }

  stored(unitId: number): Int8Array | undefined {
    const row = this.#db.get<{ embedding: Uint8Array }>(
      `SELECT embedding FROM ${this.name} WHERE unit_id = ?`,
      BigInt(unitId),
    );
    return row && new Int8Array(row.embedding.buffer, row.embedding.byteOffset, row.embedding.byteLength);
  }

  /** Stores the vector of a unit, replacing the old one; skips vectors of zeros and units that do not exist. */
  put(unitId: number, vector: Int8Array): void {
    const unit = this.#db.get<Record<'kind' | 'occurred_at' | 'state' | 'sensitivity' | 'scope', number>>(
      'SELECT kind, occurred_at, state, sensitivity, scope FROM unit WHERE id = ?',
      unitId,
    );
    if (!unit || vector.every((value) => value === 0)) return;
    this.take(unitId);
    this.#db.run(
      `INSERT INTO ${this.name} (unit_id, kind, embedding, occurred_day, state, sensitivity, scope)
       VALUES (?, ?, vec_int8(?), ?, ?, ?, ?)`,
      BigInt(unitId),
      BigInt(unit.kind),
      bytes(vector),
      BigInt(Math.floor(unit.occurred_at / DAY_MS)),
      BigInt(unit.state),
      BigInt(unit.sensitivity),
      BigInt(unit.scope),
    );
    addDirection(this.#sum, vector, 1);
    this.#count += 1;
    this.#noteChange(unitId);
  }

  take(unitId: number): void {
    const stored = this.stored(unitId);
    if (!stored) return;
    this.#db.run(`DELETE FROM ${this.name} WHERE unit_id = ?`, BigInt(unitId));
    addDirection(this.#sum, stored, -1);
    this.#count -= 1;
    this.#noteChange(unitId);
  }

  /** Updates the filter fields stored with the vector of a unit. */
  refreshMetadata(unit: Unit): void {
    this.#db.run(
      `UPDATE ${this.name} SET state = ?, sensitivity = ?, scope = ? WHERE unit_id = ?`,
      BigInt(STATES.indexOf(unit.state)),
      BigInt(SENSITIVITIES.indexOf(unit.sensitivity)),
      BigInt(SCOPES.indexOf(unit.scope)),
      BigInt(unit.id),
    );
    this.#noteChange(unit.id);
  }

  save(): void {
    this.#db.run(
      'UPDATE vector_set SET count = ?, sum = ? WHERE id = ?',
      this.#count,
      bytes(this.#sum),
      this.id,
    );
  }

  /** Drops the vectors and the set. */
  drop(): void {
    this.#db.exec(`DROP TABLE IF EXISTS ${this.name}`);
    this.#db.run('DELETE FROM vector_set WHERE id = ?', this.id);
  }

  /** Ids of all units that have a vector. */
  unitIds(): number[] {
    return this.#db.all<{ id: number }>(`SELECT unit_id AS id FROM ${this.name}`).map((row) => row.id);
  }

  /** Problems of the vectors: compares them with their units, their number and their sum. */
  problems(): string[] {
    const { count, sum, wrong } = this.#inspect();
    const problems = wrong.map((id) => `The vector of unit ${id} does not match the unit.`);
    if (count !== this.#count) {
      problems.push(`The vector index contains ${count} vectors, but its stored count is ${this.#count}.`);
    }
    if (Buffer.compare(bytes(sum), bytes(this.#sum)) !== 0) {
      problems.push('The checksum of the vectors is wrong: a vector was changed.');
    }
    return problems;
  }

  /** Deletes vectors of deleted units and corrects the filter fields. */
  reconcile(): void {
    for (const unitId of this.#inspect().wrong) {
      const vector = this.stored(unitId)?.slice();
      this.take(unitId);
      if (vector) this.put(unitId, vector);
    }
    const { count, sum } = this.#inspect();
    this.#count = count;
    this.#sum.set(sum);
    this.save();
  }

  #inspect(): { count: number; sum: Float64Array; wrong: number[] } {
    const sum = new Float64Array(this.dimensions);
    const unitIds = this.unitIds();
    for (const unitId of unitIds) addDirection(sum, this.stored(unitId) ?? new Int8Array(), 1);
    const wrong = this.#db.all<{ id: number }>(disagreeing(this.name)).map((row) => row.id);
    return { count: unitIds.length, sum, wrong };
  }

  /** Informs copies in memory, in all processes. */
  #noteChange(unitId: number): void {
    if (this.role === 'serving') {
      this.#db.run('INSERT OR REPLACE INTO vector_change (unit_id) VALUES (?)', unitId);
    }
  }
}

/** Vectors whose unit does not exist, or has other filter fields. The day is rounded down, also before 1970. */
function disagreeing(table: string): string {
  return `SELECT v.unit_id AS id FROM ${table} v LEFT JOIN unit u ON u.id = v.unit_id
    WHERE u.id IS NULL OR u.kind <> v.kind OR u.state <> v.state OR u.sensitivity <> v.sensitivity OR u.scope <> v.scope
      OR (u.occurred_at - (u.occurred_at % ${DAY_MS} + ${DAY_MS}) % ${DAY_MS}) / ${DAY_MS} <> v.occurred_day`;
}

export function bytes(array: Int8Array | Float32Array | Float64Array): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
}
