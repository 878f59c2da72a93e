/** Groups of the store contract that consist of shared tables. */
import type { Instant } from '../../model/model.ts';
import type { Store, VectorIndex } from '../store.ts';
import { applyDerivation } from './derivations.ts';
import { applyToNoteFiles, listNoteFiles } from './noteFiles.ts';
import { dequantize } from '../../vectors/vectors.ts';
import { settled, type Steps } from './steps.ts';
import { searchTimes, timesOf } from './times.ts';
import type { SharedTables } from './sharedTables.ts';
import { assignTopics } from './topicAssignment.ts';
import { listTopics, topicDirections, topicMembers, topicsOfUnits, updateTopic } from './topicQueries.ts';
import { searchTopics } from './topicSearch.ts';

type Body<T> = (tables: SharedTables) => Steps<T>;

/** How a store runs steps for its callers. */
export interface Runner {
  /** Reads; several statements need not see the same state. */
  readonly ask: <T>(body: Body<T>) => Promise<T>;
  /** Runs one transaction. */
  readonly write: <T>(body: Body<T>) => Promise<T>;
  /** Like `write`, for what can be repeated: a power loss may undo the latest. */
  readonly writeUnflushed: <T>(body: Body<T>) => Promise<T>;
  /** See `UnitTable.countAccess`; counts may be lost. */
  readonly countAccess: (unitIds: readonly number[], at: Instant) => Promise<void>;
}

type Groups = Pick<Store, 'evidence' | 'units' | 'entities' | 'topics' | 'noteFiles' | 'indexes' | 'journal'>;

export function createGroups(runner: Runner): Groups {
  const { ask, write, writeUnflushed, countAccess } = runner;
  return {
    evidence: {
      append: (drafts) => write(({ turns, now }) => turns.append(drafts, now())),
      get: (turnIds) => ask(({ turns }) => turns.getMany(turnIds)),
      page: (page) => ask(({ turns }) => turns.page(page)),
      recent: (conversationId, limit, before) =>
        ask(({ turns }) => turns.recent(conversationId, limit, before)),
      conversations: (page) => ask(({ turns }) => turns.conversations(page)),
      head: () => ask(({ turns }) => turns.head()),
      addCheckpoint: (checkpoint, after) => write(({ checkpoints }) => checkpoints.add(checkpoint, after)),
      checkpoints: () => ask(({ checkpoints }) => checkpoints.list()),
    },
    units: {
      save: (changes, jobKinds = []) =>
        write(({ units, now }) => units.saveWithJobs(changes, jobKinds, now())),
      get: (unitIds) => ask(({ reading }) => reading.getMany(unitIds)),
      list: (filter, page) => ask(({ reading }) => reading.list(filter, page)),
      feelings: (filter, page) => ask(({ reading }) => reading.feelings(filter, page)),
      async filter(unitIds, filter) {
        const matching = await ask(({ reading }) => reading.matching(unitIds, filter));
        return unitIds.filter((unitId) => matching.has(unitId));
      },
      passages: (unitIds) => ask(({ reading }) => reading.passages(unitIds)),
      versions: (unitId) => ask(({ units }) => units.listVersions(unitId)),
      countAccess,
      link: (from, to, relation) => write(({ units }) => units.link(from, to, relation)),
      neighbours: (unitIds, reach) => ask(({ reading }) => reading.neighbours(unitIds, reach)),
      adjacent: (unitIds, filter, reach) => ask(({ reading }) => reading.adjacent(unitIds, filter, reach)),
      applyDerivation: (result) => writeUnflushed((tables) => applyDerivation(tables, result, tables.now())),
      isDerived: (mark) => ask(({ marks }) => marks.has(mark)),
    },
    entities: {
      get: (ids) => ask(({ entities }) => entities.getMany(ids)),
      find: (keys) => ask(({ entities }) => entities.find(keys)),
      list: (filter, page) => ask(({ entities }) => entities.list(filter, page)),
      mentionsOf: (entityId, page) => ask(({ entities }) => entities.mentionsOf(entityId, page)),
      ofUnits: (unitIds) => ask(({ entities }) => entities.ofUnits(unitIds)),
      edgesOf: (entityId) => ask(({ entities }) => entities.edgesOf(entityId)),
      update: (entityId, set) => write(({ entities }) => entities.update(entityId, set)),
      merge: (from, into) => write(({ entities }) => entities.merge(from, into)),
    },
    topics: {
      get: (ids) => ask(({ topics }) => topics.getMany(ids)),
      list: (filter, page) => ask((tables) => listTopics(tables, filter, page)),
      nearest: (vector, limit) => ask(({ own }) => settled(own.nearestTopics(vector, limit))),
      centroids: (ids) => ask((tables) => topicDirections(tables, ids)),
      search: (terms, limit) => ask((tables) => searchTopics(tables, terms, limit)),
      membersOf: (topicId, page) => ask(({ tx }) => topicMembers(tx, topicId, page)),
      ofUnits: (unitIds) => ask(({ tx }) => topicsOfUnits(tx, unitIds)),
      assign: (entries) => writeUnflushed((tables) => assignTopics(tables, entries, tables.now())),
      update(topicId, set, expectedVersion) {
        // A text by a model can be generated again, so the write is not flushed.
        const run = set.source === 'user' || set.strength !== undefined ? write : writeUnflushed;
        return run((tables) => updateTopic(tables, topicId, set, expectedVersion));
      },
    },
    noteFiles: {
      list: () => ask(({ tx }) => listNoteFiles(tx)),
      apply: (change) => write((tables) => applyToNoteFiles(tables, change)),
    },
    indexes: {
      text: {
        search: (terms, filter, limit) => ask(({ own }) => settled(own.searchText(terms, filter, limit))),
        statistics: (about) => ask(({ own }) => settled(own.textStatistics(about))),
      },
      times: {
        search: (span, filter, limit) => ask(({ tx }) => searchTimes(tx, span, filter, limit)),
        of: (unitIds) => ask(({ tx }) => timesOf(tx, unitIds)),
      },
      vectors: createVectorIndex(runner),
    },
    journal: {
      apply: (change) => write(({ journal }) => journal.apply(change)),
      list: (page) => ask(({ journal }) => journal.list(page)),
      get: async (id) => (await ask(({ journal }) => journal.get(id))) ?? null,
      rollback: (id) => write(({ journal }) => journal.rollback(id)),
    },
  };
}

function createVectorIndex({ ask, write, writeUnflushed }: Runner): VectorIndex {
  return {
    model: () => ask(({ vectors }) => vectors.model()),
    async upsert(modelId, entries) {
      // A store that was closed says so, also when there is nothing to write.
      if (entries.length === 0) await ask(({ vectors }) => vectors.model());
      else await writeUnflushed(({ vectors }) => vectors.upsert(modelId, entries));
    },
    remove: (unitIds) => write(({ vectors }) => vectors.remove(unitIds)),
    query: (vector, filter, limit) => ask(({ own }) => settled(own.searchVectors(vector, filter, limit))),
    cosines: (vector, unitIds) => ask(({ own }) => settled(own.cosines(vector, unitIds))),
    async get(unitIds) {
      const stored = await ask(({ own }) => settled(own.servingVectors(unitIds)));
      return new Map(unitIds.flatMap((unitId) => entryOf(unitId, stored.get(unitId))));
    },
    newestWithout: (modelId, options) => ask(({ own }) => settled(own.newestWithout(modelId, options))),
    mean: () => ask(({ vectors }) => vectors.sets.mean()),
    nextModel: () => ask(({ vectors }) => vectors.nextModel()),
    async missingFromNext(modelId, limit) {
      const rows = await ask(({ vectors }) => vectors.missingFromNext(modelId, limit));
      const unitIds = rows.map((row) => row.id);
      if (rows.some((row) => row.isStale === 1)) {
        await writeUnflushed(({ vectors }) => vectors.noteAsked(unitIds));
      }
      return unitIds;
    },
    async upsertNext(modelId, entries) {
      if (entries.length === 0) await ask(({ vectors }) => vectors.model());
      else await writeUnflushed(({ vectors }) => vectors.upsertNext(modelId, entries));
    },
    switchToNext: (modelId) => write(({ vectors }) => vectors.switchToNext(modelId)),
    dropNext: () => write(({ vectors }) => vectors.dropNext()),
  };
}

function entryOf(unitId: number, vector: Int8Array | undefined): [number, Float32Array][] {
  return vector ? [[unitId, dequantize(vector)]] : [];
}
