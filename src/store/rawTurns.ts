import type { Receipt } from '../model/model.ts';

/** A turn as it lies, encrypted under a key of its own: what is copied to an archive. */
export interface RawTurn {
  readonly id: number;
  readonly turnIndex: number;
  readonly occurredAt: number;
  /** Its words, and where their key lies. */
  readonly sealed: Uint8Array;
  /** Hex. */
  readonly contentHash: string;
  /** Hex. */
  readonly chainHash: string;
  readonly conversation: {
    /** A keyed hash of its id. */
    readonly hash: string;
    /** The id, encrypted under a key that goes with that of the turn; null when that is gone. */
    readonly sealed: Uint8Array | null;
  };
  /** Where its copy in an archive lies; null: there is none. */
  readonly rawPointer: string | null;
}

/** Turns for a copy that cannot be changed, and back. */
export interface RawTurns {
  /** In the order of their ids; `unarchived`: only those without a copy. */
  page(page: { afterId: number; limit: number; unarchived?: true }): Promise<RawTurn[]>;
  /** Notes where the copies of these turns lie, but for turns that have one already. */
  setPointers(turnIds: readonly number[], pointer: string): Promise<void>;
  /**
   * Brings turns back, with their ids and hashes; what was forgotten comes back as forgotten. Those that are there are left
   * alone. `admin.rebuild('units')` makes their episodes.
   * @returns how many were not there
   * @throws MemoryError CHAIN_BROKEN when another turn has an id
   */
  restore(turns: readonly RawTurn[], receipts: readonly Receipt[]): Promise<number>;
}
