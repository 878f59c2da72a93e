import { expect, test } from 'vitest';
import { countTerms, termKey } from './termKeys.ts';

test('counts each term, by ascending key', () => {
  const { keys, counts } = countTerms(['雨', 'tea', '雨', 'boat', '雨']);
  const expected = new Map([
    [termKey('雨'), 3],
    [termKey('tea'), 1],
    [termKey('boat'), 1],
  ]);
  expect(new Map([...keys].map((key, i) => [key, counts[i]]))).toEqual(expected);
  expect([...keys]).toEqual([...keys].sort((a, b) => a - b));
});

test('no two of many like terms share a key', () => {
  const terms = new Set<string>();
  for (let i = 0; i < 50_000; i++) {
    terms.add(`t${i}`).add(String.fromCodePoint(0x4e00 + (i % 20_000), 0x4e00 + ((i * 7) % 20_000)));
  }
  expect(new Set([...terms].map(termKey)).size).toBe(terms.size);
});
