import { messageOf, wordCache } from '../model/model.ts';
import { existsSync } from 'node:fs';
import { embedderFailed, type Embedder, type EmbedPurpose } from './embedder.ts';
import { ENCODER_PATH, loadEncoders } from './encoder/encoder.ts';
import { loadStaticModel, type StaticModel } from './static/static.ts';

/**
 * A vector is the concatenation of the encoder's and the static model's, each scaled to the root of its share: a cosine
 * is then the weighted mean of both models' cosines. The static model represents spelling, including words that the
 * encoder never saw.
 */
const STATIC_SHARE = 0.3;
export const BUNDLED_EMBEDDER_ID = 'omoide-encoder-v2';
/** One batch of background work: less than half a second in a thread. */
const BATCH_SIZE = 32;
/** From this many texts on, worker threads are used. */
const MIN_BULK = 4;

/**
 * How many vectors are cached, about 3 KB each with their texts: one utterance is embedded for search, for its mood, and
 * as the context of later ones, and a server has many conversations at once.
 */
const MAX_CACHED_TEXTS = 512;
const MAX_CACHED_LENGTH = 2_000;

type Encoders = ReturnType<typeof loadEncoders>;

/** One copy of the models' data serves all memories of the process. */
let sharedStatic: StaticModel | undefined;
let sharedEncoders: Encoders | undefined;
const cachedVectors = createVectorCache();

/**
 * The bundled model for Japanese, Chinese and English: a small transformer combined with a table of words and
 * characters. Its data is loaded at the first text. Single texts are embedded in this thread, many documents in worker
 * threads.
 * @param path another data file of the encoder, which is then not shared.
 * @throws MemoryError EMBEDDER_FAILED when the data file is missing; a damaged file is reported at the first text.
 */
export function openBundledEmbedder(path?: string): Embedder {
  if (!existsSync(path ?? ENCODER_PATH))
    throw failure(`The encoder's data file ${path ?? ENCODER_PATH} is missing.`);
  let own: Encoders | undefined;
  const encoders = (): Encoders =>
    path === undefined
      ? (sharedEncoders ??= guarded(() => loadEncoders(ENCODER_PATH)))
      : (own ??= guarded(() => loadEncoders(path)));
  const remembered = path === undefined ? cachedVectors : createVectorCache();

  function embedNow(text: string): Float32Array {
    return remembered(text, () => join(encoders().encoder.embed(text), text));
  }

  async function embedMany(texts: readonly string[]): Promise<Float32Array[]> {
    const { bulk } = encoders();
    const vectors = await bulk.embed(texts).catch((cause: unknown) => {
      const reason = messageOf(cause);
      throw embedderFailed(`The bundled embedder failed: ${reason}`, { retryable: true, cause });
    });
    return texts.map((text, i) => join(vectors[i] ?? new Float32Array(), text));
  }

  return {
    id: BUNDLED_EMBEDDER_ID,
    dimensions: DIMENSIONS,
    batchSize: BATCH_SIZE,
    isLocal: true,
    async embed(texts, purpose: EmbedPurpose, signal) {
      signal?.throwIfAborted();
      return purpose === 'document' && texts.length >= MIN_BULK ? embedMany(texts) : texts.map(embedNow);
    },
  };
}

/**
 * The static part alone: very fast, for slow machines, and for memories whose vectors were made before there was an
 * encoder.
 * @throws MemoryError EMBEDDER_FAILED when its data file is missing or damaged.
 */
export function openStaticEmbedder(): Embedder {
  const model = staticModel();
  return {
    id: model.id,
    dimensions: model.dimensions,
    batchSize: 256,
    isLocal: true,
    async embed(texts, _purpose, signal) {
      signal?.throwIfAborted();
      return texts.map((text) => model.embed(text));
    },
  };
}

/** The static part alone, loaded at the first call. @throws MemoryError EMBEDDER_FAILED */
export function staticModel(): StaticModel {
  return (sharedStatic ??= guarded(() => withCache(loadStaticModel())));
}

/** Dimensions of a vector: the encoder's and the static model's. */
const DIMENSIONS = 384 + 256;

function join(encoded: Float32Array, text: string): Float32Array {
  const written = staticModel().embed(text);
  const vector = new Float32Array(encoded.length + written.length);
  const [own, other] = [Math.sqrt(1 - STATIC_SHARE), Math.sqrt(STATIC_SHARE)];
  encoded.forEach((value, d) => (vector[d] = value * own));
  written.forEach((value, d) => (vector[encoded.length + d] = value * other));
  return vector;
}

/** The static model with a cache for the last texts. */
function withCache(model: StaticModel): StaticModel {
  const remembered = createVectorCache();
  return { ...model, embed: (text) => remembered(text, () => model.embed(text)) };
}

/** A cache of the vectors of the last texts. */
function createVectorCache(): (text: string, make: () => Float32Array) => Float32Array {
  const vectors = wordCache(new Map<string, Float32Array>());
  return (text, make) => {
    if (text.length > MAX_CACHED_LENGTH) return make();
    const vector = vectors.get(text) ?? make();
    vectors.delete(text);
    vectors.set(text, vector);
    const oldest = vectors.keys().next();
    if (vectors.size > MAX_CACHED_TEXTS && !oldest.done) vectors.delete(oldest.value);
    // A copy, since the caller may change it.
    return vector.slice();
  };
}

function guarded<T>(load: () => T): T {
  try {
    return load();
  } catch (cause) {
    throw failure(messageOf(cause), cause);
  }
}

function failure(reason: string, cause?: unknown) {
  return embedderFailed(`The bundled embedder cannot be loaded. ${reason}`, { retryable: false, cause });
}
