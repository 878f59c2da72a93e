import type { Instant, Job, NewJob } from '../../model/model.ts';
import type { JobOutcome, JobTable } from '../store.ts';
import { openJob, readJob, type Row, sealInput, sealKey, sealText } from '../rows/rows.ts';
import type { Database } from './database.ts';

/** Jobs in one statement. More would gain nothing and make its text large. */
const MAX_ROWS = 128;

/**
 * Adds jobs; see `JobTable.enqueue`. Callers hold the transaction. Inserts many rows per statement, since the
 * overhead of a statement is most of the cost of one row.
 */
export function insertJobs(db: Database, jobs: readonly NewJob[], now: Instant): number {
  let added = 0;
  for (let at = 0; at < jobs.length; at += MAX_ROWS) {
    const rows = jobs.slice(at, at + MAX_ROWS);
    const values = rows.flatMap((job) => [
      job.kind,
      sealKey(db.keys, job.key),
      job.conversationId,
      sealInput(db.keys, JSON.stringify(job.input)),
      job.runAfter ?? now,
      now,
    ]);
    added += db.run(insertSql(rows.length), ...values).changes;
  }
  return added;
}

function insertSql(rows: number): string {
  const places = Array.from({ length: rows }, () => "(?, ?, ?, ?, 'queued', 0, ?, ?)").join(', ');
  return `INSERT INTO job (kind, key, conversation_id, input, status, attempts, run_after, created_at)
    VALUES ${places} ON CONFLICT (key) DO UPDATE SET again_after = excluded.run_after
    WHERE status = 'running' AND again_after IS NULL`;
}

export class SqliteJobTable implements JobTable {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  async enqueue(jobs: readonly NewJob[], now: Instant): Promise<number> {
    return this.#db.write(() => insertJobs(this.#db, jobs, now));
  }

  async claim(request: {
    kinds: readonly string[];
    owner: string;
    leaseMs: number;
    limit: number;
    now: Instant;
  }): Promise<Job[]> {
    if (!this.#mayBeDue(request.kinds, request.now)) return [];
    return this.#db.writeUnflushed(() => {
      this.#reclaimExpired(request.now);
      const kind = this.#firstDueKind(this.#kindsQueued(request.kinds, request.now), request.now);
      if (kind === undefined) return [];
      const rows = this.#db.all(
        `UPDATE job SET status = 'running', attempts = attempts + 1, lease_owner = ?, lease_until = ?, again_after = NULL
         WHERE id IN (SELECT id FROM job j INDEXED BY job_due WHERE ${DUE} AND kind = ? ORDER BY id LIMIT +?) RETURNING *`,
        request.owner,
        request.now + request.leaseMs,
        request.now,
        request.now,
        kind,
        request.limit,
      );
      return rows.map((row) => this.#read(row)).sort((a, b) => a.id - b.id);
    });
  }

  async renew(owner: string, jobIds: readonly number[], leaseUntil: Instant): Promise<number> {
    const sql = `UPDATE job SET lease_until = ? WHERE lease_owner = ? AND status = 'running'
      AND id IN (SELECT value FROM json_each(?))`;
    return this.#db.writeUnflushed(
      () => this.#db.run(sql, leaseUntil, owner, JSON.stringify(jobIds)).changes,
    );
  }

  async settle(owner: string, outcomes: readonly JobOutcome[]): Promise<void> {
    this.#db.writeUnflushed(() => {
      for (const outcome of outcomes) this.#settleOne(owner, outcome);
    });
  }

  #settleOne(owner: string, outcome: JobOutcome): void {
    const { jobId } = outcome;
    switch (outcome.result) {
      case 'done':
        if (this.#runAgain(owner, jobId)) return;
        this.#db.run(`DELETE FROM job WHERE ${HELD}`, jobId, owner);
        break;
      case 'retry':
        this.#db.run(
          `UPDATE job SET status = 'queued', run_after = ?, last_error = ?, ${FREE} WHERE ${HELD}`,
          outcome.runAfter,
          sealText(this.#db.keys, outcome.error),
          jobId,
          owner,
        );
        break;
      case 'failed':
        if (this.#runAgain(owner, jobId)) return;
        this.#db.run(
          `UPDATE job SET status = 'failed', last_error = ?, ${FREE} WHERE ${HELD}`,
          sealText(this.#db.keys, outcome.error),
          jobId,
          owner,
        );
        break;
      case 'postponed':
        this.#db.run(
          `UPDATE job SET status = 'queued', attempts = attempts - 1, run_after = ?, last_error = ?, ${FREE} WHERE ${HELD}`,
          outcome.runAfter,
          sealText(this.#db.keys, outcome.error),
          jobId,
          owner,
        );
        break;
      case 'released':
        this.#db.run(
          `UPDATE job SET status = 'queued', attempts = attempts - 1, ${FREE} WHERE ${HELD}`,
          jobId,
          owner,
        );
    }
  }

  /** A job that was requested again while it ran starts again, since its input may have changed. */
  #runAgain(owner: string, jobId: number): boolean {
    const sql = `UPDATE job SET status = 'queued', attempts = 0, last_error = NULL, run_after = again_after,
      again_after = NULL, ${FREE} WHERE ${HELD} AND again_after IS NOT NULL`;
    return this.#db.run(sql, jobId, owner).changes > 0;
  }

  async list(query: {
    status?: Job['status'];
    kind?: string;
    limit: number;
    afterId?: number;
  }): Promise<Job[]> {
    return this.#db
      .all(
        `SELECT * FROM job WHERE id > ?1 AND (?2 IS NULL OR status = ?2) AND (?3 IS NULL OR kind = ?3)
         ORDER BY id LIMIT +?4`,
        query.afterId ?? 0,
        query.status ?? null,
        query.kind ?? null,
        query.limit,
      )
      .map((row) => this.#read(row));
  }

  async count(): Promise<Record<Job['status'], number>> {
    const counts = { queued: 0, running: 0, failed: 0 };
    const rows = this.#db.all<{ status: Job['status']; n: number }>(
      'SELECT status, count(*) AS n FROM job GROUP BY status',
    );
    for (const { status, n } of rows) counts[status] = n;
    return counts;
  }

  async retryFailed(now: Instant, jobIds?: readonly number[]): Promise<number> {
    const sql = `UPDATE job SET status = 'queued', attempts = 0, run_after = ?1
      WHERE status = 'failed' AND (?2 IS NULL OR id IN (SELECT value FROM json_each(?2)))`;
    return this.#db.write(() => this.#db.run(sql, now, jobIds ? JSON.stringify(jobIds) : null).changes);
  }

  async runNow(now: Instant, jobIds: readonly number[]): Promise<number> {
    const sql = `UPDATE job SET run_after = min(run_after, ?)
      WHERE status = 'queued' AND id IN (SELECT value FROM json_each(?))`;
    return this.#db.write(() => this.#db.run(sql, now, JSON.stringify(jobIds)).changes);
  }

  async nextDue(kinds: readonly string[]): Promise<Instant | null> {
    return (
      this.#db.get<{ due: number | null }>(
        `SELECT min(CASE status WHEN 'queued' THEN run_after ELSE lease_until END) AS due FROM job j
         WHERE status IN ('queued', 'running') AND kind IN (SELECT value FROM json_each(?)) AND NOT ${BEHIND}`,
        JSON.stringify(kinds),
      )?.due ?? null
    );
  }

  #read(row: Row): Job {
    return readJob(openJob(this.#db.keys, row));
  }

  /** Whether any job may be claimable: most claims find none, and need no write transaction. */
  #mayBeDue(kinds: readonly string[], now: Instant): boolean {
    const expired = "SELECT 1 FROM job WHERE status = 'running' AND lease_until <= ? LIMIT 1";
    return this.#kindsQueued(kinds, now).length > 0 || this.#db.get(expired, now) !== undefined;
  }

  /** The kinds with a job that is due, even if it must wait for an earlier one. */
  #kindsQueued(kinds: readonly string[], now: Instant): string[] {
    return this.#db
      .all<{ kind: string }>(
        `SELECT value AS kind FROM json_each(?) k WHERE EXISTS (
           SELECT 1 FROM job WHERE status = 'queued' AND kind = k.value AND run_after <= ?)`,
        JSON.stringify(kinds),
        now,
      )
      .map((row) => row.kind);
  }

  /** An expired lease is removed, but the attempt counts: the job may have caused its worker's death. */
  #reclaimExpired(now: Instant): void {
    this.#db.run(
      `UPDATE job SET status = 'queued', lease_owner = NULL, lease_until = NULL
       WHERE status = 'running' AND lease_until <= ?`,
      now,
    );
  }

  /** The kind of the oldest due job. Looks kind by kind, which takes one step in the index each. */
  #firstDueKind(kinds: readonly string[], now: Instant): string | undefined {
    const first = kinds.flatMap((kind) => {
      const sql = `SELECT id FROM job j INDEXED BY job_due WHERE ${DUE} AND kind = ? ORDER BY id LIMIT 1`;
      const id = this.#db.get<{ id: number }>(sql, now, now, kind)?.id;
      return id === undefined ? [] : { kind, id };
    });
    return first.sort((a, b) => a.id - b.id)[0]?.kind;
  }
}

/** Conditions on a job and its owner. */
const HELD = "id = ? AND lease_owner = ? AND status = 'running'";
const FREE = 'lease_owner = NULL, lease_until = NULL';

/** Condition on job `j`: an earlier one of its kind and conversation is unfinished. */
const BEHIND = `EXISTS (
  SELECT 1 FROM job e WHERE e.conversation_id = j.conversation_id AND e.kind = j.kind AND e.id < j.id
  AND e.status IN ('queued', 'running'))`;

const EARLIER = `SELECT 1 FROM job e
  WHERE e.conversation_id = j.conversation_id AND e.kind = j.kind AND e.id < j.id AND e.status =`;

/**
 * Condition on job `j`: due, and no earlier one of its kind and conversation is claimed or waits for a retry. Takes
 * two instants. There are two subqueries, so that the index leads directly to the few such jobs. A statement
 * ordered by id must name the index: with the index of times SQLite would sort the whole queue each time.
 */
const DUE = `j.status = 'queued' AND j.run_after <= ? AND NOT EXISTS (${EARLIER} 'running')
  AND NOT EXISTS (${EARLIER} 'queued' AND e.run_after > ?)`;
