/** Recall with another embedder. Its vectors are created on demand, and kept in this process only. */
import type { Embedder } from '../../llm/llm.ts';
import {
  createRecall,
  type RecallDependencies,
  type RecallOptions,
  type RecallResult,
} from '../../recall/recall.ts';
import { withParts } from '../../store/store.ts';
import { unitLength } from '../../vectors/vectors.ts';
import { TrialVectors, type VectorsByText } from './trialVectors.ts';

/** Number of embedders whose vectors are kept, the most recently used. */
const MAX_EMBEDDERS = 2;
/** Maximum number of vectors of one embedder; beyond it they are dropped and created again. */
const MAX_VECTORS = 10_000;
/** Maximum number of rounds: a recall needs units that only its first searches find. */
const MAX_ROUNDS = 6;

export interface TrialRequest {
  readonly utterance: string;
  readonly options: RecallOptions;
  /** Null: keyword search only. */
  readonly embedder: Embedder | null;
  /** Time limit for creating vectors before the trial reports its progress. */
  readonly timeLimitMs: number;
  readonly signal: AbortSignal;
}

export interface Trial {
  /** Number of needed texts that have a vector. */
  readonly made: number;
  readonly needed: number;
  /** False: the memory is large, and only units found by keywords or its present vectors were compared. */
  readonly isWhole: boolean;
  /** Null while vectors are missing: ask again. */
  readonly result: RecallResult | null;
}

export class Trials {
  readonly #kept = new Map<string, VectorsByText>();

  /** @throws MemoryError the errors of a recall, and EMBEDDER_FAILED */
  async recall(parts: RecallDependencies, request: TrialRequest): Promise<Trial> {
    const { utterance, embedder, signal } = request;
    const options = { ...request.options, count: false, mode: 'fast' as const };
    if (embedder === null) {
      const result = await createRecall({ ...parts, embedder }).recall(utterance, options);
      return { made: 0, needed: 0, isWhole: true, result };
    }
    const made = this.#vectorsOf(embedder.id);
    const query = rememberingQueries(embedder);
    const [own] = await query.embed([utterance], 'query', signal);
    const model = { id: embedder.id, dimensions: own?.length ?? 0 };
    const ownVector = await vectorInUse(parts, utterance, signal);
    const until = performance.now() + request.timeLimitMs;
    for (let round = 1; ; round += 1) {
      const vectors = new TrialVectors({ store: parts.store, utterance, ownVector, model, made });
      const store = withParts(parts.store, {
        indexes: { ...parts.store.indexes, vectors },
        close: async () => {},
      });
      const recall = createRecall({ ...parts, store, embedder: query });
      const result = await recall.recall(utterance, options);
      const { needed, missing, isWhole } = vectors;
      const progress = () => ({ made: needed.size - vectors.missing.length, needed: needed.size, isWhole });
      if (missing.length === 0 || round === MAX_ROUNDS) return { ...progress(), result };
      await makeVectors(embedder, missing, { made, until, signal });
      if (vectors.missing.length > 0) return { ...progress(), result: null };
    }
  }

  /** Drops all vectors, because they reveal their text. */
  clear(): void {
    this.#kept.clear();
  }

  #vectorsOf(id: string): VectorsByText {
    const kept = this.#kept.get(id);
    const made: VectorsByText = kept && kept.size <= MAX_VECTORS ? kept : new Map();
    this.#kept.delete(id);
    this.#kept.set(id, made);
    for (const [oldest] of [...this.#kept].slice(0, -MAX_EMBEDDERS)) this.#kept.delete(oldest);
    return made;
  }
}

interface EmbeddingTask {
  readonly made: VectorsByText;
  /** At least one batch is created, also after this time. By `performance.now()`. */
  readonly until: number;
  readonly signal: AbortSignal;
}

async function makeVectors(
  embedder: Embedder,
  texts: readonly string[],
  { made, until, signal }: EmbeddingTask,
): Promise<void> {
  const { batchSize } = embedder;
  for (let from = 0; from < texts.length; from += batchSize) {
    const batch = texts.slice(from, from + batchSize);
    const vectors = await embedder.embed(batch, 'document', signal);
    for (const [i, text] of batch.entries()) made.set(text, directionOf(vectors[i]));
    if (performance.now() > until) return;
  }
}

/** Null for a vector of zeros: there was nothing to embed. */
function directionOf(vector: Float32Array | undefined): Float32Array | null {
  return vector?.some((value) => value !== 0) === true ? unitLength(vector) : null;
}

/** Null if the memory's own vectors cannot be searched. */
async function vectorInUse(
  { store, embedder }: RecallDependencies,
  utterance: string,
  signal: AbortSignal,
): Promise<Float32Array | null> {
  const model = await store.indexes.vectors.model();
  if (!embedder || model?.id !== embedder.id) return null;
  const [vector] = await embedder.embed([utterance], 'query', signal).catch(() => []);
  return vector ?? null;
}

/** Each query is embedded once for all rounds. Not local: a recall must not create vectors itself. */
function rememberingQueries(embedder: Embedder): Embedder {
  const known = new Map<string, Promise<Float32Array[]>>();
  return {
    id: embedder.id,
    dimensions: embedder.dimensions,
    batchSize: embedder.batchSize,
    async embed(texts, purpose, signal) {
      const key = JSON.stringify(texts);
      const vectors = known.get(key) ?? embedder.embed(texts, purpose, signal);
      known.set(key, vectors);
      return vectors;
    },
  };
}
