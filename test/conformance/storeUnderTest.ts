import type { Instant } from '../../src/model/model.ts';
import type { Store } from '../../src/store/store.ts';

/** Opens a new, empty memory and removes it after the test. */
export type OpenStore = (options: {
  readonly memoryId: string;
  readonly timeZone: string;
  readonly now: () => Instant;
}) => Promise<StoreUnderTest>;

export interface StoreUnderTest {
  readonly store: Store;
  /** Another store on the same memory, as another process would open it. */
  readonly openAnother: () => Promise<Store>;
  /** Closes the stores on this memory and opens it again. */
  readonly reopen: () => Promise<Store>;
  /** All stored data in a canonical form, without the journal, jobs, the next ids, and indexes. */
  readonly dump: () => Promise<string>;
  /** Changes stored data directly, past all triggers. */
  readonly damage: (damage: Damage) => Promise<void>;
}

/** Kinds of damage. Each changes one row, selected by id. */
export type Damage =
  | {
      readonly type:
        | 'turn said something else'
        | 'turn had other meta'
        | 'turn gone'
        /** The turn's text is changed, and all hashes from it on are recomputed to match. */
        | 'history rewritten'
        | 'checkpoint forged';
      readonly turnId: number;
    }
  | {
      readonly type:
        | 'episode gone'
        | 'episode moved'
        | 'episode at another time'
        | 'not in text index'
        | 'other terms in text index'
        | 'times gone'
        | 'vector gone'
        | 'vector changed'
        | 'vector with another state'
        | 'next vector gone'
        | 'next vector changed'
        | 'mentions gone'
        | 'versions gone'
        | 'topics gone';
      readonly unitId: number;
    }
  | {
      readonly type:
        | 'entity gone'
        | 'keys gone'
        | 'aliases gone'
        | 'key of another'
        | 'mentions miscounted'
        | 'alias unknown';
      readonly entityId: number;
    }
  | {
      readonly type:
        | 'members miscounted'
        | 'members at another time'
        | 'archived with members'
        | 'too strong'
        | 'topic gone'
        | 'topic below itself'
        | 'other words of topic'
        | 'terms of topic gone';
      readonly topicId: number;
    }
  | {
      /** `set` and `where` are SQL. */
      readonly type: 'row changed';
      readonly table: string;
      readonly set: string;
      readonly where: string;
    }
  | { readonly type: 'conversation forgotten' | 'conversation miscounted'; readonly conversationId: string }
  | { readonly type: 'term miscounted'; readonly term: string }
  | { readonly type: 'speaker forgotten'; readonly speaker: string }
  | { readonly type: 'kinds forgotten' };
