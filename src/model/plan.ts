import { z } from 'zod';

const id = z.int().positive();
const name = z.object({ title: z.string().min(1), summary: z.string().nullable() });
const reason = z.string().min(1);

/**
 * What a reorganisation would do, as a person can read it. Nothing is done until it is applied; what is applied can be
 * rolled back. Operations are independent of one another: no topic or unit is named in two of `split`, `merge`,
 * `mergeUnits`, `archiveUnits`.
 */
export const planOperationSchema = z.discriminatedUnion('type', [
  /** The topic becomes the parent of new ones, which take over its members: each exactly one, or they stay. */
  z.object({
    type: z.literal('split'),
    topicId: id,
    into: z.array(name.extend({ unitIds: z.array(id).min(1) })).min(2),
    reason,
  }),
  /** The topics' members, children and parents go to `intoId`, which may be renamed; then they are archived. */
  z.object({
    type: z.literal('merge'),
    topicIds: z.array(id).min(1),
    intoId: id,
    rename: name.nullable(),
    reason,
  }),
  /** Topics near in time and alike get a parent: one there is, or a new one. */
  z.object({
    type: z.literal('parent'),
    childIds: z.array(id).min(1),
    parent: z.union([z.object({ topicId: id }), name]),
    reason,
  }),
  /** Says the same in other words: `unitIds` are archived, their evidence and reinforcement go to `intoId`. */
  z.object({ type: z.literal('mergeUnits'), unitIds: z.array(id).min(1), intoId: id, reason }),
  /** Old, weak and never recalled, or past its time: archived, to be brought back at will. */
  z.object({ type: z.literal('archiveUnits'), unitIds: z.array(id).min(1), reason }),
]);
export type PlanOperation = z.infer<typeof planOperationSchema>;

export const reorganizationPlanSchema = z.object({
  /** When it was made, and what made it: `rules`, or the model's id. */
  at: z.int(),
  by: z.string().min(1),
  operations: z.array(planOperationSchema),
  /** Topics whose strength, centroid and feeling are computed anew. */
  refresh: z.array(id),
});
export type ReorganizationPlan = z.infer<typeof reorganizationPlanSchema>;
