import type { Instant, Job, NewJob } from '../../model/model.ts';
import type { JobOutcome, JobTable } from '../store.ts';
import type { Database, Row } from './database.ts';

/** Adds a job unless an unfinished one has its key. Callers hold the transaction. */
export function insertJob(db: Database, job: NewJob, now: Instant): boolean {
  const { changes } = db.run(
    `INSERT OR IGNORE INTO job (kind, key, conversation_id, input, status, attempts, run_after, created_at)
     VALUES (?, ?, ?, ?, 'queued', 0, ?, ?)`,
    job.kind,
    job.key,
    job.conversationId,
    JSON.stringify(job.input),
    now,
    now,
  );
  return changes > 0;
}

export class SqliteJobTable implements JobTable {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  async enqueue(jobs: readonly NewJob[], now: Instant): Promise<number> {
    return this.#db.write(() => jobs.filter((job) => insertJob(this.#db, job, now)).length);
  }

  async claim(request: {
    kinds: readonly string[];
    owner: string;
    leaseMs: number;
    limit: number;
    now: Instant;
  }): Promise<Job[]> {
    return this.#db.write(() => {
      this.#reclaimExpired(request.now);
      const kind = this.#firstDueKind(request.kinds, request.now);
      if (kind === undefined) return [];
      const rows = this.#db.all(
        `UPDATE job SET status = 'running', attempts = attempts + 1, lease_owner = ?, lease_until = ?
         WHERE id IN (SELECT id FROM job j WHERE ${DUE} AND kind = ? ORDER BY id LIMIT ?) RETURNING *`,
        request.owner,
        request.now + request.leaseMs,
        request.now,
        request.now,
        kind,
        request.limit,
      );
      return rows.map(readJob).sort((a, b) => a.id - b.id);
    });
  }

  async settle(owner: string, outcomes: readonly JobOutcome[]): Promise<void> {
    this.#db.write(() => {
      for (const outcome of outcomes) this.#settleOne(owner, outcome);
    });
  }

  #settleOne(owner: string, outcome: JobOutcome): void {
    const held = "id = ? AND lease_owner = ? AND status = 'running'";
    const free = 'lease_owner = NULL, lease_until = NULL';
    const { jobId } = outcome;
    switch (outcome.result) {
      case 'done':
        this.#db.run(`DELETE FROM job WHERE ${held}`, jobId, owner);
        break;
      case 'retry':
        this.#db.run(
          `UPDATE job SET status = 'queued', run_after = ?, last_error = ?, ${free} WHERE ${held}`,
          outcome.runAfter,
          outcome.error,
          jobId,
          owner,
        );
        break;
      case 'failed':
        this.#db.run(
          `UPDATE job SET status = 'failed', last_error = ?, ${free} WHERE ${held}`,
          outcome.error,
          jobId,
          owner,
        );
        break;
      case 'released':
        this.#db.run(
          `UPDATE job SET status = 'queued', attempts = attempts - 1, ${free} WHERE ${held}`,
          jobId,
          owner,
        );
    }
  }

  async list(query: { status?: Job['status']; kind?: string; limit: number }): Promise<Job[]> {
    return this.#db
      .all(
        `SELECT * FROM job WHERE (?1 IS NULL OR status = ?1) AND (?2 IS NULL OR kind = ?2) ORDER BY id LIMIT ?3`,
        query.status ?? null,
        query.kind ?? null,
        query.limit,
      )
      .map(readJob);
  }

  async count(): Promise<Record<Job['status'], number>> {
    const counts = { queued: 0, running: 0, failed: 0 };
    const rows = this.#db.all<{ status: Job['status']; n: number }>(
      'SELECT status, count(*) AS n FROM job GROUP BY status',
    );
    for (const { status, n } of rows) counts[status] = n;
    return counts;
  }

  async retryFailed(now: Instant): Promise<number> {
    return this.#db.run(
      "UPDATE job SET status = 'queued', attempts = 0, run_after = ? WHERE status = 'failed'",
      now,
    ).changes;
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

  /** A lease that ran out is as if it had never been given, but the attempt counts: its holder may have died of it. */
  #reclaimExpired(now: Instant): void {
    this.#db.run(
      `UPDATE job SET status = 'queued', lease_owner = NULL, lease_until = NULL
       WHERE status = 'running' AND lease_until <= ?`,
      now,
    );
  }

  /** The kind of the oldest due job. Kind by kind, so that each takes one step in the index. */
  #firstDueKind(kinds: readonly string[], now: Instant): string | undefined {
    const first = kinds.flatMap((kind) => {
      const sql = `SELECT id FROM job j WHERE ${DUE} AND kind = ? ORDER BY id LIMIT 1`;
      const id = this.#db.get<{ id: number }>(sql, now, now, kind)?.id;
      return id === undefined ? [] : { kind, id };
    });
    return first.sort((a, b) => a.id - b.id)[0]?.kind;
  }
}

/** Of job `j`: an earlier one of its kind and conversation is unfinished, so that one decides when work can go on. */
const BEHIND = `EXISTS (
  SELECT 1 FROM job e WHERE e.conversation_id = j.conversation_id AND e.kind = j.kind AND e.id < j.id
  AND e.status IN ('queued', 'running'))`;

const EARLIER = `SELECT 1 FROM job e
  WHERE e.conversation_id = j.conversation_id AND e.kind = j.kind AND e.id < j.id AND e.status =`;

/**
 * Of job `j`: due, and no earlier one of its kind and conversation is held or waits for its next try. Two instants.
 * The two are asked apart because the index then leads straight to the few such jobs.
 */
const DUE = `j.status = 'queued' AND j.run_after <= ? AND NOT EXISTS (${EARLIER} 'running')
  AND NOT EXISTS (${EARLIER} 'queued' AND e.run_after > ?)`;

function readJob(row: Row): Job {
  return {
    id: row['id'] as number,
    kind: row['kind'] as string,
    key: row['key'] as string,
    conversationId: row['conversation_id'] as string | null,
    input: JSON.parse(row['input'] as string) as Job['input'],
    status: row['status'] as Job['status'],
    attempts: row['attempts'] as number,
    runAfter: row['run_after'] as number,
    leaseOwner: row['lease_owner'] as string | null,
    leaseUntil: row['lease_until'] as number | null,
    lastError: row['last_error'] as string | null,
    createdAt: row['created_at'] as number,
  };
}
