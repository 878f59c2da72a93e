/** A worker thread that embeds texts. It receives the data file once, then texts. */
import { parentPort, workerData } from 'node:worker_threads';
import { decodeEncoder } from './decode.ts';

/** The messages to and from a thread. */
export interface BulkRequest {
  readonly number: number;
  readonly texts: readonly string[];
}

export interface BulkAnswer {
  readonly number: number;
  /** The vectors, concatenated. */
  readonly vectors: Float32Array;
}

const encoder = decodeEncoder(new Uint8Array(workerData as SharedArrayBuffer));

parentPort?.on('message', ({ number, texts }: BulkRequest) => {
  const vectors = new Float32Array(texts.length * encoder.dimensions);
  texts.forEach((text, i) => vectors.set(encoder.embed(text), i * encoder.dimensions));
  parentPort?.postMessage({ number, vectors } satisfies BulkAnswer, [vectors.buffer]);
});
