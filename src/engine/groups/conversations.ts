import type { Store } from '../../store/store.ts';
import type { Conversations } from '../memory.ts';

const TURNS_PER_PAGE = 1_000;

export function createConversations(store: Store): Conversations {
  return {
    list: async (page) => store.evidence.conversations(page),
    recent: async (conversationId, limit, before) => store.evidence.recent(conversationId, limit, before),
    async *turns() {
      for (let afterId = 0; ;) {
        const turns = await store.evidence.page({ afterId, limit: TURNS_PER_PAGE });
        const last = turns.at(-1);
        if (!last) return;
        yield* turns.filter((turn) => !turn.isForgotten);
        afterId = last.id;
      }
    },
  };
}
