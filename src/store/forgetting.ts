import type { NewJob, Receipt, Topic, Unit } from '../model/model.ts';

/**
 * Forgetting for good. What to forget is decided elsewhere, unit by unit; a store takes it away with everything that it
 * keeps about it, in all places.
 */
export interface Forgetting {
  /**
   * Erases, all of it or nothing. When it returns, nothing of what was erased is left in the files of the store: not in
   * indexes, versions, images of the journal, free pages or logs; and the keys of the turns are destroyed. After a crash
   * the rest is done when the store is opened next.
   *
   * - The turns stay in the chain, encrypted under keys that are gone, without the name of their conversation. Their
   *   episodes go.
   * - Units go with their versions, links, vectors and times, whatever jobs and journal hold of them, and entities that
   *   only they spoke of; entities that others speak of too lose the names that only they gave them.
   * - Units that are reworded keep no earlier version.
   * - A topic without a member goes; its subtopics take its place below its parents.
   *
   * Entries of the journal that touched any of it can no longer be undone, and their plans are emptied.
   * @throws MemoryError NOT_FOUND for turns, units and topics that are not there
   */
  erase(erasure: Erasure): Promise<void>;
  /** Oldest first. */
  receipts(): Promise<Receipt[]>;
}

export interface Erasure {
  readonly turnIds: readonly number[];
  /** Derived units; the episodes of the turns go without being named. */
  readonly unitIds: readonly number[];
  readonly reworded: readonly { readonly unitId: number; readonly payload: Unit['payload'] }[];
  /** The new words of topics that lost members or spoke of what goes. */
  readonly topics: readonly Pick<Topic, 'id' | 'title' | 'summary' | 'source'>[];
  /** Work that is to be done after. */
  readonly jobs: readonly NewJob[];
  readonly receipt: Receipt;
}
