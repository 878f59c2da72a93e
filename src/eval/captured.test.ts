import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Trace } from '../engine/engine.ts';
import { captureQuery, measureScores, scoreCaptured } from './captured.ts';
import { FIGURE_NAMES, measureRanking } from './measures.ts';

type Candidate = Trace['candidates'][number];

const candidate = (unitId: number, features: Record<string, number>): Candidate => ({
  unitId,
  score: 0,
  relevance: 'low',
  features,
});

const traceOf = (candidates: readonly Candidate[], duplicates: [number, number][] = []): Trace => ({
  queries: [],
  searches: [],
  candidates,
  notes: {},
  duplicates: duplicates.map(([unitId, of]) => ({ unitId, of, by: 'dice' })),
  overBudget: [],
});

const nameOf = (unitId: number) => `t${unitId}`;

test('measures equal those of the ranking by the weights, with ties in the order of units', () => {
  const cases = fc.record({
    // Few values, so that there are ties.
    rows: fc.array(fc.tuple(fc.nat(3), fc.nat(3)), { minLength: 1, maxLength: 30 }),
    weights: fc.tuple(fc.integer({ min: -2, max: 2 }), fc.integer({ min: -2, max: 2 })),
    gold: fc.uniqueArray(fc.nat(40), { minLength: 1, maxLength: 6 }),
    depth: fc.integer({ min: 1, max: 40 }),
  });
  fc.assert(
    fc.property(cases, ({ rows, weights: [first, second], gold, depth }) => {
      const named = new Set(gold.map(nameOf));
      const shuffled = rows.map(([a, b], i) => candidate(i, { a, b })).reverse();
      const captured = captureQuery(traceOf(shuffled), ['a', 'b'], nameOf, { gold: named });
      if (!captured) throw new Error('it was not captured');
      const ranked = rows
        .map(([a, b], unitId) => ({ unitId, score: first * a + second * b }))
        .toSorted((one, other) => other.score - one.score || one.unitId - other.unitId)
        .slice(0, depth);
      const scores = scoreCaptured(captured, Float64Array.of(first, second));
      const expected = measureRanking(
        ranked.map(({ unitId }) => nameOf(unitId)),
        named,
      );
      const figures = measureScores(captured, scores, depth);
      for (const name of FIGURE_NAMES) expect(figures[name]).toBeCloseTo(expected[name], 9);
    }),
  );
});

test('of duplicate candidates the better one under the weights is kept', () => {
  const rows = [candidate(1, { a: 3, b: 0 }), candidate(2, { a: 2, b: 1 }), candidate(3, { a: 1, b: 2 })];
  const gold = new Set([nameOf(2), nameOf(3)]);
  const captured = captureQuery(traceOf(rows, [[2, 1]]), ['a', 'b'], nameOf, { gold });
  const mrrUnder = (a: number, b: number) =>
    captured && measureScores(captured, scoreCaptured(captured, Float64Array.of(a, b)), 10);
  // 1 is best and hides 2: only 3 of the gold is left, at rank two.
  expect(mrrUnder(1, 0)).toMatchObject({ MRR: 0.5, 'R@5': 0.5 });
  // 3 is best, and 2 hides 1.
  expect(mrrUnder(0, 1)).toMatchObject({ MRR: 1, 'R@5': 1 });
});

test('in a chain of similar candidates, only those similar to a kept one are hidden', () => {
  const rows = [candidate(1, { a: 3 }), candidate(2, { a: 2 }), candidate(3, { a: 1 })];
  const chain = captureQuery(
    traceOf(rows, [
      [2, 1],
      [3, 2],
    ]),
    ['a'],
    nameOf,
    { gold: new Set([nameOf(3)]) },
  );
  expect(chain && measureScores(chain, scoreCaptured(chain, Float64Array.of(1)), 10).MRR).toBe(0.5);
});

test('a turn that occurs twice in a set counts once', () => {
  const rows = [candidate(1, { a: 2 }), candidate(2, { a: 1 }), candidate(3, { a: 0 })];
  const sourceOf = (unitId: number) => (unitId === 2 ? 't1' : nameOf(unitId));
  const captured = captureQuery(traceOf(rows), ['a'], sourceOf, { gold: new Set(['t1', 't3']) });
  expect(captured && measureScores(captured, scoreCaptured(captured, Float64Array.of(1)), 2)['R@5']).toBe(1);
});

test('captures nothing when weights have no effect', () => {
  const gold = new Set([nameOf(1)]);
  expect(captureQuery(traceOf([]), ['a'], nameOf, { gold })).toBeNull();
  expect(captureQuery(traceOf([candidate(1, { direct: 1 })]), ['a'], nameOf, { gold })).toBeNull();
  expect(captureQuery(traceOf([candidate(1, { a: 1 })]), ['a'], () => undefined, { gold })).toBeNull();
});
