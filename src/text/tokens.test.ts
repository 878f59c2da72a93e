import * as fc from 'fast-check';
import { countTokens as referenceCount } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, it } from 'vitest';
import { countTokens, truncateToTokens } from './tokens.ts';
import { propertyRuns } from '../../test/propertyRuns.ts';

const plain = { disallowedSpecial: new Set<string>() };
const words = fc.constantFrom(
  'Hello',
  ' world',
  "it's",
  ' 3.14159',
  '，',
  '今日は',
  '东京车站',
  'カタカナ',
  '👨‍👩‍👧',
  '🇯🇵',
  'e\u0301',
  '\n\n',
  '   ',
  '<|endoftext|>',
  'ğ',
  '한국어',
  '\ud83d',
);
const anyText = fc.array(words, { maxLength: 200 }).map((parts) => parts.join(''));

function isCutBetweenGraphemes(text: string, at: number): boolean {
  return at === text.length || [...new Intl.Segmenter('en').segment(text)].some(({ index }) => index === at);
}

describe('countTokens', () => {
  it.each([
    ['', 0],
    ['Hello, world!', 4],
    ['今日は天気がいいですね。', 7],
    ['我今天很忙', 4],
    ['👍', 1],
  ])('counts %j', (text, tokens) => {
    expect(countTokens(text)).toBe(tokens);
    expect(referenceCount(text, plain)).toBe(tokens);
  });

  it('counts special tokens as plain text', () => {
    expect(countTokens('<|endoftext|>')).toBe(7);
    expect(countTokens('a <|im_start|> b')).toBe(referenceCount('a <|im_start|> b', plain));
  });

  it('counts lone surrogates as replacement characters', () => {
    expect(countTokens('\ud800')).toBe(countTokens('\ufffd'));
  });

  it('agrees with the reference for texts of any length with word boundaries', () => {
    const sentences = fc.array(
      fc.constantFrom(
        'The cats, they sleep. ',
        '猫が寝ている。',
        '猫在睡觉，真可爱！',
        'id=4711; ',
        "\n- I'm fine\n",
      ),
      { maxLength: 60 },
    );
    fc.assert(
      fc.property(sentences, (parts) => {
        const text = parts.join('');
        expect(countTokens(text)).toBe(referenceCount(text, plain));
      }),
    );
  });

  it('counts a stretch without word boundaries in parts, with a small error at each seam', () => {
    const letters = fc.string({
      unit: fc.constantFrom('a', 'b', '漢', '字', 'あ'),
      minLength: 129,
      maxLength: 1000,
    });
    fc.assert(
      fc.property(letters, (text) => {
        const exact = referenceCount(text, plain);
        const seams = Math.ceil(text.length / 128);
        // Pairs are merged in the order of a table, so that a text may have one token more than its parts.
        expect(countTokens(text)).toBeGreaterThanOrEqual(exact - seams);
        expect(countTokens(text)).toBeLessThanOrEqual(exact + 2 * seams);
      }),
    );
  });

  it.each(['a', ' ', '\n', '!', '漢', '😀'])('finishes for 100,000 of %j', (character) => {
    const text = character.repeat(100_000);
    expect(countTokens(text)).toBeGreaterThan(500);
    expect(countTokens(text)).toBeLessThanOrEqual(text.length);
  });

  it('returns the same count again, also after many other texts', () => {
    const before = countTokens('Do you remember the aquarium?');
    for (let i = 0; i < 5_000; i++) countTokens(`text ${i}`);
    expect(countTokens('Do you remember the aquarium?')).toBe(before);
  });
});

describe('truncateToTokens', () => {
  it('returns a text that fits unchanged', () => {
    expect(truncateToTokens('Hello, world!', 4)).toBe('Hello, world!');
    expect(truncateToTokens('Hello, world!', 3)).toBe('Hello, world');
    expect(truncateToTokens('Hello, world!', 0)).toBe('');
    expect(truncateToTokens('', 0)).toBe('');
  });

  it('omits a grapheme that fits only in part', () => {
    const family = '👨‍👩‍👧‍👦';
    expect(truncateToTokens(`a${family}`, countTokens(family))).toBe('a');
  });

  it('never exceeds the budget, never cuts a grapheme, and returns a beginning of the text', () => {
    fc.assert(
      fc.property(anyText, fc.nat(300), (text, maxTokens) => {
        const cut = truncateToTokens(text, maxTokens);
        expect(text.startsWith(cut)).toBe(true);
        expect(countTokens(cut)).toBeLessThanOrEqual(maxTokens);
        expect(isCutBetweenGraphemes(text, cut.length)).toBe(true);
        expect(cut === text).toBe(countTokens(text) <= maxTokens);
      }),
      { numRuns: propertyRuns(500) },
    );
  });

  it('uses the budget up to less than the cost of one grapheme', () => {
    const text = 'We went to the aquarium in May, and 水族館のペンギンがとてもかわいかった。 '.repeat(20);
    for (const maxTokens of [1, 10, 50, 99, 250]) {
      expect(countTokens(truncateToTokens(text, maxTokens))).toBeGreaterThanOrEqual(maxTokens - 3);
    }
  });
});
