import { setImmediate } from 'node:timers/promises';
import { abortable } from '../async/async.ts';
import { isMemoryError, type Instant, type Job, messageOf } from '../model/model.ts';
import type { JobOutcome, Store } from '../store/store.ts';
import type { Derivation } from './derivation.ts';

export type WorkerEvent =
  | { readonly type: 'done'; readonly kind: string; readonly count: number; readonly elapsedMs: number }
  | {
      readonly type: 'retry' | 'failed';
      readonly kind: string;
      readonly jobId: number;
      readonly error: string;
    }
  /** The store could not be read or written; the worker tries again. */
  | { readonly type: 'stalled'; readonly error: string };

export interface WorkerPoolOptions {
  readonly store: Store;
  /** The owner of the leases. */
  readonly owner: string;
  /** The derivations of this pool, read at every claim. */
  readonly derivations: () => readonly Derivation[];
  /** `one model` when all kinds use the same model: an outage then affects all of them. */
  readonly asks: 'one model' | 'each its own';
  /** The most concurrent batches. */
  readonly slots: number;
  /** Renewed while a batch is running. */
  readonly leaseMs: number;
  /** Resolves when a batch may start. */
  readonly whenIdle: () => Promise<void>;
  readonly now: () => Instant;
  /** 0 ≤ random < 1; for the jitter. */
  readonly random: () => number;
  readonly onEvent: (event: WorkerEvent) => void;
  /** Called after a batch: jobs that waited for it may be due, and it may have created others. */
  readonly onBatchEnd: () => void;
}

/** A failing job is tried at most this often. */
export const MAX_ATTEMPTS = 8;
/** A job that was claimed this often without an outcome, because its worker died, is then run alone. */
const MAX_BATCH_ATTEMPTS = 2;
const ABANDONED_MESSAGE = `The work began ${MAX_ATTEMPTS} times and never ended: its process died, or it took longer than its lease.`;
const FIRST_DELAY_MS = 1_000;
const MAX_DELAY_MS = 600_000;
/** The shortest delay after an unreachable model or server; background work is not urgent. */
const FIRST_OUTAGE_DELAY_MS = 5_000;
/** The longest delay after an unreachable model or server, whatever it requests. */
const MAX_OUTAGE_DELAY_MS = 3_600_000;
/** An outage that begins within this time after another ended continues that one. */
const SAME_OUTAGE_MS = 60_000;
/** Checking whether a model has been set is cheap. */
const NO_MODEL_DELAY_MS = 15_000;
/** Another process may have added jobs without waking this one; not where the store tells of due jobs. */
const POLL_MS = 2_000;
/** A lease is renewed this often in its duration, so that it survives a busy file. */
const RENEWALS_PER_LEASE = 3;

/**
 * The delay after the given failed attempt (from 1): exponential with equal jitter, half fixed and half random, so
 * that workers that failed together do not retry together. (AWS Architecture Blog, "Exponential Backoff and Jitter".)
 */
export function retryDelayMs(attempt: number, random: () => number): number {
  const delay = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** (attempt - 1));
  return delay / 2 + (delay / 2) * random();
}

/** A period in which the model or server for a kind of job is unreachable. */
export interface Outage {
  readonly kind: string;
  readonly since: Instant;
  /** When the next try is due. */
  readonly until: Instant;
  readonly error: string;
}

/** Claims, runs and settles jobs of some kinds, one batch per slot. */
export class WorkerPool {
  readonly #options: WorkerPoolOptions;
  readonly #claims = new Set<Promise<readonly Job[]>>();
  readonly #batches = new Set<Promise<void>>();
  #abort = new AbortController();
  /** Whether jobs are claimed one by one, because one of the last claimed may have killed its worker. */
  #claimsOneByOne = false;
  /** By `#outageKey`. Such jobs are not claimed until the next try is due, and no attempt is counted. */
  readonly #outages = new Map<string, Omit<Outage, 'kind'>>();
  /** The start and end of outages that ended recently. */
  readonly #endedOutages = new Map<string, { readonly since: Instant; readonly at: Instant }>();
  /** Keys of the outages that a running batch is testing. */
  readonly #probed = new Set<string>();
  #ended = 0;
  /** Errors when writing the outcomes of batches. */
  #problems: unknown[] = [];

  #loop: Promise<void> | undefined;
  #isStopping = false;
  /** Whether `wake` was called since the last look for jobs, so that a call just before sleeping is not lost. */
  #wasWoken = false;
  #endSleep: () => void = () => {};

  constructor(options: WorkerPoolOptions) {
    this.#options = options;
  }

  /** How many jobs were claimed and released so far, with any outcome. */
  get ended(): number {
    return this.#ended;
  }

  /** Kinds whose model or server is currently unreachable. */
  get outages(): readonly Outage[] {
    return this.#options.derivations().flatMap(({ kind }) => {
      const outage = this.#outageOf(kind);
      return outage ? [{ ...outage, kind }] : [];
    });
  }

  /** Claims jobs of every kind again, for example after another model was set. */
  endOutages(): void {
    this.#outages.clear();
    this.#endedOutages.clear();
    this.wake();
  }

  /** Works until stopped; returns at once. */
  start(): void {
    this.#isStopping = false;
    this.#loop ??= this.#work().finally(() => (this.#loop = undefined));
  }

  wake(): void {
    this.#wasWoken = true;
    this.#endSleep();
  }

  /** Claims no more jobs; resolves when the running ones have ended. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.wake();
    await this.#loop;
    await Promise.all(this.#batches);
  }

  /** Returns the running jobs to the queue. */
  abort(): void {
    this.#abort.abort();
    this.#abort = new AbortController();
  }

  /** Starts batches until the slots are full or nothing is due. Returns how many jobs were claimed. */
  async fill(): Promise<number> {
    this.#throwProblem();
    let claimed = 0;
    while (this.#hasFreeSlot()) {
      const more = await this.#begin();
      if (more === 0) break;
      claimed += more;
    }
    return claimed;
  }

  /** Running claims and batches, which resolve when they end, with any outcome. */
  get pendingWork(): readonly Promise<unknown>[] {
    return [...this.#claims, ...this.#batches];
  }

  #outageKey(kind: string): string {
    return this.#options.asks === 'one model' ? '' : kind;
  }

  #outageOf(kind: string): Omit<Outage, 'kind'> | undefined {
    return this.#outages.get(this.#outageKey(kind));
  }

  /** Whether a job is currently testing if an outage is over; the others wait for it. */
  #isProbed(kind: string): boolean {
    return this.#probed.has(this.#outageKey(kind));
  }

  /** A completed job may not have used the model, so the outage is remembered for a while. */
  #endOutage(kind: string): void {
    const outage = this.#outageOf(kind);
    if (!outage) return;
    this.#outages.delete(this.#outageKey(kind));
    this.#endedOutages.set(this.#outageKey(kind), { since: outage.since, at: this.#options.now() });
  }

  #hasFreeSlot(): boolean {
    return this.#claims.size + this.#batches.size < this.#options.slots;
  }

  async #work(): Promise<void> {
    for (;;) {
      await this.#options.whenIdle();
      this.#wasWoken = false;
      const waitMs = await this.#look();
      if (this.#isStopping) return;
      await (waitMs > 0 ? this.#sleep(waitMs) : setImmediate());
      if (this.#isStopping) return;
    }
  }

  #sleep(waitMs: number): Promise<void> {
    return new Promise<void>((resolve) => {
      const { jobs } = this.#options.store;
      const endWait = waitMs < POLL_MS ? null : jobs.waitForDue?.(() => this.#endSleep());
      const timer = endWait ? undefined : setTimeout(resolve, waitMs).unref();
      this.#endSleep = () => {
        endWait?.();
        clearTimeout(timer);
        resolve();
      };
      if (this.#wasWoken) this.#endSleep();
    });
  }

  /** Starts what is due. Returns how long to wait. */
  async #look(): Promise<number> {
    try {
      await this.fill();
      if (!this.#hasFreeSlot()) {
        await Promise.race(this.pendingWork);
        this.#throwProblem();
        return 0;
      }
      const due = await this.#options.store.jobs.nextDue(this.#kinds());
      return due === null ? POLL_MS : Math.min(POLL_MS, Math.max(1, due - this.#options.now()));
    } catch (error) {
      if (isMemoryError(error, 'CLOSED')) this.#isStopping = true;
      // The file may be locked by another process, or the disk full: wait and try again.
      else this.#options.onEvent({ type: 'stalled', error: messageOf(error) });
      return POLL_MS;
    }
  }

  #throwProblem(): void {
    const [problem] = this.#problems.splice(0);
    if (problem !== undefined) throw problem;
  }

  #kinds(): string[] {
    return this.#reachable().map((derivation) => derivation.kind);
  }

  #reachable(): Derivation[] {
    const now = this.#options.now();
    return this.#options
      .derivations()
      .filter(({ kind }) => (this.#outageOf(kind)?.until ?? 0) <= now && !this.#isProbed(kind));
  }

  /** Takes a slot, claims a batch and starts it. Returns how many jobs were claimed. */
  async #begin(): Promise<number> {
    const derivations = this.#reachable();
    const claim = this.#claim(derivations);
    this.#claims.add(claim);
    let claimed: readonly Job[];
    try {
      claimed = await claim;
    } finally {
      this.#claims.delete(claim);
    }
    const derivation = derivations.find(({ kind }) => kind === claimed[0]?.kind);
    if (!derivation) return 0;
    const key = this.#outageKey(derivation.kind);
    if (this.#outages.has(key)) this.#probed.add(key);
    const batch = this.#runClaimed(derivation, claimed)
      .catch((error: unknown) => void this.#problems.push(error))
      .finally(() => {
        this.#probed.delete(key);
        this.#batches.delete(batch);
        this.#options.onBatchEnd();
      });
    this.#batches.add(batch);
    return claimed.length;
  }

  async #runClaimed(derivation: Derivation, claimed: readonly Job[]): Promise<void> {
    const signal = this.#abort.signal;
    const jobs = await this.#selectRunnable(claimed);
    const endRenewals = this.#renew(jobs);
    /** Conversations with a job that waits for a retry: later jobs wait, too. */
    const waiting = new Set<string>();
    const size = derivation.batchSize;
    try {
      for (let at = 0; at < jobs.length; at += size) {
        const outcomes = await this.#attempt(jobs.slice(at, at + size), { derivation, waiting, signal });
        await this.#options.store.jobs.settle(this.#options.owner, outcomes);
      }
    } finally {
      endRenewals();
    }
    this.#ended += claimed.length;
  }

  /** Renews the lease of these jobs until the returned function is called. */
  #renew(jobs: readonly Job[]): () => void {
    const { store, owner, leaseMs, now } = this.#options;
    const ids = jobs.map((job) => job.id);
    const timer = setInterval(() => {
      // A failed renewal is repeated next time; if the lease is lost, only work is wasted.
      store.jobs.renew(owner, ids, now() + leaseMs).catch(() => {});
    }, leaseMs / RENEWALS_PER_LEASE);
    timer.unref();
    return () => clearInterval(timer);
  }

  async #claim(derivations: readonly Derivation[]): Promise<readonly Job[]> {
    if (derivations.length === 0) return [];
    const { store, owner, leaseMs, now, slots } = this.#options;
    const sizes = derivations.map((derivation) => derivation.batchSize);
    // With several workers, none claims more than it can start at once.
    const limit = slots === 1 ? Math.max(...sizes) : Math.min(...sizes);
    return store.jobs.claim({
      kinds: derivations.map(({ kind }) => kind),
      owner,
      leaseMs,
      limit: this.#claimsOneByOne ? 1 : limit,
      now: now(),
    });
  }

  /**
   * The claimed jobs that should run now. A job that was claimed too often without an outcome has failed; a suspect
   * job is run alone, so that it does not affect others claimed with it.
   */
  async #selectRunnable(claimed: readonly Job[]): Promise<readonly Job[]> {
    const exhausted = claimed.filter((job) => job.attempts > MAX_ATTEMPTS);
    const rest = claimed.filter((job) => job.attempts <= MAX_ATTEMPTS);
    this.#claimsOneByOne = rest.some((job) => job.attempts > MAX_BATCH_ATTEMPTS && job.lastError === null);
    const [now, later] = this.#claimsOneByOne ? [rest.slice(0, 1), rest.slice(1)] : [rest, []];
    const outcomes = [
      ...exhausted.map((job) => this.#failure(job, ABANDONED_MESSAGE)),
      ...later.map(released),
    ];
    if (outcomes.length > 0) await this.#options.store.jobs.settle(this.#options.owner, outcomes);
    return now;
  }

  async #attempt(jobs: readonly Job[], run: Run): Promise<JobOutcome[]> {
    const { derivation, waiting, signal } = run;
    const mustWait = (job: Job) =>
      signal.aborted || (job.conversationId !== null && waiting.has(job.conversationId));
    const ready = jobs.filter((job) => !mustWait(job));
    const outcomes = jobs.filter(mustWait).map(released);
    if (ready.length === 0) return outcomes;
    const startedAt = performance.now();
    try {
      await abortable(derivation.run(ready, signal), signal);
    } catch (error) {
      if (signal.aborted) return [...outcomes, ...ready.map(released)];
      if (isOutage(error)) {
        // The first failure may be the job's own fault: it counts, so that a job that always fails ends eventually.
        const isCounted = !this.#outageOf(derivation.kind) && !isMemoryError(error, 'NO_MODEL');
        const until = this.#noteOutage(derivation.kind, error);
        for (const job of ready) if (job.conversationId !== null) waiting.add(job.conversationId);
        const outcomeOf = (job: Job) =>
          isCounted ? this.#failure(job, error, until) : this.#postponed(job, until, error);
        return [...outcomes, ...ready.map(outcomeOf)];
      }
      // One bad job must not fail the rest of its batch.
      if (ready.length > 1) {
        for (const job of ready) outcomes.push(...(await this.#attempt([job], run)));
        return outcomes;
      }
      for (const job of ready) if (job.conversationId !== null) waiting.add(job.conversationId);
      return [...outcomes, ...ready.map((job) => this.#failure(job, error))];
    }
    this.#endOutage(derivation.kind);
    const elapsedMs = performance.now() - startedAt;
    this.#options.onEvent({ type: 'done', kind: derivation.kind, count: ready.length, elapsedMs });
    return [...outcomes, ...ready.map((job): JobOutcome => ({ jobId: job.id, result: 'done' }))];
  }

  /** @param until the earliest time of the next try */
  #failure(job: Job, cause: unknown, until: Instant = 0): JobOutcome {
    const error = messageOf(cause);
    const isLast = job.attempts >= MAX_ATTEMPTS;
    this.#options.onEvent({ type: isLast ? 'failed' : 'retry', kind: job.kind, jobId: job.id, error });
    if (isLast) return { jobId: job.id, result: 'failed', error };
    const next = Math.ceil(this.#options.now() + retryDelayMs(job.attempts, this.#options.random));
    return { jobId: job.id, result: 'retry', runAfter: Math.max(next, until), error };
  }

  /** The delay doubles: each is as long as the outage has lasted so far. */
  #noteOutage(kind: string, cause: unknown): Instant {
    const { now, random } = this.#options;
    const at = now();
    const since = this.#outageOf(kind)?.since ?? this.#recentSince(kind, at) ?? at;
    const delay = outageDelayMs(cause, at - since, random);
    const until = Math.ceil(at + delay);
    this.#outages.set(this.#outageKey(kind), { since, until, error: messageOf(cause) });
    return until;
  }

  /** The start of an outage that ended only a moment ago. */
  #recentSince(kind: string, at: Instant): Instant | null {
    const ended = this.#endedOutages.get(this.#outageKey(kind));
    return ended && at - ended.at < SAME_OUTAGE_MS ? ended.since : null;
  }

  /** Due a little after the outage ends, so that other jobs are tried first and one bad job does not block all. */
  #postponed(job: Job, until: Instant, cause: unknown): JobOutcome {
    const error = messageOf(cause);
    this.#options.onEvent({ type: 'retry', kind: job.kind, jobId: job.id, error });
    return { jobId: job.id, result: 'postponed', runAfter: until + FIRST_DELAY_MS, error };
  }
}

interface Run {
  readonly derivation: Derivation;
  readonly waiting: Set<string>;
  readonly signal: AbortSignal;
}

function released(job: Job): JobOutcome {
  return { jobId: job.id, result: 'released' };
}

/** Whether the model or server of a job is unreachable: not the job's fault, and the same for all jobs of its kind. */
function isOutage(error: unknown): boolean {
  return isMemoryError(error) && (error.code === 'NO_MODEL' || error.details['retryable'] === true);
}

/**
 * The delay in an outage before the next try, in milliseconds: as long as it has lasted, from five seconds to an
 * hour, half of it random; longer, up to an hour, if the server requests that.
 */
function outageDelayMs(error: unknown, lastedMs: number, random: () => number): number {
  if (isMemoryError(error, 'NO_MODEL')) return NO_MODEL_DELAY_MS;
  const asked = isMemoryError(error) ? Number(error.details['retryAfterMs'] ?? 0) : 0;
  const delay = Math.max(FIRST_OUTAGE_DELAY_MS, lastedMs);
  return Math.min(MAX_OUTAGE_DELAY_MS, Math.max(delay / 2 + delay * random(), asked));
}
