/**
 * What every store must do, as tests: the one suite that all of them run, unchanged and whole. A store's own test file
 * is a call of `describeStore` and the tests of what is its alone.
 */
import { describe } from 'vitest';
import { describeCheckpoints } from './checkpoints.ts';
import { describeConversations } from './conversations.ts';
import { describeDerivations, describeSharedDerivations } from './derivations.ts';
import { describeEntities } from './entities.ts';
import { describeFilters } from './filters.ts';
import { describeJobs, describeJobOrder } from './jobs.ts';
import { describeJournal } from './journal.ts';
import { describeLinks } from './links.ts';
import { describeNoteFiles } from './noteFiles.ts';
import { describeSearch, describeStatistics, describeTimes } from './search.ts';
import { describeNextVectors, describeSharedSwitch } from './nextVectors.ts';
import { describeRollback } from './rollback.ts';
import { describeReorganizing } from './reorganizing.ts';
import { describeTopics } from './topics.ts';
import { describeTurns } from './turns.ts';
import { describeUnits } from './units.ts';
import { describeClosing, describeInfo, describeRebuild, describeVerify } from './upkeep.ts';
import { describeReopening, describeSharing } from './sharing.ts';
import { describeVersions } from './versions.ts';
import type { OpenStore } from './storeUnderTest.ts';
import { describeVectorModel, describeVectorSearch, describeVectors } from './vectors.ts';

export type { Damage, OpenStore, StoreUnderTest } from './storeUnderTest.ts';

export function describeStore(name: string, open: OpenStore): void {
  describe(`a store: ${name}`, () => {
    describeTurns(open);
    describeConversations(open);
    describeUnits(open);
    describeVersions(open);
    describeDerivations(open);
    describeEntities(open);
    describeTopics(open);
    describeJournal(open);
    describeRollback(open);
    describeReorganizing(open);
    describeNoteFiles(open);
    describeFilters(open);
    describeLinks(open);
    describeSearch(open);
    describeTimes(open);
    describeStatistics(open);
    describeVectors(open);
    describeVectorModel(open);
    describeVectorSearch(open);
    describeNextVectors(open);
    describeJobs(open);
    describeJobOrder(open);
    describeSharing(open);
    describeSharedDerivations(open);
    describeSharedSwitch(open);
    describeReopening(open);
    describeVerify(open);
    describeCheckpoints(open);
    describeRebuild(open);
    describeInfo(open);
    describeClosing(open);
  });
}
