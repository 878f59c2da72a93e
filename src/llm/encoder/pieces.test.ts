import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { encodePieces, foldText } from './pieces.ts';

const PIECES = [
  '[pad]',
  '[unk]',
  '[cls]',
  '[sep]',
  'cat',
  '##s',
  '食',
  '食べ',
  'た',
  '我',
  '.',
  'コーヒー',
  '9',
];
const ids = new Map(PIECES.map((piece, id) => [piece, id]));
const read = (text: string, limit = 64) => encodePieces(text, ids, limit).map((id) => PIECES[id]);

test.each([
  ['Cats.', ['cat', '##s', '.']],
  ['ＣＡＴ', ['cat']],
  ['cät', ['cat']],
  ['catsx', ['[unk]']],
  ['食べた', ['食べ', 'た']],
  ['食た', ['食', 'た']],
  ['我cat我', ['我', 'cat', '我']],
  ['ｺｰﾋｰ', ['コーヒー']],
  ['龜', ['[unk]']],
  ['9️⃣', ['9', '[unk]']],
  [' \u200b ', []],
])('“%s” is split into %j', (text, pieces) => {
  expect(read(text)).toEqual(['[cls]', ...pieces, '[sep]']);
});

test('voicing marks are not accents', () => {
  expect(foldText('がプ É')).toBe('がプ e');
});

test('any text has at least two pieces and at most the limit, with a mark at each end', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary', maxLength: 200 }),
      fc.integer({ min: 2, max: 20 }),
      (text, limit) => {
        const pieces = read(text, limit);
        expect(pieces.length).toBeLessThanOrEqual(limit);
        expect([pieces[0], pieces.at(-1)]).toEqual(['[cls]', '[sep]']);
      },
    ),
  );
});
