import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { boundaryAtOrBefore, graphemes } from './graphemes.ts';
import { propertyRuns } from '../../test/propertyRuns.ts';

const anyText = fc
  .array(
    fc.constantFrom(
      'a',
      ' ',
      '字',
      'が',
      '\u0301',
      '👨‍👩‍👧',
      '🇯🇵',
      '🇨',
      '👍🏽',
      '\r\n',
      '\u200d',
      '한',
      'ᄒ',
      'ᅡ',
      '❤️',
      'क्षि',
    ),
  )
  .map((parts) => parts.join(''));

function boundariesOf(text: string): number[] {
  const found = Array.from(new Intl.Segmenter('en').segment(text), (segment) => segment.index);
  return [...found, text.length];
}

describe('boundaryAtOrBefore', () => {
  it('does not split families, flags, skin tones and combining marks', () => {
    const family = '👨‍👩‍👧';
    expect(boundaryAtOrBefore(`a${family}`, 5)).toBe(1);
    expect(boundaryAtOrBefore('🇯🇵🇨🇳', 6)).toBe(4);
    expect(boundaryAtOrBefore('👍🏽!', 2)).toBe(0);
    expect(boundaryAtOrBefore('e\u0301a', 1)).toBe(0);
    expect(boundaryAtOrBefore('e\u0301a', 2)).toBe(2);
  });

  it('is the last boundary of the whole text at or before every index', () => {
    fc.assert(
      fc.property(anyText, fc.nat(80), (text, index) => {
        const expected = boundariesOf(text).findLast((boundary) => boundary <= index);
        expect(boundaryAtOrBefore(text, index)).toBe(expected);
      }),
      { numRuns: propertyRuns(500) },
    );
  });
});

describe('graphemes', () => {
  it('join to the text', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect([...graphemes(text)].join('')).toBe(text);
      }),
    );
    expect([...graphemes('が🇯🇵e\u0301')]).toEqual(['が', '🇯🇵', 'e\u0301']);
  });
});
