import type { Instant, Job, NewJob } from '../../model/model.ts';
import type { JobTable } from '../store.ts';
import { sealInput, sealKey, type JobRow } from '../rows/rows.ts';
import { DUE_JOB, performNow, type JobQueue } from '../tables/tables.ts';
import type { Database } from './database.ts';
import { toSqlite } from './dialect.ts';

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

export function createJobs(db: Database, queue: JobQueue): JobTable {
  return {
    enqueue: async (jobs, now) => db.write(() => insertJobs(db, jobs, now)),
    claim: async (request) => claim(db, queue, request),
    renew: async (owner, jobIds, leaseUntil) =>
      db.writeUnflushed(() => performNow(queue.renew(owner, jobIds, leaseUntil))),
    settle: async (owner, outcomes) =>
      db.writeUnflushed(() => {
        for (const outcome of outcomes) performNow(queue.settle(owner, outcome));
      }),
    list: async (query) => performNow(queue.list(query)),
    count: async () => performNow(queue.count()),
    retryFailed: async (now, jobIds) => db.write(() => performNow(queue.retryFailed(now, jobIds))),
    runNow: async (now, jobIds) => db.write(() => performNow(queue.runNow(now, jobIds))),
    nextDue: async (kinds) => performNow(queue.nextDue(kinds)),
  };
}

function claim(db: Database, queue: JobQueue, request: Parameters<JobTable['claim']>[0]): Job[] {
  const { kinds, owner, leaseMs, limit, now } = request;
  if (!mayBeDue(db, kinds, now)) return [];
  return db.writeUnflushed(() => {
    performNow(queue.reclaimExpired(now));
    const kind = firstDueKind(db, kindsQueued(db, kinds, now), now);
    if (kind === undefined) return [];
    const rows = db.all<JobRow>(
      `UPDATE job SET status = 'running', attempts = attempts + 1, lease_owner = ?, lease_until = ?, again_after = NULL
       WHERE id IN (SELECT id FROM job j INDEXED BY job_due WHERE ${DUE} AND kind = ? ORDER BY id LIMIT +?) RETURNING *`,
      owner,
      now + leaseMs,
      now,
      now,
      kind,
      limit,
    );
    return queue.read(rows).sort((a, b) => a.id - b.id);
  });
}

/** Whether any job may be claimable: most claims find none, and need no write transaction. */
function mayBeDue(db: Database, kinds: readonly string[], now: Instant): boolean {
  const expired = "SELECT 1 FROM job WHERE status = 'running' AND lease_until <= ? LIMIT 1";
  return kindsQueued(db, kinds, now).length > 0 || db.get(expired, now) !== undefined;
}

/** The kinds with a job that is due, even if it must wait for an earlier one. */
function kindsQueued(db: Database, kinds: readonly string[], now: Instant): string[] {
  return db
    .all<{ kind: string }>(
      `SELECT value AS kind FROM json_each(?) k WHERE EXISTS (
         SELECT 1 FROM job WHERE status = 'queued' AND kind = k.value AND run_after <= ?)`,
      JSON.stringify(kinds),
      now,
    )
    .map((row) => row.kind);
}

/** The kind of the oldest due job. Looks kind by kind, which takes one step in the index each. */
function firstDueKind(db: Database, kinds: readonly string[], now: Instant): string | undefined {
  const first = kinds.flatMap((kind) => {
    const sql = `SELECT id FROM job j INDEXED BY job_due WHERE ${DUE} AND kind = ? ORDER BY id LIMIT 1`;
    const id = db.get<{ id: number }>(sql, now, now, kind)?.id;
    return id === undefined ? [] : { kind, id };
  });
  return first.sort((a, b) => a.id - b.id)[0]?.kind;
}

/** A statement ordered by id must name the index: with the index of times SQLite would sort the whole queue each time. */
const DUE = toSqlite(DUE_JOB);
