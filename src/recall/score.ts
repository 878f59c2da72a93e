import { DAY_MS } from '../model/model.ts';
import type { SearchWeights } from './strategy.ts';
import type { Contribution, FeatureName, Features, Scored } from './types.ts';

/** The weighted sum, and the contribution of each feature, largest first. Features without a weight are left out. */
export function weigh(
  features: Features,
  weights: Readonly<Record<FeatureName, number>>,
): { score: number; contributions: Contribution[] } {
  const contributions = Object.entries(weights).map(([feature, weight]) => {
    const value = features[feature] ?? 0;
    return { feature, value, weight, contribution: value * weight };
  });
  contributions.sort((a, b) => Math.abs(b.contribution) - Math.abs(a.contribution));
  return { score: weightedSum(features, weights), contributions };
}

/** Only the score: hundreds of candidates are scored, few explained. */
export function weightedSum(features: Features, weights: Readonly<Record<FeatureName, number>>): number {
  let sum = 0;
  for (const feature of Object.keys(weights)) sum += (features[feature] ?? 0) * (weights[feature] ?? 0);
  return sum;
}

/** The factor of age in the `weighted` profile: e^(−factor × age / 30 d). (Orchestrator §3.2.2) */
export function timeDecay(ageMs: number, { timeDecayFactor }: SearchWeights): number {
  return Math.exp((-timeDecayFactor * Math.max(0, ageMs)) / (30 * DAY_MS));
}

/** Best first; equal scores by smaller id, so that the same memory and question give the same ranking. */
export function byScore(a: Scored, b: Scored): number {
  return b.score - a.score || a.unitId - b.unitId;
}
