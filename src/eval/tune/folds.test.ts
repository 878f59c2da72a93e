import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { divide } from './folds.ts';

test('no conversation is in two folds, and every fold has some', () => {
  const conversations = fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g'), { minLength: 1 });
  fc.assert(
    fc.property(conversations, fc.integer({ min: 2, max: 6 }), (ids, max) => {
      const folds = divide(ids, max);
      const distinct = new Set(ids).size;
      expect(folds.of).toHaveLength(ids.length);
      expect(new Set(folds.of).size).toBe(folds.count);
      expect(folds.kind).toBe(distinct > 1 ? 'conversations' : 'stretches');
      const pairs = new Set(ids.map((id, i) => `${id} ${folds.of[i]}`));
      expect(pairs.size).toBe(distinct > 1 ? distinct : folds.count);
      expect(folds.count).toBe(Math.min(max, distinct > 1 ? distinct : ids.length));
    }),
  );
});

test('folds have about the same size', () => {
  const ids = [9, 5, 4, 3, 2, 1].flatMap((size, i) => Array.from({ length: size }, () => `c${i}`));
  const sizes = Map.groupBy(divide(ids, 3).of, (fold) => fold);
  expect([...sizes.values()].map((own) => own.length).toSorted()).toEqual([7, 8, 9]);
});

test('a single conversation is divided into stretches', () => {
  expect(
    divide(
      Array.from({ length: 7 }, () => 'c'),
      3,
    ),
  ).toEqual({
    kind: 'stretches',
    of: [0, 0, 0, 1, 1, 2, 2],
    count: 3,
  });
});
