/** A vector index of another embedder for one trial: it records which texts need vectors, and uses those that exist. */
import { embeddedText, type Unit } from '../../model/model.ts';
import type { ScoredId, Store, UnitFilter, VectorIndex } from '../../store/store.ts';
import { terms } from '../../text/text.ts';
import { dot, meanOf, unitLength } from '../../vectors/vectors.ts';

/** Up to this number of units all are compared; in a larger memory only those that a search finds. */
const MAX_WHOLE = 2_000;
/** Maximum number of results of each search in a larger memory. */
const MAX_FOUND = 300;
/** Number of units, evenly from the first to the last, that represent a larger memory. */
const SAMPLE = 256;

/** By text; null if there is nothing to embed. */
export type VectorsByText = Map<string, Float32Array | null>;

export interface TrialVectorsOptions {
  readonly store: Store;
  readonly utterance: string;
  /** The utterance's vector by the memory's own model; null if only keyword search is used. */
  readonly ownVector: Float32Array | null;
  readonly model: { readonly id: string; readonly dimensions: number };
  readonly made: VectorsByText;
}

export class TrialVectors implements VectorIndex {
  readonly #options: TrialVectorsOptions;
  /** Texts that were requested. */
  readonly needed = new Set<string>();
  isWhole = true;

  constructor(options: TrialVectorsOptions) {
    this.#options = options;
  }

  get missing(): string[] {
    return [...this.needed].filter((text) => !this.#options.made.has(text));
  }

  async model() {
    const { model, made } = this.#options;
    // Never 0: an empty index is not searched, and then the needed texts would stay unknown.
    return { ...model, count: Math.max(1, made.size) };
  }

  async query(vector: Float32Array, filter: UnitFilter, limit: number): Promise<ScoredId[]> {
    const found = this.#vectorsOf(await this.#candidates(filter));
    return scoresOf(vector, found)
      .toSorted((a, b) => b.score - a.score || a.unitId - b.unitId)
      .slice(0, limit);
  }

  async cosines(vector: Float32Array, unitIds: readonly number[]): Promise<Map<number, number>> {
    const found = scoresOf(vector, await this.get(unitIds));
    return new Map(found.map(({ unitId, score }) => [unitId, score]));
  }

  async get(unitIds: readonly number[]): Promise<Map<number, Float32Array>> {
    return this.#vectorsOf(await this.#options.store.units.get(unitIds));
  }

  async mean(): Promise<Float32Array | null> {
    return meanOf([...(await this.#sample()).values()]);
  }

  // A trial stores nothing.
  async upsert(): Promise<void> {}
  async remove(): Promise<void> {}
  async nextModel(): Promise<null> {
    return null;
  }
  async newestWithout(): Promise<number[]> {
    return [];
  }
  async missingFromNext(): Promise<number[]> {
    return [];
  }
  async upsertNext(): Promise<void> {}
  async switchToNext(): Promise<boolean> {
    return false;
  }
  async dropNext(): Promise<void> {}

  /** Every unit of a small memory; of a larger one those found by keywords or its own vectors, and the newest. */
  async #candidates(filter: UnitFilter): Promise<readonly Unit[]> {
    const { store, utterance, ownVector } = this.#options;
    const newest = await store.units.list(filter, { limit: MAX_WHOLE + 1 });
    if (newest.length <= MAX_WHOLE) return newest;
    this.isWhole = false;
    const searches = await Promise.all([
      store.indexes.text.search(terms(utterance), filter, MAX_FOUND),
      ownVector ? store.indexes.vectors.query(ownVector, filter, MAX_FOUND) : [],
    ]);
    const ids = new Set(newest.slice(0, MAX_FOUND).map(({ id }) => id));
    for (const { unitId } of searches.flat()) ids.add(unitId);
    return store.units.get([...ids]);
  }

  async #sample(): Promise<Map<number, Float32Array>> {
    const [newest] = await this.#options.store.units.list({}, { limit: 1 });
    const step = Math.max(1, (newest?.id ?? 0) / SAMPLE);
    const count = Math.floor((newest?.id ?? 0) / step);
    return this.get(Array.from({ length: count }, (_, i) => Math.floor((i + 1) * step)));
  }

  #vectorsOf(units: readonly Unit[]): Map<number, Float32Array> {
    const found = new Map<number, Float32Array>();
    for (const unit of units) {
      const text = embeddedText(unit);
      this.needed.add(text);
      const vector = this.#options.made.get(text);
      if (vector) found.set(unit.id, vector);
    }
    return found;
  }
}

/** Vectors of a trial have unit length; this also normalises the query's. */
function scoresOf(vector: Float32Array, found: ReadonlyMap<number, Float32Array>): ScoredId[] {
  const query = unitLength(vector);
  return Array.from(found, ([unitId, own]) => ({ unitId, score: dot(query, own) }));
}
