// The metrics: Spearman's ρ, the area under the ROC curve, and translations found.

export interface ScoredPair {
  readonly first: string;
  readonly second: string;
  /** The similarity of the two, or 1 / 0 for same or different meaning. */
  readonly label: number;
}

/** Ranks from 1; equal values get their mean rank. */
function ranksOf(values: readonly number[]): Float64Array {
  const order = values.map((_, i) => i).sort((a, b) => (values[a] ?? 0) - (values[b] ?? 0));
  const ranks = new Float64Array(values.length);
  for (let start = 0; start < order.length;) {
    let end = start;
    while (end < order.length && values[order[end] ?? 0] === values[order[start] ?? 0]) end++;
    for (let i = start; i < end; i++) ranks[order[i] ?? 0] = (start + end + 1) / 2;
    start = end;
  }
  return ranks;
}

/** Spearman's rank correlation: Pearson's of the ranks. */
export function spearman(x: readonly number[], y: readonly number[]): number {
  const a = ranksOf(x);
  const b = ranksOf(y);
  const mean = (a.length + 1) / 2;
  let ab = 0;
  let aa = 0;
  let bb = 0;
  for (let i = 0; i < a.length; i++) {
    const da = (a[i] ?? 0) - mean;
    const db = (b[i] ?? 0) - mean;
    ab += da * db;
    aa += da * da;
    bb += db * db;
  }
  return ab / Math.sqrt(aa * bb);
}

/** The probability that a pair labelled 1 scores above one labelled 0 (Mann–Whitney), ties counting half. */
export function areaUnderRoc(scores: readonly number[], labels: readonly number[]): number {
  const ranks = ranksOf(scores);
  let positives = 0;
  let rankSum = 0;
  labels.forEach((label, i) => {
    if (label !== 1) return;
    positives++;
    rankSum += ranks[i] ?? 0;
  });
  const negatives = labels.length - positives;
  return (rankSum - (positives * (positives + 1)) / 2) / (positives * negatives);
}

export function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let d = 0; d < a.length; d++) sum += (a[d] ?? 0) * (b[d] ?? 0);
  return sum;
}

/** The share of texts in one language whose nearest text in the other is their translation. */
export function foundAmong(queries: readonly Float32Array[], answers: readonly Float32Array[]): number {
  let found = 0;
  queries.forEach((query, i) => {
    let best = -1;
    let bestScore = -Infinity;
    answers.forEach((answer, j) => {
      const score = dot(query, answer);
      if (score > bestScore) [best, bestScore] = [j, score];
    });
    if (best === i) found++;
  });
  return found / queries.length;
}
