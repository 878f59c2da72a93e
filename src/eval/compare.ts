/** Tests whether one profile is significantly better than another. */
import { recordOf } from '../model/model.ts';
import type { Outcome } from './ask.ts';
import { FIGURE_NAMES, mean, percentile, type FigureName } from './measures.ts';

/** The difference of two means over the same queries. */
export interface Difference {
  readonly mean: number;
  /** The 95 % confidence interval of the resampled means. */
  readonly low: number;
  readonly high: number;
  /** Two-sided p-value: how often chance alone would cause a difference this large. */
  readonly p: number;
}

/** By figure, at turn level: the second profile's minus the first's. */
export type Comparison = Readonly<Record<FigureName, Difference>>;

const RESAMPLES = 10_000;
const SEED = 20_240_229;

/** The results of two profiles for the queries of one set. */
export interface Pair {
  readonly baseline: readonly Outcome[];
  readonly other: readonly Outcome[];
}

/**
 * Compares two profiles on the queries that both ran, by paired bootstrap: the differences per query are resampled
 * with replacement; p is twice the share of resampled means on the other side of zero. (Efron & Tibshirani, An
 * Introduction to the Bootstrap, ch. 13 and 16; for retrieval Sakai 2006.) Each set has the same weight.
 * Deterministic.
 */
export function compareOutcomes(sets: readonly Pair[]): Comparison {
  return recordOf(FIGURE_NAMES, (name) => {
    const differences = sets.map(({ baseline, other }) =>
      baseline.flatMap((outcome, i) => {
        const figures = other[i]?.turn;
        return outcome.isAnswerable && outcome.turn && figures ? [figures[name] - outcome.turn[name]] : [];
      }),
    );
    return bootstrapSets(differences);
  });
}

/** The mean of the sets' mean differences, with each set resampled separately. */
export function bootstrapSets(sets: readonly (readonly number[])[], resamples = RESAMPLES): Difference {
  const random = mulberry32(SEED);
  const means = Array.from({ length: resamples }, () => mean(sets.map((set) => resampledMean(set, random))));
  // One is added to each count, since a finite number of resamples cannot show a probability of zero.
  const share = (test: (value: number) => boolean) => (means.filter(test).length + 1) / (resamples + 1);
  return {
    mean: mean(sets.map(mean)),
    low: percentile(means, 0.025),
    high: percentile(means, 0.975),
    p: Math.min(
      1,
      2 *
        Math.min(
          share((value) => value <= 0),
          share((value) => value >= 0),
        ),
    ),
  };
}

function resampledMean(values: readonly number[], random: () => number): number {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[Math.floor(random() * values.length)] ?? 0;
  return sum / Math.max(1, values.length);
}

/** A deterministic pseudo-random generator of numbers from 0 to 1. (Tommy Ettinger's Mulberry32, public domain) */
export function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
