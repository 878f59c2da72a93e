import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openTwo } from '../../../test/twoStores.ts';
import { DAY_MS } from '../../model/model.ts';
import type { Store, UnitFilter } from '../store.ts';
import { add, draft, fact, loop, START } from '../../../test/conformance/samples.ts';

const day = fc.integer({ min: 0, max: 9 }).map((days) => START + days * DAY_MS);
const filter: fc.Arbitrary<UnitFilter> = fc.record(
  {
    kinds: fc.subarray(['episode', 'fact', 'loop'] as const),
    maxSensitivity: fc.constantFrom('normal' as const, 'private' as const, 'secret' as const),
    scope: fc.constantFrom('global' as const, 'project' as const),
    conversationId: fc.constantFrom('c1', 'c2'),
    from: day,
    to: day,
    asOf: day,
    aliveAt: day,
    validAt: day,
    beforeTurnId: fc.integer({ min: 1, max: 12 }),
    withArchived: fc.boolean(),
    states: fc.subarray(['raw', 'validated', 'archived'] as const),
    pinned: fc.boolean(),
    exceptUnitIds: fc.array(fc.integer({ min: 1, max: 12 }), { maxLength: 4 }),
  },
  { requiredKeys: [] },
);
const sensitivity = fc.constantFrom('normal' as const, 'private' as const, 'secret' as const);
const by = fc.nat(1);
const step = fc.oneof(
  fc.record({
    type: fc.constant('say' as const),
    by,
    turn: fc.record({
      conversationId: fc.constantFrom('c1', 'c2'),
      occurredAt: day,
      sensitivity,
      scope: fc.constantFrom('global' as const, 'project' as const),
    }),
  }),
  fc.record({ type: fc.constant('loop' as const), by, expiresAt: fc.option(day), sensitivity }),
  fc.record({ type: fc.constant('fact' as const), by, validTo: fc.option(day) }),
  fc.record({
    type: fc.constant('change' as const),
    by,
    which: fc.nat(30),
    set: fc.record(
      {
        state: fc.constantFrom('raw' as const, 'archived' as const),
        sensitivity,
        pinned: fc.boolean(),
        expiresAt: fc.option(day),
        reinforcement: fc.nat(9),
      },
      { requiredKeys: [] },
    ),
  }),
  fc.record({ type: fc.constant('restore' as const), by, which: fc.nat(30) }),
  fc.record({ type: fc.constant('rebuild' as const), by }),
  fc.record({ type: fc.constant('look' as const), by, filter }),
);

test('what is kept in memory tells of units as the table does, whoever changed them', async () => {
  expect.hasAssertions();
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 40 }), filter, async (steps, last) => {
      const stores = openTwo();
      const ids: number[] = [];
      const look = async (store: Store, asked: UnitFilter) => {
        const units = await store.units.list(asked, { limit: 1_000 });
        const listed = new Set(units.map(({ id }) => id));
        const passing = await store.units.filter([...ids, 9_999], asked);
        expect(passing).toEqual(ids.filter((id) => listed.has(id)));
      };
      for (const one of steps) {
        const store = stores[one.by]!;
        const unitId = 'which' in one ? ids[one.which % Math.max(1, ids.length)] : undefined;
        if (one.type === 'say') {
          const [turn] = await store.evidence.append([draft('x', one.turn)]);
          ids.push(turn!.unitId);
        } else if (one.type === 'loop') {
          const { expiresAt } = one;
          const [unit] = await store.units.save([
            add({ content: loop('x'), expiresAt, sensitivity: one.sensitivity }),
          ]);
          ids.push(unit!.id);
        } else if (one.type === 'fact') {
          const { kind, payload } = fact('a', 'b', 'c') as { kind: 'fact'; payload: object };
          const content = { kind, payload: { ...payload, validTo: one.validTo } };
          const [unit] = await store.units.save([add({ content } as Parameters<typeof add>[0])]);
          ids.push(unit!.id);
        } else if (one.type === 'change' && unitId !== undefined)
          await store.units.save([{ type: 'update', unitId, set: one.set, reason: 'test' }]);
        else if (one.type === 'restore' && unitId !== undefined)
          await store.units.save([{ type: 'restore', unitId, version: 1, reason: 'test' }]);
        else if (one.type === 'rebuild')
          await store.admin.rebuild('units', { jobKinds: [], now: START, dropVectors: false });
        else if (one.type === 'look') await look(store, one.filter);
      }
      const middle = START + 4 * DAY_MS;
      const asked = [{}, { validAt: middle }, { aliveAt: middle }, { from: middle }, last];
      for (const store of stores) for (const each of asked) await look(store, each);
    }),
    { numRuns: 80 },
  );
});
