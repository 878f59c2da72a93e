/** Turns that a person marked wrong: for learning and measuring. */
import { measureWrong, scoreCaptured, type CapturedQuery } from '../captured.ts';
import { bootstrapSets, type Difference } from '../compare.ts';
import { mean } from '../measures.ts';
import type { LabelledQuery } from './labelled.ts';

/** Number of first candidates that count as gold for a query with only wrong turns. */
const PREFERRED = 10;
const SHOWN = 5;

/** The mean share of the turns marked wrong that are among the first five, on queries that the weights were not fitted to. */
export interface WrongReport {
  readonly queries: number;
  readonly base: number;
  readonly tuned: number;
  /** Less than 0: fewer are shown. */
  readonly change: Difference;
}

/** The query with gold and the turns marked wrong as its only candidates. */
export function goldAndWrong(query: CapturedQuery): CapturedQuery {
  const isKept = (row: number) => query.isGold[row] === 1 || query.isWrong?.[row] === 1;
  return withRows(query, [...query.isGold.keys()].filter(isKept));
}

/** Without gold, the first candidates by the base's weights count as gold: they were shown, and not marked wrong. */
export function withPreferred<Query extends LabelledQuery>(query: Query, base: Float64Array): Query {
  const { captured, figures } = query;
  if (captured === null || figures !== null) return query;
  const scores = scoreCaptured(captured, base);
  const others = [...captured.isGold.keys()].filter((row) => captured.isWrong?.[row] !== 1);
  const first = new Set(others.toSorted((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0)).slice(0, PREFERRED));
  const isGold = captured.isGold.map((_, row) => (first.has(row) ? 1 : 0));
  const rows = [...isGold.keys()].filter((row) => isGold[row] === 1 || captured.isWrong?.[row] === 1);
  // Nothing is known of the other candidates.
  const { isWrong: _, ...compared } = withRows({ ...captured, isGold }, rows);
  return { ...query, captured: compared };
}

/** The share of the turns marked wrong that these weights show; null if there are none. */
export function shareOfWrongShown(
  { captured }: Pick<LabelledQuery, 'captured'>,
  weights: Float64Array,
): number | null {
  return captured && measureWrong(captured, scoreCaptured(captured, weights), SHOWN);
}

/** Null if no turn was marked wrong. @param held by query, the weights that were fitted without it */
export function reportWrong(
  queries: readonly LabelledQuery[],
  base: Float64Array,
  held: readonly Float64Array[],
): WrongReport | null {
  const measured = queries.flatMap((query, i) => {
    const [before, after] = [shareOfWrongShown(query, base), shareOfWrongShown(query, held[i] ?? base)];
    return before === null || after === null ? [] : [{ before, after }];
  });
  if (measured.length === 0) return null;
  return {
    queries: measured.length,
    base: mean(measured.map(({ before }) => before)),
    tuned: mean(measured.map(({ after }) => after)),
    change: bootstrapSets([measured.map(({ before, after }) => after - before)]),
  };
}

function withRows(query: CapturedQuery, rows: readonly number[]): CapturedQuery {
  const width = query.values.length / Math.max(1, query.isGold.length);
  const { isWrong, offsets } = query;
  const values = new Float64Array(rows.length * width);
  for (const [at, row] of rows.entries())
    values.set(query.values.subarray(row * width, (row + 1) * width), at * width);
  return {
    ...query,
    isGold: Uint8Array.from(rows, (row) => query.isGold[row] ?? 0),
    ...(isWrong && { isWrong: Uint8Array.from(rows, (row) => isWrong[row] ?? 0) }),
    ...(offsets && { offsets: Float64Array.from(rows, (row) => offsets[row] ?? 0) }),
    values,
    duplicatePairs: [],
  };
}
