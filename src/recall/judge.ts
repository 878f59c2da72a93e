import type { Relevance } from './types.ts';

/** The label of a score. */
export function labelScore(score: number, thresholds: { high: number; medium: number }): Relevance {
  if (score >= thresholds.high) return 'high';
  return score >= thresholds.medium ? 'medium' : 'low';
}

/** Whether to inject: one `high` hit or two `medium` ones are enough. (Deep recall) */
export function shouldInject(labels: readonly Relevance[]): boolean {
  const count = (label: Relevance) => labels.filter((each) => each === label).length;
  return count('high') >= 1 || count('medium') >= 2;
}
