import { embedderFailed, type Embedder } from './embedder.ts';
import { loadStaticModel, type StaticModel } from './static/static.ts';

/** One copy of the model's data serves every memory of the process. */
let shared: StaticModel | undefined;

/** An utterance is searched for, its mood is heard, and it is the context of those after it. */
const REMEMBERED_TEXTS = 64;
const MAX_REMEMBERED_LENGTH = 2_000;

/**
 * The model that comes with Omoide, made for Japanese, Chinese and English.
 * @param path another data file of the same form, which is then not shared.
 * @throws MemoryError EMBEDDER_FAILED when its data file is missing or damaged.
 */
export function openBundledEmbedder(path?: string): Embedder {
  const model = path === undefined ? bundledModel() : load(path);
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

/** The model itself, loaded at the first call. @throws MemoryError EMBEDDER_FAILED */
export function bundledModel(): StaticModel {
  return (shared ??= remembering(load()));
}

/** The same model, which knows the vectors of the last texts. */
function remembering(model: StaticModel): StaticModel {
  const vectors = new Map<string, Float32Array>();
  return {
    ...model,
    embed(text) {
      if (text.length > MAX_REMEMBERED_LENGTH) return model.embed(text);
      const vector = vectors.get(text) ?? model.embed(text);
      vectors.delete(text);
      vectors.set(text, vector);
      if (vectors.size > REMEMBERED_TEXTS) vectors.delete(vectors.keys().next().value as string);
      // Whoever asked may write into what it gets.
      return vector.slice();
    },
  };
}

function load(path?: string): StaticModel {
  try {
    return loadStaticModel(path);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw embedderFailed(`The bundled embedder cannot be loaded. ${reason}`, { retryable: false, cause });
  }
}
