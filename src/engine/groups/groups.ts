/** The groups of a memory's methods. */
import type { Memory } from '../memory.ts';
import type { MemoryCore } from '../memoryCore.ts';
import { createAdmin } from './admin.ts';
import { createConversations } from './conversations.ts';
import { createFacts } from './facts.ts';
import { createJobs } from './jobs.ts';
import { createJournal } from './journal.ts';
import { createTopics } from './topics.ts';
import { createUnits } from './units.ts';

export type Groups = Pick<
  Memory,
  'units' | 'conversations' | 'topics' | 'entities' | 'facts' | 'notes' | 'journal' | 'jobs' | 'admin'
>;

export function createGroups(core: MemoryCore): Groups {
  const { store } = core;
  return {
    units: createUnits(core),
    conversations: createConversations(store),
    topics: createTopics(store),
    entities: store.entities,
    facts: createFacts(store, core.parts.now),
    notes: core.notes?.access ?? null,
    journal: createJournal(core),
    jobs: createJobs(core),
    admin: createAdmin(core),
  };
}
