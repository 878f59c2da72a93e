import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeUtf8, holdsInvalidBytes } from './bytes.ts';

test('valid UTF-8 is decoded unchanged', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(decodeUtf8(Buffer.from(text))).toBe(text);
      expect(holdsInvalidBytes(text)).toBe(false);
    }),
  );
});

test('no byte is lost: an invalid byte becomes U+DC00 + byte, and is found', () => {
  fc.assert(
    fc.property(fc.uint8Array(), (array) => {
      const bytes = Buffer.from(array);
      const text = decodeUtf8(bytes);
      const back = Array.from(text, (character) => {
        const code = character.charCodeAt(0);
        return code >= 0xdc80 && code <= 0xdcff && character.length === 1
          ? Buffer.of(code - 0xdc00)
          : Buffer.from(character);
      });
      expect(Buffer.concat(back)).toEqual(bytes);
      expect(holdsInvalidBytes(text)).toBe(bytes.toString('utf8') !== text);
    }),
  );
  expect(decodeUtf8(Buffer.of(0x61, 0xe3, 0x81, 0x62))).toBe('a\uDCE3\uDC81b');
});
