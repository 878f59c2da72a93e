import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { dot, between, coherence, direction, joined, massOf, within, type Weighted } from './vectors.ts';

const DIMENSIONS = 5;

const weighted = fc
  .record({
    vector: fc.array(fc.integer({ min: -9, max: 9 }), { minLength: DIMENSIONS, maxLength: DIMENSIONS }),
    weight: fc.integer({ min: 1, max: 8 }),
  })
  .map(({ vector, weight }): Weighted => {
    const along = direction(Float32Array.from(vector)) ?? Float32Array.of(1, 0, 0, 0, 0);
    return { vector: along, weight: weight / 8 };
  });
const group = fc.array(weighted, { minLength: 2, maxLength: 7 });

/** Σ wᵢwⱼ·cos(i, j) / Σ wᵢwⱼ over the pairs. */
function meanCosine(pairs: readonly (readonly [Weighted, Weighted])[]): number {
  const weights = pairs.map(([a, b]) => a.weight * b.weight);
  const sum = pairs.reduce((total, [a, b], i) => total + weights[i]! * dot(a.vector, b.vector), 0);
  return sum / weights.reduce((total, weight) => total + weight, 0);
}

test('statistics of a mass equal those of its pairs', () => {
  fc.assert(
    fc.property(group, group, (a, b) => {
      const [massA, massB] = [a, b].map((members) => massOf(members, DIMENSIONS)) as [
        ReturnType<typeof massOf>,
        ReturnType<typeof massOf>,
      ];
      const inner = a.flatMap((one, i) => a.slice(i + 1).map((other) => [one, other] as const));
      const outer = a.flatMap((one) => b.map((other) => [one, other] as const));
      expect(within(massA)).toBeCloseTo(meanCosine(inner), 4);
      expect(between(massA, massB)).toBeCloseTo(meanCosine(outer), 4);
      const both = massOf([...a, ...b], DIMENSIONS);
      expect(within(joined(massA, massB))).toBeCloseTo(within(both), 4);
    }),
  );
});

test('the coherence of a group is the mean cosine of its members with its direction', () => {
  fc.assert(
    fc.property(group, (members) => {
      const mass = massOf(members, DIMENSIONS);
      const along = direction(mass.sum);
      fc.pre(along !== null);
      const weight = members.reduce((sum, one) => sum + one.weight, 0);
      const sum = members.reduce((total, one) => total + one.weight * dot(one.vector, along), 0);
      expect(coherence(mass)).toBeCloseTo(sum / weight, 4);
    }),
  );
});

test('vectors that cancel out have no direction', () => {
  const along = massOf([{ vector: Float32Array.of(1, 0), weight: 1 }], 2);
  const back = massOf([{ vector: Float32Array.of(-1, 0), weight: 1 }], 2);
  expect(direction(joined(along, back).sum)).toBeNull();
  expect(coherence(joined(along, back))).toBe(0);
});
