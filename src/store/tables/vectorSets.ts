import { SENSITIVITIES, SCOPES, STATES, type Unit } from '../../model/model.ts';
import { addDirection, checkDimensionCount, SUM_STEPS, type Row } from '../rows/rows.ts';
import type { Sql } from './sql.ts';
import { settled, type Steps } from './steps.ts';

type Settling<T> = T | Promise<T>;

/** The vectors that are searched, and those of another model that are being prepared to replace them. */
export type VectorRole = 'serving' | 'next';

/** What a vector is stored with, and filtered by. */
export type VectorPlace = Record<'id' | 'kind' | 'occurred_at' | 'state' | 'sensitivity' | 'scope', number>;

/** One model's vectors, as a store finds them. */
export interface SetInfo {
  readonly id: number;
  readonly role: VectorRole;
  readonly model: string;
  readonly dimensions: number;
}

export interface CountedSet extends SetInfo {
  readonly count: number;
}

/** Where the vectors of sets are stored, which differs: a table of sqlite-vec for each set, or rows of `halfvec`. */
export interface VectorStorage {
  /** Makes a place for a set. Returns the columns of its row in `vector_set` that only this store has. */
  prepare(dimensions: number): Settling<Row>;
  /** Deletes all vectors of a set. */
  clear(set: SetInfo): Settling<void>;
  stored(set: SetInfo, unitIds: readonly number[]): Settling<Map<number, Int8Array>>;
  /** For units without a vector. */
  insert(
    set: SetInfo,
    vectors: readonly { readonly place: VectorPlace; readonly vector: Int8Array }[],
  ): Settling<void>;
  /** Returns the deleted vectors. */
  delete(set: SetInfo, unitIds: readonly number[]): Settling<Int8Array[]>;
  /** Replaces state, sensitivity and scope. */
  refresh(set: SetInfo, place: Pick<VectorPlace, 'id' | 'state' | 'sensitivity' | 'scope'>): Settling<void>;
  unitIds(set: SetInfo): Settling<number[]>;
  /** Called with the serving set whenever it was read; null: none, or it is empty. */
  noteServing(set: CountedSet | null): void;
  /** Units that are missing, or differ from what is stored with their vectors. */
  disagreeing(set: SetInfo): Settling<number[]>;
}

interface SetRow {
  readonly id: number;
  readonly role: VectorRole;
  readonly model: string;
  readonly dimensions: number;
  readonly count: number;
}

const SETS = 'SELECT id, role, model, dimensions, count FROM vector_set WHERE memory_id = $1';
const COLUMNS = {
  id: 'bigint',
  role: 'text',
  model: 'text',
  dimensions: 'integer',
  count: 'bigint',
  sum: 'bytea',
} as const;
/** Vectors that are read at a time. */
const PAGE_SIZE = 1_000;

/** The sets of vectors of a memory. */
export class VectorSets {
  readonly tx: Sql;
  readonly storage: VectorStorage;

  constructor(tx: Sql, storage: VectorStorage) {
    this.tx = tx;
    this.storage = storage;
  }

  /** The serving set first. */
  *all(): Steps<VectorSet[]> {
    return (yield* this.tx.all<SetRow>(`${SETS} ORDER BY role DESC`)).map((row) => new VectorSet(this, row));
  }

  *open(role: VectorRole): Steps<VectorSet | undefined> {
    const row = yield* this.tx.get<SetRow>(`${SETS} AND role = ?`, role);
    return row && new VectorSet(this, row);
  }

  /** The serving set, if it contains vectors. */
  *filled(): Steps<VectorSet | undefined> {
    const set = yield* this.open('serving');
    const filled = set && set.count > 0 ? set : undefined;
    this.storage.noteServing(filled ?? null);
    return filled;
  }

  /** The mean of the serving vectors at unit length; null when there are none. */
  *mean(): Steps<Float32Array | null> {
    const sql = "SELECT count, sum FROM vector_set WHERE memory_id = $1 AND role = 'serving'";
    const row = yield* this.tx.get<{ count: number; sum: Uint8Array }>(sql);
    if (!row || row.count === 0) return null;
    return Float32Array.from(sumOf(row.sum), (value) => value / SUM_STEPS / row.count);
  }

  /** The row of a vector in the journal's form; the key is set and unit. */
  *row([setId = 0, unitId = 0]: readonly number[]): Steps<Row | null> {
    const set = (yield* this.all()).find(({ id }) => id === setId);
    const vector = set && (yield* set.stored([unitId])).get(unitId);
    return vector ? { embedding: bytesOf(vector) } : null;
  }

  /** @throws MemoryError INVALID_INPUT for an unsupported number of dimensions */
  *create(role: VectorRole, model: string, dimensions: number): Steps<VectorSet> {
    checkDimensionCount(dimensions);
    const own = yield* settled(this.storage.prepare(dimensions));
    const row = { role, model, dimensions, count: 0 };
    const id = yield* this.tx.insertNew('vector_set', { ...row, sum: emptySum(dimensions), ...own });
    return new VectorSet(this, { id, ...row });
  }

  /** Creates a set with a given id. */
  *restore({ id, role, model, dimensions }: SetInfo): Steps<void> {
    const own = yield* settled(this.storage.prepare(dimensions));
    const columns = { ...COLUMNS, ...Object.fromEntries(Object.keys(own).map((name) => [name, 'text'])) };
    const row = [id, role, model, dimensions, 0, emptySum(dimensions), ...Object.values(own)];
    yield* this.tx.insert('vector_set', columns, [row]);
  }
}

/** The vectors of one model. Writers must hold the transaction, and call `save` at the end. */
export class VectorSet implements SetInfo {
  readonly id: number;
  readonly role: VectorRole;
  readonly model: string;
  readonly dimensions: number;
  readonly #tx: Sql;
  readonly #storage: VectorStorage;
  #readSum: Float64Array | undefined;
  #count: number;

  constructor({ tx, storage }: VectorSets, row: SetRow) {
    this.#tx = tx;
    this.#storage = storage;
    this.role = row.role;
    this.id = row.id;
    this.model = row.model;
    this.dimensions = row.dimensions;
    this.#count = row.count;
  }

  get count(): number {
    return this.#count;
  }

  /** The sum of the unit-length vectors, in integer steps. Read on demand: every search opens the set. */
  *#sum(): Steps<Float64Array> {
    if (this.#readSum) return this.#readSum;
    const sql = 'SELECT sum FROM vector_set WHERE memory_id = $1 AND id = ?';
    const row = yield* this.#tx.get<{ sum: Uint8Array }>(sql, this.id);
    if (!row) throw new Error(`There is no set of vectors ${this.id}.`);
    return (this.#readSum = sumOf(row.sum));
  }

  *stored(unitIds: readonly number[]): Steps<Map<number, Int8Array>> {
    return unitIds.length === 0 ? new Map() : yield* settled(this.#storage.stored(this, unitIds));
  }

  /** Replaces the vectors of units. Zero vectors and vectors of missing units are skipped. */
  *put(vectors: ReadonlyMap<number, Int8Array>): Steps<void> {
    const units = yield* this.#tx.all<VectorPlace>(
      `SELECT id, kind, occurred_at, state, sensitivity, scope FROM unit
       WHERE memory_id = $1 AND id = ANY (?::bigint[])`,
      [...vectors.keys()],
    );
    const kept = units.flatMap((place) => {
      const vector = vectors.get(place.id);
      return vector?.some((value) => value !== 0) ? { place, vector } : [];
    });
    yield* this.take(kept.map(({ place }) => place.id));
    yield* settled(this.#storage.insert(this, kept));
    const sum = yield* this.#sum();
    for (const { vector } of kept) addDirection(sum, vector, 1);
    this.#count += kept.length;
  }

  *take(unitIds: readonly number[]): Steps<void> {
    if (unitIds.length === 0) return;
    const taken = yield* settled(this.#storage.delete(this, unitIds));
    if (taken.length === 0) return;
    const sum = yield* this.#sum();
    for (const vector of taken) addDirection(sum, vector, -1);
    this.#count -= taken.length;
  }

  /** Updates the columns by which the vector is filtered. */
  *refresh(unit: Unit): Steps<void> {
    const place = {
      id: unit.id,
      state: STATES.indexOf(unit.state),
      sensitivity: SENSITIVITIES.indexOf(unit.sensitivity),
      scope: SCOPES.indexOf(unit.scope),
    };
    yield* settled(this.#storage.refresh(this, place));
  }

  *save(): Steps<void> {
    const sql = 'UPDATE vector_set SET count = ?, sum = ? WHERE memory_id = $1 AND id = ?';
    yield* this.#tx.run(sql, this.#count, bytesOf(yield* this.#sum()), this.id);
  }

  /** Deletes the vectors and the set. */
  *drop(): Steps<void> {
    yield* settled(this.#storage.clear(this));
    yield* this.#tx.run('DELETE FROM vector_set WHERE memory_id = $1 AND id = ?', this.id);
  }

  /** Ids of all units that have a vector. */
  *unitIds(): Steps<number[]> {
    return yield* settled(this.#storage.unitIds(this));
  }

  /** Problems of the vectors, compared with their units, their number and their sum. */
  *problems(): Steps<string[]> {
    const { count, sum, wrong } = yield* this.#inspect();
    const problems = wrong.map((id) => `The vector of unit ${id} does not match the unit.`);
    if (count !== this.#count) {
      problems.push(`The vector index contains ${count} vectors, but its stored count is ${this.#count}.`);
    }
    if (Buffer.compare(bytesOf(sum), bytesOf(yield* this.#sum())) !== 0) {
      problems.push('The checksum of the vectors is wrong: a vector was changed.');
    }
    return problems;
  }

  /** Deletes vectors of missing units and corrects the filter columns of the others. */
  *reconcile(): Steps<void> {
    const { wrong } = yield* this.#inspect();
    const vectors = yield* this.stored(wrong);
    yield* this.take(wrong);
    yield* this.put(vectors);
    const { count, sum } = yield* this.#inspect();
    this.#count = count;
    (yield* this.#sum()).set(sum);
    yield* this.save();
  }

  *#inspect(): Steps<{ count: number; sum: Float64Array; wrong: number[] }> {
    const sum = new Float64Array(this.dimensions);
    const unitIds = yield* this.unitIds();
    for (let at = 0; at < unitIds.length; at += PAGE_SIZE) {
      const vectors = yield* this.stored(unitIds.slice(at, at + PAGE_SIZE));
      for (const vector of vectors.values()) addDirection(sum, vector, 1);
    }
    return { count: unitIds.length, sum, wrong: yield* settled(this.#storage.disagreeing(this)) };
  }
}

function sumOf(bytes: Uint8Array): Float64Array {
  return new Float64Array(bytes.slice().buffer);
}

function emptySum(dimensions: number): Uint8Array {
  return bytesOf(new Float64Array(dimensions));
}

export function bytesOf(array: Int8Array | Float32Array | Float64Array): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
}
