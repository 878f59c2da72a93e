import type { Checkpoint, Instant, Scope, Sensitivity, Turn } from '../model/model.ts';

/** The turns: written once, chained by hashes, never changed. */
export interface Evidence {
  /**
   * Appends turns, each with its episode, its place in the text index and the jobs it calls for.
   * A turn already there (same conversation, index, speaker and text) is left alone and its ids returned.
   * @throws MemoryError TURN_CONFLICT when another text has that place, TURN_FORGOTTEN when what had it was forgotten;
   * then nothing of the call is kept.
   */
  append(turns: readonly TurnDraft[]): Promise<AddedTurn[]>;
  /** Turns by id, in the order of the ids given; unknown ids are left out. */
  get(turnIds: readonly number[]): Promise<Turn[]>;
  /** Turns in the order of their ids, from `afterId` on: the way to read everything, page by page. */
  page(page: { afterId: number; limit: number; conversationId?: string }): Promise<Turn[]>;
  /** The last turns of a conversation, oldest first; those before turn index `before` when it is given. */
  recent(conversationId: string, limit: number, before?: number): Promise<Turn[]>;
  /** Conversations, the one spoken in last first. */
  conversations(page: { limit: number; offset?: number }): Promise<ConversationInfo[]>;
  /** The last turn and its chain hash (hex), or null in an empty memory. */
  head(): Promise<{ readonly turnId: number; readonly chainHash: string } | null>;
  /**
   * Keeps a checkpoint.
   * @param after the last checkpoint that the caller knows, null for none: another one is a VERSION_CONFLICT
   * @throws MemoryError CHAIN_BROKEN when the chain is not what it says, VERSION_CONFLICT
   */
  addCheckpoint(checkpoint: Checkpoint, after?: Checkpoint | null): Promise<void>;
  /** Oldest first. */
  checkpoints(): Promise<Checkpoint[]>;
}

/** A turn checked and ready to be kept. */
export interface TurnDraft {
  readonly conversationId: string;
  /** Null: the next free place. */
  readonly turnIndex: number | null;
  readonly speaker: string;
  readonly text: string;
  readonly occurredAt: Instant;
  readonly meta: Turn['meta'];
  readonly source: string;
  readonly sensitivity: Sensitivity;
  readonly scope: Scope;
  readonly imageSummary: string | null;
  /** Default: a random one. '' makes a hash without one, as in old exports. */
  readonly salt?: string;
  /** Kinds of job to enqueue for the episode. */
  readonly jobKinds: readonly string[];
}

export interface AddedTurn {
  readonly turnId: number;
  readonly unitId: number;
  readonly turnIndex: number;
  /** False when it had been ingested before. */
  readonly isNew: boolean;
}

export interface ConversationInfo {
  readonly conversationId: string;
  readonly turns: number;
  readonly firstTurnAt: Instant;
  readonly lastTurnAt: Instant;
}
