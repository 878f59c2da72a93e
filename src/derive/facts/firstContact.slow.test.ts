/** Compares the facts that rules find in first conversations with facts labelled by hand. */
import { describe, expect, test } from 'vitest';
import { measureFirstContact } from '../../../test/derive/facts/firstContact.ts';

describe.each([
  ['en', 0.5],
  ['ja', 0.5],
  ['zh', 0.5],
] as const)('facts by rules from first conversations in %s', (language, leastRecall) => {
  test('contain what was stated, and no sentence that only resembles a fact', async () => {
    const { found, wrong, misread, listed, missed } = await measureFirstContact(language, null);
    const lines = (things: readonly object[]) =>
      things.map((thing) => Object.values(thing).join(' | ')).join('\n');
    expect.soft(1 - wrong.length / found.length, lines(wrong)).toBeGreaterThanOrEqual(0.95);
    expect.soft(1 - missed.length / listed.length, lines(missed)).toBeGreaterThanOrEqual(leastRecall);
    expect(misread).toEqual([]);
  });
});
