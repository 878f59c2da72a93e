/** Weights that change with the size of the memory: a profile's `growth`, which tuning does not change. */
import type { CapturedQuery } from '../captured.ts';

/** By feature, what is added to its weight for each tenfold growth of the memory. */
export type Growth = Readonly<Record<string, number>>;

/** Sizes between which weights change: log10 of a hundredth of 5 and of 10,000 units. */
const MIN_SIZE = Math.log10(5 / 100);
const MAX_SIZE = 2;

function clampedSize({ size }: CapturedQuery): number {
  return Math.min(MAX_SIZE, Math.max(MIN_SIZE, size ?? 0));
}

/** The query with the growth added to each score. @param features of the columns, in their order */
export function withGrowth(query: CapturedQuery, features: readonly string[], growth: Growth): CapturedQuery {
  const grown = Object.entries(growth).map(([feature, by]) => ({ column: features.indexOf(feature), by }));
  if (grown.length === 0) return query;
  const size = clampedSize(query);
  const offsets = Float64Array.from(query.isGold, (_, row) =>
    grown.reduce(
      (sum, { column, by }) => sum + by * size * (query.values[row * features.length + column] ?? 0),
      0,
    ),
  );
  return { ...query, offsets };
}

/**
 * The query without offsets and with a further column for each of these features: its value times the size, so that
 * growth can be fitted.
 */
export function withGrowingColumns(
  query: CapturedQuery,
  features: readonly string[],
  growing: readonly string[],
): CapturedQuery {
  const size = clampedSize(query);
  const columns = growing.map((feature) => features.indexOf(feature));
  const width = features.length + columns.length;
  const values = new Float64Array(query.isGold.length * width);
  for (let row = 0; row < query.isGold.length; row++) {
    const own = query.values.subarray(row * features.length, (row + 1) * features.length);
    values.set(own, row * width);
    for (const [at, column] of columns.entries())
      values[row * width + features.length + at] = size * (own[column] ?? 0);
  }
  const { offsets: _, ...rest } = query;
  return { ...rest, values };
}
