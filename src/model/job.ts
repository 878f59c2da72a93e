import { z } from 'zod';

export const JOB_STATUSES = ['queued', 'running', 'failed'] as const;

/** A piece of background work. A job is removed when it is done; its results remain. */
export const jobSchema = z.object({
  id: z.int().positive(),
  kind: z.string().min(1),
  /** Two unfinished jobs never share a key. */
  key: z.string().min(1),
  /** Jobs of one kind and one conversation run one after another, in order of id. Null: no order. */
  conversationId: z.string().nullable(),
  input: z.record(z.string(), z.json()),
  status: z.enum(JOB_STATUSES),
  /** How often it was started. */
  attempts: z.int().min(0),
  /** It starts at this instant or later. */
  runAfter: z.int(),
  /** While running: the worker that holds it, and until when; after that another worker may claim it. */
  leaseOwner: z.string().nullable(),
  leaseUntil: z.int().nullable(),
  lastError: z.string().nullable(),
  createdAt: z.int(),
});
export type Job = z.infer<typeof jobSchema>;
export type NewJob = Pick<Job, 'kind' | 'key' | 'conversationId' | 'input'> & {
  /** It starts at this instant or later; default: at once. */
  readonly runAfter?: Job['runAfter'];
};
