import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { diceWith, lexicalSimilarityWith } from './similarity.ts';

const short = 'we went to the sea';

describe('diceWith', () => {
  test('counts shared n-grams: three letters, or two Chinese or Japanese characters', () => {
    expect(diceWith('abcd')('bcde')).toBeCloseTo((2 * 1) / 4);
    expect(diceWith('動物園')('動物')).toBeCloseTo((2 * 1) / 3);
    expect(diceWith('aaaa')('aaa')).toBeCloseTo((2 * 1) / 3);
  });

  test('ranks a paraphrase above another subject in each language', () => {
    const pairs: [string, string, string][] = [
      ['I painted the sunrise last year', 'That sunrise I painted', 'The dog was barking all night'],
      ['京都の紅葉を見に行きたい', '去年は京都で紅葉を見たよ', '仕事の締め切りが近い'],
      ['我想去看北京的红叶', '去年我们去看了红叶', '工作的截止日期快到了'],
    ];
    for (const [query, near, far] of pairs)
      expect(diceWith(query)(near)).toBeGreaterThan(diceWith(query)(far));
  });

  test('ignores case, width and punctuation', () => {
    expect(diceWith('Hello, World')('ｈｅｌｌｏ world!')).toBe(1);
    expect(diceWith('ﾄﾞﾗﾏ')('ドラマ')).toBe(1);
  });

  test('is symmetric, at most 1, and 1 with itself unless too short to have an n-gram', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 40 }),
        fc.string({ unit: 'binary', maxLength: 40 }),
        (a, b) => {
          const likeness = diceWith(a)(b);
          expect(likeness).toBeGreaterThanOrEqual(0);
          expect(likeness).toBeLessThanOrEqual(1);
          expect(diceWith(b)(a)).toBe(likeness);
          expect([0, 1]).toContain(diceWith(a)(a));
        },
      ),
    );
  });

  test('is 0 for texts without an n-gram', () => {
    expect(diceWith('')('')).toBe(0);
    expect(diceWith('hi')('hi')).toBe(0);
    expect(diceWith('?!')(short)).toBe(0);
  });
});

describe('lexicalSimilarityWith', () => {
  test('weights a short query by the number of its 3-grams', () => {
    expect(lexicalSimilarityWith(short)(short)).toBeCloseTo((short.length - 2) / 30);
    const long = `${short} and then we climbed a mountain`;
    expect(lexicalSimilarityWith(long)(long)).toBe(1);
  });

  test('uses 3-grams in every script', () => {
    expect(lexicalSimilarityWith('動物園')('動物')).toBe(0);
    expect(lexicalSimilarityWith('動物園')('動物園')).toBeCloseTo(1 / 30);
  });
});
