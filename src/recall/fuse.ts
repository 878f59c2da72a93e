import type { ScoredId } from '../store/store.ts';

/** The constant of reciprocal rank fusion (Cormack, Clarke, Büttcher 2009). */
const RRF_K = 60;

/** Reciprocal rank fusion: for each unit Σ 1/(60 + rank + 1) over the lists that contain it, rank from 0. */
export function reciprocalRankFusion(lists: readonly (readonly number[])[]): Map<number, number> {
  const scores = new Map<number, number>();
  for (const list of lists) {
    list.forEach((unitId, rank) => scores.set(unitId, (scores.get(unitId) ?? 0) + 1 / (RRF_K + rank + 1)));
  }
  return scores;
}

/**
 * Scores scaled to 0..1 over the list. If all are equal (for example one result) each is 1: being found counts, and
 * division by zero is avoided.
 */
export function minMax(results: readonly ScoredId[]): Map<number, number> {
  const scores = results.map((result) => result.score);
  const least = Math.min(...scores);
  const span = Math.max(...scores) - least;
  return new Map(results.map(({ unitId, score }) => [unitId, span > 0 ? (score - least) / span : 1]));
}

/** The best score of each unit over several lists. */
export function bestOf(lists: readonly (readonly ScoredId[])[]): ScoredId[] {
  const best = new Map<number, number>();
  for (const { unitId, score } of lists.flat())
    best.set(unitId, Math.max(score, best.get(unitId) ?? -Infinity));
  return [...best].map(([unitId, score]) => ({ unitId, score }));
}

/** Every score divided by the maximum, so that the best is 1. */
export function byMaximum(scores: ReadonlyMap<number, number>): Map<number, number> {
  const greatest = Math.max(0, ...scores.values());
  return new Map([...scores].map(([unitId, score]) => [unitId, greatest > 0 ? score / greatest : 0]));
}
