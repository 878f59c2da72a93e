/** Runs jobs. Jobs that use a language model have a separate pool, so that a slow model does not delay others. */
import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { Instant } from '../model/model.ts';
import type { Store } from '../store/store.ts';
import type { Derivation } from './derivation.ts';
import { WorkerPool, type Outage, type WorkerEvent } from './workerPool.ts';

export { MAX_ATTEMPTS, retryDelayMs, type Outage, type WorkerEvent } from './workerPool.ts';

export interface WorkerOptions {
  readonly store: Store;
  readonly derivations: readonly Derivation[];
  /** The most concurrent jobs that use a language model, at least 1; default 4. */
  readonly modelConcurrency?: number;
  /** How long after a worker's death others can take its jobs, in milliseconds; default a minute. */
  readonly leaseMs?: number;
  /** Resolves when a batch may start; called before each, except in `drain`. */
  readonly whenIdle?: () => Promise<void>;
  readonly now?: () => Instant;
  /** 0 ≤ random < 1; for the jitter. */
  readonly random?: () => number;
  readonly onEvent?: (event: WorkerEvent) => void;
}

/** Runs jobs in this process. */
export interface Worker {
  /** Works until stopped; returns at once. */
  start(): void;
  /** Looks for new jobs now instead of at the next poll. */
  wake(): void;
  /** Kinds of job that wait because their model or server is unreachable. */
  readonly outages: readonly Outage[];
  /** Tries again at once, for example after another model was set. */
  endOutages(): void;
  /**
   * Works until no job is due and none is running in this worker. Does not wait for retries of failed jobs. Reports
   * how many jobs ended. Ends early when the worker is stopped.
   */
  drain(onProgress?: (done: number) => void): Promise<void>;
  /** Waits for running jobs or, when they take longer than `graceMs`, returns them to the queue. */
  stop(graceMs?: number): Promise<void>;
}

const LEASE_MS = 60_000;
const DEFAULT_MODEL_CONCURRENCY = 4;
const DEFAULT_GRACE_MS = 5_000;

export function createWorker(options: WorkerOptions): Worker {
  const pools = openPools(options);
  const ended = () => pools.reduce((sum, pool) => sum + pool.ended, 0);
  let stops = 0;

  return {
    start() {
      for (const pool of pools) pool.start();
    },
    wake() {
      for (const pool of pools) pool.wake();
    },
    get outages() {
      return pools.flatMap((pool) => pool.outages);
    },
    endOutages() {
      for (const pool of pools) pool.endOutages();
    },
    async drain(onProgress) {
      const endedBefore = ended();
      const stopsBefore = stops;
      for (;;) {
        let claimed = 0;
        for (const pool of pools) claimed += await pool.fill();
        const pendingWork = pools.flatMap((pool) => pool.pendingWork);
        if (claimed === 0 && pendingWork.length === 0) return;
        if (pendingWork.length > 0) await Promise.race(pendingWork);
        if (stops > stopsBefore) return;
        onProgress?.(ended() - endedBefore);
        await setImmediate();
      }
    },
    async stop(graceMs = DEFAULT_GRACE_MS) {
      stops += 1;
      const timer = setTimeout(() => {
        for (const pool of pools) pool.abort();
      }, graceMs);
      await Promise.all(pools.map((pool) => pool.stop()));
      clearTimeout(timer);
    },
  };
}

function openPools(options: WorkerOptions): WorkerPool[] {
  const { store, derivations, now = Date.now, random = Math.random, onEvent = () => {} } = options;
  const onBatchEnd = () => {
    for (const pool of pools) pool.wake();
  };
  const { leaseMs = LEASE_MS, whenIdle = async () => {} } = options;
  const shared = { store, owner: randomUUID(), leaseMs, whenIdle, now, random, onEvent, onBatchEnd };
  const pools: WorkerPool[] = [];
  const others = () => derivations.filter((derivation) => !derivation.asksModel);
  if (derivations.length > 0)
    pools.push(new WorkerPool({ ...shared, derivations: others, asks: 'each its own', slots: 1 }));
  const asking = () => derivations.filter((derivation) => derivation.asksModel);
  // Whether a model is asked may change later.
  if (derivations.some((derivation) => derivation.asksModel !== undefined)) {
    const slots = options.modelConcurrency ?? DEFAULT_MODEL_CONCURRENCY;
    pools.push(new WorkerPool({ ...shared, derivations: asking, asks: 'one model', slots }));
  }
  return pools;
}
