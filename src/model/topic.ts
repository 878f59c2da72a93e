import { z } from 'zod';
import { emotionSchema } from './emotion.ts';

const id = z.int().positive();
const share = z.number().min(0).max(1);

export const TOPIC_STATES = ['active', 'archived'] as const;

/** An experience or theme that groups episodes. Topics form a hierarchy; a topic may have several parents. */
export const topicSchema = z.object({
  id,
  /** In the language of its episodes. */
  title: z.string().min(1),
  summary: z.string().nullable(),
  /** The source of title and summary: `assign_topic`, `assign_topic:rules`, `reorganize`, `reorganize:rules` or `user`. */
  source: z.string().min(1),
  createdAt: z.int(),
  updatedAt: z.int(),
  /** An archived topic has no members; it is kept so that it can be restored. */
  state: z.enum(TOPIC_STATES),
  /** The topic that took its place when it was archived. */
  successorId: id.nullable(),
  /** Importance, which grows with its episodes, their salience, and how often they are recalled. */
  strength: share,
  /** Its own episodes, without those of its children. */
  members: z.int().min(0),
  /** When the first and the last of its own episodes occurred; null without members. */
  firstAt: z.int().nullable(),
  lastAt: z.int().nullable(),
  /** Mean emotion of its episodes; those recalled often count more. */
  centroidEmotion: emotionSchema.nullable(),
  parentIds: z.array(id),
  childIds: z.array(id),
  /** 1 at first, plus one for every change of text, state, parents or recomputed figures; not for changes of members. */
  version: z.int().min(1),
});
export type Topic = z.infer<typeof topicSchema>;
