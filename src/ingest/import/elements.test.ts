import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { splitElements, type JsonElement } from './elements.ts';

/** The elements of `text` when it arrives in pieces of at most `size` bytes. */
async function split(text: string, size = 7): Promise<JsonElement[]> {
  async function* pieces() {
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  }
  return await Array.fromAsync(splitElements(pieces()));
}

test('returns the elements of the array, however the file is split into pieces', async () => {
  const indents = fc.constantFrom(undefined, 1, '\t');
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.jsonValue()),
      fc.integer({ min: 1, max: 40 }),
      indents,
      async (list, size, indent) => {
        const elements = await split(JSON.stringify(list, null, indent), size);
        expect(elements.map(({ text }) => JSON.parse(text ?? '') as unknown)).toEqual(
          JSON.parse(JSON.stringify(list)),
        );
        expect(elements.every(({ isCutOff }) => !isCutOff)).toBe(true);
      },
    ),
  );
});

test('a truncated file yields its complete elements, and the truncation is reported', async () => {
  const objects = fc.array(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 })), {
    minLength: 1,
    maxLength: 4,
  });
  await fc.assert(
    fc.asyncProperty(objects, fc.double({ min: 0, max: 1, noNaN: true }), async (list, share) => {
      const whole = JSON.stringify(list);
      const elements = await split(whole.slice(0, 1 + Math.floor(share * (whole.length - 2))));
      expect(elements.filter(({ isCutOff }) => isCutOff)).toEqual([elements.at(-1)]);
      const read = elements.slice(0, -1).map(({ text }) => JSON.parse(text ?? '') as unknown);
      expect(read).toEqual((JSON.parse(whole) as unknown[]).slice(0, read.length));
    }),
  );
});

test('counts lines, reads a single object as one element, and ignores brackets in strings', async () => {
  expect(await split('[\n{"a":"]}\\"["},\n\n 5 ,"x"\n]\n')).toEqual([
    { line: 2, text: '{"a":"]}\\"["}', isCutOff: false },
    { line: 4, text: '5 ', isCutOff: false },
    { line: 4, text: '"x"\n', isCutOff: false },
  ]);
  expect(await split('\n {"a":[1,\n2]}\n')).toEqual([{ line: 2, text: '{"a":[1,\n2]}', isCutOff: false }]);
});
