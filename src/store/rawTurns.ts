import type { Instant, Receipt } from '../model/model.ts';

/** A turn as it is stored, encrypted with its own key; this is copied to an archive. */
export interface RawTurn {
  readonly id: number;
  readonly turnIndex: number;
  readonly occurredAt: number;
  /** Its encrypted text, with the position of its key. */
  readonly sealed: Uint8Array;
  /** Hex. */
  readonly contentHash: string;
  /** Hex. */
  readonly chainHash: string;
  readonly conversation: {
    /** A keyed hash of its id. */
    readonly hash: string;
    /** The id, encrypted with a key that is destroyed together with that of the turn; null after that. */
    readonly sealed: Uint8Array | null;
  };
  /** The position of its copy in an archive; null: no copy. */
  readonly rawPointer: string | null;
}

/** Reads turns for an immutable copy, and restores them. */
export interface RawTurns {
  /** How many turns have a copy and how many do not, and when the newest of those with a copy was said. */
  state(): Promise<{ archived: number; pending: number; archivedTo: Instant | null }>;
  /** In the order of their ids; `unarchived`: only those without a copy. */
  page(page: { afterId: number; limit: number; unarchived?: true }): Promise<RawTurn[]>;
  /** Records the position of the copies of these turns, except for turns that already have one. */
  setPointers(turnIds: readonly number[], pointer: string): Promise<void>;
  /**
   * Restores turns with their ids and hashes; forgotten ones stay forgotten. Existing ones are not changed.
   * `admin.rebuild('units')` creates their episodes.
   * Null in a database: an archive is restored into a folder.
   * @returns the number of restored turns
   * @throws MemoryError CHAIN_BROKEN when another turn has the id
   */
  readonly restore: ((turns: readonly RawTurn[], receipts: readonly Receipt[]) => Promise<number>) | null;
}
