import { DAY_MS, KINDS, MemoryError, SCOPES, SENSITIVITIES, STATES, type Unit } from '../../model/model.ts';
import type { ScoredId, UnitFilter, VectorIndex, VectorModel } from '../store.ts';
import type { Database } from './database.ts';
import { ARCHIVED, firstPassing, maxSensitivity } from './filter.ts';
import { quantize } from './scan/scan.ts';
import { VectorCopy } from './vectorCopy.ts';

/** sqlite-vec refuses more. */
const MOST_NEIGHBOURS = 4_096;
/** The copy in memory takes no others. */
const FEWEST_DIMENSIONS = 8;
const MOST_DIMENSIONS = 4_096;
/** From so many vectors on, searches go to a copy in memory: below, `vec0` answers as fast as the copy is filled. */
const COPY_FROM_VECTORS = 500;
/** Vectors are summed in whole steps of this size, so that their sum is exact. */
const SUM_STEPS = 2 ** 20;

/** Vectors whose unit is gone, or is not as it says beside the vector. The day is rounded down, also before 1970. */
const DISAGREEING = `SELECT v.unit_id AS id FROM unit_vector v LEFT JOIN unit u ON u.id = v.unit_id
  WHERE u.id IS NULL OR u.kind <> v.kind OR u.state <> v.state OR u.sensitivity <> v.sensitivity OR u.scope <> v.scope
    OR (u.occurred_at - (u.occurred_at % ${DAY_MS} + ${DAY_MS}) % ${DAY_MS}) / ${DAY_MS} <> v.occurred_day`;

interface ModelRow {
  id: string;
  dimensions: number;
  count: number;
  sum: Uint8Array;
}

/**
 * sqlite-vec's `vec0`: int8 vectors, partitioned by kind (it sets aside 1,024 rows per partition value, so by kind
 * alone), with the day, state, sensitivity and scope of the unit beside each so that filters act before the k nearest
 * are chosen. Filters it cannot express are applied after, on more neighbours than asked for.
 */
export class SqliteVectorIndex implements VectorIndex {
  readonly #db: Database;
  readonly #copy: VectorCopy;
  readonly #copyFromVectors: number;

  constructor(db: Database, copyFromVectors = COPY_FROM_VECTORS) {
    this.#db = db;
    this.#copy = new VectorCopy(db);
    this.#copyFromVectors = copyFromVectors;
  }

  async model(): Promise<VectorModel | null> {
    return this.modelNow();
  }

  modelNow(): VectorModel | null {
    const row = this.#modelRow();
    return row && row.count > 0 ? { id: row.id, dimensions: row.dimensions, count: row.count } : null;
  }

  async upsert(modelId: string, entries: readonly { unitId: number; vector: Float32Array }[]): Promise<void> {
    const first = entries[0];
    if (!first) return;
    this.#db.write(() => {
      const model = this.#settleModel(modelId, first.vector.length);
      const sum = readSum(model.sum);
      let count = model.count;
      for (const { unitId, vector } of entries) {
        if (vector.length !== model.dimensions) throw mismatch(model, modelId, vector.length);
        if (!this.#insert(unitId, quantize(vector), sum)) continue;
        count += 1;
      }
      this.#saveSum(count, sum);
    });
  }

  async remove(unitIds: readonly number[]): Promise<void> {
    this.#db.write(() => this.removeNow(unitIds));
  }

  /** As `remove`, inside the caller's transaction. */
  removeNow(unitIds: readonly number[]): void {
    const model = this.#modelRow();
    if (!model) return;
    const sum = readSum(model.sum);
    let count = model.count;
    for (const unitId of unitIds) if (this.#take(unitId, sum)) count -= 1;
    this.#saveSum(count, sum);
  }

  /** Forgets every vector and the model. Inside the caller's transaction. */
  drop(): void {
    this.#db.exec('DROP TABLE IF EXISTS unit_vector; DELETE FROM vector_model; DELETE FROM vector_change;');
  }

  async query(vector: Float32Array, filter: UnitFilter, limit: number): Promise<ScoredId[]> {
    return this.#db.read(() => {
      const model = this.#modelRow();
      if (!model || model.count === 0 || limit <= 0) return [];
      if (vector.length !== model.dimensions) throw mismatch(model, 'the query', vector.length);
      const query = quantize(vector);
      const most = this.#isCopied(model) ? model.count : MOST_NEIGHBOURS;
      return firstPassing(this.#db, filter, { limit, most }, (wanted) =>
        this.#nearest(query, model, filter, wanted),
      );
    });
  }

  #isCopied(model: ModelRow): boolean {
    return model.count >= this.#copyFromVectors;
  }

  /** Best first; may hold a few that do not pass the filter. */
  #nearest(query: Int8Array, model: ModelRow, filter: UnitFilter, limit: number): ScoredId[] {
    if (this.#isCopied(model)) return this.#copy.search(query, model, filter, limit);
    const kinds = new Set(filter.kinds ?? KINDS);
    return [...kinds]
      .flatMap((kind) => this.#nearestOfKind(query, KINDS.indexOf(kind), filter, limit))
      .sort((a, b) => b.score - a.score || a.unitId - b.unitId)
      .slice(0, limit);
  }

  async get(unitIds: readonly number[]): Promise<Map<number, Float32Array>> {
    const vectors = new Map<number, Float32Array>();
    if (!this.#modelRow()) return vectors;
    for (const unitId of unitIds) {
      const vector = this.#stored(unitId);
      if (vector) vectors.set(unitId, unitLength(vector));
    }
    return vectors;
  }

  async cosines(vector: Float32Array, unitIds: readonly number[]): Promise<Map<number, number>> {
    return this.#db.read(() => {
      const model = this.#modelRow();
      if (!model || model.count === 0) return new Map();
      if (vector.length !== model.dimensions) throw mismatch(model, 'the query', vector.length);
      const query = quantize(vector);
      if (this.#isCopied(model)) return this.#copy.cosines(query, model, unitIds);
      const cosines = new Map<number, number>();
      const queryNorm = normOf(query) || 1;
      for (const unitId of unitIds) {
        const stored = this.#stored(unitId);
        if (stored) cosines.set(unitId, dot(query, stored) / (queryNorm * normOf(stored)));
      }
      return cosines;
    });
  }

  async mean(): Promise<Float32Array | null> {
    const model = this.#modelRow();
    if (!model || model.count === 0) return null;
    return Float32Array.from(readSum(model.sum), (value) => value / SUM_STEPS / model.count);
  }

  /** Keeps what is filtered by beside the vector equal to the unit. Inside the caller's transaction. */
  refreshMetadata(unit: Unit): void {
    if (!this.#modelRow()) return;
    this.#db.run(
      'UPDATE unit_vector SET state = ?, sensitivity = ?, scope = ? WHERE unit_id = ?',
      BigInt(STATES.indexOf(unit.state)),
      BigInt(SENSITIVITIES.indexOf(unit.sensitivity)),
      BigInt(SCOPES.indexOf(unit.scope)),
      BigInt(unit.id),
    );
    this.#noteChange(unit.id);
  }

  /** Compares the vectors with their units, and their number and sum with the vectors. */
  inspect(): { count: number; sum: Float64Array; wrong: number[] } {
    const sum = new Float64Array(this.#modelRow()?.dimensions ?? 0);
    const unitIds = this.unitIds();
    for (const unitId of unitIds) addTo(sum, this.#stored(unitId) ?? new Int8Array(), 1);
    const wrong = unitIds.length === 0 ? [] : this.#db.all<{ id: number }>(DISAGREEING).map((row) => row.id);
    return { count: unitIds.length, sum, wrong };
  }

  /** Whether the sum that is kept is this one. */
  hasSum(sum: Float64Array): boolean {
    const model = this.#modelRow();
    return !model || Buffer.compare(model.sum, bytes(sum)) === 0;
  }

  /** Takes away vectors of units that are gone and sets right what is kept beside the others. In the caller's transaction. */
  reconcile(): void {
    if (!this.#modelRow()) return;
    for (const unitId of this.inspect().wrong) {
      const vector = this.#stored(unitId)?.slice();
      if (!vector) continue;
      this.#db.run('DELETE FROM unit_vector WHERE unit_id = ?', BigInt(unitId));
      this.#noteChange(unitId);
      this.#insert(unitId, vector, new Float64Array(vector.length));
    }
    const { count, sum } = this.inspect();
    this.#saveSum(count, sum);
  }

  /** Ids of all units that have a vector. */
  unitIds(): number[] {
    if (!this.#modelRow()) return [];
    return this.#db.all<{ unit_id: number }>('SELECT unit_id FROM unit_vector').map((row) => row.unit_id);
  }

  #nearestOfKind(query: Int8Array, kind: number, filter: UnitFilter, k: number): ScoredId[] {
    const conditions = ['embedding MATCH vec_int8(?)', 'k = ?', 'kind = ?', 'sensitivity <= ?'];
    const values = [bytes(query), BigInt(k), BigInt(kind), BigInt(maxSensitivity(filter))];
    if (!filter.withArchived && filter.asOf === undefined) {
      conditions.push('state < ?');
      values.push(BigInt(ARCHIVED));
    }
    if (filter.scope) {
      conditions.push('scope = ?');
      values.push(BigInt(SCOPES.indexOf(filter.scope)));
    }
    if (filter.from !== undefined) {
      conditions.push('occurred_day >= ?');
      values.push(BigInt(Math.floor(filter.from / DAY_MS)));
    }
    if (filter.to !== undefined) {
      conditions.push('occurred_day <= ?');
      values.push(BigInt(Math.floor(filter.to / DAY_MS)));
    }
    return this.#db
      .all<{ unitId: number; distance: number }>(
        `SELECT unit_id AS unitId, distance FROM unit_vector WHERE ${conditions.join(' AND ')}`,
        ...values,
      )
      .map(({ unitId, distance }) => ({ unitId, score: 1 - distance }));
  }

  /** Returns whether the number of vectors grew. */
  #insert(unitId: number, vector: Int8Array, sum: Float64Array): boolean {
    const unit = this.#db.get<Record<'kind' | 'occurred_at' | 'state' | 'sensitivity' | 'scope', number>>(
      'SELECT kind, occurred_at, state, sensitivity, scope FROM unit WHERE id = ?',
      unitId,
    );
    if (!unit || vector.every((value) => value === 0)) return false;
    const replaced = this.#take(unitId, sum);
    this.#db.run(
      `INSERT INTO unit_vector (unit_id, kind, embedding, occurred_day, state, sensitivity, scope)
       VALUES (?, ?, vec_int8(?), ?, ?, ?, ?)`,
      BigInt(unitId),
      BigInt(unit.kind),
      bytes(vector),
      BigInt(Math.floor(unit.occurred_at / DAY_MS)),
      BigInt(unit.state),
      BigInt(unit.sensitivity),
      BigInt(unit.scope),
    );
    addTo(sum, vector, 1);
    this.#noteChange(unitId);
    return !replaced;
  }

  #take(unitId: number, sum: Float64Array): boolean {
    const stored = this.#stored(unitId);
    if (!stored) return false;
    this.#db.run('DELETE FROM unit_vector WHERE unit_id = ?', BigInt(unitId));
    addTo(sum, stored, -1);
    this.#noteChange(unitId);
    return true;
  }

  #noteChange(unitId: number): void {
    this.#db.run('INSERT OR REPLACE INTO vector_change (unit_id) VALUES (?)', unitId);
  }

  #stored(unitId: number): Int8Array | undefined {
    const row = this.#db.get<{ embedding: Uint8Array }>(
      'SELECT embedding FROM unit_vector WHERE unit_id = ?',
      BigInt(unitId),
    );
    return row && new Int8Array(row.embedding.buffer, row.embedding.byteOffset, row.embedding.byteLength);
  }

  #modelRow(): ModelRow | undefined {
    return this.#db.get<ModelRow>('SELECT id, dimensions, count, sum FROM vector_model');
  }

  #settleModel(modelId: string, dimensions: number): ModelRow {
    const existing = this.#modelRow();
    if (existing?.id === modelId && existing.dimensions === dimensions) return existing;
    if (existing && existing.count > 0) throw mismatch(existing, modelId, dimensions);
    if (dimensions < FEWEST_DIMENSIONS || dimensions > MOST_DIMENSIONS) {
      throw new MemoryError(
        'INVALID_INPUT',
        `Vectors of 8 to 4096 dimensions can be kept, not of ${dimensions}.`,
      );
    }
    if (existing) this.drop();
    this.#db.exec(`CREATE VIRTUAL TABLE unit_vector USING vec0 (
      unit_id INTEGER PRIMARY KEY, kind INTEGER PARTITION KEY,
      embedding int8[${dimensions}] distance_metric=cosine,
      occurred_day INTEGER, state INTEGER, sensitivity INTEGER, scope INTEGER)`);
    const sum = bytes(new Float64Array(dimensions));
    this.#db.run('INSERT INTO vector_model VALUES (1, ?, ?, 0, ?)', modelId, dimensions, sum);
    return { id: modelId, dimensions, count: 0, sum };
  }

  #saveSum(count: number, sum: Float64Array): void {
    this.#db.run('UPDATE vector_model SET count = ?, sum = ?', count, bytes(sum));
  }
}

function unitLength(vector: Int8Array): Float32Array {
  const norm = normOf(vector);
  return Float32Array.from(vector, (value) => value / norm);
}

function normOf(vector: Int8Array): number {
  return Math.sqrt(dot(vector, vector));
}

function dot(a: Int8Array, b: Int8Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
}

function addTo(sum: Float64Array, vector: Int8Array, sign: 1 | -1): void {
  const norm = normOf(vector);
  for (let i = 0; i < vector.length; i++) {
    sum[i] = sum[i]! + sign * Math.round((vector[i]! / norm) * SUM_STEPS);
  }
}

function bytes(array: Int8Array | Float64Array): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
}

function readSum(blob: Uint8Array): Float64Array {
  return new Float64Array(blob.slice().buffer);
}

function mismatch(
  model: { id: string; dimensions: number },
  modelId: string,
  dimensions: number,
): MemoryError {
  return new MemoryError(
    'MODEL_MISMATCH',
    `The memory holds vectors of ${model.id} (${model.dimensions} dimensions), not of ${modelId} (${dimensions}). ` +
      'Rebuild the memory to change the model.',
  );
}
