import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Outcome } from './ask.ts';
import { bootstrapSets, compareOutcomes, mulberry32 } from './compare.ts';
import { measureRanking } from './measures.ts';

const bootstrap = (differences: readonly number[], resamples?: number) =>
  bootstrapSets([differences], resamples);

test('the same differences give the same result', () => {
  const differences = [0.2, -0.1, 0, 0.5, 0.3, -0.2, 0.1];
  expect(bootstrap(differences)).toEqual(bootstrap([...differences]));
});

test('the interval contains the mean, and the mean is exact', () => {
  fc.assert(
    fc.property(
      fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: 2, maxLength: 60 }),
      (values) => {
        const { mean, low, high, p } = bootstrap(values, 400);
        expect(mean).toBeCloseTo(values.reduce((sum, value) => sum + value, 0) / values.length);
        expect(low).toBeLessThanOrEqual(mean + 1e-9);
        expect(high).toBeGreaterThanOrEqual(mean - 1e-9);
        expect(p).toBeGreaterThan(0);
        expect(p).toBeLessThanOrEqual(1);
      },
    ),
    { numRuns: 50 },
  );
});

test('no difference is no evidence, a constant one is strong evidence', () => {
  expect(bootstrap(Array.from({ length: 40 }, () => 0))).toEqual({ mean: 0, low: 0, high: 0, p: 1 });
  const better = bootstrap(Array.from({ length: 40 }, () => 0.25));
  expect(better).toMatchObject({ mean: 0.25, low: 0.25, high: 0.25 });
  expect(better.p).toBeCloseTo(2 / 10_001);
});

test('the interval is about as wide as the normal approximation', () => {
  const random = mulberry32(7);
  const values = Array.from({ length: 400 }, () => (random() < 0.5 ? 0 : 1));
  const { mean, low, high } = bootstrap(values);
  const expected = 2 * 1.96 * Math.sqrt((mean * (1 - mean)) / values.length);
  expect(high - low).toBeGreaterThan(expected * 0.9);
  expect(high - low).toBeLessThan(expected * 1.1);
});

test('compares only queries that count, in pairs', () => {
  const outcome = (ranking: string[], isAnswerable = true): Outcome => ({
    conversationId: 'c',
    queryId: 'q',
    type: 't',
    isAnswerable,
    isUnanswerable: !isAnswerable,
    turn: measureRanking(ranking, new Set(['G'])),
    session: null,
    inject: false,
    injected: { turns: 0, gold: 0, near: 0 },
    judged: [],
    confidence: null,
    latencyMs: 1,
    breakdown: {},
    stages: null,
    failure: null,
    captured: null,
  });
  const baseline = [outcome(['a', 'G']), outcome(['a']), outcome(['a'], false)];
  const other = [outcome(['G']), outcome(['a']), outcome(['G'], false)];
  const comparison = compareOutcomes([{ baseline, other }]);
  expect(comparison.MRR.mean).toBe(0.25);
  expect(comparison['R@5'].mean).toBe(0);
});

test('gives each of several sets the same weight, however many queries it has', () => {
  const many = Array.from({ length: 90 }, () => 0);
  const few = [0.2, 0.4];
  expect(bootstrapSets([many, few]).mean).toBeCloseTo(0.15);
  // Only the small set varies, and its variation is halved by its share.
  expect(bootstrapSets([many, few])).toMatchObject({ low: 0.1, high: 0.2 });
});
