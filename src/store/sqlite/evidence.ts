import type { Evidence } from '../store.ts';
import { performNow, type SharedTables } from '../tables/tables.ts';
import type { Database } from './database.ts';
import type { TurnTable } from './turns.ts';

export function createEvidence(db: Database, turns: TurnTable, { checkpoints, now }: SharedTables): Evidence {
  return {
    append: async (drafts) => db.write(() => turns.append(drafts, now())),
    get: async (turnIds) => turnIds.flatMap((id) => turns.get(id) ?? []),
    page: async (page) => turns.page(page),
    recent: async (conversationId, limit, before) => turns.recent(conversationId, limit, before),
    conversations: async (page) => turns.conversations(page),
    head: async () => turns.last(),
    addCheckpoint: async (checkpoint, after) =>
      db.write(() => performNow(checkpoints.add(checkpoint, after))),
    checkpoints: async () => performNow(checkpoints.list()),
  };
}
