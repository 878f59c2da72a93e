import { embedderFailed, type Embedder } from './embedder.ts';
import { loadStaticModel, type StaticModel } from './static/static.ts';

/** One copy of the model's data serves every memory of the process. */
let shared: StaticModel | undefined;

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
  return (shared ??= load());
}

function load(path?: string): StaticModel {
  try {
    return loadStaticModel(path);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw embedderFailed(`The bundled embedder cannot be loaded. ${reason}`, { retryable: false, cause });
  }
}
