import { z } from 'zod';

export const EMOTION_KEYS = [
  'joy',
  'peace',
  'trust',
  'curiosity',
  'flutter',
  'playfulness',
  'empathy',
  'hope',
  'conflict',
  'anxiety',
  'sadness',
  'anger',
] as const;

/** An emotion: for each key −1 to 1 (absent means 0), and a confidence, 0 to 1. */
export const emotionSchema = z.object({
  values: z.partialRecord(z.enum(EMOTION_KEYS), z.number().min(-1).max(1)),
  confidence: z.number().min(0).max(1),
});
export type Emotion = z.infer<typeof emotionSchema>;

/** Cosine of two emotions, −1 to 1; 0 when either is empty. */
export function emotionCosine(a: Emotion, b: Emotion): number {
  let dot = 0;
  let normA = 0;
  let normB = 0;
  for (const key of EMOTION_KEYS) {
    const x = a.values[key] ?? 0;
    const y = b.values[key] ?? 0;
    dot += x * y;
    normA += x * x;
    normB += y * y;
  }
  return normA === 0 || normB === 0 ? 0 : dot / Math.sqrt(normA * normB);
}
