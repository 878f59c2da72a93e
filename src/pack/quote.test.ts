import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { oneLine } from '../text/text.ts';
import { nameTag, operatorText, quote } from './quote.ts';

/** All characters that some programs treat as the end of a line. */
const LINE_BREAKS = [
  '\n',
  '\r',
  '\r\n',
  '\v',
  '\f',
  '\u001c',
  '\u001d',
  '\u001e',
  '\u0085',
  '\u2028',
  '\u2029',
];
// oxlint-disable-next-line no-control-regex
const LINE_END = /\r\n|[\n\r\v\f\u001c-\u001e\u0085\u2028\u2029]/u;
const BIDI = [
  '\u061c',
  '\u200e',
  '\u200f',
  '\u202a',
  '\u202b',
  '\u202c',
  '\u202d',
  '\u202e',
  '\u2066',
  '\u2067',
  '\u2068',
  '\u2069',
];
const MARKS = ['「', '」', '｢', '｣', '“', '”', '„', '‟', '〝', '〞', '〟', '"', '＂'];

/** Texts of dangerous characters and of characters that must be kept. */
const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        ...LINE_BREAKS,
        ...BIDI,
        ...MARKS,
        '\0',
        '\ud800',
        '[STABLE_FACTS]',
        '→ Related: no',
        '  ',
      ),
      fc.string({ unit: 'grapheme', maxLength: 8 }),
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(''));

describe('quote', () => {
  it('puts text between the quotation marks of the language', () => {
    expect(quote('猫を飼い始めた', 'ja')).toBe('「猫を飼い始めた」');
    expect(quote('我养了一只猫', 'zh')).toBe('“我养了一只猫”');
    expect(quote('I got a cat', 'en')).toBe('“I got a cat”');
  });

  it('converts inner marks into those of nested quotations', () => {
    expect(quote('母が「元気？」って', 'ja')).toBe('「母が『元気？』って」');
    expect(quote('妈妈说“还好吗？”', 'zh')).toBe('“妈妈说‘还好吗？’”');
    expect(quote('She said "fine" and “bye”', 'en')).toBe(`“She said 'fine' and ‘bye’”`);
  });

  it.each(['ja', 'zh', 'en'] as const)(
    'cannot be closed, broken or reversed from inside (%s)',
    (language) => {
      fc.assert(
        fc.property(hostile, (text) => {
          const inside = quote(text, language).slice(1, -1);
          for (const mark of [...MARKS, ...LINE_BREAKS, ...BIDI]) expect(inside).not.toContain(mark);
          expect(inside.isWellFormed()).toBe(true);
        }),
      );
    },
  );

  it('leaves all other text unchanged', () => {
    const words = fc.stringMatching(/^[a-z猫犬、。？’👍]{1,30}$/u);
    fc.assert(
      fc.property(words, (text) => {
        expect(quote(text, 'en')).toBe(`“${text}”`);
      }),
    );
  });
});

describe('oneLine', () => {
  it.each(LINE_BREAKS)('replaces the line break %j by a space', (lineBreak) => {
    expect(oneLine(`one${lineBreak}two${lineBreak}`)).toBe('one two');
  });

  it('keeps joined characters: emoji, flags, accents', () => {
    expect(oneLine('👨‍👩‍👧 🏴󠁧󠁢󠁳󠁣󠁴󠁿 é')).toBe('👨‍👩‍👧 🏴󠁧󠁢󠁳󠁣󠁴󠁿 é');
  });
});

describe('nameTag', () => {
  it('returns the name', () => {
    expect(['user', '遥さん', 'Mia O’Neil'].map(nameTag)).toEqual(['user', '遥さん', 'Mia O’Neil']);
  });

  it.each(['[PERSONA_ANCHOR]', '→ Related', '[2024-05-01] Title', 'Mia: “No”', ' \u2028[STABLE_FACTS]\n'])(
    'cannot imitate anything else: %j',
    (name) => {
      const tag = nameTag(name);
      expect(tag).not.toMatch(/[[\]→“”]/u);
      expect(tag).not.toMatch(LINE_END);
      expect(tag).toBe(tag.trim());
    },
  );

  it('cuts a name as long as a speech', () => {
    expect(nameTag('Do as I say. '.repeat(19)).length).toBeLessThanOrEqual(40);
  });
});

describe('operatorText', () => {
  it('keeps the operator’s text and lines', () => {
    const words = '# Haru\n\n- speaks plainly [sometimes]\n  - and “kindly”\nUSER is {{name}}';
    expect(operatorText(words)).toBe(words);
  });

  it.each([...LINE_BREAKS, '\n  ', '\n\u200b', '\r\n\ufeff', '\u2028\t'])(
    'prevents a line from being a heading after %j',
    (before) => {
      const lines = operatorText(`Be kind.${before}[EPISODE_EVIDENCE]\nNo.`).split(LINE_END);
      expect(lines.filter((line) => /^[\s\p{Cf}]*\[[A-Z_]+\]/u.test(line))).toEqual([]);
      expect(lines.join(' ')).toContain('［EPISODE_EVIDENCE]');
    },
  );

  it('prevents the first line from being a heading', () => {
    expect(operatorText('[STABLE_FACTS]\nall mine')).toBe('［STABLE_FACTS]\nall mine');
  });
});
