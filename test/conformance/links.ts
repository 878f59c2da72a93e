import { describe, expect, test } from 'vitest';
import type { UnitFilter } from '../../src/store/store.ts';
import type { OpenStore } from './storeUnderTest.ts';
import { add, draft, loop, openMemory, say, saveOne } from './samples.ts';

export function describeLinks(open: OpenStore): void {
  describe('neighbours', () => {
    test('of an episode are the turns around it in its conversation, in order, whatever lies between them in time', async () => {
      const { store } = await openMemory(open);
      // Turn indexes 10, 20 … 50 of c1 are units 5, 4 … 1: added in reverse order, with another conversation in
      // between.
      for (const turnIndex of [50, 40, 30, 20, 10]) {
        await say(store, draft(`t${turnIndex}`, { turnIndex }));
      }
      await say(store, draft('other', { conversationId: 'c2', turnIndex: 30 }));
      expect(await store.units.neighbours([3, 99, 1], { before: 2, after: 1 })).toEqual([
        { unitId: 3, before: [5, 4], after: [2], linked: [] },
        { unitId: 1, before: [3, 2], after: [], linked: [] },
      ]);
      expect(await store.units.neighbours([3], { before: 0, after: 9 })).toEqual([
        { unitId: 3, before: [], after: [2, 1], linked: [] },
      ]);
    });

    test('of a unit that is not an episode are only the units linked to it', async () => {
      const { store } = await openMemory(open);
      const [episode] = await say(store, 'a');
      const { id } = await saveOne(store, add({ content: loop('b') }));
      await store.units.link(id, episode!, 'evidence');
      expect(await store.units.neighbours([id], { before: 5, after: 5 })).toEqual([
        { unitId: id, before: [], after: [], linked: [{ unitId: episode, relation: 'evidence' }] },
      ]);
    });
  });

  describe('adjacent turns', () => {
    test('are those next to an episode, nearest first, up to one that the filter excludes', async () => {
      const { store } = await openMemory(open);
      // Units 1, 2 … 6 are the turns 10, 20 … 60; unit 7 is another conversation's.
      for (const turnIndex of [10, 20, 30, 40, 50, 60]) {
        await say(
          store,
          draft(`t${turnIndex}`, { turnIndex, sensitivity: turnIndex === 20 ? 'secret' : 'normal' }),
        );
      }
      await say(store, draft('other', { conversationId: 'c2', turnIndex: 35 }));
      const { id } = await saveOne(store, add({ content: loop('b') }));
      const adjacent = async (unitIds: number[], filter: UnitFilter, reach: number) =>
        (await store.units.adjacent(unitIds, filter, reach)).sort((a, b) => a.unitId - b.unitId);
      expect(await adjacent([4, 99, 1, id, 7], {}, 2)).toEqual([
        { unitId: 1, before: [], after: [] },
        { unitId: 4, before: [3], after: [5, 6] },
        { unitId: 7, before: [], after: [] },
        { unitId: id, before: [], after: [] },
      ]);
      expect(await adjacent([4], { maxSensitivity: 'secret', exceptUnitIds: [6] }, 3)).toEqual([
        { unitId: 4, before: [3, 2, 1], after: [5] },
      ]);
      expect(await adjacent([], {}, 2)).toEqual([]);
    });
  });

  describe('links', () => {
    test('are visible from both ends, and adding one twice changes nothing', async () => {
      const { store } = await openMemory(open);
      await say(
        store,
        draft('a', { conversationId: 'x' }),
        draft('b', { conversationId: 'y' }),
        draft('c', { conversationId: 'z' }),
      );
      await store.units.link(1, 3, 'quote');
      await store.units.link(1, 3, 'quote');
      await store.units.link(1, 3, 'contextual');
      await store.units.link(2, 1, 'quote');
      const linked = (await store.units.neighbours([1, 2, 3], { before: 0, after: 0 })).map(
        (found) => found.linked,
      );
      expect(linked).toEqual([
        [
          { unitId: 2, relation: 'quote' },
          { unitId: 3, relation: 'contextual' },
          { unitId: 3, relation: 'quote' },
        ],
        [{ unitId: 1, relation: 'quote' }],
        [
          { unitId: 1, relation: 'contextual' },
          { unitId: 1, relation: 'quote' },
        ],
      ]);
    });

    test('need two existing units', async () => {
      const { store } = await openMemory(open);
      await say(store, 'a');
      await expect(store.units.link(1, 2, 'quote')).rejects.toMatchObject({ code: 'NOT_FOUND' });
      await expect(store.units.link(2, 1, 'quote')).rejects.toMatchObject({ code: 'NOT_FOUND' });
      expect((await store.units.neighbours([1], { before: 0, after: 0 }))[0]?.linked).toEqual([]);
    });
  });
}
