import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Best } from './best.ts';

// Few different scores, so that many are equal.
const scores = fc.array(fc.integer({ min: 0, max: 12 }), { maxLength: 200 });

test.each([0, 1, 2, 7, 64, Infinity])(
  'keeps the best %s, in order, with the smaller id first among equal scores',
  (limit) => {
    fc.assert(
      fc.property(scores, (given) => {
        const all = given.map((score, i) => ({ unitId: (i * 7_919) % 1_009, score }));
        const best = new Best(limit);
        for (const { unitId, score } of all) if (score >= best.threshold) best.add(unitId, score);
        const inOrder = all.toSorted((a, b) => b.score - a.score || a.unitId - b.unitId);
        expect(best.take()).toEqual(inOrder.slice(0, limit));
      }),
    );
  },
);
