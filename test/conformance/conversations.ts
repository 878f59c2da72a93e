import { describe, expect, test } from 'vitest';
import { DAY_MS } from '../../src/model/model.ts';
import type { OpenStore } from './storeUnderTest.ts';
import { draft, openMemory, say, START } from './samples.ts';

export function describeConversations(open: OpenStore): void {
  describe('conversations', () => {
    test('return their last turns, oldest first', async () => {
      const { store } = await openMemory(open);
      for (const turnIndex of [40, 10, 30, 20]) await say(store, draft(`t${turnIndex}`, { turnIndex }));
      await say(store, draft('other', { conversationId: 'c2', turnIndex: 25 }));
      const recent = async (limit: number, before?: number, conversationId = 'c1') =>
        (await store.evidence.recent(conversationId, limit, before)).map((turn) => turn.text);
      expect(await recent(9)).toEqual(['t10', 't20', 't30', 't40']);
      expect(await recent(2)).toEqual(['t30', 't40']);
      expect(await recent(2, 40)).toEqual(['t20', 't30']);
      expect(await recent(2, 31)).toEqual(['t20', 't30']);
      expect(await recent(9, 10)).toEqual([]);
      expect(await recent(0)).toEqual([]);
      expect(await recent(9, undefined, 'none')).toEqual([]);
      expect(await store.evidence.recent('c1', 1)).toEqual(await store.evidence.get([1]));
    });

    test('are listed by last activity, newest first, with exact counts', async () => {
      const { store } = await openMemory(open);
      expect(await store.evidence.conversations({ limit: 9 })).toEqual([]);
      const at = (conversationId: string, days: number, turnIndex: number | null = null) =>
        draft(`${conversationId} ${days}`, { conversationId, occurredAt: START + days * DAY_MS, turnIndex });
      await say(store, at('a', 1), at('b', 5), at('a', -3), at('会話', 5));
      await say(store, at('a', 2), at('c', 9, 0), at('c', 9, 0));
      await say(store, at('c', 9, 0));
      await say(store, at('b', 4));
      await expect(
        say(store, at('d', 1), draft('conflict', { conversationId: 'c', turnIndex: 0 })),
      ).rejects.toMatchObject({ code: 'TURN_CONFLICT' });
      const expected = [
        { conversationId: 'c', turns: 1, firstTurnAt: START + 9 * DAY_MS, lastTurnAt: START + 9 * DAY_MS },
        { conversationId: 'b', turns: 2, firstTurnAt: START + 4 * DAY_MS, lastTurnAt: START + 5 * DAY_MS },
        { conversationId: '会話', turns: 1, firstTurnAt: START + 5 * DAY_MS, lastTurnAt: START + 5 * DAY_MS },
        { conversationId: 'a', turns: 3, firstTurnAt: START - 3 * DAY_MS, lastTurnAt: START + 2 * DAY_MS },
      ];
      expect(await store.evidence.conversations({ limit: 9 })).toEqual(expected);
      expect(await store.evidence.conversations({ limit: 2, offset: 1 })).toEqual(expected.slice(1, 3));
      expect(await store.evidence.conversations({ limit: 0 })).toEqual([]);
      expect((await store.admin.verify()).problems).toEqual([]);
    });
  });
}
