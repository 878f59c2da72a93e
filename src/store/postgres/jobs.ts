import type { Instant, Job } from '../../model/model.ts';
import type { JobRow } from '../rows/rows.ts';
import type { JobTable } from '../store.ts';
import { DUE_JOB, perform } from '../tables/tables.ts';
import type { MemoryContext } from './context.ts';

export function createJobs(memory: MemoryContext): JobTable {
  return {
    enqueue: (jobs, now) => memory.write((tables) => tables.jobs.insert(jobs, now)),
    claim: (request) => claim(memory, request),
    renew: (owner, jobIds, leaseUntil) =>
      memory.ask(({ shared }) => perform(shared.jobs.renew(owner, jobIds, leaseUntil))),
    settle: (owner, outcomes) =>
      memory.writeJobs(async ({ shared }, tx) => {
        // Locked in a fixed order, so that no job is requested again while it is being completed.
        await tx.all(
          'SELECT id FROM job WHERE memory_id = $1 AND id = ANY (?::bigint[]) ORDER BY id FOR UPDATE',
          outcomes.map((outcome) => outcome.jobId),
        );
        for (const outcome of outcomes) await perform(shared.jobs.settle(owner, outcome));
      }),
    list: (query) => memory.ask(({ shared }) => perform(shared.jobs.list(query))),
    count: () => memory.ask(({ shared }) => perform(shared.jobs.count())),
    retryFailed: (now, jobIds) => memory.write(({ shared }) => perform(shared.jobs.retryFailed(now, jobIds))),
    runNow: (now, jobIds) => memory.write(({ shared }) => perform(shared.jobs.runNow(now, jobIds))),
    nextDue: async (kinds) => {
      if (!(await mayBeDue(memory, memory.now()))) return null;
      return memory.ask(({ shared }) => perform(shared.jobs.nextDue(kinds)));
    },
    waitForDue: (wake) => memory.db.dueJobs.wait(memory.memory.id, memory.now(), wake),
  };
}

async function claim(memory: MemoryContext, request: Parameters<JobTable['claim']>[0]): Promise<Job[]> {
  const { kinds, owner, leaseMs, limit, now } = request;
  if (!(await mayBeDue(memory, now))) return [];
  // Most claims find nothing and need no lock.
  const due = await memory.ask((_, session) => session.get(MAY_BE_DUE, kinds, now, now));
  if (!due) return [];
  return memory.writeJobs(async ({ shared }, tx) => {
    await perform(shared.jobs.reclaimExpired(now));
    const rows = await tx.all<JobRow>(CLAIM, kinds, now, now, now, now, limit, owner, now + leaseMs);
    return shared.jobs.read(rows).sort((a, b) => a.id - b.id);
  });
}

async function mayBeDue({ db, memory }: MemoryContext, now: Instant): Promise<boolean> {
  return db.dueJobs.mayBeDue(memory.id, now);
}

const MAY_BE_DUE = `SELECT 1 FROM job WHERE memory_id = $1 AND (
    (status = 'queued' AND kind = ANY (?::text[]) AND run_after <= ?)
    OR (status = 'running' AND lease_until <= ?)) LIMIT 1`;

/** Chooses the kind of the oldest due job and takes the oldest due jobs of that kind. Locked rows are skipped. */
const CLAIM = `WITH first AS (
    SELECT k.kind FROM unnest(?::text[]) k (kind) CROSS JOIN LATERAL (
      SELECT j.id FROM job j WHERE ${DUE_JOB} AND j.kind = k.kind ORDER BY j.id LIMIT 1) d ORDER BY d.id LIMIT 1),
  due AS (SELECT j.id FROM job j WHERE ${DUE_JOB} AND j.kind = (SELECT kind FROM first)
    ORDER BY j.id LIMIT ? FOR UPDATE SKIP LOCKED)
  UPDATE job SET status = 'running', attempts = attempts + 1, lease_owner = ?, lease_until = ?, again_after = NULL
  WHERE memory_id = $1 AND id IN (SELECT id FROM due) RETURNING *`;
