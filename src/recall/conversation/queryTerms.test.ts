import { describe, expect, it } from 'vitest';
import type { TextStatistics } from '../../store/store.ts';
import { commonRate } from './commonTerms.ts';
import { countTerms } from '../termKeys.ts';
import { Bm25, type TermCounts } from './queryTerms.ts';

const nobody = { turns: 0, terms: 0, questions: 0 };
const statisticsOf = (documents: number, found: Record<string, number>): TextStatistics => ({
  documents,
  averageLength: 16,
  documentFrequency: new Map(Object.entries(found)),
  speakers: new Map(),
  everyone: nobody,
});
/** What a turn that holds the term alone scores. */
function worth(term: string, statistics: TextStatistics): number {
  const bm25 = new Bm25([term], new Map([[term, 1]]), statistics);
  return bm25.score({ places: [0], counts: [1], length: 16 });
}

describe('commonRate', () => {
  it.each(['go', '知道', '思っ'])('knows %s, in longer turns more, up to four sentences', (term) => {
    expect(commonRate(term, 8)).toBeGreaterThan(0.005);
    expect(commonRate(term, 16)).toBeCloseTo(2 * commonRate(term, 8), 12);
    expect(commonRate(term, 1_000)).toBeCloseTo(4 * commonRate(term, 8), 12);
  });

  it('is 0 for others', () => {
    expect(commonRate('zeppelin', 20)).toBe(0);
  });
});

describe('the worth of a term', () => {
  it.each([
    ['zeppelin', 'go'],
    ['气球', '知道'],
    ['気球', '私は'],
  ])('in a young memory that holds each once: more for %s than for %s', (rare, common) => {
    const young = statisticsOf(30, { [rare]: 1, [common]: 1 });
    expect(worth(rare, young)).toBeGreaterThan(1.2 * worth(common, young));
  });

  it('in an old memory is what its own turns say', () => {
    const old = statisticsOf(100_000, { zeppelin: 20_000, go: 2_000 });
    expect(worth('go', old)).toBeGreaterThan(worth('zeppelin', old));
  });
});

describe('several documents', () => {
  const WORDS = ['river', 'bridge', 'storm', 'rope', 'wind'];
  const bm25 = new Bm25(
    WORDS,
    new Map(WORDS.map((word, i) => [word, 1 + i])),
    statisticsOf(100, { river: 3, bridge: 9, rope: 1, wind: 40 }),
  );
  const count = (text: string): TermCounts => {
    const words = text.split(' ');
    const document = { terms: countTerms(words), length: words.length };
    return bm25.count(document as Parameters<typeof bm25.count>[0]);
  };

  it('are counted in the order of the query, other words left out', () => {
    expect(count('wind and rope and wind over a river')).toEqual({
      places: [0, 3, 4],
      counts: [1, 1, 2],
      length: 8,
    });
    expect(count('nothing of it')).toEqual({ places: [], counts: [], length: 3 });
  });

  it.each([
    [['wind on the bridge', 'a rope bridge', 'storm']],
    [['', 'river']],
    [['rope rope', 'rope']],
    [['river wind', 'bridge storm rope']],
  ])('%j score, and hold, what they do as one', (texts) => {
    const whole = count(texts.join(' '));
    const parts = texts.map(count);
    expect(bm25.score(...parts)).toBe(bm25.score(whole));
    expect(bm25.held(parts)).toBe(bm25.held([whole]));
  });

  it('that are none score nothing', () => {
    expect(bm25.score()).toBe(0);
    expect(bm25.held([])).toBe(0);
  });
});
