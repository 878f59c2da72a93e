import { unitText, type Job, type Unit } from '../model/model.ts';
import type { Embedder } from '../llm/llm.ts';
import type { Store } from '../store/store.ts';
import type { Derivation } from './worker.ts';

/** Gives units their vectors. Running it twice gives the same vectors. */
export function createEmbedDerivation(store: Store, embedder: Embedder): Derivation {
  return {
    kind: 'embed',
    batchSize: embedder.batchSize,
    run: (jobs, signal) => embedUnits(store, embedder, jobs, signal),
  };
}

async function embedUnits(
  store: Store,
  embedder: Embedder,
  jobs: readonly Job[],
  signal: AbortSignal,
): Promise<void> {
  const units = await store.getUnits(jobs.map((job) => Number(job.input['unitId'])));
  const vectors = await embedder.embed(units.map(embeddedText), 'document', signal);
  await store.vectors.upsert(
    embedder.id,
    units.flatMap((unit, i) => (vectors[i] ? [{ unitId: unit.id, vector: vectors[i] }] : [])),
  );
}

/** Who speaks is part of what is said: “Caroline: I adopted a cat” answers “what did Caroline adopt”. */
function embeddedText(unit: Unit): string {
  return unit.kind === 'episode' ? `${unit.payload.speaker}: ${unitText(unit)}` : unitText(unit);
}
