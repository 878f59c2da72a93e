/** Measures of a ranking, as defined in the literature of information retrieval. */

/** The quality of rankings: each figure is 0 to 1, higher is better. */
export interface Figures {
  /** |gold among the first k| / |gold| */
  readonly 'R@5': number;
  readonly 'R@10': number;
  /** Discounted cumulative gain of the first ten, gold counting 1, divided by the ideal one. (Järvelin & Kekäläinen 2002) */
  readonly 'NDCG@10': number;
  /** 1 / rank of the first gold, 0 when there is none in the ranking. */
  readonly MRR: number;
}
export const FIGURE_NAMES = ['R@5', 'R@10', 'NDCG@10', 'MRR'] as const;
export type FigureName = (typeof FIGURE_NAMES)[number];

/** @param gold not empty */
export function measureRanking(ranking: readonly string[], gold: ReadonlySet<string>): Figures {
  const ranks = ranking.flatMap((id, index) => (gold.has(id) ? [index + 1] : []));
  return measureRanks(ranks, gold.size);
}

/**
 * @param ranks of the gold in the ranking, from 1, in any order
 * @param goldCount how much gold there is, found or not; not 0
 */
export function measureRanks(ranks: readonly number[], goldCount: number): Figures {
  const recall = (k: number) => ranks.filter((rank) => rank <= k).length / goldCount;
  return {
    'R@5': recall(5),
    'R@10': recall(10),
    'NDCG@10': ndcg(ranks, goldCount),
    MRR: ranks.length === 0 ? 0 : 1 / Math.min(...ranks),
  };
}

export function recallAt(k: number, ranking: readonly string[], gold: ReadonlySet<string>): number {
  return ranking.slice(0, k).filter((id) => gold.has(id)).length / gold.size;
}

const NDCG_DEPTH = 10;

function ndcg(ranks: readonly number[], goldCount: number): number {
  const gainAt = (rank: number) => 1 / Math.log2(rank + 1);
  let gain = 0;
  for (const rank of ranks) if (rank <= NDCG_DEPTH) gain += gainAt(rank);
  let ideal = 0;
  for (let rank = 1; rank <= Math.min(goldCount, NDCG_DEPTH); rank++) ideal += gainAt(rank);
  return gain / ideal;
}

/** The mean of each figure; zeros for an empty list. */
export function meanFigures(all: readonly Figures[]): Figures {
  const meanOf = (name: FigureName) => mean(all.map((figures) => figures[name]));
  return { 'R@5': meanOf('R@5'), 'R@10': meanOf('R@10'), 'NDCG@10': meanOf('NDCG@10'), MRR: meanOf('MRR') };
}

export function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The smallest value that at least the share `p` of the values do not exceed (nearest rank); 0 for an empty list. */
export function percentile(values: readonly number[], p: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(p * sorted.length) - 1)] ?? 0;
}

/** The probability that a positive's number exceeds a negative's, a tie counting ½ (Mann–Whitney); null without both. */
export function areaUnderCurve(positives: readonly number[], negatives: readonly number[]): number | null {
  if (positives.length === 0 || negatives.length === 0) return null;
  const sorted = negatives.toSorted((a, b) => a - b);
  let wins = 0;
  for (const value of positives)
    wins +=
      (countUntil(sorted, (other) => other >= value) + countUntil(sorted, (other) => other > value)) / 2;
  return wins / (positives.length * negatives.length);
}

/** The number of sorted values before the first one over the limit. */
function countUntil(sorted: readonly number[], isOver: (value: number) => boolean): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isOver(sorted[middle] ?? 0)) high = middle;
    else low = middle + 1;
  }
  return low;
}
