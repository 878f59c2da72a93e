import type { Instant, Job, NewJob } from '../model/model.ts';

/** The job queue. Jobs are claimed with a lease, so that they are not lost when a worker dies. */
export interface JobTable {
  /**
   * Adds jobs. A job whose key exists already is skipped while that one waits or has failed; while that one runs,
   * it is marked to run once more, since its input may have changed. Returns how many were added or marked.
   */
  enqueue(jobs: readonly NewJob[], now: Instant): Promise<number>;
  /**
   * Claims due jobs for `leaseMs`, oldest first. A job waits while an earlier one of its kind and conversation is
   * claimed or waits for a retry. All returned jobs have the kind of the first.
   */
  claim(request: {
    kinds: readonly string[];
    owner: string;
    leaseMs: number;
    limit: number;
    now: Instant;
  }): Promise<Job[]>;
  /** Extends the lease of claimed jobs to `leaseUntil`. Returns how many the owner still held. */
  renew(owner: string, jobIds: readonly number[], leaseUntil: Instant): Promise<number>;
  /** Records the outcomes of claimed jobs. The outcome of a job that another owner has claimed since is ignored. */
  settle(owner: string, outcomes: readonly JobOutcome[]): Promise<void>;
  list(query: { status?: Job['status']; kind?: string; limit: number; afterId?: number }): Promise<Job[]>;
  count(): Promise<Record<Job['status'], number>>;
  /** Makes failed jobs due again and resets their attempts: all of them, or these. Returns how many. */
  retryFailed(now: Instant, jobIds?: readonly number[]): Promise<number>;
  /** Makes queued jobs due at once; their order is kept. Returns how many are queued. */
  runNow(now: Instant, jobIds: readonly number[]): Promise<number>;
  /** When the next waiting job is due, or null. */
  nextDue(kinds: readonly string[]): Promise<Instant | null>;
  /**
   * Calls `wake` within seconds after jobs become due, if one query answers that for many memories; null or absent if
   * not, and the caller must look again by itself. It may also be called when none is due.
   * @returns ends the wait
   */
  waitForDue?(wake: () => void): (() => void) | null;
}

export type JobOutcome =
  | { readonly jobId: number; readonly result: 'done' }
  | { readonly jobId: number; readonly result: 'retry'; readonly runAfter: Instant; readonly error: string }
  | { readonly jobId: number; readonly result: 'failed'; readonly error: string }
  /** Returned because a service was unreachable: the attempt does not count. */
  | {
      readonly jobId: number;
      readonly result: 'postponed';
      readonly runAfter: Instant;
      readonly error: string;
    }
  /** Returned unprocessed, for example when a worker stops: the attempt does not count. */
  | { readonly jobId: number; readonly result: 'released' };
