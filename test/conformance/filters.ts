import { describe, expect, test } from 'vitest';
import { DAY_MS, factPayload } from '../../src/model/model.ts';
import type { Store, UnitFilter, UnitPage } from '../../src/store/store.ts';
import type { OpenStore } from './storeUnderTest.ts';
import {
  add,
  atAngle,
  draft,
  fact,
  find,
  loop,
  mention,
  note,
  openMemory,
  person,
  saveOne,
  START,
} from './samples.ts';

/** A memory of eight units that all contain “tea” and all have a vector; by id: */
async function fill(store: Store, setNow: (now: number) => void): Promise<void> {
  await store.evidence.append([
    draft('tea 1', { conversationId: 'a', occurredAt: START - 3 * DAY_MS }),
    draft('tea 2', { conversationId: 'a', occurredAt: START - 2 * DAY_MS, sensitivity: 'private' }),
    draft('tea 3', {
      conversationId: 'b',
      occurredAt: START - DAY_MS,
      sensitivity: 'secret',
      scope: 'project',
    }),
    draft('tea 4', { conversationId: 'b', occurredAt: START - DAY_MS + 1 }),
  ]);
  await store.units.save([
    add({
      occurredAt: START - DAY_MS,
      expiresAt: START + 10,
      state: 'consolidated',
      source: 'extract_loops:rules',
      topicTags: ['旅'],
      content: loop('tea 5'),
    }), // 5
    add({
      occurredAt: START,
      scope: 'project',
      pinned: true,
      topicTags: ['', 'aa'],
      content: note('tea 6', 'user/a.md'),
    }), // 6
    add({ occurredAt: START, topicTags: ['aa', '旅', 'a"b,\\c'], content: note('tea 7', 'user/b.md') }), // 7
    add({ occurredAt: START - 2 * DAY_MS, content: fact('user', 'likes', 'tea 8') }), // 8
  ]);
  await store.indexes.vectors.upsert(
    'm',
    [1, 2, 3, 4, 5, 6, 7, 8].map((unitId) => ({ unitId, vector: atAngle(unitId * 10) })),
  );
  for (const unitId of [1, 3]) await mention(store, unitId, person('Ann'));
  setNow(START + 100);
  await saveOne(store, { type: 'update', unitId: 8, set: { state: 'archived' }, reason: 'old' });
  setNow(START + 200);
  await saveOne(store, {
    type: 'update',
    unitId: 8,
    set: { pinned: true },
    reason: 'touched while archived',
  });
}

const EVERYTHING: UnitFilter = { maxSensitivity: 'secret', withArchived: true };

const CASES: [what: string, filter: UnitFilter, unitIds: number[]][] = [
  ['nothing: neither secret nor archived units', {}, [1, 2, 4, 5, 6, 7]],
  ['everything', EVERYTHING, [1, 2, 3, 4, 5, 6, 7, 8]],
  ['a kind', { kinds: ['loop'] }, [5]],
  ['kinds', { kinds: ['note', 'episode', 'note'] }, [1, 2, 4, 6, 7]],
  ['no kind at all', { kinds: [] }, []],
  ['sensitivity: normal', { maxSensitivity: 'normal' }, [1, 4, 5, 6, 7]],
  ['sensitivity: secret', { maxSensitivity: 'secret' }, [1, 2, 3, 4, 5, 6, 7]],
  ['scope', { ...EVERYTHING, scope: 'project' }, [3, 6]],
  ['conversation', { ...EVERYTHING, conversationId: 'b' }, [3, 4]],
  ['an unknown conversation', { conversationId: 'c' }, []],
  ['from, inclusive', { from: START - DAY_MS }, [4, 5, 6, 7]],
  ['to, exclusive', { to: START - DAY_MS }, [1, 2]],
  ['a span of time', { ...EVERYTHING, from: START - 2 * DAY_MS, to: START - DAY_MS + 1 }, [2, 3, 5, 8]],
  ['an empty span', { from: START, to: START }, []],
  ['asOf: before it was archived', { asOf: START + 99 }, [1, 2, 4, 5, 6, 7, 8]],
  ['asOf: when it was archived', { asOf: START + 100 }, [1, 2, 4, 5, 6, 7]],
  ['asOf: archived and then changed', { asOf: START + 150 }, [1, 2, 4, 5, 6, 7]],
  ['asOf: without later units', { asOf: START - DAY_MS }, [1, 2, 5, 8]],
  ['asOf, with archived units', { ...EVERYTHING, asOf: START + 150 }, [1, 2, 3, 4, 5, 6, 7, 8]],
  ['alive: before it expires', { aliveAt: START + 9 }, [1, 2, 4, 5, 6, 7]],
  ['alive: when it expires', { aliveAt: START + 10 }, [1, 2, 4, 6, 7]],
  ['before a turn', { ...EVERYTHING, beforeTurnId: 3 }, [1, 2]],
  ['a note’s file', { uri: 'user/a.md' }, [6]],
  [
    'all conditions together',
    {
      ...EVERYTHING,
      kinds: ['episode'],
      scope: 'global',
      conversationId: 'a',
      from: 0,
      to: START,
      asOf: START,
      aliveAt: START,
      beforeTurnId: 2,
    },
    [1],
  ],
  ['conditions that no unit meets', { kinds: ['loop'], conversationId: 'a' }, []],
  ['states', { ...EVERYTHING, states: ['raw', 'consolidated'] }, [1, 2, 3, 4, 5]],
  ['states: with archived units when named', { states: ['archived', 'consolidated'] }, [5, 8]],
  ['states: without archived units by default', { ...EVERYTHING, states: ['validated'] }, [6, 7]],
  ['no state at all', { states: [] }, []],
  ['states, as they are now', { asOf: START + 99, states: ['validated'] }, [6, 7]],
  ['pinned', { ...EVERYTHING, pinned: true }, [6, 8]],
  ['not pinned', { pinned: false }, [1, 2, 4, 5, 7]],
  ['source', { source: 'extract_loops:rules' }, [5]],
  ['an unknown source', { source: 'extract_loops' }, []],
  ['entity', { ...EVERYTHING, entityId: 1 }, [1, 3]],
  ['entity, with other conditions', { entityId: 1 }, [1]],
  ['an unknown entity', { entityId: 9 }, []],
  ['topic tag', { topicTag: '旅' }, [5, 7]],
  ['topic tag with signs', { topicTag: 'a"b,\\c' }, [7]],
  ['a part of a topic tag', { topicTag: 'a' }, []],
  ['text across two topic tags', { topicTag: ',' }, []],
  ['the empty topic tag', { topicTag: '' }, [6]],
  ['units left out', { exceptUnitIds: [1, 6, 99, 6] }, [2, 4, 5, 7]],
  ['no units left out', { exceptUnitIds: [] }, [1, 2, 4, 5, 6, 7]],
  ['all units left out', { ...EVERYTHING, exceptUnitIds: [1, 2, 3, 4, 5, 6, 7, 8] }, []],
  [
    'many at once',
    { ...EVERYTHING, states: ['validated'], pinned: false, topicTag: '旅', exceptUnitIds: [1] },
    [7],
  ],
];

export function describeFilters(open: OpenStore): void {
  describe('a filter by', () => {
    test.each(CASES)('%s', async (_what, filter, expected) => {
      const { store, clock } = await openMemory(open);
      await fill(store, (now) => (clock.now = now));
      const all = [1, 2, 3, 4, 5, 6, 7, 8];
      const listed = await store.units.list(filter, { limit: 100 });
      expect(listed.map((unit) => unit.id).toSorted((a, b) => a - b)).toEqual(expected);
      expect(await store.units.filter([8, 99, ...all, 1], filter)).toEqual(
        [8, ...all, 1].filter((id) => expected.includes(id)),
      );
      expect((await find(store, 'tea', filter)).toSorted((a, b) => a - b)).toEqual(expected);
      const near = await store.indexes.vectors.query(atAngle(0), filter, 100);
      expect(near.map((hit) => hit.unitId)).toEqual(expected);
    });
  });

  test('a filter by validity leaves out facts that do not hold, as known at the given time', async () => {
    const { store, clock } = await openMemory(open);
    await store.evidence.append([draft('tea 1')]);
    const valid = (object: string, validFrom: number | null, validTo: number | null) => ({
      kind: 'fact' as const,
      payload: factPayload.parse({ subject: 'user', predicate: 'drinks', object, validFrom, validTo }),
    });
    const [, second] = await store.units.save([
      add({ occurredAt: START, content: valid('tea 2', START, START + 10) }),
      add({ occurredAt: START, content: valid('tea 3', null, null) }),
      add({ occurredAt: START, content: valid('tea 4', START + 10, null) }),
    ]);
    clock.now = START + 20;
    const content = valid('tea 3', null, START + 5);
    await saveOne(store, { type: 'update', unitId: second!.id, set: { content }, reason: 'over' });
    const passing = (filter: UnitFilter) => store.units.filter([1, 2, 3, 4], filter);
    expect(await passing({})).toEqual([1, 2, 3, 4]);
    expect(await passing({ validAt: START - 1 })).toEqual([1, 3]);
    expect(await passing({ validAt: START })).toEqual([1, 2, 3]);
    expect(await passing({ validAt: START + 5 })).toEqual([1, 2]);
    expect(await passing({ validAt: START + 10 })).toEqual([1, 4]);
    // Validity at 5 of the third was unknown before 20; before 0 nothing was stored, and the current state counts.
    expect(await passing({ validAt: START + 5, asOf: START + 19 })).toEqual([1, 2, 3]);
    expect(await passing({ validAt: START + 5, asOf: START + 20 })).toEqual([1, 2]);
    expect((await find(store, 'tea', { validAt: START + 10 })).toSorted((a, b) => a - b)).toEqual([1, 4]);
  });

  describe('a list of units', () => {
    test('is sorted by time and id, newest first, in pages', async () => {
      const { store, clock } = await openMemory(open);
      await fill(store, (now) => (clock.now = now));
      const list = async (limit: number, offset?: number) =>
        (await store.units.list(EVERYTHING, { limit, ...(offset !== undefined && { offset }) })).map(
          (unit) => unit.id,
        );
      expect(await list(100)).toEqual([7, 6, 4, 5, 3, 8, 2, 1]);
      expect(await list(3)).toEqual([7, 6, 4]);
      expect(await list(3, 6)).toEqual([2, 1]);
      expect(await list(0)).toEqual([]);
    });

    test('can be sorted oldest first, in pages and after a given unit', async () => {
      const { store, clock } = await openMemory(open);
      await fill(store, (now) => (clock.now = now));
      const list = async (page: Partial<UnitPage>) =>
        (await store.units.list(EVERYTHING, { limit: 9, oldestFirst: true, ...page })).map((unit) => unit.id);
      expect(await list({})).toEqual([1, 2, 8, 3, 5, 4, 6, 7]);
      expect(await list({ limit: 2, offset: 1 })).toEqual([2, 8]);
      expect(await list({ after: { occurredAt: START - DAY_MS, unitId: 3 }, limit: 2 })).toEqual([5, 4]);
    });

    test('continues after a unit, even when units were added since', async () => {
      const { store, clock } = await openMemory(open);
      await fill(store, (now) => (clock.now = now));
      const after = async (unitId: number, filter = EVERYTHING, limit = 100) => {
        const [unit] = await store.units.get([unitId]);
        const page = { limit, after: { occurredAt: unit!.occurredAt, unitId } };
        return (await store.units.list(filter, page)).map((unit) => unit.id);
      };
      expect(await after(7)).toEqual([6, 4, 5, 3, 8, 2, 1]);
      await saveOne(store, add({ occurredAt: START, content: note('tea 9') }));
      await saveOne(store, add({ occurredAt: START - 2 * DAY_MS, content: note('tea 10') }));
      expect(await after(6, EVERYTHING, 3)).toEqual([4, 5, 3]);
      expect(await after(3)).toEqual([10, 8, 2, 1]);
      expect(await after(8, { kinds: ['episode'] })).toEqual([2, 1]);
      expect(await after(1)).toEqual([]);
      expect(
        (await store.units.list({}, { limit: 9, after: { occurredAt: START, unitId: 0 } })).map(
          (unit) => unit.id,
        ),
      ).toEqual([4, 5, 10, 2, 1]);
    });
  });
}
