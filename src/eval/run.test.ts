import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { quotas } from './run.ts';

test('a limit is distributed evenly over conversations', () => {
  expect(quotas([5, 5, 5], 6)).toEqual([2, 2, 2]);
  expect(quotas([1, 5, 5], 7)).toEqual([1, 3, 3]);
  expect(quotas([3, 3], null)).toEqual([3, 3]);
  expect(quotas([3, 3], 0)).toEqual([0, 0]);
});

test('with fewer queries than conversations, the chosen conversations are spread out', () => {
  expect(quotas([1, 1, 1, 1, 1, 1], 3)).toEqual([1, 0, 1, 0, 1, 0]);
});

test('asks exactly as many queries as the limit allows, and no more than exist', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(20), { maxLength: 20 }), fc.nat(300), (counts, limit) => {
      const quota = quotas(counts, limit);
      const total = counts.reduce((sum, count) => sum + count, 0);
      expect(quota.reduce((sum, count) => sum + count, 0)).toBe(Math.min(limit, total));
      expect(quota.every((count, i) => count <= (counts[i] ?? 0))).toBe(true);
    }),
  );
});
