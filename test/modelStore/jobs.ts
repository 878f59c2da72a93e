import type { Instant, Job, NewJob, Unit } from '../../src/model/model.ts';
import type { JobOutcome, JobTable } from '../../src/store/store.ts';
import type { State, Transact } from './state.ts';

export class ModelJobTable implements JobTable {
  readonly #transact: Transact;

  constructor(transact: Transact) {
    this.#transact = transact;
  }

  async enqueue(jobs: readonly NewJob[], now: Instant): Promise<number> {
    return this.#transact((state) => jobs.filter((job) => addJob(state, job, now)).length);
  }

  async claim(request: {
    kinds: readonly string[];
    owner: string;
    leaseMs: number;
    limit: number;
    now: Instant;
  }) {
    const { kinds, owner, leaseMs, limit, now } = request;
    return this.#transact(({ jobs }) => {
      for (const job of jobs) {
        if (job.status === 'running' && (job.leaseUntil ?? 0) <= now) release(job, 'queued');
      }
      const isHeldUpBy = (earlier: Job) =>
        earlier.status === 'running' || (earlier.status === 'queued' && earlier.runAfter > now);
      const due = jobs.filter(
        (job) =>
          kinds.includes(job.kind) &&
          job.status === 'queued' &&
          job.runAfter <= now &&
          !earlierOf(jobs, job).some(isHeldUpBy),
      );
      const claimed = due.filter((job) => job.kind === due[0]?.kind).slice(0, limit);
      for (const job of claimed) {
        Object.assign(job, {
          status: 'running',
          attempts: job.attempts + 1,
          leaseOwner: owner,
          leaseUntil: now + leaseMs,
          againAfter: undefined,
        });
      }
      return claimed.map(seen);
    });
  }

  async settle(owner: string, outcomes: readonly JobOutcome[]): Promise<void> {
    this.#transact((state) => {
      for (const outcome of outcomes) {
        const job = state.jobs.find((other) => other.id === outcome.jobId);
        if (!job || job.status !== 'running' || job.leaseOwner !== owner) continue;
        if (job.againAfter !== undefined && (outcome.result === 'done' || outcome.result === 'failed')) {
          release(job, 'queued');
          Object.assign(job, {
            attempts: 0,
            lastError: null,
            runAfter: job.againAfter,
            againAfter: undefined,
          });
          continue;
        }
        if (outcome.result === 'done') state.jobs = state.jobs.filter((other) => other !== job);
        else release(job, outcome.result === 'failed' ? 'failed' : 'queued');
        if (outcome.result === 'retry') job.runAfter = outcome.runAfter;
        if (outcome.result === 'released') job.attempts -= 1;
        if ('error' in outcome) job.lastError = outcome.error;
      }
    });
  }

  async renew(owner: string, jobIds: readonly number[], leaseUntil: Instant): Promise<number> {
    return this.#transact(({ jobs }) => {
      const held = jobs.filter((job) => job.status === 'running' && job.leaseOwner === owner);
      const renewed = held.filter((job) => jobIds.includes(job.id));
      for (const job of renewed) job.leaseUntil = leaseUntil;
      return renewed.length;
    });
  }

  async list(query: { status?: Job['status']; kind?: string; limit: number; afterId?: number }) {
    return this.#transact(({ jobs }) =>
      jobs
        .filter((job) => job.id > (query.afterId ?? 0))
        .filter((job) => (query.status ?? job.status) === job.status && (query.kind ?? job.kind) === job.kind)
        .slice(0, query.limit)
        .map(seen),
    );
  }

  async count(): Promise<Record<Job['status'], number>> {
    const count = (status: Job['status']) =>
      this.#transact(({ jobs }) => jobs.filter((job) => job.status === status).length);
    return { queued: count('queued'), running: count('running'), failed: count('failed') };
  }

  async retryFailed(now: Instant, jobIds?: readonly number[]): Promise<number> {
    return this.#transact(({ jobs }) => {
      const failed = jobs.filter((job) => job.status === 'failed' && (jobIds?.includes(job.id) ?? true));
      for (const job of failed) Object.assign(job, { status: 'queued', attempts: 0, runAfter: now });
      return failed.length;
    });
  }

  async runNow(now: Instant, jobIds: readonly number[]): Promise<number> {
    return this.#transact(({ jobs }) => {
      const waiting = jobs.filter((job) => job.status === 'queued' && jobIds.includes(job.id));
      for (const job of waiting) job.runAfter = Math.min(job.runAfter, now);
      return waiting.length;
    });
  }

  async nextDue(kinds: readonly string[]): Promise<Instant | null> {
    return this.#transact(({ jobs }) => {
      const open = jobs.filter((job) => kinds.includes(job.kind) && job.status !== 'failed');
      const first = open.filter((job) => !earlierOf(open, job).length);
      const due = first.map((job) => (job.status === 'running' ? (job.leaseUntil ?? 0) : job.runAfter));
      return due.length === 0 ? null : Math.min(...due);
    });
  }
}

export function episodeJob(kind: string, unit: Unit): NewJob {
  const conversationId = unit.kind === 'episode' ? unit.payload.conversationId : null;
  return { kind, key: `${kind}:${unit.id}`, conversationId, input: { unitId: unit.id } };
}

export function addJob(state: State, job: NewJob, now: Instant): boolean {
  // As in SQLite, a skipped job uses up an id.
  state.lastJobId += 1;
  const existing = state.jobs.find((other) => other.key === job.key);
  const runAfter = job.runAfter ?? now;
  if (existing) {
    const isNew = existing.status === 'running' && existing.againAfter === undefined;
    if (isNew) existing.againAfter = runAfter;
    return isNew;
  }
  const idle = {
    status: 'queued',
    attempts: 0,
    leaseOwner: null,
    leaseUntil: null,
    lastError: null,
  } as const;
  state.jobs.push({ ...job, ...idle, id: state.lastJobId, runAfter, createdAt: now });
  return true;
}

function seen(job: State['jobs'][number]): Job {
  const copy = structuredClone(job);
  delete copy.againAfter;
  return copy;
}

function release(job: Job, status: Job['status']): void {
  Object.assign(job, { status, leaseOwner: null, leaseUntil: null });
}

function earlierOf(jobs: readonly Job[], job: Job): Job[] {
  if (job.conversationId === null) return [];
  return jobs.filter(
    (other) => other.conversationId === job.conversationId && other.kind === job.kind && other.id < job.id,
  );
}
