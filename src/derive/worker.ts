/** Carries out jobs. Work that asks a language model goes by a pool of its own, so that a slow model holds nothing up. */
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
  /** Jobs that ask a language model under way at once, from 1; default 4. */
  readonly modelConcurrency?: number;
  /** How long the jobs of a worker that died wait for another, in milliseconds; default a minute. */
  readonly leaseMs?: number;
  /** Resolves when a batch may be begun; asked before each, but for those of `drain`. */
  readonly whenIdle?: () => Promise<void>;
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
  /** Kinds of job that wait because what they ask cannot be reached. */
  readonly outages: readonly Outage[];
  /** Asks again at once, as when another model was set. */
  endOutages(): void;
  /**
   * Works until no job is due and none is in this worker's hands. Failing jobs wait for their next try and are not
   * waited for. Reports how many jobs ended. Ends early when the worker is stopped.
   */
  drain(onProgress?: (done: number) => void): Promise<void>;
  /** Lets the jobs in hand end or, when they take longer than `graceMs`, gives them back. */
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
        const inHand = pools.flatMap((pool) => pool.inHand);
        if (claimed === 0 && inHand.length === 0) return;
        if (inHand.length > 0) await Promise.race(inHand);
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
  const pools = [
    new WorkerPool({
      ...shared,
      derivations: () => derivations.filter((derivation) => !derivation.asksModel),
      asks: 'each its own',
      slots: 1,
    }),
    new WorkerPool({
      ...shared,
      derivations: () => derivations.filter((derivation) => derivation.asksModel),
      asks: 'one model',
      slots: options.modelConcurrency ?? DEFAULT_MODEL_CONCURRENCY,
    }),
  ];
  return pools;
}
