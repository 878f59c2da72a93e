import { DAY_MS, KINDS, SCOPES, type Unit } from '../../model/model.ts';
import type { ScoredId, UnitFilter, VectorIndex, VectorModel } from '../store.ts';
import { mismatch, type Row, ARCHIVED, leavesOutArchived, maxSensitivity } from '../rows/rows.ts';
import { dequantize, dot, quantize } from '../../vectors/vectors.ts';
import type { Database } from './database.ts';
import { firstPassing } from './filter.ts';
import { performNow, type Centroids, type RowRecorder, type SharedTables } from '../tables/tables.ts';
import type { UnitColumns } from './unitColumns.ts';
import { VectorCopy } from './vectorCopy.ts';
import { bytes, VectorSet } from './vectorSet.ts';

/** The maximum of sqlite-vec. */
const MAX_NEIGHBOURS = 4_096;
/** The number of vectors from which searches use a copy in memory: with fewer, `vec0` is as fast as making the copy. */
const COPY_FROM_VECTORS = 500;
/** Searches in the table before the copy is made, which takes some twenty times as long: a process may search only once. */
const SEARCHES_BEFORE_COPY = 1;

type Entries = readonly { unitId: number; vector: Float32Array }[];

/**
 * Vectors are searched in their table or, when there are many, in a copy of it in memory. Both filter by the fields
 * stored with a vector before choosing the nearest; other conditions are applied afterwards to more neighbours than
 * requested.
 */
export class SqliteVectorIndex implements VectorIndex {
  readonly #db: Database;
  readonly #columns: UnitColumns;
  readonly #copy: VectorCopy;
  readonly #recorder: RowRecorder;
  /** Updated with the serving vectors. */
  readonly #centroids: Centroids;
  readonly #copyFromVectors: number;
  #searches = 0;

  constructor(
    db: Database,
    columns: UnitColumns,
    { recorder, centroids }: SharedTables,
    copyFromVectors = COPY_FROM_VECTORS,
  ) {
    this.#db = db;
    this.#columns = columns;
    this.#recorder = recorder;
    this.#centroids = centroids;
    this.#copy = new VectorCopy(db);
    this.#copyFromVectors = copyFromVectors;
  }

  async model(): Promise<VectorModel | null> {
    return this.modelNow();
  }

  modelNow(): VectorModel | null {
    const set = this.#filled();
    return set ? { id: set.model, dimensions: set.dimensions, count: set.count } : null;
  }

  async upsert(modelId: string, entries: Entries): Promise<void> {
    const first = entries[0];
    if (!first) return;
    this.#db.writeUnflushed(() => {
      const set = this.#settle(modelId, first.vector.length);
      for (const { unitId, vector } of entries) {
        if (vector.length !== set.dimensions) throw mismatch(set, modelId, vector.length);
        this.#serve(set, unitId, quantize(vector));
      }
      set.save();
    });
  }

  async remove(unitIds: readonly number[]): Promise<void> {
    this.#db.write(() => this.removeNow(unitIds));
  }

  /** The row of a vector in the journal's form. */
  row([setId = 0, unitId = 0]: readonly number[]): Row | null {
    const embedding = this.#sets()
      .find(({ id }) => id === setId)
      ?.stored(unitId);
    return embedding ? { embedding: bytes(embedding) } : null;
  }

  /** The vectors of the serving set that the units have. */
  serving(unitIds: readonly number[]): Map<number, Int8Array> {
    const set = this.#open('serving');
    const found = unitIds.map((unitId) => [unitId, set?.stored(unitId)] as const);
    return new Map(found.filter((entry): entry is [number, Int8Array] => entry[1] !== undefined));
  }

  /** Like `remove`, inside the caller's transaction. */
  removeNow(unitIds: readonly number[]): void {
    const serving = this.#open('serving');
    const next = this.#open('next');
    for (const unitId of unitIds) {
      for (const set of [serving, next])
        if (set) performNow(this.#recorder.touch('unit_vector', set.id, unitId));
      if (serving) this.#serve(serving, unitId, undefined);
      next?.take(unitId);
      if (next)
        this.#db.run('INSERT OR REPLACE INTO vector_pending SELECT id, 1 FROM unit WHERE id = ?', unitId);
    }
    serving?.save();
    next?.save();
  }

  /**
   * Restores a vector of one of the sets, if the set still exists. Inside the caller's transaction.
   * @param follows selects the topics whose centroids are updated
   */
  restore(setId: number, unitId: number, vector: Int8Array, follows: (topicId: number) => boolean): void {
    const set = this.#sets().find((set) => set.id === setId);
    if (!set) return;
    if (set.role === 'serving') this.#serve(set, unitId, vector, follows);
    else {
      set.put(unitId, vector);
      this.#db.run('DELETE FROM vector_pending WHERE unit_id = ?', unitId);
    }
    set.save();
  }

  /** Deletes all vectors and models. Inside the caller's transaction. */
  drop(): void {
    this.#dropNext();
    this.#dropServing();
  }

  async query(vector: Float32Array, filter: UnitFilter, limit: number): Promise<ScoredId[]> {
    return this.#db.read(() => {
      const set = this.#filled();
      if (!set || limit <= 0) return [];
      if (vector.length !== set.dimensions) throw mismatch(set, 'the query', vector.length);
      const query = quantize(vector);
      const inTable = () =>
        firstPassing(this.#columns, filter, { limit, most: MAX_NEIGHBOURS }, (wanted) =>
          this.#nearestInTable(query, set, filter, wanted),
        );
      if (!this.#isCopied(set)) return inTable();
      if (!this.#copy.isOf(set) && this.#searches++ < SEARCHES_BEFORE_COPY) {
        const found = inTable();
        if (found.length === limit || set.count <= MAX_NEIGHBOURS) return asInCopy(query, set, found);
      }
      return firstPassing(this.#columns, filter, { limit, most: set.count }, (wanted) =>
        this.#copy.search(query, set, filter, wanted),
      );
    });
  }

  async get(unitIds: readonly number[]): Promise<Map<number, Float32Array>> {
    return this.#db.read(() => {
      const set = this.#filled();
      if (!set) return new Map();
      // To read only a few vectors, the copy is not made.
      const stored =
        this.#isCopied(set) && this.#copy.isOf(set)
          ? this.#copy.vectors(set, unitIds)
          : new Map(unitIds.map((unitId) => [unitId, set.stored(unitId)]));
      const vectors = new Map<number, Float32Array>();
      for (const [unitId, vector] of stored) if (vector) vectors.set(unitId, dequantize(vector));
      return vectors;
    });
  }

  async cosines(vector: Float32Array, unitIds: readonly number[]): Promise<Map<number, number>> {
    return this.#db.read(() => {
      const set = this.#filled();
      if (!set) return new Map();
      if (vector.length !== set.dimensions) throw mismatch(set, 'the query', vector.length);
      const query = quantize(vector);
      if (this.#copy.isOf(set)) return this.#copy.cosines(query, set, unitIds);
      return storedCosines(query, set, unitIds);
    });
  }

  async newestWithout(
    modelId: string,
    { kinds, limit }: Parameters<VectorIndex['newestWithout']>[1],
  ): Promise<number[]> {
    return this.#db.read(() => {
      const set = this.#filled();
      if (set && set.model !== modelId) return [];
      const ofKinds = kinds ? `kind IN (${kinds.map((kind) => KINDS.indexOf(kind)).join(', ')}) AND` : '';
      const newest = this.#db.all<{ id: number }>(
        `SELECT id FROM unit WHERE ${ofKinds} state <> ${ARCHIVED} ORDER BY occurred_at DESC, id DESC LIMIT +?`,
        limit,
      );
      return newest.map(({ id }) => id).filter((id) => !set?.stored(id));
    });
  }

  async mean(): Promise<Float32Array | null> {
    return this.#open('serving')?.mean() ?? null;
  }

  async nextModel(): Promise<VectorModel | null> {
    const set = this.#open('next');
    return set ? { id: set.model, dimensions: set.dimensions, count: set.count } : null;
  }

  async missingFromNext(modelId: string, limit: number): Promise<number[]> {
    const rows = this.#db.read(() =>
      this.#open('next')?.model === modelId
        ? this.#db.all<Missing>(STILL_MISSING, limit)
        : this.#db.all<Missing>('SELECT id, 0 AS isStale FROM unit ORDER BY id LIMIT +?', limit),
    );
    const unitIds = rows.map((row) => row.id);
    if (rows.some((row) => row.isStale === 1)) this.#db.writeUnflushed(() => this.#noteAsked(unitIds));
    return unitIds;
  }

  async upsertNext(modelId: string, entries: Entries): Promise<void> {
    const first = entries[0];
    if (!first) return;
    this.#db.writeUnflushed(() => {
      const set = this.#settleNext(modelId, first.vector.length);
      for (const { unitId, vector } of entries) {
        if (vector.length !== set.dimensions) throw mismatch(set, modelId, vector.length);
        if (this.#db.get('SELECT 1 FROM vector_pending WHERE unit_id = ? AND is_stale = 1', unitId)) continue;
        set.put(unitId, quantize(vector));
        this.#db.run('DELETE FROM vector_pending WHERE unit_id = ?', unitId);
      }
      set.save();
    });
  }

  async switchToNext(modelId: string): Promise<boolean> {
    return this.#db.write(() => {
      const next = this.#open('next');
      const isComplete = next
        ? next.model === modelId && this.#db.all(STILL_MISSING, 1).length === 0
        : this.#db.get('SELECT 1 FROM unit LIMIT 1') === undefined;
      if (!isComplete) return false;
      this.#dropServing();
      this.#db.exec(
        "UPDATE vector_set SET role = 'serving' WHERE role = 'next'; DELETE FROM vector_pending;",
      );
      performNow(this.#centroids.remakeAll());
      return true;
    });
  }

  async dropNext(): Promise<void> {
    this.#db.write(() => this.#dropNext());
  }

  /** Updates the filter fields stored with the vectors of a unit. Inside the caller's transaction. */
  refreshMetadata(unit: Unit): void {
    for (const set of this.#sets()) set.refreshMetadata(unit);
  }

  /** Problems of the serving and the prepared vectors. */
  problems(): string[] {
    return this.#sets().flatMap((set) => set.problems());
  }

  /** Repairs what can be repaired, and requests missing vectors again. In the caller's transaction. */
  reconcile(): void {
    for (const set of this.#sets()) set.reconcile();
    const next = this.#open('next');
    if (!next) return;
    this.#db.exec(`DELETE FROM vector_pending;
      INSERT INTO vector_pending SELECT id, 0 FROM unit WHERE id NOT IN (SELECT unit_id FROM ${next.name})`);
  }

  /** Ids of all units that have a vector. */
  unitIds(): number[] {
    return this.#open('serving')?.unitIds() ?? [];
  }

  /** Replaces or deletes a serving vector; the centroids are updated. */
  #serve(
    set: VectorSet,
    unitId: number,
    vector: Int8Array | undefined,
    follows?: (topicId: number) => boolean,
  ): void {
    const isCounted = performNow(this.#centroids.membersAmong([unitId])).length > 0;
    const before = isCounted ? set.stored(unitId)?.slice() : undefined;
    if (vector) set.put(unitId, vector);
    else set.take(unitId);
    if (isCounted) performNow(this.#centroids.follow(unitId, before, set.stored(unitId), follows));
  }

  /** Clears the stale mark of pending units: the caller reads their current text next. */
  #noteAsked(unitIds: readonly number[]): void {
    this.#db.run(
      'UPDATE vector_pending SET is_stale = 0 WHERE unit_id IN (SELECT value FROM json_each(?))',
      JSON.stringify(unitIds),
    );
  }

  #open(role: VectorSet['role']): VectorSet | undefined {
    return VectorSet.open(this.#db, role);
  }

  #sets(): VectorSet[] {
    return (['serving', 'next'] as const).flatMap((role) => this.#open(role) ?? []);
  }

  /** The set that is searched, if it is not empty. */
  #filled(): VectorSet | undefined {
    const set = this.#open('serving');
    return set && set.count > 0 ? set : undefined;
  }

  #settle(modelId: string, dimensions: number): VectorSet {
    const set = this.#open('serving');
    if (set?.model === modelId && set.dimensions === dimensions) return set;
    if (set && set.count > 0) throw mismatch(set, modelId, dimensions);
    this.#dropServing();
    return VectorSet.create(this.#db, 'serving', modelId, dimensions);
  }

  #settleNext(modelId: string, dimensions: number): VectorSet {
    const set = this.#open('next');
    if (set?.model === modelId) return set;
    this.#dropNext();
    this.#db.exec('INSERT INTO vector_pending SELECT id, 0 FROM unit');
    return VectorSet.create(this.#db, 'next', modelId, dimensions);
  }

  #dropServing(): void {
    const set = this.#open('serving');
    if (set && set.count > 0) performNow(this.#centroids.clear());
    set?.drop();
    this.#db.exec('DELETE FROM vector_change');
  }

  #dropNext(): void {
    this.#open('next')?.drop();
    this.#db.exec('DELETE FROM vector_pending');
  }

  #isCopied(set: VectorSet): boolean {
    return set.count >= this.#copyFromVectors;
  }

  /** Best first; may contain a few that do not pass the filter. */
  #nearestInTable(query: Int8Array, set: VectorSet, filter: UnitFilter, limit: number): ScoredId[] {
    const kinds = new Set(filter.kinds ?? KINDS);
    return [...kinds]
      .flatMap((kind) => this.#nearestOfKind(query, set, KINDS.indexOf(kind), { filter, limit }))
      .sort((a, b) => b.score - a.score || a.unitId - b.unitId)
      .slice(0, limit);
  }

  #nearestOfKind(
    query: Int8Array,
    set: VectorSet,
    kind: number,
    { filter, limit }: { readonly filter: UnitFilter; readonly limit: number },
  ): ScoredId[] {
    const conditions = ['embedding MATCH vec_int8(?)', 'k = ?', 'kind = ?', 'sensitivity <= ?'];
    const values = [bytes(query), BigInt(limit), BigInt(kind), BigInt(maxSensitivity(filter))];
    if (leavesOutArchived(filter)) {
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
        `SELECT unit_id AS unitId, distance FROM ${set.name} WHERE ${conditions.join(' AND ')}`,
        ...values,
      )
      .map(({ unitId, distance }) => ({ unitId, score: 1 - distance }));
  }
}

function storedCosines(query: Int8Array, set: VectorSet, unitIds: readonly number[]): Map<number, number> {
  const cosines = new Map<number, number>();
  const queryLength = dot(query, query) || 1;
  for (const unitId of unitIds) {
    const stored = set.stored(unitId);
    // The same formula as in the copy, so that both give the same number.
    if (stored) cosines.set(unitId, dot(query, stored) / Math.sqrt(dot(stored, stored) * queryLength));
  }
  return cosines;
}

/** The results of the table with the scores of the copy: the table's are rounded to 32 bits. */
function asInCopy(query: Int8Array, set: VectorSet, found: readonly ScoredId[]): ScoredId[] {
  const cosines = storedCosines(
    query,
    set,
    found.map(({ unitId }) => unitId),
  );
  return found
    .map(({ unitId, score }) => ({ unitId, score: cosines.get(unitId) ?? score }))
    .sort((a, b) => b.score - a.score || a.unitId - b.unitId);
}

interface Missing {
  id: number;
  isStale: number;
}

const STILL_MISSING = `SELECT p.unit_id AS id, p.is_stale AS isStale FROM vector_pending p
  CROSS JOIN unit u ON u.id = p.unit_id ORDER BY p.unit_id LIMIT +?`;
