import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { splitPassages } from './passages.ts';

const parts = (text: string) => splitPassages(text).map(({ from, to }) => text.slice(from, to));

it('keeps a short text whole', () => {
  expect(parts('I moved to Oslo in May.')).toEqual(['I moved to Oslo in May.']);
  expect(parts('')).toEqual(['']);
});

it.each([
  ['en', 'The bridge was swaying in the wind and we were all afraid of it. ', 420, 560],
  ['ja', '吊り橋は風に揺れていて、みんなとても怖がっていました。', 120, 165],
  ['zh', '那座吊桥在风里摇晃得很厉害，我们所有人都很害怕。', 120, 165],
])('splits at the ends of sentences (%s)', (_, sentence, least, max) => {
  const passages = parts(sentence.repeat(40));
  expect(passages.length).toBeGreaterThan(4);
  for (const passage of passages) {
    expect(passage.length % sentence.length).toBe(0);
    expect(passage.length).toBeLessThanOrEqual(max + sentence.length);
  }
  for (const passage of passages.slice(0, -1)) expect(passage.length).toBeGreaterThanOrEqual(least);
});

it('splits a very long sentence between characters', () => {
  const passages = parts('👨‍👩‍👧'.repeat(400));
  expect(passages.length).toBeGreaterThan(1);
  for (const passage of passages) expect(passage.startsWith('👨')).toBe(true);
});

it('returns passages that join to the text, none of them empty', () => {
  const piece = fc.oneof(
    fc.string(),
    fc.constantFrom('Yes. ', 'はい。', '\n', 'a'.repeat(700), '好的！', '「そう。」と'),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 120 }), (pieces) => {
      const text = pieces.join('');
      const passages = parts(text);
      expect(passages.join('')).toBe(text);
      expect(passages.filter((passage) => passage === '')).toHaveLength(text === '' ? 1 : 0);
    }),
  );
});
