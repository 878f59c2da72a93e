/** The wanted emotion of memories, given the current mood. */
import { inferEmotion } from '../llm/llm.ts';
import { EMOTION_KEYS, emotionCosine, type Emotion } from '../model/model.ts';

export const EMOTION_MODES = ['congruent', 'supportive', 'none'] as const;
export type EmotionMode = (typeof EMOTION_MODES)[number];

type Key = (typeof EMOTION_KEYS)[number];
const DISTRESS: readonly Key[] = ['sadness', 'anxiety', 'anger', 'conflict'];
const COMFORT: ReadonlySet<Key> = new Set(['peace', 'trust', 'hope', 'joy', 'empathy']);

/** Minimum value of an emotion that counts as shown; all values of a neutral question are smaller. (docs/emotion.md) */
const MIN_SHOWN = 0.3;

export interface Feeling {
  readonly emotion: Emotion;
  /** Whether the emotion is a response to distress and not the mood itself. */
  readonly comforts: boolean;
}

/** The mood that an utterance shows; null if it shows none. */
export function moodOf(utterance: string): Emotion | null {
  const mood = inferEmotion(utterance);
  return EMOTION_KEYS.some((key) => Math.abs(mood.values[key] ?? 0) >= MIN_SHOWN) ? mood : null;
}

/**
 * The emotion that memories should have; null if there is no mood.
 *
 * - `congruent`: that of the mood.
 * - `supportive`: let d be the sum of the mood's positive values of sadness, anxiety, anger and conflict. If d > 0,
 * these
 * four are set to 0 and d is added to peace, trust, hope, joy and empathy, so that distress recalls comforting and good
 *   memories; otherwise as `congruent`.
 */
export function wantedFeeling(mood: Emotion | null, mode: EmotionMode): Feeling | null {
  if (mode === 'none' || !mood || !EMOTION_KEYS.some((key) => mood.values[key])) return null;
  const distress = DISTRESS.reduce((sum, key) => sum + shown(mood, key), 0);
  if (mode === 'congruent' || distress === 0) return { emotion: mood, comforts: false };
  const values = EMOTION_KEYS.filter((key) => !DISTRESS.includes(key)).map(
    (key) => [key, Math.min(1, shown(mood, key) + (COMFORT.has(key) ? distress : 0))] as const,
  );
  return { emotion: { ...mood, values: Object.fromEntries(values) }, comforts: true };
}

/** The cosine of the two emotions: 1 equal; 0 different, opposite, or unknown. */
export function feelingMatch(wanted: Feeling | null, felt: Emotion | null): number {
  return wanted && felt ? Math.max(0, emotionCosine(wanted.emotion, felt)) : 0;
}

function shown({ values }: Emotion, key: Key): number {
  return Math.max(0, values[key] ?? 0);
}
