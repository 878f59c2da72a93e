/** Whether hits matter as often as their probabilities say. */
import { mean } from './measures.ts';

export interface JudgedHit {
  /** 0..1: how likely it matters, as recall says. */
  readonly probability: number;
  readonly isGold: boolean;
}

export interface Calibration {
  readonly hits: number;
  /**
   * Expected calibration error: the mean distance between what was said and what came true, by bin, each bin counting as
   * many times as it holds hits. (Naeini et al. 2015) 0 is best.
   */
  readonly ece: number;
  /** Those that hold any hits, lowest first. */
  readonly bins: readonly CalibrationBin[];
}

export interface CalibrationBin {
  /** Probabilities from here, and to there; the upper bound belongs to the next bin, but for the last. */
  readonly from: number;
  readonly to: number;
  readonly hits: number;
  /** Mean probability of its hits. */
  readonly predicted: number;
  /** Share of its hits that are gold. */
  readonly observed: number;
}

const BINS = 10;

/** Null where there are no hits with a probability. */
export function calibrationOf(judged: readonly JudgedHit[]): Calibration | null {
  if (judged.length === 0) return null;
  const byBin = Map.groupBy(judged, ({ probability }) => Math.min(BINS - 1, Math.floor(probability * BINS)));
  const bins = [...byBin]
    .toSorted(([a], [b]) => a - b)
    .map(([bin, own]): CalibrationBin => ({
      from: bin / BINS,
      to: (bin + 1) / BINS,
      hits: own.length,
      predicted: mean(own.map(({ probability }) => probability)),
      observed: own.filter(({ isGold }) => isGold).length / own.length,
    }));
  const error = bins.reduce(
    (sum, { hits, predicted, observed }) => sum + hits * Math.abs(predicted - observed),
    0,
  );
  return { hits: judged.length, ece: error / judged.length, bins };
}
