import type { Instant, NewJob, Receipt, Topic, Unit } from '../model/model.ts';

/**
 * Permanent deletion. The caller decides, unit by unit, what to forget; a store erases it with everything that it
 * stores about it.
 */
export interface Forgetting {
  /**
   * Erases, all of it or nothing. When it returns, nothing of what was erased is left in the files of the store,
   * including indexes, versions, journal images, free pages and logs; and the keys of the turns are destroyed.
   * After a crash the rest is done when the store is opened next.
   *
   * - Turns stay in the chain, encrypted with keys that no longer exist, without the name of their conversation.
   *   Their episodes are deleted.
   * - Units are deleted with their versions, links, vectors and times, the data of jobs and journal about them, and
   *   entities that only they mentioned; other entities lose the names that only these units gave them.
   * - Units that are reworded keep no earlier version.
   * - A topic without members is deleted; its subtopics become children of its parents.
   *
   * Journal entries that touched any of it can no longer be undone, and their plans are emptied.
   * @throws MemoryError NOT_FOUND for turns, units and topics that do not exist
   */
  erase(erasure: Erasure): Promise<void>;
  /** Drops cached keys and texts: this or another process has erased something. */
  dropCaches(): void;
  /** Differs from the last time if something was erased since, by any process. PostgreSQL may notice it a second later. */
  erasureState(): Promise<string>;
  /** Oldest first. */
  receipts(): Promise<Receipt[]>;
  /**
   * Removes what is kept only to look back: the rows that entries of the journal need to be undone, and versions of units
   * but the last. With `asOf` before that, units are as the oldest version that is left.
   */
  removeHistory(before: HistoryLimits): Promise<void>;
}

/** Null: nothing is removed. */
export interface HistoryLimits {
  readonly journalBefore: Instant | null;
  readonly versionsBefore: Instant | null;
}

export interface Erasure {
  readonly turnIds: readonly number[];
  /** Derived units; the episodes of the turns are included automatically. */
  readonly unitIds: readonly number[];
  readonly reworded: readonly { readonly unitId: number; readonly payload: Unit['payload'] }[];
  /** The new texts of topics that lose members or mention what is erased. */
  readonly topics: readonly Pick<Topic, 'id' | 'title' | 'summary' | 'source'>[];
  /** Jobs to run afterwards. */
  readonly jobs: readonly NewJob[];
  readonly receipt: Receipt;
}
