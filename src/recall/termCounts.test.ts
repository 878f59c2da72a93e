import { describe, expect, it, test } from 'vitest';
import { hashOf, TermBlock, TermTable, type CountedTerms } from './termCounts.ts';

function add(block: TermBlock, terms: readonly string[]): CountedTerms {
  return block.add((visit) => terms.forEach((term) => visit(term, 0, term.length)));
}

/** How often each of the terms occurs in each text. */
function countsOf(looked: readonly string[], ...texts: readonly CountedTerms[]): Record<string, number>[] {
  const { starts, places, counts } = new TermTable(looked).countIn(texts);
  return texts.map((_, text) => {
    const own: Record<string, number> = {};
    for (let i = starts[text]!; i < starts[text + 1]!; i++) own[looked[places[i]!]!] = counts[i]!;
    return own;
  });
}

test('terms are counted as ranges of any string, with their number including repeats', () => {
  const counted = new TermBlock().add((visit) => {
    visit('a cat', 2, 5);
    visit('cat', 0, 3);
    visit('cats', 0, 4);
  });
  expect(countsOf(['cat', 'cats', 'a cat'], counted)).toEqual([{ cat: 2, cats: 1 }]);
  expect(counted.length).toBe(3);
});

describe('several texts in one block', () => {
  const block = new TermBlock();
  const rain = add(block, ['雨', 'tea', '雨', 'boat', '雨']);
  const none = add(block, []);
  const long = add(
    block,
    Array.from({ length: 3_000 }, (_, i) => `t${i % 1_500}`),
  );
  const boat = add(block, ['boat']);

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
  const unwanted = looked.map((term) => `x${term}`);
  const [all, others] = countsOf(looked, add(block, looked), add(block, unwanted));
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
