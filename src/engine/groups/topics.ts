import type { Store } from '../../store/store.ts';
import type { Topics } from '../memory.ts';

/** Changes of topics by hand; derivations and the journal make all others. */
export function createTopics({ topics }: Store): Topics {
  return {
    get: async (ids) => topics.get(ids),
    list: async (filter, page) => topics.list(filter, page),
    search: async (terms, limit) => topics.search(terms, limit),
    membersOf: async (topicId, page) => topics.membersOf(topicId, page),
    ofUnits: async (unitIds) => topics.ofUnits(unitIds),
    update: async (topicId, set, expectedVersion) => topics.update(topicId, set, expectedVersion),
  };
}
