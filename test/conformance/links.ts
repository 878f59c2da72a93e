import { describe, expect, test } from 'vitest';
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
