import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { countLines, mergeLines, splitLines } from './lines.ts';
import { propertyRuns } from '../../../test/propertyRuns.ts';

const lines = fc.array(fc.constantFrom('a\n', 'b\n', 'c\n', '- 好み\n', '\n', 'd\r\n', 'e'), {
  maxLength: 12,
});
const text = lines.map((all) =>
  all.map((line, i) => (i < all.length - 1 && !line.endsWith('\n') ? `${line}\n` : line)).join(''),
);

/** Lines put somewhere into a text; they occur nowhere else. */
function insert(base: string, added: readonly string[], at: number): string {
  const all = splitLines(base.endsWith('\n') || base === '' ? base : `${base}\n`);
  const place = at % (all.length + 1);
  return [...all.slice(0, place), ...added, ...all.slice(place)].join('');
}

const additions = (who: string) =>
  fc.nat({ max: 4 }).map((count) => Array.from({ length: count }, (_, i) => `${who} ${i}\n`));

describe('merging two versions of a text', () => {
  test('the lines of a text join to the text', () => {
    fc.assert(
      fc.property(text, (all) => {
        expect(splitLines(all).join('')).toBe(all);
      }),
    );
  });

  test('where only one side changed something, its text is used', () => {
    fc.assert(
      fc.property(text, text, (base, other) => {
        expect(mergeLines(base, other, base)).toBe(other);
        expect(mergeLines(base, base, other)).toBe(other);
      }),
    );
  });

  test('no line added by either side is lost or duplicated', () => {
    fc.assert(
      fc.property(
        text,
        additions('ours'),
        additions('theirs'),
        fc.nat(),
        fc.nat(),
        (base, ours, theirs, i, j) => {
          const merged = mergeLines(base, insert(base, ours, i), insert(base, theirs, j));
          const expected = new Map(countLines(base));
          for (const line of [...ours, ...theirs]) expected.set(line.trim(), 1);
          expect(countLines(merged)).toEqual(expected);
        },
      ),
      { numRuns: propertyRuns(1_000) },
    );
  });

  test('when both changed a line, both versions are kept; a line removed by one side is removed', () => {
    expect(mergeLines('a\nb\nc\n', 'a\nb1\nc\n', 'a\nb2\nc\n')).toBe('a\nb1\nb2\nc\n');
    expect(mergeLines('a\nb\nc\n', 'a\nc\n', 'a\nb\nc\nd\n')).toBe('a\nc\nd\n');
  });

  test('a line added by both sides occurs once', () => {
    expect(mergeLines('a\n', 'a\nx\ny\n', 'a\ny\nz\n')).toBe('a\nx\ny\nz\n');
  });

  test('a last line without line ending gets one when something follows', () => {
    expect(mergeLines('a', 'a\nours', 'a\ntheirs')).toBe('a\nours\ntheirs');
  });

  test('texts that have nothing in common are both kept', () => {
    const many = (who: string) => Array.from({ length: 3_000 }, (_, i) => `${who} ${i}\n`).join('');
    expect(mergeLines('', many('a'), many('b'))).toBe(many('a') + many('b'));
  });
});
