/** Computes strength, centroid and emotion of a topic from its episodes. */
import { dot, direction } from '../vectors/vectors.ts';
import {
  DAY_MS,
  EMOTION_KEYS,
  type Emotion,
  type Episode,
  type Instant,
  type Topic,
} from '../model/model.ts';

/** The sums over episodes from which the figures are computed; sums of topics can be added. */
export interface Tally {
  readonly importance: number;
  /** Σ weight · vector, of the stored vectors; null without any. */
  readonly centroid: Float32Array | null;
  /** Σ weight, Σ weight · confidence, and Σ weight · confidence · value by key, of the episodes with an emotion. */
  readonly weight: number;
  readonly sureness: number;
  readonly feelings: readonly number[];
}

export interface Figures {
  readonly strength: number;
  readonly centroid: Float32Array | null;
  readonly centroidEmotion: Emotion | null;
}

/** The importance at which strength is ½: sixteen turns of medium salience, about one talk. As in the store. */
const HALF_IMPORTANCE = 8;
/** The weight of a recall halves after this many days. */
const RECALL_HALF_LIFE_DAYS = 60;
/** Smaller changes are not written. */
const DRIFT = { strength: 0.01, cosine: 0.999, emotion: 0.02 } as const;

export const EMPTY_TALLY: Tally = {
  importance: 0,
  centroid: null,
  weight: 0,
  sureness: 0,
  feelings: EMOTION_KEYS.map(() => 0),
};

/** Episodes that are recalled often count more, on a logarithmic scale. The store uses the same formula. */
function weightOf({ accessCount }: Episode): number {
  return 1 + Math.log(1 + accessCount);
}

/** The store's formula, except that recalls decay here. */
function importanceOf({ salience, accessCount, lastAccessedAt }: Episode, now: Instant): number {
  const days = lastAccessedAt === null ? Infinity : Math.max(0, now - lastAccessedAt) / DAY_MS;
  return salience * (1 + Math.log(1 + accessCount) * 2 ** (-days / RECALL_HALF_LIFE_DAYS));
}

/** @param vectors of the episodes, unit length; an episode without one does not count for the centroid */
export function tallyOf(
  episodes: readonly Episode[],
  vectors: ReadonlyMap<number, Float32Array>,
  now: Instant,
): Tally {
  return episodes
    .map((episode) => tallyOfOne(episode, vectors.get(episode.id), now))
    .reduce(added, EMPTY_TALLY);
}

function tallyOfOne(episode: Episode, vector: Float32Array | undefined, now: Instant): Tally {
  const weight = weightOf(episode);
  const importance = importanceOf(episode, now);
  const centroid = vector ? vector.map((value) => value * weight) : null;
  const { emotion } = episode;
  if (!emotion) return { ...EMPTY_TALLY, importance, centroid };
  const sureness = weight * emotion.confidence;
  return {
    importance,
    centroid,
    weight,
    sureness,
    feelings: EMOTION_KEYS.map((key) => sureness * (emotion.values[key] ?? 0)),
  };
}

export function added(a: Tally, b: Tally): Tally {
  const centroid =
    a.centroid && b.centroid
      ? a.centroid.map((value, i) => value + b.centroid![i]!)
      : (a.centroid ?? b.centroid);
  return {
    importance: a.importance + b.importance,
    centroid,
    weight: a.weight + b.weight,
    sureness: a.sureness + b.sureness,
    feelings: a.feelings.map((value, i) => value + b.feelings[i]!),
  };
}

/**
 * - strength: I / (I + 8), where I = Σ salience × (1 + ln(1 + recalls) · 2^(−days since the last / 60)) over its
 *   episodes and those of the topics below it.
 * - centroid: the sum of its own episodes' vectors, each × (1 + ln(1 + recalls)); null without any, so that new
 *   episodes go to the topics below.
 * - emotion: mean over its episodes and those below it, with the same weights times the confidence of each; its
 *   confidence is the mean of theirs.
 * @param own of its own episodes
 * @param whole of these and of those of the topics below
 */
export function figuresOf(own: Tally, whole: Tally): Figures {
  const { importance, weight, sureness, feelings } = whole;
  const values = Object.fromEntries(
    EMOTION_KEYS.map((key, i) => [key, round(feelings[i]! / sureness)] as const).filter(
      ([, value]) => value !== 0,
    ),
  );
  return {
    strength: importance / (importance + HALF_IMPORTANCE),
    centroid: own.centroid,
    centroidEmotion: sureness > 0 ? { values, confidence: round(sureness / weight) } : null,
  };
}

function round(value: number): number {
  return Math.round(value * 1e6) / 1e6;
}

/** Whether stored figures differ from those computed from the episodes. @param kept direction of the stored centroid */
export function hasDrifted(topic: Topic, kept: Float32Array | undefined, figures: Figures): boolean {
  if (Math.abs(topic.strength - figures.strength) >= DRIFT.strength) return true;
  const now = figures.centroid && direction(figures.centroid);
  if (!kept !== !now) return true;
  if (kept && now && (kept.length !== now.length || dot(kept, now) < DRIFT.cosine)) return true;
  return hasOtherEmotion(topic.centroidEmotion, figures.centroidEmotion);
}

function hasOtherEmotion(kept: Emotion | null, now: Emotion | null): boolean {
  if (!kept || !now) return kept !== now;
  const gaps = EMOTION_KEYS.map((key) => (kept.values[key] ?? 0) - (now.values[key] ?? 0));
  return [...gaps, kept.confidence - now.confidence].some((gap) => Math.abs(gap) >= DRIFT.emotion);
}
