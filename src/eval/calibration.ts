/** Measures whether hits are relevant as often as their probabilities say. */
import { mean } from './measures.ts';

export interface JudgedHit {
  /** 0..1: the probability that the hit is relevant, as given by recall. */
  readonly probability: number;
  readonly isGold: boolean;
}

export interface Calibration {
  readonly hits: number;
  /**
   * Expected calibration error: the mean distance between predicted and observed shares of the bins, weighted by
   * their numbers of hits. (Naeini et al. 2015) 0 is best.
   */
  readonly ece: number;
  /** The non-empty bins, lowest first. */
  readonly bins: readonly CalibrationBin[];
}

export interface CalibrationBin {
  /** The range of probabilities; the upper bound belongs to the next bin, except in the last. */
  readonly from: number;
  readonly to: number;
  readonly hits: number;
  /** Mean probability of its hits. */
  readonly predicted: number;
  /** Share of its hits that are gold. */
  readonly observed: number;
}

const BINS = 10;

/** Null when no hit has a probability. */
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
