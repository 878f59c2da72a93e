import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { areaUnderCurve, mean, meanFigures, measureRanking, percentile } from './measures.ts';

test('measures of a ranking equal those computed by hand', () => {
  // Gold at ranks 2 and 7, and one not found at all.
  const figures = measureRanking(['a', 'G1', 'b', 'c', 'd', 'e', 'G2'], new Set(['G1', 'G2', 'G3']));
  expect(figures['R@5']).toBeCloseTo(1 / 3);
  expect(figures['R@10']).toBeCloseTo(2 / 3);
  expect(figures.MRR).toBe(1 / 2);
  // DCG 1/log2(3) + 1/log2(8) = 0.63093 + 0.33333; ideal 1 + 1/log2(3) + 1/log2(4) = 2.13093
  expect(figures['NDCG@10']).toBeCloseTo((0.6309297536 + 1 / 3) / 2.1309297536);
});

test('NDCG and R@10 use the first ten hits, MRR the whole ranking', () => {
  const ranking = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l', 'G'];
  expect(measureRanking(ranking, new Set(['G']))).toEqual({ 'R@5': 0, 'R@10': 0, 'NDCG@10': 0, MRR: 1 / 13 });
});

test('with more than ten gold turns the best NDCG is still 1', () => {
  const gold = Array.from({ length: 12 }, (_, i) => `g${i}`);
  const figures = measureRanking(gold, new Set(gold));
  expect(figures['NDCG@10']).toBeCloseTo(1);
  expect(figures['R@10']).toBeCloseTo(10 / 12);
});

test('without hits all measures are 0', () => {
  expect(measureRanking([], new Set(['G']))).toEqual({ 'R@5': 0, 'R@10': 0, 'NDCG@10': 0, MRR: 0 });
});

test('measures are between 0 and 1, and moving a gold hit to the front never lowers one', () => {
  const ids = fc.uniqueArray(fc.integer({ min: 0, max: 30 }).map(String), { minLength: 1 });
  fc.assert(
    fc.property(ids, ids, (ranking, gold) => {
      const set = new Set(gold);
      const figures = measureRanking(ranking, set);
      const first = gold[0] ?? '';
      const better = measureRanking([first, ...ranking.filter((id) => id !== first)], set);
      for (const name of ['R@5', 'R@10', 'NDCG@10', 'MRR'] as const) {
        expect(figures[name]).toBeGreaterThanOrEqual(0);
        expect(figures[name]).toBeLessThanOrEqual(1 + 1e-9);
        expect(better[name]).toBeGreaterThanOrEqual(figures[name] - 1e-9);
      }
    }),
  );
});

test('means are macro averages', () => {
  const perfect = measureRanking(['G'], new Set(['G']));
  const none = measureRanking(['a'], new Set(['G']));
  expect(meanFigures([perfect, none, none, none])).toEqual({
    'R@5': 0.25,
    'R@10': 0.25,
    'NDCG@10': 0.25,
    MRR: 0.25,
  });
  expect(mean([])).toBe(0);
});

test('percentiles are by nearest rank', () => {
  const values = [50, 15, 40, 20, 35];
  expect(percentile(values, 0.05)).toBe(15);
  expect(percentile(values, 0.3)).toBe(20);
  expect(percentile(values, 0.5)).toBe(35);
  expect(percentile(values, 1)).toBe(50);
  expect(percentile([], 0.5)).toBe(0);
});

test('the area under the curve is the share of pairs in the correct order', () => {
  // Pairs: 3>1, 3>2, 2>1, and 2=2 for half: 3.5 of 4.
  expect(areaUnderCurve([3, 2], [1, 2])).toBe(3.5 / 4);
  expect(areaUnderCurve([1], [])).toBeNull();
  expect(areaUnderCurve([], [1])).toBeNull();
});

test('the area equals the result of counting every pair', () => {
  const values = fc.array(fc.integer({ min: 0, max: 8 }), { minLength: 1, maxLength: 30 });
  fc.assert(
    fc.property(values, values, (positives, negatives) => {
      let wins = 0;
      for (const a of positives) for (const b of negatives) wins += a > b ? 1 : a === b ? 0.5 : 0;
      expect(areaUnderCurve(positives, negatives)).toBeCloseTo(wins / positives.length / negatives.length);
    }),
  );
});
