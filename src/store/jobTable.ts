import type { Instant, Job, NewJob } from '../model/model.ts';

/** Work to be done, claimed under a lease so that a worker that dies loses its lease, not the job. */
export interface JobTable {
  /**
   * Adds jobs. One whose key is there already is passed over while it waits or has failed; while it runs, it will run
   * once more when it is done, or has failed, since what it read may have changed. Returns how many were added, those
   * that will run again included.
   */
  enqueue(jobs: readonly NewJob[], now: Instant): Promise<number>;
  /**
   * Claims due jobs for `leaseMs`, oldest first. A job waits while an earlier one of its kind and conversation is
   * held by somebody or waits for its next try. All that are returned share the kind of the first.
   */
  claim(request: {
    kinds: readonly string[];
    owner: string;
    leaseMs: number;
    limit: number;
    now: Instant;
  }): Promise<Job[]>;
  /** Makes the lease of claimed jobs end at `leaseUntil`. Returns how many the owner still held. */
  renew(owner: string, jobIds: readonly number[], leaseUntil: Instant): Promise<number>;
  /** Records how claimed jobs ended. An outcome for a job whose lease passed to another owner is ignored. */
  settle(owner: string, outcomes: readonly JobOutcome[]): Promise<void>;
  list(query: { status?: Job['status']; kind?: string; limit: number; afterId?: number }): Promise<Job[]>;
  count(): Promise<Record<Job['status'], number>>;
  /** Makes failed jobs due again, their attempts forgotten: all, or these. Returns how many. */
  retryFailed(now: Instant, jobIds?: readonly number[]): Promise<number>;
  /** Makes queued jobs due at once, however long they were to wait; their order stays. Returns how many are queued. */
  runNow(now: Instant, jobIds: readonly number[]): Promise<number>;
  /** When the next waiting job is due, or null. */
  nextDue(kinds: readonly string[]): Promise<Instant | null>;
}

export type JobOutcome =
  | { readonly jobId: number; readonly result: 'done' }
  | { readonly jobId: number; readonly result: 'retry'; readonly runAfter: Instant; readonly error: string }
  | { readonly jobId: number; readonly result: 'failed'; readonly error: string }
  /** Given back because what it asks cannot be reached: the attempt does not count. */
  | {
      readonly jobId: number;
      readonly result: 'postponed';
      readonly runAfter: Instant;
      readonly error: string;
    }
  /** Given back untouched, as when a worker stops: the attempt does not count. */
  | { readonly jobId: number; readonly result: 'released' };
