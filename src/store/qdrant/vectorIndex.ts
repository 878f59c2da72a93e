import type { ScoredId, Store, UnitFilter, VectorIndex, VectorModel } from '../store.ts';
import type { QdrantConnection } from './connection.ts';
import { dayOf, type PointMirror } from './mirror.ts';
import type { DayRange, MemoryPoints } from './points.ts';

type Entries = readonly { unitId: number; vector: Float32Array }[];

/** Candidates asked of Qdrant for each wanted unit, since it filters by memory and day alone. */
const OVERSAMPLING = 4;
const MIN_CANDIDATES = 100;
/** Qdrant is not asked for more; then the store searches. */
const MAX_CANDIDATES = 10_000;

/**
 * Qdrant names the nearest units. The store's vectors stay what counts: they give the scores, and Qdrant's points are
 * made from them.
 */
export class QdrantVectorIndex implements VectorIndex {
  readonly #store: Store;
  readonly #own: VectorIndex;
  readonly #points: MemoryPoints;
  readonly #mirror: PointMirror;
  readonly #connection: QdrantConnection;

  constructor(store: Store, points: MemoryPoints, mirror: PointMirror, connection: QdrantConnection) {
    this.#store = store;
    this.#own = store.indexes.vectors;
    this.#points = points;
    this.#mirror = mirror;
    this.#connection = connection;
  }

  async query(vector: Float32Array, filter: UnitFilter, limit: number): Promise<ScoredId[]> {
    return (await this.#search(vector, filter, limit)) ?? this.#own.query(vector, filter, limit);
  }

  async upsert(modelId: string, entries: Entries): Promise<void> {
    await this.#own.upsert(modelId, entries);
    await this.#follow(entries.map(({ unitId }) => unitId));
  }

  async remove(unitIds: readonly number[]): Promise<void> {
    await this.#own.remove(unitIds);
    await this.#follow(unitIds);
  }

  async switchToNext(modelId: string): Promise<boolean> {
    const isSwitched = await this.#own.switchToNext(modelId);
    if (isSwitched) this.#connection.markStale();
    return isSwitched;
  }

  model(): Promise<VectorModel | null> {
    return this.#own.model();
  }

  cosines(vector: Float32Array, unitIds: readonly number[]): Promise<Map<number, number>> {
    return this.#own.cosines(vector, unitIds);
  }

  get(unitIds: readonly number[]): Promise<Map<number, Float32Array>> {
    return this.#own.get(unitIds);
  }

  newestWithout(modelId: string, options: Parameters<VectorIndex['newestWithout']>[1]): Promise<number[]> {
    return this.#own.newestWithout(modelId, options);
  }

  mean(): Promise<Float32Array | null> {
    return this.#own.mean();
  }

  nextModel(): Promise<VectorModel | null> {
    return this.#own.nextModel();
  }

  missingFromNext(modelId: string, limit: number): Promise<number[]> {
    return this.#own.missingFromNext(modelId, limit);
  }

  upsertNext(modelId: string, entries: Entries): Promise<void> {
    return this.#own.upsertNext(modelId, entries);
  }

  dropNext(): Promise<void> {
    return this.#own.dropNext();
  }

  /** Null when the store is to search: without Qdrant, or for a filter that few of its candidates pass. */
  async #search(vector: Float32Array, filter: UnitFilter, limit: number): Promise<ScoredId[] | null> {
    const model = await this.#own.model();
    if (!model || model.dimensions !== vector.length || limit <= 0) return null;
    const wanted = Math.max(MIN_CANDIDATES, limit * OVERSAMPLING);
    if (wanted > MAX_CANDIDATES) return null;
    const request = { days: daysOf(filter), limit: wanted };
    const collection = this.#points.collectionOf(model);
    const near = await this.#connection.search(() => this.#points.nearest(collection, vector, request));
    if (!near) return null;
    const passing = await this.#store.units.filter(near, filter);
    const scores = await this.#own.cosines(vector, passing);
    if (scores.size < limit && near.length >= wanted) return null;
    const found = [...scores].map(([unitId, score]) => ({ unitId, score }));
    return found.sort((a, b) => b.score - a.score || a.unitId - b.unitId).slice(0, limit);
  }

  async #follow(unitIds: readonly number[]): Promise<void> {
    await this.#connection.write(() => this.#mirror.follow(unitIds));
  }
}

function daysOf({ from, to, asOf }: UnitFilter): DayRange {
  const last = Math.min(to === undefined ? Infinity : to - 1, asOf ?? Infinity);
  return {
    ...(from !== undefined && { gte: dayOf(from) }),
    ...(Number.isFinite(last) && { lte: dayOf(last) }),
  };
}
