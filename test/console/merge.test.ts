import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { mergeTexts } from '../../console/src/pages/notes/merge.ts';

const BASE = '# Preferences\n\n- Tea.\n\n- Trains.\n';

describe('merging', () => {
  test('takes the changes that each side made in different places', () => {
    const ours = BASE.replace('Trains', 'Night trains');
    const theirs = BASE.replace('Tea', 'Green tea');
    expect(mergeTexts(BASE, ours, theirs)).toBe(theirs.replace('Trains', 'Night trains'));
  });

  test('keeps both lines where both sides changed the same line', () => {
    const merged = mergeTexts(BASE, BASE.replace('Tea', 'Coffee'), BASE.replace('Tea', 'Water'));
    expect(merged).toBe('# Preferences\n\n- Water.\n- Coffee.\n\n- Trains.\n');
  });

  test('removes a line that one side removed', () => {
    expect(mergeTexts(BASE, BASE.replace('- Tea.\n', ''), `${BASE}- Boats.\n`)).toBe(
      '# Preferences\n\n\n- Trains.\n- Boats.\n',
    );
  });

  const text = fc
    .array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 6 })
    .map((lines) => lines.join('\n'));
  test('keeps changes that only one side made', () => {
    fc.assert(
      fc.property(text, text, (base, other) => {
        expect(mergeTexts(base, other, base)).toBe(other);
        expect(mergeTexts(base, base, other)).toBe(other);
        expect(mergeTexts(base, other, other)).toBe(other);
      }),
    );
  });

  test('loses no line that either side added', () => {
    fc.assert(
      fc.property(text, text, text, (base, ours, theirs) => {
        const merged = mergeTexts(base, ours, theirs).split('\n');
        const known = base.split('\n');
        const added = [...ours.split('\n'), ...theirs.split('\n')].filter((line) => !known.includes(line));
        expect(added.filter((line) => !merged.includes(line))).toEqual([]);
      }),
    );
  });
});
