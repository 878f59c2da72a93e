import { MemoryError } from '../model/model.ts';

/** The purpose of an embedding: many models treat questions and documents differently. */
export type EmbedPurpose = 'query' | 'document';

/** Turns texts into vectors; texts of similar meaning have similar directions. */
export interface Embedder {
  /**
   * Identifies the model, its version and everything else that changes the vectors (prefixes, dimensions). Stored
   * with the vectors, so that those of two models are never compared.
   */
  readonly id: string;
  /** Dimensions of a vector. Null until the first answer (a remote model). */
  readonly dimensions: number | null;
  /** The most texts per batch. More are accepted, and split into batches. */
  readonly batchSize: number;
  /** Whether it runs in this process at negligible cost, so that it can be called to warm up; default false. */
  readonly isLocal?: boolean;
  /**
   * The vectors of `texts`, in their order, all of the same dimensions, of any length. A vector of zeros means that
   * there was nothing to embed, such as white space.
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

/** `items` in batches of at most `size`. */
export function* batches<T>(items: readonly T[], size: number): Generator<T[]> {
  for (let from = 0; from < items.length; from += size) yield items.slice(from, from + size);
}
