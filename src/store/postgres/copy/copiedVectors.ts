import { dot, quantize } from '../../../vectors/vectors.ts';
import type { Unit } from '../../../model/model.ts';
import type { ScoredId, VectorModel } from '../../store.ts';
import { integersOfHalves } from './numbers.ts';

/** The serving vectors of a memory as their table has them. */
export interface StoredVectors {
  readonly model: VectorModel;
  readonly unitIds: Float64Array;
  /** In the same order, each as `halfvec_send` gives it: dimensions and zero in 16 bits each, then the numbers. */
  readonly bytes: Uint8Array;
}

/** The vectors of a small memory, one after another; all are compared. */
export class CopiedVectors {
  readonly model: VectorModel;
  readonly #rowOf: ReadonlyMap<number, number>;
  readonly #values: Int8Array;
  readonly #squaredLengths: Float64Array;

  constructor({ model, unitIds, bytes }: StoredVectors) {
    const { dimensions } = model;
    this.model = model;
    this.#rowOf = new Map(Array.from(unitIds, (id, row) => [id, row]));
    this.#values = integersOfHalves(bytes, dimensions);
    this.#squaredLengths = Float64Array.from(unitIds, (_, row) => {
      const vector = this.#values.subarray(row * dimensions, (row + 1) * dimensions);
      return dot(vector, vector);
    });
  }

  get bytes(): number {
    return this.#values.length + 48 * this.#squaredLengths.length;
  }

  has(unitId: number): boolean {
    return this.#rowOf.has(unitId);
  }

  get(unitId: number): Int8Array | null {
    const row = this.#rowOf.get(unitId);
    const { dimensions } = this.model;
    return row === undefined ? null : this.#values.subarray(row * dimensions, (row + 1) * dimensions);
  }

  search(vector: Float32Array, passing: Iterable<Unit>, limit: number): ScoredId[] {
    const score = this.#scorer(vector);
    const hits: ScoredId[] = [];
    for (const { id: unitId } of passing) {
      const found = score(unitId);
      if (found !== null) hits.push({ unitId, score: found });
    }
    return hits.sort((a, b) => b.score - a.score || a.unitId - b.unitId).slice(0, limit);
  }

  cosines(vector: Float32Array, unitIds: readonly number[]): Map<number, number> {
    const score = this.#scorer(vector);
    const cosines = new Map<number, number>();
    for (const unitId of unitIds) {
      const found = score(unitId);
      if (found !== null) cosines.set(unitId, found);
    }
    return cosines;
  }

  /** The cosine of a unit: an integer divided by a square root, as PostgreSQL computes it. */
  #scorer(vector: Float32Array): (unitId: number) => number | null {
    const query = quantize(vector);
    const queryLength = dot(query, query) || 1;
    const [values, lengths] = [this.#values, this.#squaredLengths];
    const { dimensions } = this.model;
    return (unitId) => {
      const row = this.#rowOf.get(unitId);
      if (row === undefined) return null;
      const start = row * dimensions;
      let product = 0;
      for (let i = 0; i < dimensions; i += 1) product += query[i]! * values[start + i]!;
      return product / Math.sqrt(lengths[row]! * queryLength);
    };
  }
}
