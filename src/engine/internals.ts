/** Methods of a memory for tests, the command line and the server, in addition to the public ones. */
import type { Embedder, LanguageModel } from '../llm/llm.ts';
import type {
  IncomingItem,
  IngestHooks,
  IngestOptions,
  IngestReport,
  SensitivePolicy,
} from '../ingest/ingest.ts';
import type { Job } from '../model/model.ts';
import type { Store } from '../store/store.ts';
import type { ArchiveState } from './archiving/archiving.ts';
import type { Memory } from './memory.ts';
import type { Overview } from './overview/overview.ts';
import type { Trial, TrialRequest } from './trials/trials.ts';

/** One kind of jobs that the caller runs in this process. */
export interface JobService {
  /** Looks for new jobs now instead of at the next poll. */
  wake(): void;
  /** Waits for the current job to end or, when it takes too long, returns it to the queue. */
  stop(): Promise<void>;
}

export interface MemoryInternals {
  /** Views of the whole memory. */
  readonly overview: Overview;
  /** The store of the memory. */
  readonly store: Store;
  /** What happens to personal data and secrets. */
  readonly sensitivePolicy: SensitivePolicy;
  /**
   * Adds many turns.
   * @param options `learns`: whether to learn from them, if the memory does; default true
   */
  addAll(
    this: void,
    items: Iterable<IncomingItem> | AsyncIterable<IncomingItem>,
    options: IngestOptions & IngestHooks & { readonly learns?: boolean },
  ): Promise<IngestReport>;
  /**
   * Loads and compiles what the first recalls need; without it they take several times as long. Takes a few seconds
   * and yields to other requests. Does not change the memory; runs once. Closing the memory ends it.
   * @throws MemoryError CLOSED, and what a recall throws
   */
  warmUp(): Promise<void>;
  /**
   * Runs another kind of job in this process.
   * @param service `run` does the jobs or throws; it may be called twice for the same job
   */
  serveJobs(service: {
    readonly kind: string;
    readonly batchSize: number;
    run(jobs: readonly Job[], signal: AbortSignal): Promise<void>;
  }): JobService;
  /** Makes background work of this process wait until the returned function is called. */
  beginForegroundWork(): () => void;
  /** Marks a conversation as waiting for a reply, until the returned function is called: both turns are learnt together. */
  beginReply(conversationId: string): () => void;
  /** Another process changed the memory: looks for new jobs. */
  wake(): void;
  /** Calls the listener whenever this process changed the memory or was told that another did; several times for some changes. */
  onWake(listener: () => void): void;
  /** Another process erased data: clears all caches. */
  dropCaches(): void;
  /** Estimated size of the open memory in this process, with what it has cached. */
  readonly cachedBytes: number;
  /** The part of it in V8's heap. */
  readonly cachedHeapBytes: number;
  /** Registers a cache that contains words of this memory. It is cleared when something is erased. */
  addCache(cache: { clear(): void }): void;
  /**
   * Recalls as it would be with another embedder, and stores nothing. Answers how far it is when the vectors that this needs are
   * not made within the time limit; they stay in this process, so that asking again goes on from there.
   * @throws MemoryError what a recall throws, and EMBEDDER_FAILED
   */
  tryRecall(request: TrialRequest): Promise<Trial>;
  /** How far the archive is. */
  archiveState(): Promise<ArchiveState>;
  /** Changes the language model (null: none). */
  setModel(model: LanguageModel | null): void;
  /**
   * Makes all vectors with another embedder in the background while the current ones are used; then that embedder
   * is used. With the current embedder, drops what was prepared; null: recall by keywords alone from now on.
   */
  setEmbedder(embedder: Embedder | null): Promise<void>;
  /** Works until no background job is due and all vectors are from the current embedder. */
  settle(onProgress?: (done: number) => void): Promise<void>;
}

const internalsOf = new WeakMap<Memory, MemoryInternals>();

/** Not part of the package's entry. @throws TypeError for an object that `openMemory` did not return */
export function internals(memory: Memory): MemoryInternals {
  const door = internalsOf.get(memory);
  if (!door) throw new TypeError('openMemory did not return this memory.');
  return door;
}

export function setInternals(memory: Memory, door: MemoryInternals): void {
  internalsOf.set(memory, door);
}
