import type { Instant, Job } from '../../model/model.ts';
import { openJob, readJob, sealText, type JobRow } from '../rows/rows.ts';
import type { JobOutcome } from '../store.ts';
import type { Sql } from './sql.ts';
import type { Steps } from './steps.ts';

/** Conditions on a job and its owner. */
const HELD = "memory_id = $1 AND id = ? AND lease_owner = ? AND status = 'running'";
const FREE = 'lease_owner = NULL, lease_until = NULL';
const MANY = 'id = ANY (?::bigint[])';

const EARLIER = `SELECT 1 FROM job e WHERE e.memory_id = $1 AND e.conversation_id = j.conversation_id
  AND e.kind = j.kind AND e.id < j.id`;

/** Condition on job `j`: an earlier one of its kind and conversation is unfinished. */
const BEHIND = `EXISTS (${EARLIER} AND e.status IN ('queued', 'running'))`;

/**
 * Condition on job `j`: due, and no earlier one of its kind and conversation is claimed or waits for a retry. Takes
 * two instants. There are two subqueries, so that the index leads directly to the few such jobs.
 */
export const DUE_JOB = `j.memory_id = $1 AND j.status = 'queued' AND j.run_after <= ?
  AND NOT EXISTS (${EARLIER} AND e.status = 'running')
  AND NOT EXISTS (${EARLIER} AND e.status = 'queued' AND e.run_after > ?)`;

/** The queue of jobs; adding and claiming them are each store's own. */
export class JobQueue {
  readonly #tx: Sql;

  constructor(tx: Sql) {
    this.#tx = tx;
  }

  /** An expired lease is removed, but the attempt counts: the job may have caused its worker's death. */
  *reclaimExpired(now: Instant): Steps<void> {
    yield* this.#tx.run(
      `UPDATE job SET status = 'queued', ${FREE} WHERE memory_id = $1 AND status = 'running' AND lease_until <= ?`,
      now,
    );
  }

  *renew(owner: string, jobIds: readonly number[], leaseUntil: Instant): Steps<number> {
    const sql = `UPDATE job SET lease_until = ? WHERE memory_id = $1 AND lease_owner = ? AND status = 'running' AND ${MANY}`;
    return yield* this.#tx.run(sql, leaseUntil, owner, jobIds);
  }

  *settle(owner: string, outcome: JobOutcome): Steps<void> {
    const { jobId, result } = outcome;
    if ((result === 'done' || result === 'failed') && (yield* this.#runAgain(owner, jobId))) return;
    if (result === 'done') {
      yield* this.#tx.run(`DELETE FROM job WHERE ${HELD}`, jobId, owner);
      return;
    }
    const status = result === 'failed' ? 'failed' : 'queued';
    const set = [`status = '${status}'`];
    const values: (string | number)[] = [];
    // What was not the job's fault does not count as an attempt.
    if (result === 'postponed' || result === 'released') set.push('attempts = attempts - 1');
    if (result === 'postponed' || result === 'retry') {
      set.push('run_after = ?');
      values.push(outcome.runAfter);
    }
    if (result !== 'released') {
      set.push('last_error = ?');
      values.push(sealText(this.#tx.keys, outcome.error));
    }
    const sql = `UPDATE job SET ${set.join(', ')}, ${FREE} WHERE ${HELD}`;
    yield* this.#tx.run(sql, ...values, jobId, owner);
  }

  /** A job that was requested again while it ran starts again, since its input may have changed. */
  *#runAgain(owner: string, jobId: number): Steps<boolean> {
    const sql = `UPDATE job SET status = 'queued', attempts = 0, last_error = NULL, run_after = again_after,
      again_after = NULL, ${FREE} WHERE ${HELD} AND again_after IS NOT NULL`;
    return (yield* this.#tx.run(sql, jobId, owner)) > 0;
  }

  *list(query: { status?: Job['status']; kind?: string; limit: number; afterId?: number }): Steps<Job[]> {
    const { status, kind, limit, afterId = 0 } = query;
    const conditions = ['id > ?', ...(status ? ['status = ?'] : []), ...(kind ? ['kind = ?'] : [])];
    const values = [afterId, ...(status ? [status] : []), ...(kind ? [kind] : []), limit];
    const sql = `SELECT * FROM job WHERE memory_id = $1 AND ${conditions.join(' AND ')} ORDER BY id LIMIT ?`;
    return this.read(yield* this.#tx.all<JobRow>(sql, ...values));
  }

  read(rows: readonly JobRow[]): Job[] {
    return rows.map((row) => readJob(openJob(this.#tx.keys, row)));
  }

  *count(): Steps<Record<Job['status'], number>> {
    const counts = { queued: 0, running: 0, failed: 0 };
    const sql = 'SELECT status, count(*) AS n FROM job WHERE memory_id = $1 GROUP BY status';
    for (const { status, n } of yield* this.#tx.all<{ status: Job['status']; n: number }>(sql)) {
      counts[status] = n;
    }
    return counts;
  }

  *retryFailed(now: Instant, jobIds?: readonly number[]): Steps<number> {
    const sql = `UPDATE job SET status = 'queued', attempts = 0, run_after = ? WHERE memory_id = $1 AND status = 'failed'`;
    return jobIds ? yield* this.#tx.run(`${sql} AND ${MANY}`, now, jobIds) : yield* this.#tx.run(sql, now);
  }

  *runNow(now: Instant, jobIds: readonly number[]): Steps<number> {
    const sql = `UPDATE job SET run_after = CASE WHEN run_after > ? THEN ? ELSE run_after END
      WHERE memory_id = $1 AND status = 'queued' AND ${MANY}`;
    return yield* this.#tx.run(sql, now, now, jobIds);
  }

  *nextDue(kinds: readonly string[]): Steps<Instant | null> {
    const row = yield* this.#tx.get<{ due: number | null }>(
      `SELECT min(CASE status WHEN 'queued' THEN run_after ELSE lease_until END) AS due FROM job j
       WHERE memory_id = $1 AND status IN ('queued', 'running') AND kind = ANY (?::text[]) AND NOT ${BEHIND}`,
      kinds,
    );
    return row?.due ?? null;
  }
}
