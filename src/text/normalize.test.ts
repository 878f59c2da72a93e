import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { normalize } from './normalize.ts';

describe('normalize', () => {
  it.each([
    ['Ｏｍｏｉｄｅ　ＭＥＭＯＲＹ', 'omoide memory'],
    ['ｶﾞｷﾞｸﾞ', 'ガギグ'],
    ['か\u3099っこう', 'がっこう'],
    ['  two\n\n words\t', 'two words'],
    ['ＡＢＣ123你好', 'abc123你好'],
    ['J\u030c', 'ǰ'],
    ['', ''],
    ['\u3000 \n', ''],
  ])('%j becomes %j', (text, expected) => {
    expect(normalize(text)).toBe(expected);
  });

  it('replaces lone surrogates and keeps pairs', () => {
    expect(normalize('a\ud800b\udc00')).toBe('a\ufffdb\ufffd');
    expect(normalize('😀')).toBe('😀');
  });

  it('changes nothing the second time', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const once = normalize(text);
        expect(normalize(once)).toBe(once);
        expect(once.isWellFormed()).toBe(true);
        expect(once).not.toMatch(/^\s|\s\s|\s$/);
      }),
      { numRuns: 500 },
    );
  });
});
