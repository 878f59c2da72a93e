/**
 * The contract of a store, which keeps a memory.
 *
 * Terminology: a *turn* is evidence, appended once; an *episode* is the unit that represents a turn; a *derived*
 * unit is any other. *Terms* are what `text` makes of words (see `documentTerms`).
 *
 * Every method is one transaction: it happens completely or not at all, and its result survives a crash of the
 * process. Results are also flushed to the disk and survive a power loss, except what can be made again: vectors,
 * derivations, accesses, and the claims and outcomes of jobs. Of these the latest may be lost, in order, so that a
 * job is restored before its result is missing.
 */
import type { EntityTable } from './entityTable.ts';
import type { Evidence } from './evidence.ts';
import type { Forgetting } from './forgetting.ts';
import type { Indexes } from './indexes.ts';
import type { JobTable } from './jobTable.ts';
import type { JournalTable } from './journalTable.ts';
import type { NoteFileTable } from './noteFileTable.ts';
import type { RawTurns } from './rawTurns.ts';
import type { StoreAdmin } from './storeAdmin.ts';
import type { TopicTable } from './topicTable.ts';
import type { UnitTable } from './unitTable.ts';

export type * from './broadcast.ts';
export { feelingPages, unitPages } from './pages.ts';
export { pagesOf, transferMemory } from './transfer.ts';
export type * from './change.ts';
export type * from './entityTable.ts';
export type * from './evidence.ts';
export type * from './forgetting.ts';
export type * from './indexes.ts';
export type * from './jobTable.ts';
export type * from './journalTable.ts';
export type * from './noteFileTable.ts';
export type * from './rawTurns.ts';
export type * from './storeAdmin.ts';
export type * from './topicTable.ts';
export type * from './transfer.ts';
export type * from './unitTable.ts';

export interface Store {
  readonly memoryId: string;
  /** IANA zone of the memory's wall clock, set when it was created. */
  readonly timeZone: string;
  /** Whether its file lies where this process cannot write: everything that writes throws READ_ONLY. */
  readonly isReadOnly: boolean;
  readonly evidence: Evidence;
  readonly units: UnitTable;
  readonly entities: EntityTable;
  readonly topics: TopicTable;
  readonly noteFiles: NoteFileTable;
  readonly indexes: Indexes;
  readonly jobs: JobTable;
  readonly journal: JournalTable;
  readonly forgetting: Forgetting;
  readonly admin: StoreAdmin;
  /**
   * Runs `body` while no other body with the same name runs: in this process and, for a memory in a shared
   * database, in all processes that have it open. Must not be called from within a `body` of the same name.
   * @throws MemoryError BUSY when the database cannot be reached
   */
  exclusively<T>(name: string, body: () => Promise<T>): Promise<T>;
  /**
   * Runs `work`, whose reads may all see the memory as it is at the first of them, and what this process writes meanwhile.
   * So a store asks only once whether its copy of the memory is current.
   */
  together<T>(work: () => Promise<T>): Promise<T>;
  /** Estimated size of its copy of the whole memory in this process; 0 without one. */
  readonly copiedBytes: number;
  /** The part of it in typed arrays, outside of V8's heap. */
  readonly copiedArrayBytes: number;
  /** Null in a store whose turns cannot be archived. */
  readonly rawTurns: RawTurns | null;
  close(): Promise<void>;
}

/** The store with some of its parts replaced. */
export function withParts(store: Store, parts: Partial<Store>): Store {
  return {
    memoryId: store.memoryId,
    timeZone: store.timeZone,
    isReadOnly: store.isReadOnly,
    evidence: store.evidence,
    units: store.units,
    entities: store.entities,
    topics: store.topics,
    noteFiles: store.noteFiles,
    indexes: store.indexes,
    jobs: store.jobs,
    journal: store.journal,
    forgetting: store.forgetting,
    admin: store.admin,
    rawTurns: store.rawTurns,
    together: (work) => store.together(work),
    get copiedBytes() {
      return store.copiedBytes;
    },
    get copiedArrayBytes() {
      return store.copiedArrayBytes;
    },
    exclusively: (name, body) => store.exclusively(name, body),
    close: () => store.close(),
    ...parts,
  };
}
