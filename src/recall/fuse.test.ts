import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bestOf, byMaximum, minMax, reciprocalRankFusion } from './fuse.ts';

const [A, B, C, D] = [1, 2, 3, 4];

describe('reciprocal rank fusion', () => {
  // The worked example of the notes specification, §3.3.
  it('ranks B > A > D > C when vectors say A B C and words say B D A', () => {
    const fused = reciprocalRankFusion([
      [A, B, C],
      [B, D, A],
    ]);
    expect(fused.get(A)).toBeCloseTo(0.0323, 4);
    expect(fused.get(B)).toBeCloseTo(0.0325, 4);
    expect(fused.get(C)).toBeCloseTo(0.0159, 4);
    expect(fused.get(D)).toBeCloseTo(0.0161, 4);
    const order = [...fused].sort((a, b) => b[1] - a[1]).map(([id]) => id);
    expect(order).toEqual([B, A, D, C]);
  });

  it('does not depend on the order of the lists', () => {
    const list = fc.uniqueArray(fc.integer({ min: 1, max: 50 }), { maxLength: 20 });
    fc.assert(
      fc.property(fc.array(list, { maxLength: 5 }), (lists) => {
        const forwards = reciprocalRankFusion(lists);
        const backwards = reciprocalRankFusion([...lists].reverse());
        expect([...forwards.keys()].sort()).toEqual([...backwards.keys()].sort());
        for (const [id, score] of forwards) expect(backwards.get(id)).toBeCloseTo(score, 12);
      }),
    );
  });
});

describe('minMax', () => {
  it('scales scores to 0..1', () => {
    const stretched = minMax([
      { unitId: A, score: 2 },
      { unitId: B, score: 6 },
      { unitId: C, score: 4 },
    ]);
    expect([...stretched]).toEqual([
      [A, 0],
      [B, 1],
      [C, 0.5],
    ]);
  });

  it('gives a single result 1 instead of dividing by zero', () => {
    expect(minMax([{ unitId: A, score: 0.3 }]).get(A)).toBe(1);
    expect(minMax([{ unitId: A, score: 0 }]).get(A)).toBe(1);
  });

  it('gives equal results 1 each, and an empty list no scores', () => {
    const equal = minMax([
      { unitId: A, score: 5 },
      { unitId: B, score: 5 },
    ]);
    expect([...equal.values()]).toEqual([1, 1]);
    expect(minMax([]).size).toBe(0);
  });
});

it('bestOf keeps the best score of each unit', () => {
  const lists = [
    [{ unitId: A, score: 1 }],
    [
      { unitId: A, score: 3 },
      { unitId: B, score: 2 },
    ],
  ];
  expect(bestOf(lists)).toEqual([
    { unitId: A, score: 3 },
    { unitId: B, score: 2 },
  ]);
});

it('byMaximum scales the best to 1 and keeps zeros', () => {
  expect([
    ...byMaximum(
      new Map([
        [A, 2],
        [B, 1],
      ]),
    ),
  ]).toEqual([
    [A, 1],
    [B, 0.5],
  ]);
  expect([...byMaximum(new Map([[A, 0]]))]).toEqual([[A, 0]]);
});
