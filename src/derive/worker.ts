/** Carries out jobs. Work that asks a language model goes by a lane of its own, so that a slow model holds nothing up. */
import { randomUUID } from 'node:crypto';
import type { Instant } from '../model/model.ts';
import type { Store } from '../store/store.ts';
import type { Derivation } from './derivation.ts';
import { Lane, yieldToOthers, type WorkerEvent } from './lane.ts';

export { MOST_ATTEMPTS, retryDelayMs, type WorkerEvent } from './lane.ts';

export interface WorkerOptions {
  readonly store: Store;
  readonly derivations: readonly Derivation[];
  /** Jobs that ask a language model under way at once, from 1; default 4. */
  readonly modelConcurrency?: number;
  /** How long the jobs of a worker that died wait for another, in milliseconds; default a minute. */
  readonly leaseMs?: number;
  /** Resolves when a batch may be begun; asked before each, but for those of `drain`. */
  readonly mayBegin?: () => Promise<void>;
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
  /** Lets the jobs in hand end or, when they take longer than `graceMs`, gives them back. */
  stop(graceMs?: number): Promise<void>;
}

const LEASE_MS = 60_000;
const DEFAULT_MODEL_CONCURRENCY = 4;
const DEFAULT_GRACE_MS = 5_000;

export function createWorker(options: WorkerOptions): Worker {
  const lanes = openLanes(options);
  const ended = () => lanes.reduce((sum, lane) => sum + lane.ended, 0);
  let stops = 0;

  return {
    start() {
      for (const lane of lanes) lane.start();
    },
    wake() {
      for (const lane of lanes) lane.wake();
    },
    async drain(onProgress) {
      const endedBefore = ended();
      const stopsBefore = stops;
      for (;;) {
        let claimed = 0;
        for (const lane of lanes) claimed += await lane.fill();
        const inHand = lanes.flatMap((lane) => lane.inHand);
        if (claimed === 0 && inHand.length === 0) return;
        if (inHand.length > 0) await Promise.race(inHand);
        if (stops > stopsBefore) return;
        onProgress?.(ended() - endedBefore);
        await yieldToOthers();
      }
    },
    async stop(graceMs = DEFAULT_GRACE_MS) {
      stops += 1;
      const timer = setTimeout(() => {
        for (const lane of lanes) lane.abort();
      }, graceMs);
      await Promise.all(lanes.map((lane) => lane.stop()));
      clearTimeout(timer);
    },
  };
}

function openLanes(options: WorkerOptions): Lane[] {
  const { store, derivations, now = Date.now, random = Math.random, onEvent = () => {} } = options;
  const onBatchEnd = () => {
    for (const lane of lanes) lane.wake();
  };
  const { leaseMs = LEASE_MS, mayBegin = async () => {} } = options;
  const shared = { store, owner: randomUUID(), leaseMs, mayBegin, now, random, onEvent, onBatchEnd };
  const lanes = [
    new Lane({
      ...shared,
      derivations: () => derivations.filter((derivation) => !derivation.asksModel),
      slots: 1,
    }),
    new Lane({
      ...shared,
      derivations: () => derivations.filter((derivation) => derivation.asksModel),
      slots: options.modelConcurrency ?? DEFAULT_MODEL_CONCURRENCY,
    }),
  ];
  return lanes;
}
