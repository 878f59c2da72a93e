/**
 * What every store must do, as tests: the one suite that all of them run, unchanged and whole. A store's own test file
 * is a call of `describeStore` and the tests of what is its alone.
 */
import { describe } from 'vitest';
import type { Instant } from '../../model/model.ts';
import type { Store } from '../store.ts';
import { describeFilters } from './filters.ts';
import { describeJobs, describeJobOrder } from './jobs.ts';
import { describeLinks } from './links.ts';
import { describeSearch, describeStatistics, describeTimes } from './search.ts';
import { describeTurns } from './turns.ts';
import { describeUnits } from './units.ts';
import { describeClosing, describeInfo, describeRebuild, describeVerify } from './upkeep.ts';
import { describeReopening, describeSharing } from './sharing.ts';
import { describeVectorModel, describeVectorSearch, describeVectors } from './vectors.ts';

/** Opens a new, empty memory. Whoever gives this function also removes what it leaves once the test is over. */
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
  /** Changes what is kept behind the store's back, whatever guards it. */
  readonly damage: (damage: Damage) => Promise<void>;
}

/** What can happen to a memory in hands other than ours. The row of the id is meant, and nothing else changes. */
export type Damage =
  | {
      readonly type: 'turn said something else' | 'turn had other meta' | 'turn gone';
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
        | 'vector with another state';
      readonly unitId: number;
    }
  | { readonly type: 'term miscounted'; readonly term: string }
  | { readonly type: 'speaker forgotten'; readonly speaker: string }
  | { readonly type: 'kinds forgotten' };

export function describeStore(name: string, open: OpenStore): void {
  describe(`a store: ${name}`, () => {
    describeTurns(open);
    describeUnits(open);
    describeFilters(open);
    describeLinks(open);
    describeSearch(open);
    describeTimes(open);
    describeStatistics(open);
    describeVectors(open);
    describeVectorModel(open);
    describeVectorSearch(open);
    describeJobs(open);
    describeJobOrder(open);
    describeSharing(open);
    describeReopening(open);
    describeVerify(open);
    describeRebuild(open);
    describeInfo(open);
    describeClosing(open);
  });
}
