import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { displayWidth, padEnd, wrapText } from './display.ts';
import { propertyRuns } from '../../test/propertyRuns.ts';

describe('displayWidth', () => {
  it.each([
    ['', 0],
    ['omoide', 6],
    ['思い出', 6],
    ['ｶﾅ', 2],
    ['カナ', 4],
    ['한국', 4],
    ['「、」', 6],
    ['Ａ１', 4],
    ['e\u0301', 1],
    ['が', 2],
    ['か\u3099', 2],
    ['👍🏽', 2],
    ['👨‍👩‍👧', 2],
    ['🇯🇵', 2],
    ['❤️', 2],
    ['✓ ─ …', 5],
    ['\u200b', 0],
    ['\u001b[1m\u001b[36m寿司\u001b[0m', 4],
  ])('of %j is %i', (text, width) => {
    expect(displayWidth(text)).toBe(width);
  });
});

describe('padEnd', () => {
  it('pads to the width and never cuts', () => {
    expect(padEnd('思い出', 8)).toBe('思い出  ');
    expect(padEnd('思い出', 4)).toBe('思い出');
  });
});

describe('wrapText', () => {
  it.each([
    ['the quick brown fox', 10, ['the quick', 'brown fox']],
    ['the quick  brown', 9, ['the quick', 'brown']],
    ['今日は水族館に行きました。', 10, ['今日は水族', '館に行きま', 'した。']],
    ['水族館へ行った。', 14, ['水族館へ行っ', 'た。']],
    ['すごい！', 6, ['すご', 'い！']],
    ['「はい」と「いいえ」', 8, ['「はい」', 'と「いい', 'え」']],
    ['abcdefghij', 4, ['abcd', 'efgh', 'ij']],
    ['one\ntwo\r\n\nthree', 20, ['one', 'two', '', 'three']],
    ['', 5, ['']],
  ])('%j within %i', (text, width, lines) => {
    expect(wrapText(text, width)).toEqual(lines);
  });

  it('keeps every visible character in order, within the width', () => {
    const parts = fc.constantFrom(
      'word',
      ' ',
      '字',
      'あ',
      '。',
      '「',
      '」',
      '(',
      ')',
      'e\u0301',
      '👨‍👩‍👧',
      '\n',
      'a-b',
      '!',
      'ー',
      '\u0301',
    );
    fc.assert(
      fc.property(
        fc.array(parts).map((pieces) => pieces.join('')),
        fc.integer({ min: 2, max: 20 }),
        (text, width) => {
          const lines = wrapText(text, width);
          expect(lines.join('').replaceAll(/\s/g, '')).toBe(text.replaceAll(/\s/g, ''));
          for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(width);
        },
      ),
      { numRuns: propertyRuns(1000) },
    );
  });
});
