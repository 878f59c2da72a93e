import { SCOPES, SENSITIVITIES, STATES, type Unit } from '../../model/model.ts';
import { addDirection, checkDimensionCount, SUM_STEPS } from '../rows/rows.ts';
import { dot } from '../../vectors/vectors.ts';
import type { Session } from './session.ts';
import { parseVector, vectorText } from './statement.ts';

/** The vectors that are searched, and those of another model that are being prepared to replace them. */
export type VectorRole = 'serving' | 'next';

interface SetRow {
  id: number;
  role: VectorRole;
  model: string;
  dimensions: number;
  count: number;
}

const COLUMNS = {
  set_id: 'bigint',
  unit_id: 'bigint',
  kind: 'smallint',
  occurred_at: 'bigint',
  state: 'smallint',
  sensitivity: 'smallint',
  scope: 'smallint',
  dimensions: 'integer',
  squared_length: 'float8',
  embedding: 'halfvec',
} as const;

const SETS = 'SELECT id, role, model, dimensions, count FROM vector_set WHERE memory_id = $1';

/** Marks new units as missing from the set that is prepared, if there is one. */
export async function noteNewUnits(tx: Session, unitIds: readonly number[]): Promise<void> {
  await tx.run(
    `INSERT INTO vector_pending SELECT $1, n.id, 0 FROM vector_set s CROSS JOIN unnest(?::bigint[]) n (id)
     WHERE s.memory_id = $1 AND s.role = 'next' ON CONFLICT (memory_id, unit_id) DO UPDATE SET is_stale = 0`,
    unitIds,
  );
}

type Place = Record<'id' | 'kind' | 'occurred_at' | 'state' | 'sensitivity' | 'scope', number>;

/** The vectors of one model. Writers must hold the transaction, and call `save` at the end. */
export class VectorSet {
  readonly id: number;
  readonly role: VectorRole;
  readonly model: string;
  readonly dimensions: number;
  readonly #tx: Session;
  #readSum: Float64Array | undefined;
  #count: number;

  private constructor(tx: Session, row: SetRow) {
    this.#tx = tx;
    this.role = row.role;
    this.id = row.id;
    this.model = row.model;
    this.dimensions = row.dimensions;
    this.#count = row.count;
  }

  static async all(tx: Session): Promise<VectorSet[]> {
    return (await tx.all<SetRow>(`${SETS} ORDER BY role DESC`)).map((row) => new VectorSet(tx, row));
  }

  static async open(tx: Session, role: VectorRole): Promise<VectorSet | undefined> {
    const row = await tx.get<SetRow>(`${SETS} AND role = ?`, role);
    return row && new VectorSet(tx, row);
  }

  /** @throws MemoryError INVALID_INPUT for an unsupported number of dimensions */
  static async create(tx: Session, role: VectorRole, model: string, dimensions: number): Promise<VectorSet> {
    checkDimensionCount(dimensions);
    const id = await tx.nextIds('vector_set');
    await VectorSet.restore(tx, { id, role, model, dimensions });
    return new VectorSet(tx, { id, role, model, dimensions, count: 0 });
  }

  /** Creates a set with a given id. */
  static async restore(
    tx: Session,
    row: { id: number; role: VectorRole; model: string; dimensions: number },
  ): Promise<void> {
    const sum = bytesOf(new Float64Array(row.dimensions));
    const sql = 'INSERT INTO vector_set VALUES ($1, ?, ?, ?, ?, 0, ?)';
    await tx.run(sql, row.id, row.role, row.model, row.dimensions, sum);
    await tx.get('SELECT omoide_index_vectors(?::integer) WHERE $1::integer IS NOT NULL', row.dimensions);
  }

  get count(): number {
    return this.#count;
  }

  /** The sum of the unit-length vectors, in integer steps. Read on demand: every search opens the set. */
  async #sum(): Promise<Float64Array> {
    if (this.#readSum) return this.#readSum;
    const sql = 'SELECT sum FROM vector_set WHERE memory_id = $1 AND id = ?';
    const row = await this.#tx.get<{ sum: Uint8Array }>(sql, this.id);
    if (!row) throw new Error(`There is no set of vectors ${this.id}.`);
    return (this.#readSum = new Float64Array(row.sum.slice().buffer));
  }

  async stored(unitIds: readonly number[]): Promise<Map<number, Int8Array>> {
    if (unitIds.length === 0) return new Map();
    const rows = await this.#tx.all<{ id: number; embedding: string }>(
      `SELECT unit_id AS id, embedding::text FROM unit_vector
       WHERE memory_id = $1 AND set_id = ? AND unit_id = ANY (?::bigint[])`,
      this.id,
      unitIds,
    );
    return new Map(rows.map(({ id, embedding }) => [id, parseVector(embedding)]));
  }

  /**
   * Replaces the vectors of units. Zero vectors and vectors of missing units are skipped.
   * @returns the stored ones
   */
  async put(vectors: ReadonlyMap<number, Int8Array>): Promise<Set<number>> {
    const units = await this.#tx.all<Place>(
      `SELECT id, kind, occurred_at, state, sensitivity, scope FROM unit
       WHERE memory_id = $1 AND id = ANY (?::bigint[])`,
      [...vectors.keys()],
    );
    const kept = units.filter(({ id }) => vectors.get(id)?.some((value) => value !== 0));
    await this.take(kept.map((unit) => unit.id));
    const sum = await this.#sum();
    const rows = kept.map((unit) => {
      const vector = vectors.get(unit.id) ?? new Int8Array();
      addDirection(sum, vector, 1);
      const { id, kind, occurred_at, state, sensitivity, scope } = unit;
      const place = [kind, occurred_at, state, sensitivity, scope];
      return [this.id, id, ...place, this.dimensions, dot(vector, vector), vectorText(vector)];
    });
    await this.#tx.insert('unit_vector', COLUMNS, rows);
    this.#count += rows.length;
    return new Set(kept.map((unit) => unit.id));
  }

  async take(unitIds: readonly number[]): Promise<void> {
    if (unitIds.length === 0) return;
    const rows = await this.#tx.all<{ embedding: string }>(
      `DELETE FROM unit_vector WHERE memory_id = $1 AND set_id = ? AND unit_id = ANY (?::bigint[])
       RETURNING embedding::text`,
      this.id,
      unitIds,
    );
    if (rows.length === 0) return;
    const sum = await this.#sum();
    for (const { embedding } of rows) addDirection(sum, parseVector(embedding), -1);
    this.#count -= rows.length;
  }

  /** Updates the filter columns next to the vector from the unit. */
  async refreshMetadata(unit: Unit): Promise<void> {
    await this.#tx.run(
      `UPDATE unit_vector SET state = ?, sensitivity = ?, scope = ? WHERE memory_id = $1 AND set_id = ? AND unit_id = ?`,
      STATES.indexOf(unit.state),
      SENSITIVITIES.indexOf(unit.sensitivity),
      SCOPES.indexOf(unit.scope),
      this.id,
      unit.id,
    );
  }

  async save(): Promise<void> {
    const sql = 'UPDATE vector_set SET count = ?, sum = ? WHERE memory_id = $1 AND id = ?';
    await this.#tx.run(sql, this.#count, bytesOf(await this.#sum()), this.id);
  }

  /** Deletes the vectors and the set. */
  async drop(): Promise<void> {
    await this.#tx.run('DELETE FROM unit_vector WHERE memory_id = $1 AND set_id = ?', this.id);
    await this.#tx.run('DELETE FROM vector_set WHERE memory_id = $1 AND id = ?', this.id);
  }

  /** Ids of all units that have a vector. */
  async unitIds(): Promise<number[]> {
    const sql = 'SELECT unit_id AS id FROM unit_vector WHERE memory_id = $1 AND set_id = ?';
    return (await this.#tx.all<{ id: number }>(sql, this.id)).map((row) => row.id);
  }

  /** Problems of the vectors, compared with their units, their number and their sum. */
  async problems(): Promise<string[]> {
    const { count, sum, wrong } = await this.#inspect();
    const problems = wrong.map((id) => `The vector of unit ${id} does not match the unit.`);
    if (count !== this.#count) {
      problems.push(`The vector index contains ${count} vectors, but its stored count is ${this.#count}.`);
    }
    if (Buffer.compare(bytesOf(sum), bytesOf(await this.#sum())) !== 0) {
      problems.push('The checksum of the vectors is wrong: a vector was changed.');
    }
    return problems;
  }

  /** Deletes vectors of missing units and corrects the filter columns of the others. */
  async reconcile(): Promise<void> {
    const { wrong } = await this.#inspect();
    const vectors = await this.stored(wrong);
    await this.take(wrong);
    await this.put(vectors);
    const { count, sum } = await this.#inspect();
    this.#count = count;
    (await this.#sum()).set(sum);
    await this.save();
  }

  async #inspect(): Promise<{ count: number; sum: Float64Array; wrong: number[] }> {
    const sum = new Float64Array(this.dimensions);
    const unitIds = await this.unitIds();
    for (let at = 0; at < unitIds.length; at += 1_000) {
      const vectors = await this.stored(unitIds.slice(at, at + 1_000));
      for (const vector of vectors.values()) addDirection(sum, vector, 1);
    }
    const wrong = await this.#tx.all<{ id: number }>(
      `SELECT v.unit_id AS id FROM unit_vector v LEFT JOIN unit u ON u.memory_id = $1 AND u.id = v.unit_id
       WHERE v.memory_id = $1 AND v.set_id = ? AND (u.id IS NULL OR u.kind <> v.kind OR u.state <> v.state
         OR u.sensitivity <> v.sensitivity OR u.scope <> v.scope OR u.occurred_at <> v.occurred_at)`,
      this.id,
    );
    return { count: unitIds.length, sum, wrong: wrong.map((row) => row.id) };
  }
}

/** Mean over `count` vectors at unit length with this sum, which is in steps. */
export function meanOf(sum: Float64Array, count: number): Float32Array {
  return Float32Array.from(sum, (value) => value / SUM_STEPS / count);
}

export function bytesOf(array: Int8Array | Float32Array | Float64Array): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
}
