import type { Instant } from '../../model/model.ts';
import type { Evidence } from '../store.ts';
import type { CheckpointTable } from './checkpoints.ts';
import type { Database } from './database.ts';
import type { TurnTable } from './turns.ts';

export interface EvidenceParts {
  readonly turns: TurnTable;
  readonly checkpoints: CheckpointTable;
  readonly now: () => Instant;
}

export function createEvidence(db: Database, { turns, checkpoints, now }: EvidenceParts): Evidence {
  return {
    append: async (drafts) => db.write(() => turns.append(drafts, now())),
    get: async (turnIds) => turnIds.flatMap((id) => turns.get(id) ?? []),
    page: async (page) => turns.page(page),
    recent: async (conversationId, limit, before) => turns.recent(conversationId, limit, before),
    conversations: async (page) => turns.conversations(page),
    head: async () => turns.last(),
    addCheckpoint: async (checkpoint, after) =>
      db.write(() => {
        if (after !== undefined) checkpoints.checkLast(after);
        checkpoints.add(checkpoint);
      }),
    checkpoints: async () => checkpoints.list(),
  };
}
