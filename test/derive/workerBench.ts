/** A memory with jobs of one kind, and a worker for them. */
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Derivation } from '../../src/derive/derive.ts';
import { createWorker, type WorkerEvent } from '../../src/derive/derive.ts';
import type { Job } from '../../src/model/model.ts';
import { openSqliteStore } from '../../src/store/sqlite/sqlite.ts';
import type { Store } from '../../src/store/store.ts';
import { temporaryFolder } from '../temporary.ts';

export const LEASE_MS = 120_000;

export class WorkerBench {
  now = Date.UTC(2024, 4, 1);
  readonly store: Store;
  readonly events: WorkerEvent[] = [];
  /** The job keys of each run, in order. */
  readonly runs: string[][] = [];
  /** The work of a run; throws for a failing job. */
  work: (jobs: readonly Job[], signal: AbortSignal) => Promise<void> | void = () => {};

  constructor() {
    this.store = openSqliteStore(join(temporaryFolder(), 'memory.db'), {
      memoryId: 'm',
      timeZone: 'UTC',
      now: () => this.now,
    });
    onTestFinished(() => this.store.close());
  }

  worker(batchSize = 10, random = () => 0, leaseMs = LEASE_MS) {
    const derivation: Derivation = {
      kind: 'work',
      batchSize,
      run: async (jobs, signal) => {
        this.runs.push(jobs.map((job) => job.key));
        await this.work(jobs, signal);
      },
    };
    const worker = createWorker({
      store: this.store,
      derivations: [derivation],
      now: () => this.now,
      random,
      leaseMs,
      onEvent: (event) => this.events.push(event),
    });
    onTestFinished(() => worker.stop(0));
    return worker;
  }

  /** `c/k` is job `k` of conversation `c`; `k` alone belongs to none. */
  async enqueue(...keys: string[]): Promise<void> {
    const jobs = keys.map((key) => {
      const [conversationId = null] = key.includes('/') ? key.split('/') : [];
      return { kind: 'work', key, conversationId, input: {} };
    });
    await this.store.jobs.enqueue(jobs, this.now);
  }

  /** A worker that claims due jobs and dies. */
  async claimAndDie(limit = 10): Promise<string[]> {
    const owner = `dead at ${this.now}`;
    const jobs = await this.store.jobs.claim({
      kinds: ['work'],
      owner,
      leaseMs: LEASE_MS,
      limit,
      now: this.now,
    });
    this.now += LEASE_MS;
    return jobs.map((job) => job.key);
  }

  /** Keys of the remaining jobs, by status. */
  async left(): Promise<Partial<Record<Job['status'], string[]>>> {
    const jobs = await this.store.jobs.list({ limit: 1_000 });
    return Object.groupBy(
      jobs.map((job) => job.key),
      (key) => jobs.find((job) => job.key === key)!.status,
    );
  }
}
