/**
 * The conformance suite: tests that every store must pass. A store's own test file calls `describeStore` and adds tests
 * of its specific behaviour.
 */
import { describe } from 'vitest';
import { describeCheckpoints } from './checkpoints.ts';
import { describeConversations } from './conversations.ts';
import { describeDerivations, describeSharedDerivations } from './derivations.ts';
import { describeEntities } from './entities.ts';
import { describeFilters } from './filters.ts';
import { describeForgetting } from './forgetting.ts';
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

/** In the order of the contract: the groups of `Store`, then several stores on one memory. */
const SUITES: Readonly<Record<string, readonly ((open: OpenStore) => void)[]>> = {
  evidence: [describeTurns, describeConversations, describeCheckpoints],
  units: [describeUnits, describeVersions, describeDerivations, describeFilters, describeLinks],
  entities: [describeEntities],
  topics: [describeTopics],
  'note files': [describeNoteFiles],
  indexes: [
    describeSearch,
    describeTimes,
    describeStatistics,
    describeVectors,
    describeVectorModel,
    describeVectorSearch,
    describeNextVectors,
  ],
  jobs: [describeJobs, describeJobOrder],
  journal: [describeJournal, describeRollback, describeReorganizing],
  forgetting: [describeForgetting],
  admin: [describeVerify, describeRebuild, describeInfo],
  'several stores on one memory': [
    describeSharing,
    describeSharedDerivations,
    describeSharedSwitch,
    describeReopening,
    describeClosing,
  ],
};

export function describeStore(name: string, open: OpenStore, suites = SUITES): void {
  describe(`a store: ${name}`, () => {
    describe.each(Object.entries(suites))('%s', (_group, suites) => {
      for (const describeSuite of suites) describeSuite(open);
    });
  });
}

/** The suites that read much: for a store that answers reads in a second way. */
export function describeReads(name: string, open: OpenStore): void {
  const read = ['units', 'topics', 'indexes', 'forgetting', 'several stores on one memory'];
  describeStore(name, open, Object.fromEntries(read.map((group) => [group, SUITES[group] ?? []])));
}
