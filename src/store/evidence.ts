import type { Checkpoint, Instant, Scope, SensitiveSpan, Sensitivity, Turn } from '../model/model.ts';

/** The turns: written once, linked in a hash chain, never changed. */
export interface Evidence {
  /**
   * Appends turns, each with its episode, its index entries and its jobs. A turn that exists already (same
   * conversation, index, speaker and text) is not changed, and its ids are returned.
   * @throws MemoryError TURN_CONFLICT when the index has another text, TURN_FORGOTTEN when the turn with that index
   * was forgotten, CHAIN_BROKEN when the last turns are missing; then nothing of the call is stored.
   */
  append(turns: readonly TurnDraft[]): Promise<AddedTurn[]>;
  /** Turns by id, in the order of the ids given; unknown ids are left out. */
  get(turnIds: readonly number[]): Promise<Turn[]>;
  /** Turns in the order of their ids, after `afterId`, to read everything page by page. */
  page(page: { afterId: number; limit: number; conversationId?: string }): Promise<Turn[]>;
  /** The last turns of a conversation, oldest first; with `before`, only those before this turn index. */
  recent(conversationId: string, limit: number, before?: number): Promise<Turn[]>;
  /** Conversations, the most recent first. */
  conversations(page: { limit: number; offset?: number }): Promise<ConversationInfo[]>;
  /** The last turn and its chain hash (hex), or null in an empty memory. */
  head(): Promise<{ readonly turnId: number; readonly chainHash: string } | null>;
  /**
   * Stores a checkpoint.
   * @param after the last checkpoint that the caller knows, null for none; another last one is a VERSION_CONFLICT
   * @throws MemoryError CHAIN_BROKEN when the checkpoint does not match the chain, VERSION_CONFLICT
   */
  addCheckpoint(checkpoint: Checkpoint, after?: Checkpoint | null): Promise<void>;
  /** Oldest first. */
  checkpoints(): Promise<Checkpoint[]>;
}

/** A validated turn to be stored. */
export interface TurnDraft {
  readonly conversationId: string;
  /** Null: the next free index. */
  readonly turnIndex: number | null;
  readonly speaker: string;
  readonly text: string;
  readonly occurredAt: Instant;
  readonly meta: Turn['meta'];
  readonly source: string;
  readonly sensitivity: Sensitivity;
  readonly scope: Scope;
  readonly imageSummary: string | null;
  /** Places of personal data and secrets, in order. */
  readonly masks?: readonly SensitiveSpan[];
  /** The episode gets a name that stands for the speaker’s. */
  readonly isSpeakerMasked?: boolean;
  /** Default: a random one. '' gives a hash without a salt, as in old exports. */
  readonly salt?: string;
  /** Kinds of job to create for the episode. */
  readonly jobKinds: readonly string[];
}

export interface AddedTurn {
  readonly turnId: number;
  readonly unitId: number;
  readonly turnIndex: number;
  /** False when the turn existed already. */
  readonly isNew: boolean;
}

export interface ConversationInfo {
  readonly conversationId: string;
  readonly turns: number;
  readonly firstTurnAt: Instant;
  readonly lastTurnAt: Instant;
}
