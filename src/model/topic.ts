import { z } from 'zod';
import { emotionSchema } from './emotion.ts';

const id = z.int().positive();

/** An experience or theme that groups episodes; topics form a tree. */
export const topicSchema = z.object({
  id,
  title: z.string().min(1),
  summary: z.string().nullable(),
  createdAt: z.int(),
  updatedAt: z.int(),
  /** Importance, 0 to 1. */
  strength: z.number().min(0).max(1),
  centroidEmotion: emotionSchema.nullable(),
  memberIds: z.array(id),
  parentIds: z.array(id),
});
export type Topic = z.infer<typeof topicSchema>;
