/**
 * Text made to be slow: repeated pieces that patterns begin to match, up to the maximum length. A function that takes
 * quadratic time does not finish within the time limit of a test.
 */
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { openMemory, type Memory } from '../src/engine/engine.ts';
import { findReferences } from '../src/text/text.ts';
import { temporaryFolder } from './temporary.ts';

const PIECES =
  ` a A 1 0 - / : . … 、 。 ? ( 「 」 " “ 🙂 the that time you said last Monday half past and 10: 1/1/
  その あの時の 昨日の 前に 来週の 3月 言ってた の あれ 年 那个 上次 他她它 那时候的 第一 二十 千 說 去年`
    .split(/\s+/)
    .flatMap((piece) => [piece, `${piece} `])
    .concat('\n', '\u3000');
/** A few pieces repeated; numbered pieces never repeat. */
const slowText = (length: number) =>
  fc
    .record({
      before: fc.constantFrom(...PIECES),
      pieces: fc.array(fc.constantFrom(...PIECES.filter(Boolean)), { minLength: 1, maxLength: 3 }),
      isNumbered: fc.boolean(),
    })
    .map(({ before, pieces, isNumbered }) => {
      const piece = pieces.join('');
      const count = Math.ceil(length / (piece.length + (isNumbered ? 5 : 0)));
      const repeated = Array.from({ length: count }, (_, i) => (isNumbered ? `${piece}${i}` : piece));
      return (before + repeated.join('')).slice(0, length);
    });

test.each(['他她它', '前に'])('finds references in “%s”, repeated to 400,000 characters', (piece) => {
  const utterance = piece.repeat(400_000 / piece.length);
  expect(findReferences(utterance, [{ speaker: 'user', text: utterance.slice(0, 10_000) }])).not.toEqual([]);
});

test('finds references in hostile text in linear time', () => {
  fc.assert(
    fc.property(slowText(100_000), (utterance) => {
      const found = findReferences(utterance, [{ speaker: 'user', text: utterance.slice(0, 10_000) }]);
      expect(found.every(({ surface }) => utterance.includes(surface))).toBe(true);
    }),
    { numRuns: 20 },
  );
});

test('recalls and explores with hostile text in linear time', async () => {
  const memory = await open();
  await fc.assert(
    fc.asyncProperty(slowText(10_000), async (text) => {
      fc.pre(text.slice(0, 1_000).trim() !== '');
      const { metadata } = await memory.recall(text, { context: [{ speaker: 'user', text }] });
      expect(metadata.mode).toBe('fast');
      await memory.explore({ text });
      await memory.explore({ keywords: text.slice(0, 1_000) });
    }),
    { numRuns: 10 },
  );
});

async function open(): Promise<Memory> {
  const memory = await openMemory({
    dataDir: temporaryFolder(),
    embedder: null,
    worker: false,
    learn: false,
  });
  onTestFinished(() => memory.close());
  await memory.add([
    { conversationId: 'c1', speaker: 'user', text: 'The suspension bridge swayed. 那須塩原の吊り橋' },
    { conversationId: 'c1', speaker: 'ai', text: '去年我们去了四姑娘山。' },
  ]);
  return memory;
}
