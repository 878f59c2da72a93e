/** How alike any two passages of a memory are: what likeness is measured against, so that it means the same with every embedder. */
import { dot } from '../vectors/vectors.ts';
import type { Passage } from './passages.ts';

export interface Background {
  /** Median cosine of passages of different talks. */
  readonly usual: number;
  /**
   * From the median down to the 16th percentile, which is a standard deviation of what is normally distributed. The upper
   * half tells how much of the memory is about one thing, and not how much chance makes alike.
   */
  readonly deviation: number;
}

/** With fewer passages than this nothing can be said of what is usual, nor is there anything to tidy. */
const MIN_PASSAGES = 12;
/** More would not change the figures, and their pairs grow with the square. */
const MAX_PASSAGES = 300;
/** Share of a normal distribution that lies more than a deviation below its middle. */
const BELOW_ONE_DEVIATION = 0.16;

/**
 * @param samples passages of several stretches of turns
 * @returns null where too little is known
 */
export function backgroundOf(samples: readonly (readonly Passage[])[]): Background | null {
  const points = samples.flatMap((passages, stretch) =>
    passages.flatMap(({ point, talk }) =>
      point ? [{ vector: point.vector, talk: `${stretch}/${talk}` }] : [],
    ),
  );
  if (points.length < MIN_PASSAGES) return null;
  const step = Math.max(1, points.length / MAX_PASSAGES);
  const chosen = Array.from(
    { length: Math.floor(points.length / step) },
    (_, i) => points[Math.floor(i * step)]!,
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
 * How far a cosine of the directions of two groups lies above that of two passages taken at random, in deviations.
 * Directions and not members are compared: what the members of a group have in common shows where each by itself is
 * mostly something else.
 */
export function likeness(cosine: number, { usual, deviation }: Background): number {
  return (cosine - usual) / deviation;
}

/** The likeness that the likest of so many has by chance: √(2 ln n), the expected greatest of n standard normal ones, about. */
export function chanceLikeness(others: number): number {
  return Math.sqrt(2 * Math.log(Math.max(2, others)));
}
