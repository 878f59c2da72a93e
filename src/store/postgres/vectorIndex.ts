import { dequantize } from '../../vectors/vectors.ts';
import type { ScoredId, UnitFilter, VectorIndex, VectorModel } from '../store.ts';
import type { MemoryContext } from './context.ts';
import type { VectorSet } from './vectorSet.ts';
import type { Entries } from './vectors.ts';

export class PostgresVectorIndex implements VectorIndex {
  readonly #memory: MemoryContext;

  constructor(memory: MemoryContext) {
    this.#memory = memory;
  }

  async model(): Promise<VectorModel | null> {
    return this.#memory.ask(async (tables) => modelOf(await tables.vectors.filled()));
  }

  async upsert(modelId: string, entries: Entries): Promise<void> {
    const first = entries[0];
    if (!first) return this.#ping();
    await this.#memory.write((tables) => tables.vectors.upsert(modelId, entries, first.vector.length));
  }

  async remove(unitIds: readonly number[]): Promise<void> {
    await this.#memory.write((tables) => tables.vectors.remove(unitIds));
  }

  async query(vector: Float32Array, filter: UnitFilter, limit: number): Promise<ScoredId[]> {
    return this.#memory.ask((tables) => tables.vectors.query(vector, filter, limit));
  }

  async cosines(vector: Float32Array, unitIds: readonly number[]): Promise<Map<number, number>> {
    return this.#memory.ask((tables) => tables.vectors.cosines(vector, unitIds));
  }

  async get(unitIds: readonly number[]): Promise<Map<number, Float32Array>> {
    const stored = await this.#memory.ask((tables) => tables.vectors.serving(unitIds));
    const vectors = new Map<number, Float32Array>();
    for (const unitId of unitIds) {
      const vector = stored.get(unitId);
      if (vector) vectors.set(unitId, dequantize(vector));
    }
    return vectors;
  }

  async newestWithout(
    modelId: string,
    options: Parameters<VectorIndex['newestWithout']>[1],
  ): Promise<number[]> {
    return this.#memory.ask((tables) => tables.vectors.newestWithout(modelId, options));
  }

  async mean(): Promise<Float32Array | null> {
    return this.#memory.ask((tables) => tables.vectors.mean());
  }

  async nextModel(): Promise<VectorModel | null> {
    return modelOf(await this.#memory.ask((tables) => tables.vectors.open('next')));
  }

  async missingFromNext(modelId: string, limit: number): Promise<number[]> {
    const rows = await this.#memory.read((tables) => tables.vectors.missingFromNext(modelId, limit));
    const unitIds = rows.map((row) => row.id);
    if (rows.some((row) => row.isStale === 1)) {
      await this.#memory.write((tables) => tables.vectors.noteAsked(unitIds));
    }
    return unitIds;
  }

  async upsertNext(modelId: string, entries: Entries): Promise<void> {
    const first = entries[0];
    if (!first) return this.#ping();
    await this.#memory.write((tables) => tables.vectors.upsertNext(modelId, entries, first.vector.length));
  }

  async switchToNext(modelId: string): Promise<boolean> {
    return this.#memory.write((tables) => tables.vectors.switchToNext(modelId));
  }

  async dropNext(): Promise<void> {
    await this.#memory.write((tables) => tables.vectors.dropNext());
  }

  /** Checks that the store is not closed. */
  async #ping(): Promise<void> {
    await this.#memory.ask((_, session) => session.get('SELECT $1::integer'));
  }
}

function modelOf(set: VectorSet | undefined): VectorModel | null {
  return set ? { id: set.model, dimensions: set.dimensions, count: set.count } : null;
}
