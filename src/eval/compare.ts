/** Whether one profile is better than another, or only luckier. */
import type { Outcome } from './ask.ts';
import { FIGURE_NAMES, mean, percentile, type FigureName } from './measures.ts';

/** The difference of two means over the same queries. */
export interface Difference {
  readonly mean: number;
  /** Bounds between which 95 of 100 resampled means lie. */
  readonly low: number;
  readonly high: number;
  /** How often chance alone would make a difference this large in either direction. */
  readonly p: number;
}

/** By figure, at turn level: the second profile's less the first's. */
export type Comparison = Readonly<Record<FigureName, Difference>>;

const RESAMPLES = 10_000;
const SEED = 20_240_229;

/**
 * Compares two profiles on the queries that both were asked, by paired bootstrap: the differences query by query are
 * drawn anew with replacement; p is twice the share of resampled means on the other side of zero. (Efron & Tibshirani,
 * An Introduction to the Bootstrap, ch. 13 and 16; for retrieval Sakai 2006.) The same outcomes give the same answer.
 */
export function compareOutcomes(baseline: readonly Outcome[], other: readonly Outcome[]): Comparison {
  const differences = (name: FigureName) =>
    baseline.flatMap((outcome, i) => {
      const figures = other[i]?.turn;
      return outcome.isAnswerable && outcome.turn && figures ? [figures[name] - outcome.turn[name]] : [];
    });
  const entries = FIGURE_NAMES.map((name) => [name, bootstrap(differences(name))] as const);
  return Object.fromEntries(entries) as Record<FigureName, Difference>;
}

export function bootstrap(differences: readonly number[], resamples = RESAMPLES): Difference {
  const random = mulberry32(SEED);
  const means = Array.from({ length: resamples }, () => {
    let sum = 0;
    for (let i = 0; i < differences.length; i++) {
      sum += differences[Math.floor(random() * differences.length)] ?? 0;
    }
    return sum / Math.max(1, differences.length);
  });
  // One is added to each count, since no number of resamples can show that something never happens.
  const share = (test: (value: number) => boolean) => (means.filter(test).length + 1) / (resamples + 1);
  return {
    mean: mean(differences),
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

/** Numbers from 0 to 1 that look random and are always the same. (Tommy Ettinger's Mulberry32, public domain) */
export function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
