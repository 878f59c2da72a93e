/** The measures of a ranking, as they are defined in the literature of information retrieval. */

/** How good rankings are: each 0 to 1, higher is better. */
export interface Figures {
  /** |gold among the first k| / |gold| */
  readonly 'R@5': number;
  readonly 'R@10': number;
  /** Discounted cumulative gain of the first ten, gold counting 1, over that of the best order. (Järvelin & Kekäläinen 2002) */
  readonly 'NDCG@10': number;
  /** 1 / rank of the first gold, 0 where there is none in the ranking. */
  readonly MRR: number;
}
export const FIGURE_NAMES = ['R@5', 'R@10', 'NDCG@10', 'MRR'] as const;
export type FigureName = (typeof FIGURE_NAMES)[number];

/** @param gold not empty */
export function measureRanking(ranking: readonly string[], gold: ReadonlySet<string>): Figures {
  return {
    'R@5': recallAt(5, ranking, gold),
    'R@10': recallAt(10, ranking, gold),
    'NDCG@10': ndcgAt(10, ranking, gold),
    MRR: reciprocalRank(ranking, gold),
  };
}

export function recallAt(k: number, ranking: readonly string[], gold: ReadonlySet<string>): number {
  return ranking.slice(0, k).filter((id) => gold.has(id)).length / gold.size;
}

function ndcgAt(k: number, ranking: readonly string[], gold: ReadonlySet<string>): number {
  const gainAt = (index: number) => 1 / Math.log2(index + 2);
  let gain = 0;
  for (const [index, id] of ranking.slice(0, k).entries()) if (gold.has(id)) gain += gainAt(index);
  let ideal = 0;
  for (let index = 0; index < Math.min(gold.size, k); index++) ideal += gainAt(index);
  return gain / ideal;
}

function reciprocalRank(ranking: readonly string[], gold: ReadonlySet<string>): number {
  const index = ranking.findIndex((id) => gold.has(id));
  return index < 0 ? 0 : 1 / (index + 1);
}

/** The mean of each figure; of nothing, zeros. */
export function meanFigures(all: readonly Figures[]): Figures {
  const meanOf = (name: FigureName) => mean(all.map((figures) => figures[name]));
  return { 'R@5': meanOf('R@5'), 'R@10': meanOf('R@10'), 'NDCG@10': meanOf('NDCG@10'), MRR: meanOf('MRR') };
}

export function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The smallest value that at least the share `p` of the values do not exceed (nearest rank); of nothing, 0. */
export function percentile(values: readonly number[], p: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(p * sorted.length) - 1)] ?? 0;
}

/** How likely a positive's number exceeds a negative's, a tie counting half (Mann–Whitney); null without both kinds. */
export function areaUnderCurve(positives: readonly number[], negatives: readonly number[]): number | null {
  if (positives.length === 0 || negatives.length === 0) return null;
  const sorted = negatives.toSorted((a, b) => a - b);
  let wins = 0;
  for (const value of positives)
    wins += (countBelow(sorted, value, false) + countBelow(sorted, value, true)) / 2;
  return wins / (positives.length * negatives.length);
}

/** How many of the sorted values are less than, or not more than, `limit`. */
function countBelow(sorted: readonly number[], limit: number, orEqual: boolean): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const value = sorted[middle] ?? 0;
    if (value < limit || (orEqual && value === limit)) low = middle + 1;
    else high = middle;
  }
  return low;
}
