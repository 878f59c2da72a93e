import { z } from 'zod';
import { emotionSchema } from './emotion.ts';

const id = z.int().positive();
const share = z.number().min(0).max(1);

export const TOPIC_STATES = ['active', 'archived'] as const;

/** An experience or theme that groups episodes; topics form a tree in which one may have several parents. */
export const topicSchema = z.object({
  id,
  /** In the language of its episodes. */
  title: z.string().min(1),
  summary: z.string().nullable(),
  /** What made title and summary: `assign_topic`, `assign_topic:rules`, `reorganize`, `reorganize:rules` or `user`. */
  source: z.string().min(1),
  createdAt: z.int(),
  updatedAt: z.int(),
  /** An archived one has no members; it is kept to be brought back. */
  state: z.enum(TOPIC_STATES),
  /** The topic that took its place when it was archived. */
  successorId: id.nullable(),
  /** Importance: grows with its episodes, their salience, and how often they are recalled. */
  strength: share,
  /** Its own episodes, without those of its children. */
  members: z.int().min(0),
  /** When the first and the last of its own episodes occurred; null without members. */
  firstAt: z.int().nullable(),
  lastAt: z.int().nullable(),
  /** Mean feeling of its episodes, those recalled often counting more. */
  centroidEmotion: emotionSchema.nullable(),
  parentIds: z.array(id),
  childIds: z.array(id),
  /** 1 at first, one more with every change of words, state, parents or refreshed figures; episodes come and go without. */
  version: z.int().min(1),
});
export type Topic = z.infer<typeof topicSchema>;
