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
    }
  /** The store could not be read or written just now; the worker tries again. */
  | { readonly type: 'stalled'; readonly error: string };

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
  /**
   * Works until no job is due and none is in this worker's hands. Failing jobs wait for their next try and are not
   * waited for. Reports how many jobs ended. Ends early when the worker is stopped.
   */
  drain(onProgress?: (done: number) => void): Promise<void>;
  /** Lets the job in hand end or, when it takes longer than `graceMs`, gives it back. */
  stop(graceMs?: number): Promise<void>;
}

/** A try that fails is repeated at most this often before the job counts as failed. */
export const MOST_ATTEMPTS = 8;
/** A job that came back so often without an outcome, its worker gone, is run alone from then on. */
const SHARED_ATTEMPTS = 2;
const NEVER_ENDED = `The work began ${MOST_ATTEMPTS} times and never ended: its process died, or it took longer than its lease.`;
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
  let isStopping = false;
  let stops = 0;
  /** Whether `wake` was called since jobs were last looked for: a call between looking and sleeping is not lost. */
  let isAwake = false;
  let endSleep: () => void = () => {};

  const wake = () => {
    isAwake = true;
    endSleep();
  };
  const sleep = (waitMs: number) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, waitMs);
      timer.unref();
      endSleep = () => {
        clearTimeout(timer);
        resolve();
      };
      if (isAwake) endSleep();
    });
  /** Does what is due. Returns for how long there is nothing to do. */
  const look = async (): Promise<number> => {
    try {
      if ((await runner.runBatch()) > 0) return 0;
      const due = await options.store.jobs.nextDue(runner.kinds);
      return due === null ? POLL_MS : Math.min(POLL_MS, Math.max(1, due - now()));
    } catch (error) {
      if (isMemoryError(error, 'CLOSED')) isStopping = true;
      // The file may be held by another process, or the disk full: a reason to wait, not to end.
      else options.onEvent?.({ type: 'stalled', error: messageOf(error) });
      return POLL_MS;
    }
  };
  const work = async (): Promise<void> => {
    for (;;) {
      isAwake = false;
      const waitMs = await look();
      if (isStopping) return;
      await (waitMs > 0 ? sleep(waitMs) : yieldToOthers());
      if (isStopping) return;
    }
  };

  return {
    start() {
      isStopping = false;
      loop ??= work();
    },
    wake,
    async drain(onProgress) {
      const endedBefore = runner.ended;
      const stopsBefore = stops;
      for (;;) {
        const claimed = await runner.runBatch();
        if (claimed === 0 && !(await runner.inHandEnds())) return;
        if (stops > stopsBefore) return;
        onProgress?.(runner.ended - endedBefore);
        await yieldToOthers();
      }
    },
    async stop(graceMs = DEFAULT_GRACE_MS) {
      isStopping = true;
      stops += 1;
      wake();
      const timer = setTimeout(() => runner.abort(), graceMs);
      await loop;
      await runner.inHandEnds();
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
  readonly #mostAtOnce: number;
  readonly #inHand = new Set<Promise<number>>();
  #abort = new AbortController();
  /** Whether jobs are claimed one by one, since among those claimed last was one that may have killed its worker. */
  #isCareful = false;
  #ended = 0;

  constructor(options: WorkerOptions, now: () => Instant) {
    this.#options = options;
    this.#now = now;
    this.#byKind = new Map(options.derivations.map((derivation) => [derivation.kind, derivation]));
    this.#mostAtOnce = Math.max(...options.derivations.map((derivation) => derivation.batchSize));
    this.kinds = [...this.#byKind.keys()];
  }

  /** How many jobs were claimed and let go of so far, however they ended. */
  get ended(): number {
    return this.#ended;
  }

  /** Gives back the jobs in hand. */
  abort(): void {
    this.#abort.abort();
    this.#abort = new AbortController();
  }

  /** Waits for the batches in hand, however they end. False when there are none. */
  async inHandEnds(): Promise<boolean> {
    if (this.#inHand.size === 0) return false;
    await Promise.allSettled(this.#inHand);
    return true;
  }

  /** Returns how many jobs were claimed, however they ended. */
  async runBatch(): Promise<number> {
    if (this.kinds.length === 0) return 0;
    const batch = this.#claimAndRun(this.#abort.signal);
    this.#inHand.add(batch);
    try {
      return await batch;
    } finally {
      this.#inHand.delete(batch);
    }
  }

  async #claimAndRun(signal: AbortSignal): Promise<number> {
    const claimed = await this.#options.store.jobs.claim({
      kinds: this.kinds,
      owner: this.#owner,
      leaseMs: LEASE_MS,
      limit: this.#isCareful ? 1 : this.#mostAtOnce,
      now: this.#now(),
    });
    const derivation = this.#byKind.get(claimed[0]?.kind ?? '');
    if (!derivation) return 0;
    const jobs = await this.#setAside(claimed);
    /** Conversations of which a job waits for its next try: what comes after it waits too. */
    const waiting = new Set<string>();
    for (let at = 0; at < jobs.length; at += derivation.batchSize) {
      const outcomes = await this.#attempt(
        derivation,
        jobs.slice(at, at + derivation.batchSize),
        waiting,
        signal,
      );
      await this.#options.store.jobs.settle(this.#owner, outcomes);
    }
    this.#ended += claimed.length;
    return claimed.length;
  }

  /**
   * Of the jobs claimed, those to run now. One that was claimed again and again without an outcome has failed; once it
   * is suspected of that, jobs are run one by one, so that it does not take those claimed with it down.
   */
  async #setAside(claimed: readonly Job[]): Promise<readonly Job[]> {
    const worn = claimed.filter((job) => job.attempts > MOST_ATTEMPTS);
    const rest = claimed.filter((job) => job.attempts <= MOST_ATTEMPTS);
    this.#isCareful = rest.some((job) => job.attempts > SHARED_ATTEMPTS && job.lastError === null);
    const [now, later] = this.#isCareful ? [rest.slice(0, 1), rest.slice(1)] : [rest, []];
    const outcomes = [...worn.map((job) => this.#failure(job, NEVER_ENDED)), ...later.map(released)];
    if (outcomes.length > 0) await this.#options.store.jobs.settle(this.#owner, outcomes);
    return now;
  }

  async #attempt(
    derivation: Derivation,
    jobs: readonly Job[],
    waiting: Set<string>,
    signal: AbortSignal,
  ): Promise<JobOutcome[]> {
    const isHeldUp = (job: Job) =>
      signal.aborted || (job.conversationId !== null && waiting.has(job.conversationId));
    const ready = jobs.filter((job) => !isHeldUp(job));
    const outcomes = jobs.filter(isHeldUp).map(released);
    if (ready.length === 0) return outcomes;
    const startedAt = performance.now();
    try {
      await endOrAbort(derivation.run(ready, signal), signal);
    } catch (error) {
      if (signal.aborted) return [...outcomes, ...ready.map(released)];
      // One bad job must not take the rest of its batch down with it.
      if (ready.length > 1 && !isRetryable(error)) {
        for (const job of ready) outcomes.push(...(await this.#attempt(derivation, [job], waiting, signal)));
        return outcomes;
      }
      for (const job of ready) if (job.conversationId !== null) waiting.add(job.conversationId);
      return [...outcomes, ...ready.map((job) => this.#failure(job, error))];
    }
    const elapsedMs = performance.now() - startedAt;
    this.#options.onEvent?.({ type: 'done', kind: derivation.kind, count: ready.length, elapsedMs });
    return [...outcomes, ...ready.map((job): JobOutcome => ({ jobId: job.id, result: 'done' }))];
  }

  #failure(job: Job, cause: unknown): JobOutcome {
    const error = messageOf(cause);
    const isLast = job.attempts >= MOST_ATTEMPTS;
    this.#options.onEvent?.({ type: isLast ? 'failed' : 'retry', kind: job.kind, jobId: job.id, error });
    if (isLast) return { jobId: job.id, result: 'failed', error };
    const delay = retryDelayMs(job.attempts, this.#options.random ?? Math.random);
    return { jobId: job.id, result: 'retry', runAfter: Math.ceil(this.#now() + delay), error };
  }
}

function released(job: Job): JobOutcome {
  return { jobId: job.id, result: 'released' };
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}

/** The end of the work or, when it goes on after the signal was aborted, the signal's reason. */
async function endOrAbort(work: Promise<void>, signal: AbortSignal): Promise<void> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal.reason);
  signal.addEventListener('abort', onAbort);
  try {
    await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/** Whether the whole batch would fail the same way, as when a server is down. */
function isRetryable(error: unknown): boolean {
  return isMemoryError(error) && error.details['retryable'] === true;
}

function yieldToOthers(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
