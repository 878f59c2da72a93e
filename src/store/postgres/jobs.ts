import type { Instant, Job } from '../../model/model.ts';
import { openJob, readJob, sealText, type Row } from '../rows/rows.ts';
import type { JobOutcome, JobTable } from '../store.ts';
import type { MemoryContext } from './context.ts';
import type { Session } from './session.ts';

const MANY = 'id = ANY (?::bigint[])';

/** The job queue of a memory. */
export class PostgresJobTable implements JobTable {
  readonly #memory: MemoryContext;

  constructor(memory: MemoryContext) {
    this.#memory = memory;
  }

  async enqueue(jobs: Parameters<JobTable['enqueue']>[0], now: Instant): Promise<number> {
    return this.#memory.write((tables) => tables.jobs.insert(jobs, now));
  }

  async claim(request: {
    kinds: readonly string[];
    owner: string;
    leaseMs: number;
    limit: number;
    now: Instant;
  }): Promise<Job[]> {
    const { kinds, owner, leaseMs, limit, now } = request;
    // Most claims find nothing and need no lock.
    const due = await this.#memory.ask((_, session) => session.get(MAY_BE_DUE, kinds, now, now));
    if (!due) return [];
    return this.#memory.writeJobs(async (_, tx) => {
      await tx.run(RECLAIM, now);
      const rows = await tx.all(CLAIM, kinds, now, now, now, now, limit, owner, now + leaseMs);
      return this.#read(rows).sort((a, b) => a.id - b.id);
    });
  }

  async renew(owner: string, jobIds: readonly number[], leaseUntil: Instant): Promise<number> {
    const sql = `UPDATE job SET lease_until = ? WHERE memory_id = $1 AND lease_owner = ? AND status = 'running' AND ${MANY}`;
    return this.#memory.ask((_, session) => session.run(sql, leaseUntil, owner, jobIds));
  }

  async settle(owner: string, outcomes: readonly JobOutcome[]): Promise<void> {
    await this.#memory.writeJobs(async (_, tx) => {
      // Locked in a fixed order, so that no job is requested again while it is being completed.
      await tx.all(
        `SELECT id FROM job WHERE memory_id = $1 AND ${MANY} ORDER BY id FOR UPDATE`,
        outcomes.map((outcome) => outcome.jobId),
      );
      for (const outcome of outcomes) await settleOne(tx, owner, outcome);
    });
  }

  async list(query: {
    status?: Job['status'];
    kind?: string;
    limit: number;
    afterId?: number;
  }): Promise<Job[]> {
    const rows = await this.#memory.ask((_, session) =>
      session.all(
        `SELECT * FROM job WHERE memory_id = $1 AND id > ? AND coalesce(status = ?::text, TRUE)
           AND coalesce(kind = ?::text, TRUE) ORDER BY id LIMIT ?`,
        query.afterId ?? 0,
        query.status ?? null,
        query.kind ?? null,
        query.limit,
      ),
    );
    return this.#read(rows);
  }

  #read(rows: readonly Row[]): Job[] {
    return rows.map((row) => readJob(openJob(this.#memory.memory.keys, row)));
  }

  async count(): Promise<Record<Job['status'], number>> {
    const counts = { queued: 0, running: 0, failed: 0 };
    const rows = await this.#memory.ask((_, session) =>
      session.all<{ status: Job['status']; n: number }>(
        'SELECT status, count(*) AS n FROM job WHERE memory_id = $1 GROUP BY status',
      ),
    );
    for (const { status, n } of rows) counts[status] = n;
    return counts;
  }

  async retryFailed(now: Instant, jobIds?: readonly number[]): Promise<number> {
    const sql = `UPDATE job SET status = 'queued', attempts = 0, run_after = ? WHERE memory_id = $1 AND status = 'failed'`;
    return this.#memory.write((_, tx) =>
      jobIds ? tx.run(`${sql} AND ${MANY}`, now, jobIds) : tx.run(sql, now),
    );
  }

  async runNow(now: Instant, jobIds: readonly number[]): Promise<number> {
    const sql = `UPDATE job SET run_after = least(run_after, ?) WHERE memory_id = $1 AND status = 'queued' AND ${MANY}`;
    return this.#memory.write((_, tx) => tx.run(sql, now, jobIds));
  }

  async nextDue(kinds: readonly string[]): Promise<Instant | null> {
    const row = await this.#memory.ask((_, session) =>
      session.get<{ due: number | null }>(
        `SELECT min(CASE status WHEN 'queued' THEN run_after ELSE lease_until END) AS due FROM job j
         WHERE memory_id = $1 AND status IN ('queued', 'running') AND kind = ANY (?::text[]) AND NOT ${BEHIND}`,
        kinds,
      ),
    );
    return row?.due ?? null;
  }
}

async function settleOne(tx: Session, owner: string, outcome: JobOutcome): Promise<void> {
  const { jobId } = outcome;
  const put = async (set: string, ...values: (string | number)[]) =>
    tx.run(`UPDATE job SET ${set}, ${FREE} WHERE ${HELD}`, ...values, jobId, owner);
  switch (outcome.result) {
    case 'done':
      if (!(await runAgain(tx, owner, jobId))) await tx.run(`DELETE FROM job WHERE ${HELD}`, jobId, owner);
      return;
    case 'retry':
      await put(
        "status = 'queued', run_after = ?, last_error = ?",
        outcome.runAfter,
        sealText(tx.keys, outcome.error),
      );
      return;
    case 'failed':
      if (await runAgain(tx, owner, jobId)) return;
      await put("status = 'failed', last_error = ?", sealText(tx.keys, outcome.error));
      return;
    case 'postponed':
      await put(
        "status = 'queued', attempts = attempts - 1, run_after = ?, last_error = ?",
        outcome.runAfter,
        sealText(tx.keys, outcome.error),
      );
      return;
    case 'released':
      await put("status = 'queued', attempts = attempts - 1");
  }
}

/** A job that was requested again while it ran is queued again: its input may have changed. */
async function runAgain(tx: Session, owner: string, jobId: number): Promise<boolean> {
  const sql = `UPDATE job SET status = 'queued', attempts = 0, last_error = NULL, run_after = again_after,
    again_after = NULL, ${FREE} WHERE ${HELD} AND again_after IS NOT NULL`;
  return (await tx.run(sql, jobId, owner)) > 0;
}

/** Conditions for a job and its owner. */
const HELD = "memory_id = $1 AND id = ? AND lease_owner = ? AND status = 'running'";
const FREE = 'lease_owner = NULL, lease_until = NULL';

const EARLIER = `SELECT 1 FROM job e WHERE e.memory_id = $1 AND e.conversation_id = j.conversation_id
  AND e.kind = j.kind AND e.id < j.id`;

/** Of job `j`: an earlier job of its kind and conversation is unfinished; that one decides when work continues. */
const BEHIND = `EXISTS (${EARLIER} AND e.status IN ('queued', 'running'))`;

/** Of job `j`: due, and no earlier job of its kind and conversation is running or waits for a retry. Binds two instants. */
const DUE = `j.memory_id = $1 AND j.status = 'queued' AND j.run_after <= ?
  AND NOT EXISTS (${EARLIER} AND e.status = 'running')
  AND NOT EXISTS (${EARLIER} AND e.status = 'queued' AND e.run_after > ?)`;

const MAY_BE_DUE = `SELECT 1 FROM job WHERE memory_id = $1 AND (
    (status = 'queued' AND kind = ANY (?::text[]) AND run_after <= ?)
    OR (status = 'running' AND lease_until <= ?)) LIMIT 1`;

/** Queues jobs with an expired lease again; the attempt counts, because the job may have killed its worker. */
const RECLAIM = `UPDATE job SET status = 'queued', ${FREE}
  WHERE memory_id = $1 AND status = 'running' AND lease_until <= ?`;

/** Chooses the kind of the oldest due job and takes the oldest due jobs of that kind. Locked rows are skipped. */
const CLAIM = `WITH first AS (
    SELECT k.kind FROM unnest(?::text[]) k (kind) CROSS JOIN LATERAL (
      SELECT j.id FROM job j WHERE ${DUE} AND j.kind = k.kind ORDER BY j.id LIMIT 1) d ORDER BY d.id LIMIT 1),
  due AS (SELECT j.id FROM job j WHERE ${DUE} AND j.kind = (SELECT kind FROM first)
    ORDER BY j.id LIMIT ? FOR UPDATE SKIP LOCKED)
  UPDATE job SET status = 'running', attempts = attempts + 1, lease_owner = ?, lease_until = ?, again_after = NULL
  WHERE memory_id = $1 AND id IN (SELECT id FROM due) RETURNING *`;
