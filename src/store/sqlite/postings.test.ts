import fc from 'fast-check';
import { expect, test } from 'vitest';
import { propertyRuns } from '../../../test/propertyRuns.ts';
import { openTwo } from '../../../test/twoStores.ts';
import { documentTerms } from '../../text/text.ts';
import type { Store } from '../store.ts';
import { add, draft, loop, say, START } from '../../../test/conformance/samples.ts';

const WORDS = ['tea', 'rain', 'moon', 'boat', 'hill', 'lamp'];

/** BM25 of every unit with any of the terms, by the textbook formula. */
async function byTheBook(store: Store, wanted: readonly string[]): Promise<Map<number, number>> {
  const units = await store.units.list({ withArchived: true }, { limit: 5_000 });
  const documents = units.map((unit) => ({ id: unit.id, terms: documentTerms(unit, 'UTC').terms }));
  const averageLength = documents.reduce((sum, { terms }) => sum + terms.length, 0) / documents.length;
  const scores = new Map<number, number>();
  for (const term of wanted) {
    const holding = documents.filter(({ terms }) => terms.includes(term));
    const rarity = (documents.length - holding.length + 0.5) / (holding.length + 0.5);
    for (const { id, terms } of holding) {
      const count = terms.filter((other) => other === term).length;
      const saturation = 1.2 * (0.25 + (0.75 * terms.length) / averageLength);
      const score = (Math.max(1e-6, Math.log(rarity)) * count * 2.2) / (count + saturation);
      scores.set(id, (scores.get(id) ?? 0) + score);
    }
  }
  return scores;
}

async function expectByTheBook(store: Store, wanted: readonly string[]): Promise<void> {
  const found = await store.indexes.text.search(wanted, {}, 5_000);
  const expected = await byTheBook(store, wanted);
  expect(found.map(({ unitId }) => unitId).sort()).toEqual([...expected.keys()].sort());
  for (const { unitId, score } of found) expect(score).toBeCloseTo(expected.get(unitId) ?? 0, 9);
  expect(found.map(({ score }) => score)).toEqual(found.map(({ score }) => score).sort((x, y) => y - x));
}

const sentence = fc
  .array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 12 })
  .map((words) => words.join(' '));
const step = fc.oneof(
  fc.record({ type: fc.constant('say' as const), by: fc.nat(1), text: sentence }),
  fc.record({ type: fc.constant('note' as const), by: fc.nat(1), text: sentence }),
  fc.record({ type: fc.constant('reword' as const), by: fc.nat(1), which: fc.nat(20), text: sentence }),
  fc.record({ type: fc.constant('rebuild' as const), by: fc.nat(1) }),
  fc.record({
    type: fc.constant('search' as const),
    by: fc.nat(1),
    words: fc.subarray(WORDS, { minLength: 1 }),
  }),
);

test('the lists in memory give the same ranking as BM25, after additions and changes by any process', async () => {
  expect.hasAssertions();
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
      const stores = openTwo();
      const loops: number[] = [];
      for (const one of steps) {
        const store = stores[one.by]!;
        if (one.type === 'say') await say(store, one.text);
        else if (one.type === 'note') {
          const [unit] = await store.units.save([add({ content: loop(one.text) })]);
          loops.push(unit!.id);
        } else if (one.type === 'reword' && loops.length > 0) {
          const unitId = loops[one.which % loops.length]!;
          await store.units.save([
            {
              type: 'update',
              unitId,
              set: {
                content: {
                  kind: 'loop',
                  payload: { text: one.text, dueAt: null, status: 'open', evidence: [] },
                },
              },
              reason: 'test',
            },
          ]);
        } else if (one.type === 'rebuild') {
          await store.admin.rebuild('indexes', { jobKinds: [], now: START, dropVectors: false });
        } else if (one.type === 'search') await expectByTheBook(store, one.words);
      }
      for (const store of stores) await expectByTheBook(store, WORDS);
    }),
    { numRuns: propertyRuns(100) },
  );
});

test('units added one by one, beyond the limit of recent units, are found with their current text', async () => {
  const stores = openTwo();
  const [one, other] = stores;
  const [note] = await one.units.save([add({ content: loop('tea and rain') })]);
  for (let i = 0; i < 460; i++) {
    await say(stores[i % 2]!, i % 5 === 0 ? 'boat on the hill, tea' : 'moon lamp lamp');
    if (i % 50 === 0) for (const store of stores) await store.indexes.text.search(WORDS, {}, 10);
    if (i !== 300) continue;
    const content = {
      kind: 'loop' as const,
      payload: { text: 'lamp boat', dueAt: null, status: 'open' as const, evidence: [] },
    };
    await other.units.save([{ type: 'update', unitId: note!.id, set: { content }, reason: 'test' }]);
  }
  for (const store of stores) {
    await expectByTheBook(store, WORDS);
    expect(await store.indexes.text.search(['rain'], {}, 10)).toEqual([]);
  }
});

test('many turns added at once, beyond the limit of recent units, are all found', async () => {
  const [one, other] = openTwo();
  await say(one, 'tea by the hill');
  expect(await other.indexes.text.search(['tea'], {}, 10)).toHaveLength(1);
  await one.evidence.append(
    Array.from({ length: 900 }, (_, i) => draft(i % 9 === 0 ? 'tea in the rain' : `boat ${i}`)),
  );
  for (const store of [one, other]) {
    expect(await store.indexes.text.search(['tea'], {}, 500)).toHaveLength(101);
    await expectByTheBook(store, ['tea', 'boat']);
  }
});

test('words of a rolled-back transaction are not found', async () => {
  const [store] = openTwo();
  await say(store, 'tea');
  expect(await store.indexes.text.search(['tea'], {}, 10)).toHaveLength(1);
  const twice = [draft('tea again', { turnIndex: 5 }), draft('rain', { turnIndex: 5 })];
  await expect(store.evidence.append(twice)).rejects.toMatchObject({ code: 'TURN_CONFLICT' });
  expect(await store.indexes.text.search(['tea'], {}, 10)).toHaveLength(1);
  await say(store, 'moon over the hill');
  expect(await store.indexes.text.search(['moon'], {}, 10)).toHaveLength(1);
  expect(await store.indexes.text.search(['again'], {}, 10)).toEqual([]);
});
