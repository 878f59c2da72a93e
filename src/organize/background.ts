/** Statistics of the similarity of passages of a memory. Similarity relative to them is comparable between embedders. */
import { dot } from '../vectors/vectors.ts';
import type { Passage } from './passages.ts';

export interface Background {
  /** Median cosine of passages of different talks. */
  readonly usual: number;
  /**
   * The median minus the 16th percentile: one standard deviation of a normal distribution. The upper half is not
   * used, since it depends on how much of the memory is about one subject.
   */
  readonly deviation: number;
}

/** With fewer passages there are no reliable statistics, and nothing to reorganise. */
const MIN_PASSAGES = 12;
/** More passages would not change the figures, and the number of pairs grows quadratically. */
const MAX_PASSAGES = 300;
/** Share of a normal distribution that is more than one standard deviation below the mean. */
const BELOW_ONE_DEVIATION = 0.16;

/**
 * @param samples passages of several ranges of turns
 * @returns null when there are too few passages
 */
export function backgroundOf(samples: readonly (readonly Passage[])[]): Background | null {
  const points = samples.flatMap((passages, stretch) =>
    passages.flatMap(({ point, talk }) =>
      point ? [{ vector: point.vector, talk: `${stretch}/${talk}` }] : [],
    ),
  );
  if (points.length < MIN_PASSAGES) return null;
  const step = Math.max(1, points.length / MAX_PASSAGES);
  const chosen = Array.from({ length: Math.floor(points.length / step) }).flatMap(
    (_, i) => points[Math.floor(i * step)] ?? [],
  );
  const cosines = chosen
    .flatMap((one, i) =>
      chosen.slice(i + 1).flatMap((other) => (one.talk === other.talk ? [] : dot(one.vector, other.vector))),
    )
    .sort((a, b) => a - b);
  const median = cosines[Math.floor(cosines.length / 2)] ?? 0;
  const deviation = median - (cosines[Math.floor(cosines.length * BELOW_ONE_DEVIATION)] ?? 0);
  return deviation > 1e-6 ? { usual: median, deviation } : null;
}

/**
 * How far a cosine of the directions of two groups is above that of two random passages, in deviations. Directions
 * are compared instead of members: they show what the members of a group have in common, while each member is
 * mostly about something else.
 */
export function standardized(cosine: number, { usual, deviation }: Background): number {
  return (cosine - usual) / deviation;
}

/** The likeness that the most similar of n has by chance: √(2 ln n), about the expected maximum of n normal values. */
export function expectedMaximum(others: number): number {
  return Math.sqrt(2 * Math.log(Math.max(2, others)));
}
