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
  /** The store could not be read or written just now; the worker tries again. */
  | { readonly type: 'stalled'; readonly error: string };

export interface WorkerPoolOptions {
  readonly store: Store;
  /** Who claims. */
  readonly owner: string;
  /** Those whose jobs go by this pool, asked anew at every claim. */
  readonly derivations: () => readonly Derivation[];
  /** `one model` when all kinds ask the same one: then an outage is one of all of them. */
  readonly asks: 'one model' | 'each its own';
  /** Batches under way at once. */
  readonly slots: number;
  /** Renewed while the work goes on. */
  readonly leaseMs: number;
  /** Resolves when a batch may be begun. */
  readonly whenIdle: () => Promise<void>;
  readonly now: () => Instant;
  /** 0 ≤ random < 1; for the jitter. */
  readonly random: () => number;
  readonly onEvent: (event: WorkerEvent) => void;
  /** What waited for these jobs may go on now, and they may have called for others. */
  readonly onBatchEnd: () => void;
}

/** A try that fails is repeated at most this often before the job counts as failed. */
export const MAX_ATTEMPTS = 8;
/** A job that came back so often without an outcome, its worker gone, is run alone from then on. */
const SHARED_ATTEMPTS = 2;
const NEVER_ENDED = `The work began ${MAX_ATTEMPTS} times and never ended: its process died, or it took longer than its lease.`;
const FIRST_DELAY_MS = 1_000;
const MAX_DELAY_MS = 600_000;
/** Shortest wait for a model or server that cannot be reached: nobody waits for what is done in the background. */
const FIRST_OUTAGE_DELAY_MS = 5_000;
/** Longest wait for a model or server that cannot be reached, whatever it asks for. */
const MAX_OUTAGE_DELAY_MS = 3_600_000;
/** An outage that begins so soon after another ended is the same one. */
const SAME_OUTAGE_MS = 60_000;
/** Whether a model has been set costs nothing to look at. */
const NO_MODEL_DELAY_MS = 15_000;
/** Another process may have added jobs without waking us. */
const POLL_MS = 2_000;
/** A lease is renewed so often in its length: it survives that the file is busy now and then. */
const RENEWALS_PER_LEASE = 3;

/**
 * Time to wait after the given failed attempt (from 1): exponential with equal jitter, half fixed and half random, so
 * that workers which failed together do not try again together. (AWS Architecture Blog, "Exponential Backoff and Jitter".)
 */
export function retryDelayMs(attempt: number, random: () => number): number {
  const delay = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** (attempt - 1));
  return delay / 2 + (delay / 2) * random();
}

/** A time in which the model or server that jobs of a kind ask cannot be reached. */
export interface Outage {
  readonly kind: string;
  readonly since: Instant;
  /** When it is asked again. */
  readonly until: Instant;
  readonly error: string;
}

/** Claims, runs and settles jobs of some kinds, a batch at a time in each slot. */
export class WorkerPool {
  readonly #options: WorkerPoolOptions;
  readonly #claims = new Set<Promise<readonly Job[]>>();
  readonly #batches = new Set<Promise<void>>();
  #abort = new AbortController();
  /** Whether jobs are claimed one by one, since among those claimed last was one that may have killed its worker. */
  #isCareful = false;
  /** By `#outageKey`. Such jobs are not claimed until it is time to ask again, and lose no attempt. */
  readonly #outages = new Map<string, Omit<Outage, 'kind'>>();
  /** Since when those lasted that ended last, and when they ended. */
  readonly #endedOutages = new Map<string, { readonly since: Instant; readonly at: Instant }>();
  /** Keys of the outages of which a batch under way will tell whether they are over. */
  readonly #probed = new Set<string>();
  #ended = 0;
  /** What a batch met when its outcome was to be written. */
  #problems: unknown[] = [];

  #loop: Promise<void> | undefined;
  #isStopping = false;
  /** Whether `wake` was called since jobs were last looked for: a call between looking and sleeping is not lost. */
  #isAwake = false;
  #endSleep: () => void = () => {};

  constructor(options: WorkerPoolOptions) {
    this.#options = options;
  }

  /** How many jobs were claimed and let go of so far, however they ended. */
  get ended(): number {
    return this.#ended;
  }

  /** Kinds of which the model or server cannot be reached now. */
  get outages(): readonly Outage[] {
    return this.#options.derivations().flatMap(({ kind }) => {
      const outage = this.#outageOf(kind);
      return outage ? [{ ...outage, kind }] : [];
    });
  }

  /** Claims jobs of every kind again, as when another model was set. */
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
    this.#isAwake = true;
    this.#endSleep();
  }

  /** Claims nothing more; resolves when what is in hand has ended. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.wake();
    await this.#loop;
    await Promise.all(this.#batches);
  }

  /** Gives back the jobs in hand. */
  abort(): void {
    this.#abort.abort();
    this.#abort = new AbortController();
  }

  /** Begins batches until the slots are full or nothing is due. Returns how many jobs were claimed. */
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

  /** What is under way: claims, and batches, which resolve when they end, however they do. */
  get inHand(): readonly Promise<unknown>[] {
    return [...this.#claims, ...this.#batches];
  }

  #outageKey(kind: string): string {
    return this.#options.asks === 'one model' ? '' : kind;
  }

  #outageOf(kind: string): Omit<Outage, 'kind'> | undefined {
    return this.#outages.get(this.#outageKey(kind));
  }

  /** Whether a job finds out just now if an outage is over: the others wait for it. */
  #isProbed(kind: string): boolean {
    return this.#probed.has(this.#outageKey(kind));
  }

  /** A job that is done may have had nothing to ask, so the outage is remembered for a while. */
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
      this.#isAwake = false;
      const waitMs = await this.#look();
      if (this.#isStopping) return;
      await (waitMs > 0 ? this.#sleep(waitMs) : setImmediate());
      if (this.#isStopping) return;
    }
  }

  #sleep(waitMs: number): Promise<void> {
    return new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, waitMs);
      timer.unref();
      this.#endSleep = () => {
        clearTimeout(timer);
        resolve();
      };
      if (this.#isAwake) this.#endSleep();
    });
  }

  /** Begins what is due. Returns for how long there is nothing to do. */
  async #look(): Promise<number> {
    try {
      await this.fill();
      if (!this.#hasFreeSlot()) {
        await Promise.race(this.inHand);
        this.#throwProblem();
        return 0;
      }
      const due = await this.#options.store.jobs.nextDue(this.#kinds());
      return due === null ? POLL_MS : Math.min(POLL_MS, Math.max(1, due - this.#options.now()));
    } catch (error) {
      if (isMemoryError(error, 'CLOSED')) this.#isStopping = true;
      // The file may be held by another process, or the disk full: a reason to wait, not to end.
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

  /** Takes a slot, claims a batch and begins it. Returns how many jobs were claimed. */
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
    const jobs = await this.#setAside(claimed);
    const endRenewals = this.#renew(jobs);
    /** Conversations of which a job waits for its next try: what comes after it waits too. */
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

  /** Keeps the lease of these jobs from ending, until the function returned is called. */
  #renew(jobs: readonly Job[]): () => void {
    const { store, owner, leaseMs, now } = this.#options;
    const ids = jobs.map((job) => job.id);
    const timer = setInterval(() => {
      // What cannot be renewed now is renewed next time; a lease that is lost all the same loses nothing but work.
      store.jobs.renew(owner, ids, now() + leaseMs).catch(() => {});
    }, leaseMs / RENEWALS_PER_LEASE);
    timer.unref();
    return () => clearInterval(timer);
  }

  async #claim(derivations: readonly Derivation[]): Promise<readonly Job[]> {
    if (derivations.length === 0) return [];
    const { store, owner, leaseMs, now, slots } = this.#options;
    const sizes = derivations.map((derivation) => derivation.batchSize);
    // Where several work at once, none takes more than it can begin at once: the rest is for the others.
    const limit = slots === 1 ? Math.max(...sizes) : Math.min(...sizes);
    return store.jobs.claim({
      kinds: derivations.map(({ kind }) => kind),
      owner,
      leaseMs,
      limit: this.#isCareful ? 1 : limit,
      now: now(),
    });
  }

  /**
   * Of the jobs claimed, those to run now. One that was claimed again and again without an outcome has failed; once it
   * is suspected of that, jobs are run one by one, so that it does not take those claimed with it down.
   */
  async #setAside(claimed: readonly Job[]): Promise<readonly Job[]> {
    const worn = claimed.filter((job) => job.attempts > MAX_ATTEMPTS);
    const rest = claimed.filter((job) => job.attempts <= MAX_ATTEMPTS);
    this.#isCareful = rest.some((job) => job.attempts > SHARED_ATTEMPTS && job.lastError === null);
    const [now, later] = this.#isCareful ? [rest.slice(0, 1), rest.slice(1)] : [rest, []];
    const outcomes = [...worn.map((job) => this.#failure(job, NEVER_ENDED)), ...later.map(released)];
    if (outcomes.length > 0) await this.#options.store.jobs.settle(this.#options.owner, outcomes);
    return now;
  }

  async #attempt(jobs: readonly Job[], run: Run): Promise<JobOutcome[]> {
    const { derivation, waiting, signal } = run;
    const isHeldUp = (job: Job) =>
      signal.aborted || (job.conversationId !== null && waiting.has(job.conversationId));
    const ready = jobs.filter((job) => !isHeldUp(job));
    const outcomes = jobs.filter(isHeldUp).map(released);
    if (ready.length === 0) return outcomes;
    const startedAt = performance.now();
    try {
      await abortable(derivation.run(ready, signal), signal);
    } catch (error) {
      if (signal.aborted) return [...outcomes, ...ready.map(released)];
      if (isOutage(error)) {
        // The first failure may be the job's own: it counts, so that a job that always fails ends some day.
        const isCounted = !this.#outageOf(derivation.kind) && !isMemoryError(error, 'NO_MODEL');
        const until = this.#noteOutage(derivation.kind, error);
        for (const job of ready) if (job.conversationId !== null) waiting.add(job.conversationId);
        const outcomeOf = (job: Job) =>
          isCounted ? this.#failure(job, error, until) : this.#postponed(job, until, error);
        return [...outcomes, ...ready.map(outcomeOf)];
      }
      // One bad job must not take the rest of its batch down with it.
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

  /** @param until not tried again before this instant */
  #failure(job: Job, cause: unknown, until: Instant = 0): JobOutcome {
    const error = messageOf(cause);
    const isLast = job.attempts >= MAX_ATTEMPTS;
    this.#options.onEvent({ type: isLast ? 'failed' : 'retry', kind: job.kind, jobId: job.id, error });
    if (isLast) return { jobId: job.id, result: 'failed', error };
    const next = Math.ceil(this.#options.now() + retryDelayMs(job.attempts, this.#options.random));
    return { jobId: job.id, result: 'retry', runAfter: Math.max(next, until), error };
  }

  /** The wait doubles: each time it is as long as the outage has lasted so far. */
  #noteOutage(kind: string, cause: unknown): Instant {
    const { now, random } = this.#options;
    const at = now();
    const since = this.#outageOf(kind)?.since ?? this.#recentSince(kind, at) ?? at;
    const delay = outageDelayMs(cause, at - since, random);
    const until = Math.ceil(at + delay);
    this.#outages.set(this.#outageKey(kind), { since, until, error: messageOf(cause) });
    return until;
  }

  /** Since when an outage lasts that ended only a moment ago. */
  #recentSince(kind: string, at: Instant): Instant | null {
    const ended = this.#endedOutages.get(this.#outageKey(kind));
    return ended && at - ended.at < SAME_OUTAGE_MS ? ended.since : null;
  }

  /** Due a little after the outage ends, so that other jobs are tried first and one bad job does not hold up all. */
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

/** Whether what the job asks cannot be reached: no fault of the job, and the same for all jobs of its kind. */
function isOutage(error: unknown): boolean {
  return isMemoryError(error) && (error.code === 'NO_MODEL' || error.details['retryable'] === true);
}

/**
 * How long to wait in an outage before the next try, in milliseconds: as long as it has lasted, from five seconds to an
 * hour, half of it random; longer, within an hour, where the server asks for that.
 */
function outageDelayMs(error: unknown, lastedMs: number, random: () => number): number {
  if (isMemoryError(error, 'NO_MODEL')) return NO_MODEL_DELAY_MS;
  const asked = isMemoryError(error) ? Number(error.details['retryAfterMs'] ?? 0) : 0;
  const delay = Math.max(FIRST_OUTAGE_DELAY_MS, lastedMs);
  return Math.min(MAX_OUTAGE_DELAY_MS, Math.max(delay / 2 + delay * random(), asked));
}
