import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TermDigest } from './termDigest.ts';

const counts = fc.dictionary(fc.string({ minLength: 1, maxLength: 20 }), fc.integer({ min: 1, max: 9 }));

test('counting units one by one gives the same digest as their numbers, in any order', () => {
  fc.assert(
    fc.property(counts, (terms) => {
      const single = new TermDigest();
      for (const [term, documents] of Object.entries(terms)) {
        for (let i = 0; i < documents; i++) single.add(term);
      }
      const counted = new TermDigest(single);
      for (const [term, documents] of Object.entries(terms).reverse()) counted.add(term, documents);
      expect(single.differing(counted)).toEqual([]);
    }),
  );
});

test.each(Array.from({ length: 52 }, (_, bit) => [bit]))(
  'finds the bucket of a term when bit %i of its number is changed',
  (bit) => {
    const expected = new TermDigest();
    const stored = new TermDigest(expected);
    for (const term of ['heron', 'lake', 'reed']) {
      expected.add(term);
      stored.add(term, term === 'lake' && bit > 0 ? 1 + 2 ** bit : term === 'lake' ? 0 : 1);
    }
    expect(expected.differing(stored)).toEqual([expected.bucketOf('lake')]);
  },
);

test('finds a missing term and a term too many', () => {
  const expected = new TermDigest();
  const stored = new TermDigest(expected);
  expected.add('heron');
  stored.add('lake');
  expect(expected.differing(stored)).toEqual(
    [expected.bucketOf('heron'), expected.bucketOf('lake')].sort((a, b) => a - b),
  );
});
