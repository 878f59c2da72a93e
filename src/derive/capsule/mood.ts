/** The current mood, from the emotions of recent turns. */
import { EMOTION_KEYS, type Emotion, type Instant } from '../../model/model.ts';
import type { Language } from '../../text/text.ts';
import { intensityOf } from '../reflect/reflect.ts';

/** The data of a turn for the mood. */
export interface TurnEmotion {
  readonly occurredAt: Instant;
  readonly salience: number;
  readonly emotion: Emotion | null;
}

const HOUR_MS = 3_600_000;
/** The decay time to e⁻¹ at salience 0. */
const MIN_TAU_MS = 2 * HOUR_MS;
/** The decay time grows by up to this many times with salience. */
const TAU_GROWTH = 11;
/** The weight of calm: without new emotions the mood fades. */
const CALM_WEIGHT = 0.05;
const SMALLEST = 0.05;

/**
 * For each key the mean Σ w·e / (Σ w + 0.05), where an episode of emotion e weighs
 *
 *     w = intensity × salience × confidence × e^(−age/τ),   intensity = max |e|,   τ = 2 h × (1 + 11 × salience)
 *
 * and 0.05 is the weight of calm, toward which a mood fades. τ is 2 hours at salience 0 and 24 hours at salience 1.
 * Confidence is the mean confidence by the same weights. (DESIGN, “Topics, emotion, reorganisation”)
 */
export function moodOf(felt: readonly TurnEmotion[], now: Instant): Emotion {
  const weighed = felt.flatMap(({ emotion, salience, occurredAt }) => {
    if (!emotion) return [];
    const ageMs = Math.max(0, now - occurredAt);
    const tauMs = MIN_TAU_MS * (1 + TAU_GROWTH * salience);
    return [
      { emotion, weight: intensityOf(emotion) * salience * emotion.confidence * Math.exp(-ageMs / tauMs) },
    ];
  });
  const total = weighed.reduce((sum, { weight }) => sum + weight, CALM_WEIGHT);
  const mean = (of: (emotion: Emotion) => number) =>
    weighed.reduce((sum, { emotion, weight }) => sum + weight * of(emotion), 0) / total;
  const values: Emotion['values'] = {};
  for (const key of EMOTION_KEYS) {
    const value = round(mean((emotion) => emotion.values[key] ?? 0));
    if (Math.abs(value) >= SMALLEST) values[key] = value;
  }
  return { values, confidence: round(mean((emotion) => emotion.confidence)) };
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}

/** Thresholds from which an emotion is mentioned, is mentioned without “a little”, and with “very”. */
const MIN_DESCRIBED = 0.12;
const PLAIN = 0.3;
const STRONG = 0.65;
const MAX_DESCRIBED = 2;

type Key = (typeof EMOTION_KEYS)[number];

const NAMES: Readonly<Record<Key, Readonly<Record<Language, string>>>> = {
  joy: { en: 'happy', ja: '嬉しそう', zh: '开心' },
  peace: { en: 'at ease', ja: '穏やか', zh: '平静' },
  trust: { en: 'trusting', ja: '信頼している', zh: '信任' },
  curiosity: { en: 'curious', ja: '興味がある', zh: '好奇' },
  flutter: { en: 'smitten', ja: 'ときめいている', zh: '心动' },
  playfulness: { en: 'playful', ja: 'おどけている', zh: '俏皮' },
  empathy: { en: 'sympathetic', ja: '思いやっている', zh: '体贴' },
  hope: { en: 'hopeful', ja: '期待している', zh: '期待' },
  conflict: { en: 'torn', ja: '迷いがある', zh: '纠结' },
  anxiety: { en: 'worried', ja: '不安そう', zh: '不安' },
  sadness: { en: 'sad', ja: '悲しそう', zh: '难过' },
  anger: { en: 'angry', ja: '怒っている', zh: '生气' },
};
const WORDS = {
  en: { little: 'a little ', very: 'very ', and: ', ', calm: 'calm' },
  ja: { little: '少し', very: 'とても', and: '、', calm: '落ち着いている' },
  zh: { little: '有点', very: '很', and: '、', calm: '平静' },
} as const;

/** The mood in words: its strongest feelings. */
export function describeMood(mood: Emotion, language: Language): string {
  const { little, very, and, calm } = WORDS[language];
  const told = EMOTION_KEYS.map((key) => ({ key, value: mood.values[key] ?? 0 }))
    .filter(({ value }) => value >= MIN_DESCRIBED)
    .sort((a, b) => b.value - a.value)
    .slice(0, MAX_DESCRIBED);
  if (told.length === 0) return calm;
  const degree = (value: number) => (value < PLAIN ? little : value >= STRONG ? very : '');
  return told.map(({ key, value }) => degree(value) + NAMES[key][language]).join(and);
}
