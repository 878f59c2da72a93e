import { MemoryError, type Unit } from '../../src/model/model.ts';
import type { ScoredId, UnitFilter, VectorIndex } from '../../src/store/store.ts';
import { bestFirst, passes, type State, type Transact, type Vectors } from './state.ts';

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
        if (state.vectors.modelId !== modelId) throw new MemoryError('MODEL_MISMATCH');
        put(state, state.vectors, unitId, vector);
      }
    });
  }

  async remove(unitIds: readonly number[]): Promise<void> {
    this.#transact((state) => unitIds.forEach((unitId) => removeVectors(state, unitId)));
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

  async newestWithout(
    modelId: string,
    { kinds, limit }: Parameters<VectorIndex['newestWithout']>[1],
  ): Promise<number[]> {
    return this.#transact(({ vectors, units }) => {
      if (vectors && vectors.byUnit.size > 0 && vectors.modelId !== modelId) return [];
      return units
        .filter((unit) => unit.state !== 'archived' && (kinds?.includes(unit.kind) ?? true))
        .sort((a, b) => b.occurredAt - a.occurredAt || b.id - a.id)
        .slice(0, limit)
        .flatMap(({ id }) => (vectors?.byUnit.has(id) ? [] : id));
    });
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

  async nextModel() {
    return this.#transact(
      ({ next }) => next && { id: next.modelId, dimensions: next.dimensions, count: next.byUnit.size },
    );
  }

  async missingFromNext(modelId: string, limit: number): Promise<number[]> {
    return this.#transact(({ next, units }) => {
      const isNext = next?.modelId === modelId;
      const missing = units.filter((unit) => !isNext || !next.done.has(unit.id)).slice(0, limit);
      for (const { id } of missing) if (isNext) next.stale.delete(id);
      return missing.map((unit) => unit.id);
    });
  }

  async upsertNext(modelId: string, entries: readonly { unitId: number; vector: Float32Array }[]) {
    this.#transact((state) => {
      for (const { unitId, vector } of entries) {
        if (state.next?.modelId !== modelId) {
          const dimensions = vector.length;
          state.next = { modelId, dimensions, byUnit: new Map(), done: new Set(), stale: new Set() };
        }
        if (state.next.stale.has(unitId)) continue;
        put(state, state.next, unitId, vector);
        if (state.units[unitId - 1]) state.next.done.add(unitId);
      }
    });
  }

  async switchToNext(modelId: string): Promise<boolean> {
    return this.#transact((state) => {
      const { next, units } = state;
      const isComplete = next
        ? next.modelId === modelId && units.every((unit) => next.done.has(unit.id))
        : units.length === 0;
      if (isComplete) Object.assign(state, { vectors: next, next: null });
      return isComplete;
    });
  }

  async dropNext(): Promise<void> {
    this.#transact((state) => (state.next = null));
  }
}

/** The text of a unit changed, or its vectors are no longer needed. */
export function removeVectors({ vectors, next, units }: State, unitId: number): void {
  vectors?.byUnit.delete(unitId);
  next?.byUnit.delete(unitId);
  next?.done.delete(unitId);
  if (units[unitId - 1]) next?.stale.add(unitId);
}

function put(state: State, vectors: Vectors, unitId: number, vector: Float32Array): void {
  if (vectors.dimensions !== vector.length) throw new MemoryError('MODEL_MISMATCH');
  const length = Math.hypot(...vector);
  if (!state.units[unitId - 1] || length === 0) return;
  vectors.byUnit.set(
    unitId,
    vector.map((value) => value / length),
  );
}
