import { z } from 'zod';

const id = z.int().positive();
const name = z.object({ title: z.string().min(1), summary: z.string().nullable() });
const reason = z.string().min(1);

/**
 * The operations of a reorganisation, in a form that a person can read. Nothing changes until the plan is applied,
 * and an applied plan can be rolled back. Operations are independent: no topic or unit is named in two of `split`,
 * `merge`, `mergeUnits`, `archiveUnits`.
 */
export const planOperationSchema = z.discriminatedUnion('type', [
  /** The topic becomes the parent of new ones, which take over its members. Each member goes to one of them, or stays. */
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
  /** Similar topics near in time get a parent: an existing one, or a new one. */
  z.object({
    type: z.literal('parent'),
    childIds: z.array(id).min(1),
    parent: z.union([z.object({ topicId: id }), name]),
    reason,
  }),
  /** Units that say the same in other words: `unitIds` are archived, their evidence and reinforcement go to `intoId`. */
  z.object({ type: z.literal('mergeUnits'), unitIds: z.array(id).min(1), intoId: id, reason }),
  /** Old, unimportant units that were never recalled, or expired units: archived, and can be restored. */
  z.object({ type: z.literal('archiveUnits'), unitIds: z.array(id).min(1), reason }),
]);
export type PlanOperation = z.infer<typeof planOperationSchema>;

export const reorganizationPlanSchema = z.object({
  /** When the plan was made, and by what: `rules`, or the model's id. */
  at: z.int(),
  by: z.string().min(1),
  operations: z.array(planOperationSchema),
  /** Topics whose strength, centroid and emotion are computed again. */
  refresh: z.array(id),
});
export type ReorganizationPlan = z.infer<typeof reorganizationPlanSchema>;
