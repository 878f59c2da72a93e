import { MemoryError, type Unit } from '../../src/model/model.ts';
import type { ScoredId, UnitFilter, VectorIndex } from '../../src/store/store.ts';
import { bestFirst, passes, type Transact } from './state.ts';

export class ModelVectorIndex implements VectorIndex {
  readonly #transact: Transact;

  constructor(transact: Transact) {
    this.#transact = transact;
  }

  async model() {
    return this.#transact(({ vectors }) =>
      vectors && vectors.byUnit.size > 0
        ? { id: vectors.modelId, dimensions: vectors.dimensions, count: vectors.byUnit.size }
        : null,
    );
  }

  async upsert(modelId: string, entries: readonly { unitId: number; vector: Float32Array }[]): Promise<void> {
    this.#transact((state) => {
      for (const { unitId, vector } of entries) {
        if (!state.vectors || state.vectors.byUnit.size === 0) {
          state.vectors = { modelId, dimensions: vector.length, byUnit: new Map() };
        }
        const { vectors } = state;
        if (vectors.modelId !== modelId || vectors.dimensions !== vector.length)
          throw new MemoryError('MODEL_MISMATCH');
        const length = Math.hypot(...vector);
        if (state.units[unitId - 1] && length > 0)
          vectors.byUnit.set(
            unitId,
            vector.map((value) => value / length),
          );
      }
    });
  }

  async remove(unitIds: readonly number[]): Promise<void> {
    this.#transact(({ vectors }) => unitIds.forEach((unitId) => vectors?.byUnit.delete(unitId)));
  }

  async query(vector: Float32Array, filter: UnitFilter, limit: number): Promise<ScoredId[]> {
    const all = await this.cosines(
      vector,
      this.#transact(({ units }) => units.map((unit) => unit.id)),
    );
    return this.#transact((state) =>
      [...all]
        .map(([unitId, score]) => ({ unitId, score }))
        .filter(({ unitId }) => passes(state, state.units[unitId - 1] as Unit, filter))
        .sort(bestFirst)
        .slice(0, limit),
    );
  }

  async get(unitIds: readonly number[]): Promise<Map<number, Float32Array>> {
    return this.#transact(
      ({ vectors }) => new Map([...(vectors?.byUnit ?? [])].filter(([unitId]) => unitIds.includes(unitId))),
    );
  }

  async cosines(vector: Float32Array, unitIds: readonly number[]): Promise<Map<number, number>> {
    const model = await this.model();
    if (model && model.dimensions !== vector.length) throw new MemoryError('MODEL_MISMATCH');
    const length = Math.hypot(...vector) || 1;
    const cosine = (other: Float32Array) =>
      other.reduce((sum, value, i) => sum + value * (vector[i] ?? 0), 0) / length;
    return new Map([...(await this.get(unitIds))].map(([unitId, other]) => [unitId, cosine(other)]));
  }

  async mean(): Promise<Float32Array | null> {
    const model = await this.model();
    if (!model) return null;
    const mean = new Float32Array(model.dimensions);
    this.#transact(({ vectors }) => {
      for (const vector of vectors?.byUnit.values() ?? []) {
        vector.forEach((value, i) => (mean[i] = (mean[i] ?? 0) + value / model.count));
      }
    });
    return mean;
  }
}
