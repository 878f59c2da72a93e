/** What tests, the command line and the server may do with a memory beside its public members. */
import type { Embedder, LanguageModel } from '../llm/llm.ts';
import type { IncomingItem, IngestHooks, IngestOptions, IngestReport } from '../ingest/ingest.ts';
import type { Job } from '../model/model.ts';
import type { Store } from '../store/store.ts';
import type { Memory } from './memory.ts';
import type { Overview } from './overview/overview.ts';

/** One kind of jobs that the caller runs in this process. */
export interface JobService {
  /** There may be new jobs: look now rather than at the next poll. */
  wake(): void;
  /** Lets the job in hand end or, when it takes too long, gives it back. */
  stop(): Promise<void>;
}

export interface MemoryInternals {
  /** The memory as a whole, for those who look at it. */
  readonly overview: Overview;
  /** Where it is kept. */
  readonly store: Store;
  /**
   * Adds many turns.
   * @param options `learns`: whether they are learnt from, as the memory was opened for; default true
   */
  addAll(
    this: void,
    items: Iterable<IncomingItem> | AsyncIterable<IncomingItem>,
    options: IngestOptions & IngestHooks & { readonly learns?: boolean },
  ): Promise<IngestReport>;
  /**
   * Loads and compiles what the first recalls need, which otherwise take several times as long. Takes a few seconds and
   * gives way to whoever asks meanwhile. Changes nothing in the memory; runs once. Closing the memory ends it.
   * @throws MemoryError CLOSED, and what a recall throws
   */
  warmUp(): Promise<void>;
  /**
   * Runs one more kind of job in this process.
   * @param service `run` does the jobs or throws; it may be called twice for the same job
   */
  serveJobs(service: {
    readonly kind: string;
    readonly batchSize: number;
    run(jobs: readonly Job[], signal: AbortSignal): Promise<void>;
  }): JobService;
  /** Has background work of this process wait for foreground work: until the function returned is called. */
  beginForegroundWork(): () => void;
  /** A reply is being made in the conversation: what is said there is learnt with it, until the function returned is called. */
  beginReply(conversationId: string): () => void;
  /** Another process changed the memory: there may be new jobs. */
  wake(): void;
  /** Another process had the memory forget something: nothing is kept of what was read. */
  dropCaches(): void;
  /** Another language model (null: none), from now on. */
  setModel(model: LanguageModel | null): void;
  /**
   * Makes every vector again with another embedder, in the background, while the present ones serve; then that embedder
   * takes over. With the one in use, drops what was prepared; null: recall by words alone, from now on.
   */
  setEmbedder(embedder: Embedder | null): Promise<void>;
  /** Works until no background job is due and the vectors are all of the embedder that was set. */
  settle(onProgress?: (done: number) => void): Promise<void>;
}

const doors = new WeakMap<Memory, MemoryInternals>();

/** Not part of the package's entry. @throws TypeError for what `openMemory` did not return */
export function internals(memory: Memory): MemoryInternals {
  const door = doors.get(memory);
  if (!door) throw new TypeError('openMemory did not return this memory.');
  return door;
}

export function setInternals(memory: Memory, door: MemoryInternals): void {
  doors.set(memory, door);
}
