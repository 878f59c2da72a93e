/** The candidates of one query as numbers, so that other weights can be tried without running it again. */
import type { Trace } from '../engine/engine.ts';
import { measureRanks, type Figures } from './measures.ts';

export interface CapturedQuery {
  /** 1 where a candidate is gold. Candidates are in the order of units: of equal scores the first wins, as in recall. */
  readonly isGold: Uint8Array;
  /** 1 for each candidate that a person marked as wrong; absent when none was marked. */
  readonly isWrong?: Uint8Array;
  /** The requested features in their order, candidate by candidate. */
  readonly values: Float64Array;
  /** A constant added to the score of each candidate, whatever the weights are; none: nothing. */
  readonly offsets?: Float64Array;
  /** log10 of a hundredth of the memory's units, as `Situation.size`; null when the profile does not give it. */
  readonly size: number | null;
  /** How many turns answer the query, whether candidates or not. */
  readonly goldCount: number;
  /** Pairs of candidates of which recall keeps only the better one, because they say the same. */
  readonly duplicatePairs: readonly (readonly [number, number])[];
}

/**
 * Null when no weights decide: a direct path was taken, or nothing was found.
 * @param features which to capture
 * @param sourceOf the set's id of a unit's turn; undefined for units that are not turns, which are left out
 */
export function captureQuery(
  trace: Trace,
  features: readonly string[],
  sourceOf: (unitId: number) => string | undefined,
  { gold, wrong = new Set() }: { readonly gold: ReadonlySet<string>; readonly wrong?: ReadonlySet<string> },
): CapturedQuery | null {
  const candidates = trace.candidates
    .flatMap((candidate) => {
      const source = sourceOf(candidate.unitId);
      return source === undefined ? [] : [{ ...candidate, source }];
    })
    .toSorted((a, b) => a.unitId - b.unitId);
  if (candidates.length === 0 || candidates.some(({ features: own }) => 'direct' in own)) return null;
  const indexOf = new Map(candidates.map(({ unitId }, index) => [unitId, index]));
  const values = new Float64Array(candidates.length * features.length);
  for (const [row, candidate] of candidates.entries()) {
    for (const [column, feature] of features.entries())
      values[row * features.length + column] = candidate.features[feature] ?? 0;
  }
  return {
    isGold: Uint8Array.from(candidates, ({ source }) => (gold.has(source) ? 1 : 0)),
    ...(wrong.size > 0 && {
      isWrong: Uint8Array.from(candidates, ({ source }) => (wrong.has(source) ? 1 : 0)),
    }),
    values,
    size: sizeOf(trace.notes['situation']),
    goldCount: gold.size,
    duplicatePairs: [
      ...trace.duplicates.flatMap(({ unitId, of }) => pair(indexOf.get(unitId), indexOf.get(of))),
      ...sameSource(candidates.map(({ source }) => source)),
    ],
  };
}

function sizeOf(situation: unknown): number | null {
  if (typeof situation !== 'object' || situation === null || !('size' in situation)) return null;
  return typeof situation.size === 'number' ? situation.size : null;
}

/** Units that have the same source id in the set count once. */
function sameSource(sources: readonly string[]): [number, number][] {
  const first = new Map<string, number>();
  return sources.flatMap((source, index) => {
    const earlier = first.get(source);
    if (earlier === undefined) first.set(source, index);
    return pair(earlier, index);
  });
}

function pair(one: number | undefined, other: number | undefined): [number, number][] {
  return one === undefined || other === undefined ? [] : [[one, other]];
}

/** The score of each candidate under these weights. */
export function scoreCaptured(
  { isGold, values, offsets }: CapturedQuery,
  weights: Float64Array,
): Float64Array {
  const scores = new Float64Array(isGold.length);
  for (let row = 0, at = 0; row < scores.length; row++) {
    let sum = offsets?.[row] ?? 0;
    for (let column = 0; column < weights.length; column++) sum += weights[column]! * values[at++]!;
    scores[row] = sum;
  }
  return scores;
}

/** The figures of the ranking by these scores. @param depth how many ranks are considered */
export function measureScores(query: CapturedQuery, scores: Float64Array, depth: number): Figures {
  const isDropped = hiddenDuplicates(query, scores);
  const ranks: number[] = [];
  for (let candidate = 0; candidate < scores.length; candidate++) {
    if (query.isGold[candidate] === 0 || isDropped.has(candidate)) continue;
    const rank = rankOf(candidate, scores, isDropped);
    if (rank <= depth) ranks.push(rank);
  }
  return measureRanks(ranks, query.goldCount);
}

/** Of what was called wrong the share that these scores put among the first `depth`; null where nothing was. */
export function measureWrong(query: CapturedQuery, scores: Float64Array, depth: number): number | null {
  const wrong = [...(query.isWrong?.keys() ?? [])].filter((candidate) => query.isWrong?.[candidate] === 1);
  if (wrong.length === 0) return null;
  const isDropped = hiddenDuplicates(query, scores);
  const shown = wrong.filter(
    (candidate) => !isDropped.has(candidate) && rankOf(candidate, scores, isDropped) <= depth,
  );
  return shown.length / wrong.length;
}

function rankOf(candidate: number, scores: Float64Array, isDropped: ReadonlySet<number>): number {
  let rank = 1;
  for (let other = 0; other < scores.length; other++)
    if (isBetter(scores, other, candidate) && !isDropped.has(other)) rank++;
  return rank;
}

function isBetter(scores: Float64Array, one: number, other: number): boolean {
  const lead = scores[one]! - scores[other]!;
  return lead > 0 || (lead === 0 && one < other);
}

/** Candidates that recall leaves out because a better candidate, which it returns, says the same. */
function hiddenDuplicates(
  { duplicatePairs: twins }: CapturedQuery,
  scores: Float64Array,
): ReadonlySet<number> {
  const dropped = new Set<number>();
  if (twins.length === 0) return dropped;
  const ordered = twins
    .map(([one, other]) =>
      isBetter(scores, one, other) ? { better: one, worse: other } : { better: other, worse: one },
    )
    .toSorted((a, b) => scores[b.better]! - scores[a.better]! || a.better - b.better);
  for (const { better, worse } of ordered) if (!dropped.has(better)) dropped.add(worse);
  return dropped;
}
