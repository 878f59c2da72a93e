import { describe, expect, it } from 'vitest';
import type { TextStatistics } from '../../store/store.ts';
import { commonRate } from '../commonTerms.ts';
import { TermBlock, type CountedTerms } from '../termCounts.ts';
import { Bm25, CountedTurns } from './queryTerms.ts';

const nobody = { turns: 0, terms: 0, questions: 0 };
const statisticsOf = (documents: number, found: Record<string, number>): TextStatistics => ({
  documents,
  averageLength: 16,
  documentFrequency: new Map(Object.entries(found)),
  speakers: new Map(),
  everyone: nobody,
});
function counted(terms: readonly string[]): CountedTerms {
  return new TermBlock().add((visit) => terms.forEach((term) => visit(term, 0, term.length)));
}

/** The score of a turn that contains only the term. */
function worth(term: string, statistics: TextStatistics): number {
  const turn = { terms: counted([term]), length: 16 };
  return new Bm25(new CountedTurns([term], [turn]), new Map([[term, 1]]), statistics).score(0);
}

describe('commonRate', () => {
  it.each(['go', '知道', '思っ'])('of %s grows with the length of turns, up to four sentences', (term) => {
    expect(commonRate(term, 8)).toBeGreaterThan(0.005);
    expect(commonRate(term, 16)).toBeCloseTo(2 * commonRate(term, 8), 12);
    expect(commonRate(term, 1_000)).toBeCloseTo(4 * commonRate(term, 8), 12);
  });

  it('is 0 for other terms', () => {
    expect(commonRate('zeppelin', 20)).toBe(0);
  });
});

describe('the weight of a term', () => {
  it.each([
    ['zeppelin', 'go'],
    ['气球', '知道'],
    ['気球', '私は'],
  ])('in a new memory with one turn for each: higher for %s than for %s', (rare, common) => {
    const young = statisticsOf(30, { [rare]: 1, [common]: 1 });
    expect(worth(rare, young)).toBeGreaterThan(1.2 * worth(common, young));
  });

  it('in a large memory follows the frequency in its own turns', () => {
    const old = statisticsOf(100_000, { zeppelin: 20_000, go: 2_000 });
    expect(worth('go', old)).toBeGreaterThan(worth('zeppelin', old));
  });
});

describe('several turns', () => {
  const WORDS = ['river', 'bridge', 'storm', 'rope', 'wind'];
  const statistics = statisticsOf(100, { river: 3, bridge: 9, rope: 1, wind: 40 });
  const bm25Of = (...texts: string[]) => {
    const turns = texts.map((text) => {
      const words = text.split(' ').filter((word) => word !== '');
      return { terms: counted(words), length: words.length };
    });
    return new Bm25(
      new CountedTurns(WORDS, turns),
      new Map(WORDS.map((word, i) => [word, 1 + i])),
      statistics,
    );
  };

  it.each([
    [['wind on the bridge', 'a rope bridge', 'storm']],
    [['', 'river']],
    [['rope rope', 'rope']],
    [['river wind', 'bridge storm rope']],
  ])('%j have the same score and terms as their joined text', (texts) => {
    const apart = bm25Of(...texts);
    const whole = bm25Of(texts.join(' '));
    expect(apart.score(0, 1, texts.length > 2 ? 2 : undefined)).toBe(whole.score(0));
    expect(apart.held([...texts.keys()])).toBe(whole.held([0]));
  });

  it('do not affect each other’s scores', () => {
    const bm25 = bm25Of('wind over a river', 'rope', 'wind over a river');
    const first = bm25.score(0);
    expect(bm25.score(1)).not.toBe(first);
    expect(bm25.score(2)).toBe(first);
  });

  it('without any of the terms have a score of 0', () => {
    const bm25 = bm25Of('nothing of it', '');
    expect([bm25.score(0), bm25.score(1), bm25.held([0, 1]), bm25.held([])]).toEqual([0, 0, 0, 0]);
  });
});
