import { MemoryError } from '../model/model.ts';

/** What a text is embedded for: many models are taught to tell a question from what may answer it. */
export type EmbedPurpose = 'query' | 'document';

/** Turns texts into vectors whose directions are near where the texts mean the like. */
export interface Embedder {
  /**
   * Names the model, its version and everything else that changes the vectors (prefixes, dimensions); kept with the vectors, so that
   * those of two models are never mixed.
   */
  readonly id: string;
  /** Numbers in a vector. Null until the first answer tells (a remote model). */
  readonly dimensions: number | null;
  /** The most texts worth handing in at once. More are accepted, and cut into such batches. */
  readonly batchSize: number;
  /** Whether it works in this process and costs next to nothing, so that it may be asked for practice; default false. */
  readonly isLocal?: boolean;
  /**
   * The vectors of `texts`, in their order, all of the same dimensions, of any length. A vector of zeros says that there was nothing
   * to embed (white space, say).
   * @throws MemoryError EMBEDDER_FAILED, with `details.retryable`: whether the same call may succeed later.
   * @throws the signal's reason once `signal` is aborted.
   */
  embed(texts: readonly string[], purpose: EmbedPurpose, signal?: AbortSignal): Promise<Float32Array[]>;
}

export function embedderFailed(
  message: string,
  details: { retryable: boolean; status?: number; cause?: unknown },
): MemoryError {
  return new MemoryError('EMBEDDER_FAILED', message, details);
}

/** `items` in runs of at most `size`. */
export function* batches<T>(items: readonly T[], size: number): Generator<T[]> {
  for (let from = 0; from < items.length; from += size) yield items.slice(from, from + size);
}
