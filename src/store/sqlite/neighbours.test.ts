import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openTwo } from '../../../test/twoStores.ts';
import type { Store } from '../store.ts';
import { add, draft, loop, START } from '../../../test/conformance/samples.ts';

/** The turns told, by conversation and place. */
type Told = Map<string, Map<number, number>>;

/** The units next to every one of the memory, from what was told. */
function expectedOf(told: Told, unitIds: readonly number[]) {
  return unitIds.map((unitId) => {
    for (const places of told.values()) {
      const inOrder = [...places].sort(([a], [b]) => a - b).map(([, id]) => id);
      const at = inOrder.indexOf(unitId);
      if (at >= 0)
        return {
          unitId,
          before: inOrder.slice(Math.max(0, at - 1), at),
          after: inOrder.slice(at + 1, at + 2),
          linked: [],
        };
    }
    return { unitId, before: [], after: [], linked: [] };
  });
}

const step = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      type: fc.constant('say' as const),
      by: fc.nat(1),
      conversation: fc.constantFrom('a', 'b'),
      // Places with room between them, and no order in which they are taken.
      turnIndex: fc.nat(200),
    }),
  },
  fc.record({ type: fc.constant('note' as const), by: fc.nat(1) }),
  fc.record({ type: fc.constant('rebuild' as const), by: fc.nat(1) }),
  { weight: 5, arbitrary: fc.record({ type: fc.constant('look' as const), by: fc.nat(1) }) },
);

test('neighbours are those of the moment, whichever store added what in between', async () => {
  expect.hasAssertions();
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 60 }), async (steps) => {
      const stores = openTwo();
      const told: Told = new Map();
      const unitIds: number[] = [];
      const look = async (store: Store) =>
        expect(await store.units.neighbours([...unitIds, 9_999], { before: 1, after: 1 })).toEqual(
          expectedOf(told, unitIds),
        );
      for (const one of steps) {
        const store = stores[one.by]!;
        if (one.type === 'say') {
          const { conversation: conversationId, turnIndex } = one;
          const places = told.get(conversationId) ?? new Map<number, number>();
          if (places.has(turnIndex)) continue;
          const [turn] = await store.evidence.append([draft('x', { conversationId, turnIndex })]);
          told.set(conversationId, places.set(turnIndex, turn!.unitId));
          unitIds.push(turn!.unitId);
        } else if (one.type === 'note') {
          const [unit] = await store.units.save([add({ content: loop('x') })]);
          unitIds.push(unit!.id);
        } else if (one.type === 'rebuild') {
          await store.admin.rebuild('units', { jobKinds: [], now: START, dropVectors: false });
        } else await look(store);
      }
      for (const store of stores) await look(store);
    }),
    { numRuns: 40 },
  );
});

test('many turns at once, more than are followed one by one, stand where they belong', async () => {
  const [one, other] = openTwo();
  const said = await one.evidence.append([0, 2_000].map((turnIndex) => draft('x', { turnIndex })));
  const [first, last] = said.map(({ unitId }) => unitId) as [number, number];
  const next = (store: Store) => store.units.neighbours([first, last], { before: 1, after: 1 });
  for (const store of [one, other])
    expect(await next(store)).toMatchObject([{ after: [last] }, { before: [first] }]);
  const between = await one.evidence.append(
    Array.from({ length: 900 }, (_, i) => draft('x', { turnIndex: i + 1 })),
  );
  const [lowest, highest] = [between[0]!.unitId, between.at(-1)!.unitId];
  for (const store of [one, other])
    expect(await next(store)).toMatchObject([{ after: [lowest] }, { before: [highest] }]);
});
