import { describe, expect, it } from 'vitest';
import { BytePairs } from './bytePairs.ts';

const letters = 'abcdefgh'.split('');

describe('a word', () => {
  it.each([
    ['', [], 0],
    ['a', [], 1],
    ['ab', [], 2],
    ['ab', ['ab'], 1],
    // The pair with the lower rank is merged first, although it occurs later in the text.
    ['abc', ['bc', 'ab'], 2],
    ['abcd', ['bc', 'ab', 'cd'], 3],
    ['abcd', ['ab', 'cd', 'abcd'], 1],
    // A whole word that is an entry counts once, even if merging does not produce it.
    ['abc', ['abc'], 1],
    ['abcd', ['abc'], 4],
    // The first of equals.
    ['aaa', ['aa'], 2],
    ['aaaaa', ['aa', 'aaa'], 2],
  ])('%j with %j has %i entries', (word, pairs, count) => {
    expect(BytePairs.of([...letters, ...pairs]).count(word)).toBe(count);
  });

  it('is split into bytes, of which entries may be a part', () => {
    const bytes = Array.from({ length: 256 }, (_, byte) => [byte]);
    expect(BytePairs.of(bytes).count('é雨😀')).toBe(2 + 3 + 4);
    expect(BytePairs.of([...bytes, [0xe9, 0x9b]]).count('雨')).toBe(2);
    expect(BytePairs.of([...bytes, [0xe9, 0x9b], '雨']).count('雨雨')).toBe(2);
    expect(BytePairs.of([...bytes, '😀']).count('😀')).toBe(1);
  });

  it('may be longer than those before', () => {
    const pairs = BytePairs.of([...letters, 'aa', 'aaaa', 'aaaaaaaa']);
    expect(pairs.count('ab')).toBe(2);
    expect(pairs.count('a'.repeat(4_000))).toBe(500);
    expect(pairs.count('ab')).toBe(2);
  });
});

it('tables are read back as they were written', () => {
  const written = BytePairs.of([...letters, 'bc', 'ab', 'abcd']).toBytes();
  const read = BytePairs.read(written);
  expect(read.count('abcdabc')).toBe(5);
  expect(read.toBytes()).toEqual(written);
  expect(() => BytePairs.read(written.subarray(0, 40))).toThrow(RangeError);
});
