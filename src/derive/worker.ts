import { randomUUID } from 'node:crypto';
import { isMemoryError, type Instant, type Job } from '../model/model.ts';
import type { JobOutcome, Store } from '../store/store.ts';

/** One kind of background work. */
export interface Derivation {
  readonly kind: string;
  /** Most jobs worth doing at once. */
  readonly batchSize: number;
  /** Does all the jobs or throws; what it does may be done twice without harm. */
  run(jobs: readonly Job[], signal: AbortSignal): Promise<void>;
}

export type WorkerEvent =
  | { readonly type: 'done'; readonly kind: string; readonly count: number; readonly elapsedMs: number }
  | {
      readonly type: 'retry' | 'failed';
      readonly kind: string;
      readonly jobId: number;
      readonly error: string;
    };

export interface WorkerOptions {
  readonly store: Store;
  readonly derivations: readonly Derivation[];
  readonly now?: () => Instant;
  /** 0 ≤ random < 1; for the jitter. */
  readonly random?: () => number;
  readonly onEvent?: (event: WorkerEvent) => void;
}

/** Carries out jobs in this process. */
export interface Worker {
  /** Works until stopped; returns at once. */
  start(): void;
  /** There may be new jobs: look now rather than at the next poll. */
  wake(): void;
  /** Works until no job is due. Failing jobs wait for their next try and are not waited for. */
  drain(onProgress?: (done: number) => void): Promise<void>;
  /** Lets the job in hand end or, when it takes longer than `graceMs`, gives it back. */
  stop(graceMs?: number): Promise<void>;
}

/** A try that fails is repeated at most this often before the job counts as failed. */
export const MOST_ATTEMPTS = 8;
const FIRST_DELAY_MS = 1_000;
const LONGEST_DELAY_MS = 600_000;
const LEASE_MS = 120_000;
/** Another process may have added jobs without waking us. */
const POLL_MS = 2_000;
const DEFAULT_GRACE_MS = 5_000;

/**
 * Time to wait after the given failed attempt (from 1): exponential with equal jitter, half fixed and half random, so
 * that workers which failed together do not try again together. (AWS Architecture Blog, "Exponential Backoff and Jitter".)
 */
export function retryDelayMs(attempt: number, random: () => number): number {
  const delay = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** (attempt - 1));
  return delay / 2 + (delay / 2) * random();
}

export function createWorker(options: WorkerOptions): Worker {
  const now = options.now ?? Date.now;
  const runner = new JobRunner(options, now);
  let loop: Promise<void> | undefined;
  let wakeUp: () => void = () => {};
  const state = { isStopping: false };

  const sleep = async () => {
    const due = await options.store.jobs.nextDue(runner.kinds);
    const wait = due === null ? POLL_MS : Math.min(POLL_MS, Math.max(0, due - now()));
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, wait);
      timer.unref();
      wakeUp = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  };
  const work = async () => {
    while (!state.isStopping) {
      const done = await runner.runBatch().catch(tolerateBusy);
      if (done === 0 && !state.isStopping) await sleep();
      else await yieldToOthers();
    }
  };

  return {
    start() {
      state.isStopping = false;
      loop ??= work();
    },
    wake: () => wakeUp(),
    async drain(onProgress) {
      let total = 0;
      for (let done = await runner.runBatch(); done > 0; done = await runner.runBatch()) {
        total += done;
        onProgress?.(total);
        await yieldToOthers();
      }
    },
    async stop(graceMs = DEFAULT_GRACE_MS) {
      state.isStopping = true;
      wakeUp();
      const timer = setTimeout(() => runner.abort(), graceMs);
      await loop;
      clearTimeout(timer);
      loop = undefined;
    },
  };
}

/** Claims, runs and settles jobs, a batch at a time. */
class JobRunner {
  readonly kinds: readonly string[];
  readonly #options: WorkerOptions;
  readonly #now: () => Instant;
  readonly #owner = randomUUID();
  readonly #byKind: ReadonlyMap<string, Derivation>;
  readonly #abort = new AbortController();

  constructor(options: WorkerOptions, now: () => Instant) {
    this.#options = options;
    this.#now = now;
    this.#byKind = new Map(options.derivations.map((derivation) => [derivation.kind, derivation]));
    this.kinds = [...this.#byKind.keys()];
  }

  abort(): void {
    this.#abort.abort();
  }

  /** Returns how many jobs were claimed, however they ended. */
  async runBatch(): Promise<number> {
    if (this.kinds.length === 0) return 0;
    const jobs = await this.#options.store.jobs.claim({
      kinds: this.kinds,
      owner: this.#owner,
      leaseMs: LEASE_MS,
      limit: Math.max(...[...this.#byKind.values()].map((derivation) => derivation.batchSize)),
      now: this.#now(),
    });
    const derivation = this.#byKind.get(jobs[0]?.kind ?? '');
    if (!derivation) return 0;
    for (let at = 0; at < jobs.length; at += derivation.batchSize) {
      const batch = jobs.slice(at, at + derivation.batchSize);
      await this.#options.store.jobs.settle(this.#owner, await this.#attempt(derivation, batch));
    }
    return jobs.length;
  }

  async #attempt(derivation: Derivation, jobs: readonly Job[]): Promise<JobOutcome[]> {
    const startedAt = performance.now();
    try {
      await derivation.run(jobs, this.#abort.signal);
      const elapsedMs = performance.now() - startedAt;
      this.#options.onEvent?.({ type: 'done', kind: derivation.kind, count: jobs.length, elapsedMs });
      return jobs.map((job) => ({ jobId: job.id, result: 'done' }));
    } catch (error) {
      if (this.#abort.signal.aborted) return jobs.map((job) => ({ jobId: job.id, result: 'released' }));
      const [first, ...others] = jobs;
      // One bad job must not take the rest of its batch down with it.
      if (first && others.length > 0 && !isRetryable(error)) {
        const outcomes = [];
        for (const job of jobs) outcomes.push(...(await this.#attempt(derivation, [job])));
        return outcomes;
      }
      return jobs.map((job) => this.#failure(job, error));
    }
  }

  #failure(job: Job, cause: unknown): JobOutcome {
    const error = cause instanceof Error ? cause.message : String(cause);
    const isLast = job.attempts >= MOST_ATTEMPTS;
    this.#options.onEvent?.({ type: isLast ? 'failed' : 'retry', kind: job.kind, jobId: job.id, error });
    if (isLast) return { jobId: job.id, result: 'failed', error };
    const delay = retryDelayMs(job.attempts, this.#options.random ?? Math.random);
    return { jobId: job.id, result: 'retry', runAfter: Math.ceil(this.#now() + delay), error };
  }
}

/** Whether the whole batch would fail the same way, as when a server is down. */
function isRetryable(error: unknown): boolean {
  return isMemoryError(error) && error.details['retryable'] === true;
}

/** Another process holding the file is no reason to stop working. */
function tolerateBusy(error: unknown): number {
  if (isMemoryError(error, 'BUSY')) return 0;
  if (isMemoryError(error, 'CLOSED')) return 0;
  throw error;
}

function yieldToOthers(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
