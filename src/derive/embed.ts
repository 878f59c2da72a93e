import { embeddedText, type Unit } from '../model/model.ts';
import type { Embedder } from '../llm/llm.ts';
import type { Store } from '../store/store.ts';
import type { Derivation } from './derivation.ts';

/**
 * Makes vectors of units. Deterministic.
 * @param afterwards called with the units when their vectors are stored
 */
export function createEmbedDerivation(
  store: Store,
  embedder: Embedder,
  afterwards: (units: readonly Unit[], signal: AbortSignal) => Promise<void> = async () => {},
): Derivation {
  return {
    kind: 'embed',
    batchSize: embedder.batchSize,
    async run(jobs, signal) {
      const units = await store.units.get(jobs.map((job) => Number(job.input['unitId'])));
      await store.indexes.vectors.upsert(embedder.id, await embedUnits(embedder, units, signal));
      await afterwards(units, signal);
    },
  };
}

/** The vectors of units in their stored form. */
export async function embedUnits(
  embedder: Embedder,
  units: readonly Unit[],
  signal: AbortSignal,
): Promise<{ unitId: number; vector: Float32Array }[]> {
  const vectors = await embedder.embed(units.map(embeddedText), 'document', signal);
  return units.flatMap((unit, i) => (vectors[i] ? [{ unitId: unit.id, vector: vectors[i] }] : []));
}
