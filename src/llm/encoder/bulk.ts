import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { BulkAnswer, BulkRequest } from './bulkThread.ts';

/** Embeds many texts in worker threads, so that the main thread stays free. */
export interface BulkEncoder {
  /** The vectors of `texts`, in their order. @throws Error when a thread ends before it has answered. */
  embed(texts: readonly string[]): Promise<Float32Array[]>;
}

interface Thread {
  readonly worker: Worker;
  readonly waiting: Map<number, { resolve: (vectors: Float32Array) => void; reject: (cause: Error) => void }>;
}

/** More threads would use more memory (10 MB each) than an import justifies. */
const MAX_THREADS = 4;
/** A thread that is idle for this long is ended. */
const IDLE_MS = 30_000;

const THREAD = new URL(
  import.meta.url.endsWith('.ts') ? './bulkThread.ts' : './bulkThread.js',
  import.meta.url,
);

/**
 * @param bytes the data file, which all threads read.
 * @param dimensions of a vector
 */
export function createBulkEncoder(bytes: SharedArrayBuffer, dimensions: number): BulkEncoder {
  const maxThreads = Math.max(1, Math.min(MAX_THREADS, availableParallelism() - 1));
  const threads: Thread[] = [];
  let asked = 0;
  let idleTimer: NodeJS.Timeout | undefined;

  function open(): Thread {
    const worker = new Worker(THREAD, { workerData: bytes });
    const thread: Thread = { worker, waiting: new Map() };
    worker.on('message', ({ number, vectors }: BulkAnswer) => {
      thread.waiting.get(number)?.resolve(vectors);
      settle(thread, number);
    });
    const fail = (cause: Error) => {
      const at = threads.indexOf(thread);
      if (at >= 0) threads.splice(at, 1);
      for (const { reject } of thread.waiting.values()) reject(cause);
      thread.waiting.clear();
    };
    worker.on('error', fail);
    worker.on('exit', () => fail(new Error('a thread that embeds texts has ended')));
    threads.push(thread);
    return thread;
  }

  function settle(thread: Thread, number: number): void {
    thread.waiting.delete(number);
    // An idle thread must not keep the process alive.
    if (thread.waiting.size === 0) thread.worker.unref();
    clearTimeout(idleTimer);
    if (threads.some(({ waiting }) => waiting.size > 0)) return;
    idleTimer = setTimeout(endThreads, IDLE_MS).unref();
  }

  function endThreads(): void {
    for (const { worker } of threads.splice(0)) void worker.terminate();
  }

  function ask(thread: Thread, texts: readonly string[]): Promise<Float32Array> {
    const { promise, resolve, reject } = Promise.withResolvers<Float32Array>();
    const number = ++asked;
    clearTimeout(idleTimer);
    thread.waiting.set(number, { resolve, reject });
    thread.worker.ref();
    thread.worker.postMessage({ number, texts } satisfies BulkRequest, []);
    return promise;
  }

  return {
    async embed(texts) {
      while (threads.length < Math.min(maxThreads, texts.length)) open();
      const size = Math.ceil(texts.length / threads.length);
      const parts = await Promise.all(
        threads.map((thread, i) => ask(thread, texts.slice(i * size, (i + 1) * size))),
      );
      return parts.flatMap((vectors) =>
        Array.from({ length: vectors.length / dimensions }, (_, i) =>
          vectors.slice(i * dimensions, (i + 1) * dimensions),
        ),
      );
    },
  };
}
