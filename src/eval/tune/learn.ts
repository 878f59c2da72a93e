/** Learns weights from captured queries. Cross-validation selects the strength of the penalty. */
import { measureScores, scoreCaptured, type CapturedQuery } from '../captured.ts';
import { mean, percentile } from '../measures.ts';
import { fitWeights, type Penalty, type Sample } from './fit.ts';
import {
  isMeasured,
  type LabelledQuery,
  type MeasuredQuery,
  type TunedFigure,
  type TunedFigures,
} from './labelled.ts';
import { goldAndWrong, withPreferred, shareOfWrongShown } from './wrong.ts';
import { divide } from './folds.ts';

export interface Learnt {
  /** The selected `Penalty.strength`. Null: the base is kept, because all fitted weights were worse. */
  readonly strength: number | null;
  readonly weights: Float64Array;
}

export interface LearnOptions {
  /** The initial weights, from which the penalty measures the distance. */
  readonly base: Float64Array;
  /** Number of ranks considered. */
  readonly depth: number;
  /** Awaited after at most `FITS_PER_LEARNING` fits; an error it throws ends the learning. */
  readonly afterFit: () => Promise<void>;
}

/** The strengths to try, the greatest first: then each fit starts close to its minimum. */
const STRENGTHS = [1, 0.1, 0.01, 0.001] as const;
const MAX_FOLDS = 4;
export const FITS_PER_LEARNING = (MAX_FOLDS + 1) * STRENGTHS.length;

/** Fits weights to the queries; every set has the same total weight. */
export async function learn(queries: readonly LabelledQuery[], options: LearnOptions): Promise<Learnt> {
  const folds = foldsOf(queries, MAX_FOLDS);
  const gains = STRENGTHS.map(() => queries.map(() => 0));
  for (const fold of new Set(folds)) {
    const path = await fitPath(
      queries.filter((_, i) => folds[i] !== fold),
      options,
    );
    for (const [i, query] of queries.entries()) {
      if (folds[i] !== fold) continue;
      for (const [strength, weights] of path.entries())
        gains[strength]![i] = gainUnder(query, weights, options);
    }
  }
  const chosen = chooseStrength(queries, gains);
  if (chosen === null) return { strength: null, weights: options.base };
  const path = await fitPath(queries, options);
  return { strength: STRENGTHS[chosen] ?? null, weights: path[chosen] ?? options.base };
}

/**
 * The greatest strength whose gain is within one standard error of the best; null if the best gains nothing. (Breiman
 * et al. 1984, §3.4.3; Hastie et al., The Elements of Statistical Learning, §7.10)
 * @param gains by strength and query
 */
function chooseStrength(
  queries: readonly LabelledQuery[],
  gains: readonly (readonly number[])[],
): number | null {
  const means = gains.map((own) => meanBySet(queries, own));
  const greatest = Math.max(...means);
  if (greatest <= 0) return null;
  const enough = greatest - standardError(queries, gains[means.indexOf(greatest)] ?? []);
  return means.findIndex((gain) => gain > 0 && gain >= enough);
}

/** What the figures of a query gain, and how much less of what was called wrong is shown. */
function gainUnder(query: LabelledQuery, weights: Float64Array, { base, depth }: LearnOptions): number {
  const figures = isMeasured(query) ? figuresUnder(query, weights, depth).mean - query.figures.mean : 0;
  const before = shareOfWrongShown(query, base);
  return before === null ? figures : figures + before - (shareOfWrongShown(query, weights) ?? 0);
}

/** Of the mean by set. */
function standardError(queries: readonly LabelledQuery[], values: readonly number[]): number {
  const variances = [...indexesBySet(queries).values()].map((indexes) => {
    const own = indexes.map((index) => values[index] ?? 0);
    const centre = mean(own);
    return mean(own.map((value) => (value - centre) ** 2)) / own.length;
  });
  return Math.sqrt(variances.reduce((sum, variance) => sum + variance, 0)) / variances.length;
}

/** The fold of each query; each set is divided separately. */
export function foldsOf(queries: readonly LabelledQuery[], max: number): number[] {
  const folds = queries.map(() => 0);
  for (const indexes of indexesBySet(queries).values()) {
    const own = divide(
      indexes.map((index) => queries[index]?.conversationId ?? ''),
      max,
    );
    for (const [i, index] of indexes.entries()) folds[index] = own.of[i] ?? 0;
  }
  return folds;
}

export function figuresUnder(query: MeasuredQuery, weights: Float64Array, depth: number): TunedFigures {
  if (!query.captured) return query.figures;
  return withMean(measureScores(query.captured, scoreCaptured(query.captured, weights), depth));
}

export function withMean(figures: Readonly<Record<Exclude<TunedFigure, 'mean'>, number>>): TunedFigures {
  const { 'R@5': five, 'R@10': ten, 'NDCG@10': ndcg } = figures;
  return { 'R@5': five, 'R@10': ten, 'NDCG@10': ndcg, mean: (five + ten + ndcg) / 3 };
}

/** The mean of the sets' means. @param values by query */
export function meanBySet(queries: readonly LabelledQuery[], values: readonly number[]): number {
  return mean(
    [...indexesBySet(queries).values()].map((indexes) => mean(indexes.map((index) => values[index] ?? 0))),
  );
}

export function indexesBySet(queries: readonly LabelledQuery[]): Map<number, number[]> {
  return Map.groupBy(queries.keys(), (index) => queries[index]?.set ?? 0);
}

/** The weights for each strength, scaled to the base's scores. */
async function fitPath(
  queries: readonly LabelledQuery[],
  { base, afterFit }: LearnOptions,
): Promise<Float64Array[]> {
  const samples = samplesOf(queries.map((query) => withPreferred(query, base)));
  if (samples.length === 0) return STRENGTHS.map(() => base);
  const scale = fitScale(samples, base);
  const centre = base.map((weight) => weight * scale);
  const unit = centre.map(() => usualSize(centre));
  const path: Float64Array[] = [];
  let weights: Float64Array = centre;
  const sized = samples.map(({ query, weight }) => ({ query: timesOffsets(query, scale), weight }));
  for (const strength of STRENGTHS) {
    weights = fitWeights(sized, { strength, centre, unit }, weights);
    path.push(weights.map((weight) => weight / scale));
    await afterFit();
  }
  return path;
}

function timesOffsets(query: CapturedQuery, factor: number): CapturedQuery {
  return query.offsets ? { ...query, offsets: query.offsets.map((offset) => offset * factor) } : query;
}

/** The typical size of a weight: the median or, if most are 0, the mean. */
function usualSize(weights: Float64Array): number {
  const sizes = [...weights].map(Math.abs);
  return percentile(sizes, 0.5) || mean(sizes) || 1;
}

/** The factor that turns scores into log odds: it matters for softmax, not for a ranking. */
function fitScale(samples: readonly Sample[], base: Float64Array): number {
  const projected = samples.map(({ query, weight }): Sample => ({
    query: { ...query, values: scoreCaptured(query, base), offsets: new Float64Array(query.isGold.length) },
    weight,
  }));
  const [scale = 1] = fitWeights(projected, SCALE_PENALTY, SCALE_PENALTY.centre);
  return scale > MIN_SCALE ? scale : 1;
}

/** A small penalty that keeps the scale finite if the base makes no mistake. */
const SCALE_PENALTY: Penalty = {
  strength: 0.001,
  centre: Float64Array.of(1),
  unit: Float64Array.of(30),
};
/** Below it the base ranks no better than chance, and its scale means nothing. */
const MIN_SCALE = 0.001;

/**
 * The queries with gold and other candidates; every set has the same total weight. Gold is compared with all other
 * candidates and, in a second sample, with those that were called wrong.
 */
export function samplesOf(queries: readonly LabelledQuery[]): Sample[] {
  const usable = queries
    .flatMap(({ set, captured }) =>
      captured === null ? [] : [captured, goldAndWrong(captured)].map((query) => ({ set, query })),
    )
    .filter(({ query }) => query.isGold.includes(1) && query.isGold.includes(0));
  const sizes = Map.groupBy(usable, ({ set }) => set);
  return usable.map(({ set, query }) => ({
    query,
    weight: 1 / (sizes.size * (sizes.get(set)?.length ?? 1)),
  }));
}
