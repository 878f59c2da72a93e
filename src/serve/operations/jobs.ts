import { z } from 'zod';
import { defined, JOB_STATUSES, MemoryError, type Job, type Memory } from '../../engine/engine.ts';
import { memoryOperation } from '../operation.ts';
import { pageAfter } from '../paging.ts';
import { jobShape, pageOf, pageQuery } from '../shapes/shapes.ts';

/** The maximum length of an input that is shown; inputs may contain images. */
const MAX_SHOWN_LENGTH = 200;

export const jobOperations = {
  listJobs: memoryOperation('listJobs', 'existing', {
    tag: 'jobs',
    summary: 'Lists unfinished background jobs, oldest first.',
    description: 'Long texts in `input`, such as images, are truncated.',
    query: z.strictObject({
      status: z.enum(JOB_STATUSES).optional().describe('Status of the jobs.'),
      kind: z.string().min(1).optional().describe('Kind of the jobs: `embed`, `learn` …'),
      ...pageQuery,
    }),
    answer: pageOf(jobShape).extend({
      counts: z.object({ queued: z.int(), running: z.int(), failed: z.int() }),
    }),
    async handle({ memory, query: { status, kind, ...page } }) {
      const read = (afterId: number | undefined, limit: number) =>
        memory.jobs.list({ limit, ...defined({ status, kind, afterId }) });
      const { items, nextCursor } = await pageAfter(page, z.int(), read, (job) => job.id);
      return { items: items.map(shortened), nextCursor, counts: await memory.jobs.count() };
    },
  }),

  retryJobs: memoryOperation('retryJobs', 'existing', {
    tag: 'jobs',
    summary: 'Retries failed jobs: all, or the given ones.',
    body: z.strictObject({ jobIds: z.array(z.int().positive()).max(10_000).optional() }).optional(),
    answer: z.object({ count: z.int().describe('Number of jobs that are due again.') }),
    example: { jobIds: [1] },
    handle: async ({ memory, body }) => ({ count: await memory.jobs.retry(body?.jobIds) }),
  }),

  retryJob: memoryOperation('retryJob', 'existing', {
    tag: 'jobs',
    summary: 'Retries a failed job.',
    answer: z.object({ count: z.int().describe('0 if it had not failed.') }),
    async handle({ memory, parameters: { jobId } }) {
      await requireJob(memory, jobId);
      return { count: await memory.jobs.retry([jobId]) };
    },
  }),

  runJob: memoryOperation('runJob', 'existing', {
    tag: 'jobs',
    summary: 'Makes a waiting job due now.',
    answer: z.object({ count: z.int().describe('0 if it was not waiting.') }),
    async handle({ memory, parameters: { jobId } }) {
      await requireJob(memory, jobId);
      return { count: await memory.jobs.runNow([jobId]) };
    },
  }),
};

/** A completed job is deleted. */
async function requireJob(memory: Memory, jobId: number): Promise<void> {
  const [job] = await memory.jobs.list({ afterId: jobId - 1, limit: 1 });
  if (job?.id !== jobId)
    throw new MemoryError('NOT_FOUND', `There is no job ${jobId}; finished jobs are removed.`);
}

function shortened(job: Job): Job {
  return { ...job, input: shorten(job.input) as Job['input'] };
}

function shorten(value: unknown): unknown {
  if (typeof value === 'string')
    return value.length > MAX_SHOWN_LENGTH ? `${value.slice(0, MAX_SHOWN_LENGTH)}…` : value;
  if (Array.isArray(value)) return value.map(shorten);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, shorten(part)]));
}
