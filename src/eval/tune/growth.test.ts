import { expect, test } from 'vitest';
import { scoreCaptured, type CapturedQuery } from '../captured.ts';
import { withGrowingColumns, withGrowth } from './growth.ts';

const FEATURES = ['words', 'cosine'];
/** Two candidates in a memory of a thousand units: growth counts once. */
const QUERY: CapturedQuery = {
  isGold: Uint8Array.of(1, 0),
  values: Float64Array.of(1, 2, 3, 4),
  goldCount: 1,
  duplicatePairs: [],
  size: 1,
};

test('scores use the weights for the size of the memory', () => {
  const weights = Float64Array.of(0.5, 1);
  const grown = withGrowth(QUERY, FEATURES, { cosine: 0.25 });
  expect([...scoreCaptured(grown, weights)]).toEqual([0.5 + 1.25 * 2, 1.5 + 1.25 * 4]);
  expect(withGrowth(QUERY, FEATURES, {})).toBe(QUERY);
  // Weights do not grow beyond ten thousand units.
  const huge = withGrowth({ ...QUERY, size: 4 }, FEATURES, { cosine: 0.25 });
  expect([...scoreCaptured(huge, weights)]).toEqual([0.5 + 1.5 * 2, 1.5 + 1.5 * 4]);
});

test('growth as a separate column gives the same scores', () => {
  const columns = withGrowingColumns(withGrowth(QUERY, FEATURES, { cosine: 9 }), FEATURES, ['cosine']);
  expect([...scoreCaptured(columns, Float64Array.of(0.5, 1, 0.25))]).toEqual([3, 6.5]);
});
