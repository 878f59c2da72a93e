/** Recall as it would be with another embedder. Its vectors are made on demand, and kept in this process only. */
import type { Embedder } from '../../llm/llm.ts';
import {
  createRecall,
  type RecallDependencies,
  type RecallOptions,
  type RecallResult,
} from '../../recall/recall.ts';
import type { Store, VectorIndex } from '../../store/store.ts';
import { unitLength } from '../../vectors/vectors.ts';
import { TrialVectors, type VectorsByText } from './trialVectors.ts';

/** Embedders whose vectors are kept, the last used. */
const MAX_EMBEDDERS = 2;
/** Vectors kept of one embedder; with more than this they are made again. */
const MAX_VECTORS = 10_000;
/** A recall needs units that only its first searches reveal. */
const MAX_ROUNDS = 6;

export interface TrialRequest {
  readonly utterance: string;
  readonly options: RecallOptions;
  /** Null: words alone. */
  readonly embedder: Embedder | null;
  /** How long vectors are made before the trial answers how far it is. */
  readonly timeLimitMs: number;
  readonly signal: AbortSignal;
}

export interface Trial {
  /** Texts that have a vector, of those that the recall needs. */
  readonly made: number;
  readonly needed: number;
  /** False: the memory is large, and only what words or its present vectors find was compared. */
  readonly isWhole: boolean;
  /** Null while vectors are missing: ask again. */
  readonly result: RecallResult | null;
}

export class Trials {
  readonly #kept = new Map<string, VectorsByText>();

  /** @throws MemoryError what a recall throws, and EMBEDDER_FAILED */
  async recall(parts: RecallDependencies, request: TrialRequest): Promise<Trial> {
    const { utterance, embedder, signal } = request;
    const options = { ...request.options, count: false, mode: 'fast' as const };
    if (embedder === null) {
      const result = await createRecall({ ...parts, embedder }).recall(utterance, options);
      return { made: 0, needed: 0, isWhole: true, result };
    }
    const made = this.#madeBy(embedder.id);
    const query = rememberingQueries(embedder);
    const [own] = await query.embed([utterance], 'query', signal);
    const model = { id: embedder.id, dimensions: own?.length ?? 0 };
    const ownVector = await vectorInUse(parts, utterance, signal);
    const until = performance.now() + request.timeLimitMs;
    for (let round = 1; ; round += 1) {
      const vectors = new TrialVectors({ store: parts.store, utterance, ownVector, model, made });
      const recall = createRecall({ ...parts, store: withVectors(parts.store, vectors), embedder: query });
      const result = await recall.recall(utterance, options);
      const { needed, missing, isWhole } = vectors;
      const progress = () => ({ made: needed.size - vectors.missing.length, needed: needed.size, isWhole });
      if (missing.length === 0 || round === MAX_ROUNDS) return { ...progress(), result };
      await makeVectors(embedder, missing, { made, until, signal });
      if (vectors.missing.length > 0) return { ...progress(), result: null };
    }
  }

  /** Vectors tell of the words they were made of. */
  clear(): void {
    this.#kept.clear();
  }

  #madeBy(id: string): VectorsByText {
    const kept = this.#kept.get(id);
    const made: VectorsByText = kept && kept.size <= MAX_VECTORS ? kept : new Map();
    this.#kept.delete(id);
    this.#kept.set(id, made);
    for (const [oldest] of [...this.#kept].slice(0, -MAX_EMBEDDERS)) this.#kept.delete(oldest);
    return made;
  }
}

interface Making {
  readonly made: VectorsByText;
  /** At least one batch is made, also after this. By `performance.now()`. */
  readonly until: number;
  readonly signal: AbortSignal;
}

async function makeVectors(
  embedder: Embedder,
  texts: readonly string[],
  { made, until, signal }: Making,
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

/** Null where the memory's own vectors cannot be searched. */
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

/** Each query is embedded once for all rounds. Not local: a recall shall make no vectors on its own. */
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

/** The store, with other vectors. */
function withVectors(store: Store, vectors: VectorIndex): Store {
  return {
    memoryId: store.memoryId,
    timeZone: store.timeZone,
    isReadOnly: store.isReadOnly,
    evidence: store.evidence,
    units: store.units,
    entities: store.entities,
    topics: store.topics,
    noteFiles: store.noteFiles,
    indexes: { text: store.indexes.text, times: store.indexes.times, vectors },
    jobs: store.jobs,
    journal: store.journal,
    forgetting: store.forgetting,
    admin: store.admin,
    rawTurns: store.rawTurns,
    exclusively: (name, body) => store.exclusively(name, body),
    close: async () => {},
  };
}
