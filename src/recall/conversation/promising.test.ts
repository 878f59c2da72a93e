import { describe, expect, it } from 'vitest';
import { mostPromising, type Similarity } from './promising.ts';

/** Ten turns of one conversation, next to each other; nothing is known of them. */
const UNKNOWN = {
  unitIds: Array.from({ length: 10 }, (_, i) => i + 1),
  before: new Map(Array.from({ length: 9 }, (_, i) => [i + 2, i + 1])),
  after: new Map(Array.from({ length: 9 }, (_, i) => [i + 1, i + 2])),
  keyword: [],
  context: [],
  time: new Set<number>(),
  similarity: null,
};

function similar(cosines: Readonly<Record<number, number>>): Similarity {
  const entries = Object.entries(cosines).map(([unitId, cosine]) => [Number(unitId), cosine] as const);
  return { cosines: new Map(entries), common: 0, scale: { spread: 1, asBundled: (cosine) => cosine } };
}

describe('the candidates that are read', () => {
  it('are all, if they are few', () => {
    expect(mostPromising(UNKNOWN)).toEqual(UNKNOWN.unitIds);
  });

  it('are a limited number of many', () => {
    const unitIds = Array.from({ length: 1_000 }, (_, i) => i + 1);
    expect(mostPromising({ ...UNKNOWN, unitIds })).toHaveLength(120);
  });

  it('are those that contain the words of the utterance, with the turns that answer them, in the order of their ids', () => {
    const keyword = [
      { unitId: 8, score: 5 },
      { unitId: 2, score: 4 },
    ];
    expect(mostPromising({ ...UNKNOWN, keyword }, 4)).toEqual([2, 3, 8, 9]);
  });

  it('are those that contain the words of the context, if no others do', () => {
    const found = { ...UNKNOWN, keyword: [{ unitId: 8, score: 5 }], context: [{ unitId: 4, score: 9 }] };
    expect(mostPromising(found, 1)).toEqual([8]);
    expect(mostPromising({ ...found, keyword: [] }, 1)).toEqual([4]);
  });

  it('are those near in meaning, and the turns around them', () => {
    const similarity = similar({ 5: 0.6, 6: 0.1, 9: -0.2 });
    expect(mostPromising({ ...UNKNOWN, similarity }, 3)).toEqual([4, 5, 6]);
  });

  it('are those of the time that the utterance names', () => {
    expect(mostPromising({ ...UNKNOWN, time: new Set([7]) }, 1)).toEqual([7]);
  });
});
