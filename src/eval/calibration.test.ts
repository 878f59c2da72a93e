import { expect, test } from 'vitest';
import { calibrationOf } from './calibration.ts';

const hits = (probability: number, gold: number, others: number) => [
  ...Array.from({ length: gold }, () => ({ probability, isGold: true })),
  ...Array.from({ length: others }, () => ({ probability, isGold: false })),
];

test('accurate probabilities have no calibration error; each bin is weighted by its number of hits', () => {
  expect(calibrationOf([...hits(0.25, 1, 3), ...hits(1, 2, 0)])?.ece).toBe(0);
  // Predicted 0.9, observed 0.4, of 5; predicted 0.1, observed 0.1, of 10.
  const calibration = calibrationOf([...hits(0.9, 2, 3), ...hits(0.1, 1, 9)]);
  expect(calibration?.ece).toBeCloseTo((5 * 0.5) / 15);
  expect(calibration?.bins).toMatchObject([
    { from: 0.1, to: 0.2, hits: 10 },
    { from: 0.9, to: 1, hits: 5 },
  ]);
});

test('returns nothing without hits', () => {
  expect(calibrationOf([])).toBeNull();
});
