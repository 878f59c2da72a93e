/**
 * Scales fitted weights to the base's scores. A common factor does not change rankings, but the decision to inject
 * depends on the scores.
 */
import { scoreCaptured } from '../captured.ts';
import { type LabelledQuery } from './labelled.ts';
import { meanBySet } from './learn.ts';

/** Number of ranks that recall compares with the best score. */
const RANKS_COMPARED = 20;

/** `weights` scaled to `base`: the same mean best score or, if leads are judged instead of scores, the same mean lead. */
export function rescale(
  queries: readonly LabelledQuery[],
  base: Float64Array,
  weights: Float64Array,
  judges: 'scores' | 'leads',
): Float64Array {
  const sizeOf = (of: Float64Array) =>
    meanBySet(
      queries,
      queries.map(({ captured }) => {
        const sorted = captured ? scoreCaptured(captured, of).sort().reverse() : new Float64Array(0);
        return judges === 'scores' ? (sorted[0] ?? 0) : leadOfBest(sorted);
      }),
    );
  const size = sizeOf(weights);
  const factor = size > 0 ? sizeOf(base) / size : 1;
  return factor > 0 ? weights.map((weight) => weight * factor) : weights;
}

/** @param scores best first */
function leadOfBest(scores: Float64Array): number {
  const others = scores.subarray(1, RANKS_COMPARED);
  const mean = others.reduce((sum, score) => sum + score, 0) / Math.max(1, others.length);
  return others.length === 0 ? 0 : (scores[0] ?? 0) - mean;
}
