import { describe, expect, it, test } from 'vitest';
import { hashOf, TermBlock, TermTable, type CountedTerms } from './termCounts.ts';

/** How often each of the terms occurs in each text. */
function countsOf(looked: readonly string[], ...texts: readonly CountedTerms[]): Record<string, number>[] {
  const { starts, places, counts } = new TermTable(looked).countIn(texts);
  return texts.map((_, text) => {
    const own: Record<string, number> = {};
    for (let i = starts[text]!; i < starts[text + 1]!; i++) own[looked[places[i]!]!] = counts[i]!;
    return own;
  });
}

describe('several texts in one block', () => {
  const block = new TermBlock();
  const rain = block.add(['雨', 'tea', '雨', 'boat', '雨']);
  const none = block.add([]);
  const long = block.add(Array.from({ length: 3_000 }, (_, i) => `t${i % 1_500}`));
  const boat = block.add(['boat']);

  it('have separate counts', () => {
    expect(countsOf(['雨', 'tea', 'boat', 'sun'], rain, none, boat)).toEqual([
      { 雨: 3, tea: 1, boat: 1 },
      {},
      { boat: 1 },
    ]);
    expect(countsOf(['t0', 't1499', 't1500', 'boat'], long)).toEqual([{ t0: 2, t1499: 2 }]);
  });

  it('have no counts without terms', () => {
    expect(countsOf([], rain, boat)).toEqual([{}, {}]);
  });
});

test('a table finds each of many terms, and no others', () => {
  const looked = Array.from({ length: 5_000 }, (_, i) => `${i}`);
  const block = new TermBlock();
  const [all, others] = countsOf(looked, block.add(looked), block.add(looked.map((term) => `x${term}`)));
  expect(all).toEqual(Object.fromEntries(looked.map((term) => [term, 1])));
  expect(others).toEqual({});
});

test('similar terms have different hashes', () => {
  const terms = new Set<string>();
  for (let i = 0; i < 50_000; i++) {
    terms.add(`t${i}`).add(String.fromCodePoint(0x4e00 + (i % 20_000), 0x4e00 + ((i * 7) % 20_000)));
  }
  const hashes = [...terms].map(hashOf).map(({ low, high }) => 4_294_967_296 * high + low);
  expect(new Set(hashes).size).toBe(terms.size);
});
