import { DAY_MS, KINDS, SCOPES } from '../../model/model.ts';
import { ARCHIVED, leavesOutArchived, maxSensitivity, mismatch } from '../rows/rows.ts';
import type { ScoredId, UnitFilter, VectorIndex } from '../store.ts';
import { bytesOf, performNow, type SetInfo, type VectorSet, type VectorSets } from '../tables/tables.ts';
import { dot, quantize } from '../../vectors/vectors.ts';
import type { Database } from './database.ts';
import { firstMatching, type FilterUnits } from './filter.ts';
import { VectorCopy } from './vectorCopy.ts';
import type { SqliteVectorStorage } from './vectorStorage.ts';

type NewestWithout = Parameters<VectorIndex['newestWithout']>[1];

/** The maximum of sqlite-vec. */
const MAX_NEIGHBOURS = 4_096;
/** The number of vectors from which searches use a copy in memory: with fewer, `vec0` is as fast as making the copy. */
const COPY_FROM_VECTORS = 500;
/** Searches in the table before the copy is made, which takes some twenty times as long: a process may search only once. */
const SEARCHES_BEFORE_COPY = 1;

/**
 * Vectors are searched in their table or, when there are many, in a copy of it in memory. Both filter by the fields
 * stored with a vector before choosing the nearest; other conditions are applied afterwards to more neighbours than
 * requested. Callers hold the transaction.
 */
export class VectorSearch {
  readonly #db: Database;
  readonly #storage: SqliteVectorStorage;
  readonly #sets: VectorSets;
  readonly #filterUnits: FilterUnits;
  readonly #copy: VectorCopy;
  readonly #copyFromVectors: number;
  #searches = 0;

  constructor(
    db: Database,
    {
      storage,
      sets,
      filterUnits,
    }: { storage: SqliteVectorStorage; sets: VectorSets; filterUnits: FilterUnits },
    copyFromVectors = COPY_FROM_VECTORS,
  ) {
    this.#db = db;
    this.#storage = storage;
    this.#sets = sets;
    this.#filterUnits = filterUnits;
    this.#copy = new VectorCopy(db, storage);
    this.#copyFromVectors = copyFromVectors;
  }

  search(vector: Float32Array, filter: UnitFilter, limit: number): ScoredId[] {
    const set = this.#filled();
    if (!set || limit <= 0) return [];
    const query = queryOf(set, vector);
    const inTable = () =>
      firstMatching(this.#filterUnits, filter, { limit, max: MAX_NEIGHBOURS }, (wanted) =>
        this.#nearestInTable(query, set, filter, wanted),
      );
    if (!this.#isCopied(set)) return inTable();
    if (!this.#copy.isOf(set) && this.#searches++ < SEARCHES_BEFORE_COPY) {
      const found = inTable();
      if (found.length === limit || set.count <= MAX_NEIGHBOURS) return this.#asInCopy(query, set, found);
    }
    return firstMatching(this.#filterUnits, filter, { limit, max: set.count }, (wanted) =>
      this.#copy.search(query, set, filter, wanted),
    );
  }

  cosines(vector: Float32Array, unitIds: readonly number[]): Map<number, number> {
    const set = this.#filled();
    if (!set) return new Map();
    const query = queryOf(set, vector);
    return this.#copy.isOf(set)
      ? this.#copy.cosines(query, set, unitIds)
      : this.#storedCosines(query, set, unitIds);
  }

  /** To read only a few vectors, the copy is not made. */
  vectors(unitIds: readonly number[]): Map<number, Int8Array> {
    const set = this.#filled();
    return set ? this.#vectorsOf(set, unitIds) : new Map();
  }

  newestWithout(modelId: string, { kinds, limit }: NewestWithout): number[] {
    const set = this.#filled();
    if (set && set.model !== modelId) return [];
    const ofKinds = kinds ? `kind IN (${kinds.map((kind) => KINDS.indexOf(kind)).join(', ')}) AND` : '';
    const newest = this.#db
      .all<{ id: number }>(
        `SELECT id FROM unit WHERE ${ofKinds} state <> ${ARCHIVED} ORDER BY occurred_at DESC, id DESC LIMIT +?`,
        limit,
      )
      .map(({ id }) => id);
    const known = set && this.#vectorsOf(set, newest);
    return newest.filter((id) => !known?.has(id));
  }

  #vectorsOf(set: VectorSet, unitIds: readonly number[]): Map<number, Int8Array> {
    return this.#isCopied(set) && this.#copy.isOf(set)
      ? this.#copy.vectors(set, unitIds)
      : this.#storage.stored(set, unitIds);
  }

  #filled(): VectorSet | undefined {
    return performNow(this.#sets.filled());
  }

  #isCopied(set: VectorSet): boolean {
    return set.count >= this.#copyFromVectors;
  }

  #storedCosines(query: Int8Array, set: SetInfo, unitIds: readonly number[]): Map<number, number> {
    const cosines = new Map<number, number>();
    const queryLength = dot(query, query) || 1;
    for (const [unitId, stored] of this.#storage.stored(set, unitIds)) {
      // The same formula as in the copy, so that both give the same number.
      cosines.set(unitId, dot(query, stored) / Math.sqrt(dot(stored, stored) * queryLength));
    }
    return cosines;
  }

  /** The results of the table with the scores of the copy: the table's are rounded to 32 bits. */
  #asInCopy(query: Int8Array, set: SetInfo, found: readonly ScoredId[]): ScoredId[] {
    const unitIds = found.map(({ unitId }) => unitId);
    const cosines = this.#storedCosines(query, set, unitIds);
    return found
      .map(({ unitId, score }) => ({ unitId, score: cosines.get(unitId) ?? score }))
      .sort((a, b) => b.score - a.score || a.unitId - b.unitId);
  }

  /** Best first; may contain a few that do not pass the filter. */
  #nearestInTable(query: Int8Array, set: SetInfo, filter: UnitFilter, limit: number): ScoredId[] {
    const kinds = new Set(filter.kinds ?? KINDS);
    return [...kinds]
      .flatMap((kind) => this.#nearestOfKind(query, set, KINDS.indexOf(kind), { filter, limit }))
      .sort((a, b) => b.score - a.score || a.unitId - b.unitId)
      .slice(0, limit);
  }

  #nearestOfKind(
    query: Int8Array,
    set: SetInfo,
    kind: number,
    { filter, limit }: { readonly filter: UnitFilter; readonly limit: number },
  ): ScoredId[] {
    const conditions = ['embedding MATCH vec_int8(?)', 'k = ?', 'kind = ?', 'sensitivity <= ?'];
    const values = [bytesOf(query), BigInt(limit), BigInt(kind), BigInt(maxSensitivity(filter))];
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
        `SELECT unit_id AS unitId, distance FROM ${this.#storage.tableOf(set)} WHERE ${conditions.join(' AND ')}`,
        ...values,
      )
      .map(({ unitId, distance }) => ({ unitId, score: 1 - distance }));
  }
}

/** @throws MemoryError MODEL_MISMATCH for a vector of other dimensions */
function queryOf(set: SetInfo, vector: Float32Array): Int8Array {
  if (vector.length !== set.dimensions) throw mismatch(set, 'the query', vector.length);
  return quantize(vector);
}
