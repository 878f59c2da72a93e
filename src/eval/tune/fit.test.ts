import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { CapturedQuery } from '../captured.ts';
import { mulberry32 } from '../compare.ts';
import { fitWeights, meanSurprise, solve, type Sample } from './fit.ts';

/** Queries whose gold is drawn with the probabilities of the weights `truth`. */
function draw(truth: readonly number[], queries: number, seed: number): Sample[] {
  const random = mulberry32(seed);
  const candidates = 12;
  return Array.from({ length: queries }, () => {
    const values = Float64Array.from({ length: candidates * truth.length }, random);
    const odds = Array.from({ length: candidates }, (_, row) =>
      Math.exp(truth.reduce((sum, weight, column) => sum + weight * values[row * truth.length + column]!, 0)),
    );
    let left = random() * odds.reduce((sum, each) => sum + each, 0);
    const gold = odds.findIndex((each) => (left -= each) <= 0);
    const isGold = Uint8Array.from({ length: candidates }, (_, row) => (row === gold ? 1 : 0));
    const query: CapturedQuery = { isGold, values, goldCount: 1, duplicatePairs: [], size: null };
    return { query, weight: 1 / queries };
  });
}

const free = (size: number, strength = 0) => ({
  strength,
  centre: new Float64Array(size),
  unit: new Float64Array(size).fill(1),
});

test('finds the weights by which the gold was drawn', () => {
  const truth = [3, -2, 0];
  const fitted = fitWeights(draw(truth, 3_000, 1), free(3), new Float64Array(3));
  for (const [i, weight] of truth.entries()) expect(Math.abs((fitted[i] ?? 9) - weight)).toBeLessThan(0.3);
});

test('no other weights near the result are better', () => {
  const samples = draw([1, -4, 2], 60, 2);
  const penalty = { ...free(3, 0.05), centre: Float64Array.of(1, 1, 1) };
  const lossOf = (weights: Float64Array) =>
    meanSurprise(samples, weights) +
    (0.05 / 2) * [...weights].reduce((sum, weight) => sum + (weight - 1) ** 2, 0);
  const fitted = fitWeights(samples, penalty, penalty.centre);
  const least = lossOf(fitted);
  expect(least).toBeLessThan(lossOf(penalty.centre));
  for (const [i, step] of [0, 1, 2].flatMap((index) => [-0.01, 0.01].map((by) => [index, by] as const))) {
    const moved = Float64Array.from(fitted);
    moved[i]! += step;
    expect(lossOf(moved)).toBeGreaterThan(least);
  }
});

test('a stronger penalty keeps the weights closer to the start', () => {
  const samples = draw([5, 0], 100, 3);
  const distances = [10, 1, 0.1, 0.01].map((strength) =>
    Math.hypot(...fitWeights(samples, free(2, strength), new Float64Array(2))),
  );
  expect(distances).toEqual(distances.toSorted((a, b) => a - b));
  expect(distances[0]).toBeLessThan(0.2);
  expect(distances[3]).toBeGreaterThan(2);
});

test('several gold candidates do not compete with one another', () => {
  const isGold = Uint8Array.of(1, 1, 0, 0);
  const query = { isGold, values: Float64Array.of(1, 1, 0, 0), goldCount: 2, duplicatePairs: [], size: null };
  expect(meanSurprise([{ query, weight: 1 }], Float64Array.of(30))).toBeLessThan(1e-12);
});

test('very large scores do not overflow', () => {
  const query = {
    size: null,
    isGold: Uint8Array.of(1, 1, 0),
    values: Float64Array.of(1, -1, 0),
    goldCount: 2,
    duplicatePairs: [],
  };
  const samples = [{ query, weight: 1 }];
  expect(meanSurprise(samples, Float64Array.of(5_000))).toBeCloseTo(2_500);
  expect(fitWeights(samples, free(1, 0.01), Float64Array.of(5_000))[0]).toBeCloseTo(0, 3);
});

test('the weight of a constant feature stays unchanged', () => {
  const samples = draw([2], 50, 4).map(({ query, weight }) => ({
    query: { ...query, values: query.values.reduce(widen, new Float64Array(0)) },
    weight,
  }));
  const penalty = { ...free(2, 0.01), centre: Float64Array.of(0, 7) };
  expect(fitWeights(samples, penalty, penalty.centre)[1]).toBeCloseTo(7);
});

/** A constant next to each value. */
function widen(values: Float64Array, value: number): Float64Array {
  return Float64Array.from([...values, value, 0.5]);
}

test('solves systems of equations', () => {
  const numbers = fc.array(fc.double({ min: -3, max: 3, noNaN: true }), { minLength: 12, maxLength: 12 });
  fc.assert(
    fc.property(numbers, (given) => {
      const [root, wanted] = [given.slice(0, 9), given.slice(9)];
      // RᵀR + I is symmetric and positive definite.
      const matrix = Float64Array.from({ length: 9 }, (_, at) => {
        const [i, j] = [Math.floor(at / 3), at % 3];
        return [0, 1, 2].reduce((sum, k) => sum + root[k * 3 + i]! * root[k * 3 + j]!, i === j ? 1 : 0);
      });
      const right = Float64Array.from({ length: 3 }, (_, i) =>
        [0, 1, 2].reduce((sum, j) => sum + matrix[i * 3 + j]! * wanted[j]!, 0),
      );
      for (const [i, value] of solve(matrix, right).entries()) expect(value).toBeCloseTo(wanted[i]!, 6);
    }),
  );
});
