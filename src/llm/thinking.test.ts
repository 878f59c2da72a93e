import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createThinkingFilter, withoutThinking } from './thinking.ts';

test.each([
  ['plain', 'こんにちは', 'こんにちは'],
  ['removes reasoning at the beginning', '<think>hm\n</think>\n\n你好', '你好'],
  ['removes reasoning without its opening tag', 'hm, well</think>Hello', 'Hello'],
  ['returns nothing for reasoning alone', '\n<think>hm, and then', ''],
  ['keeps a tag in the middle', 'The tag <think> opens it.', 'The tag <think> opens it.'],
])('%s', (_what, reply, answer) => {
  expect(withoutThinking(reply)).toBe(answer);
});

test('a filter gives the same result however the reply is split', () => {
  const replies = fc.constantFrom(
    '<think>why?</think>\nだから',
    '<think></think>ok',
    '<think>endless',
    '<thi',
    ' <b>bold</b>',
    'just so',
  );
  fc.assert(
    fc.property(replies, fc.array(fc.nat(20)), (reply, cuts) => {
      const filter = createThinkingFilter();
      const places = [0, ...cuts.map((cut) => Math.min(cut, reply.length)), reply.length].sort(
        (a, b) => a - b,
      );
      const pieces = places.slice(1).map((place, i) => reply.slice(places[i], place));
      const shown = pieces.map((piece) => filter.push(piece)).join('') + filter.end();
      expect(shown).toBe(withoutThinking(reply));
    }),
  );
});

test('a filter holds back no more than necessary', () => {
  const filter = createThinkingFilter();
  expect(['Hel', 'lo'].map((piece) => filter.push(piece))).toEqual(['Hel', 'lo']);
});
