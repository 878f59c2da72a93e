/** Groups of the store contract that consist of shared tables. */
import type { EntityTable, JournalTable, NoteFileTable, TopicTable } from '../store.ts';
import {
  applyToNoteFiles,
  assignTopics,
  listNoteFiles,
  listTopics,
  performNow,
  searchTopics,
  topicDirections,
  topicMembers,
  topicsOfUnits,
  updateTopic,
  type SharedTables,
} from '../tables/tables.ts';
import type { Database } from './database.ts';
import { TopicCopy } from './topicCopy.ts';

export function createEntities(db: Database, { entities }: SharedTables): EntityTable {
  return {
    get: async (ids) => performNow(entities.getMany(ids)),
    find: async (keys) => performNow(entities.find(keys)),
    list: async (filter, page) => performNow(entities.list(filter, page)),
    mentionsOf: async (entityId, page) => performNow(entities.mentionsOf(entityId, page)),
    ofUnits: async (unitIds) => performNow(entities.ofUnits(unitIds)),
    edgesOf: async (entityId) => performNow(entities.edgesOf(entityId)),
    update: async (entityId, set) => db.write(() => performNow(entities.update(entityId, set))),
    merge: async (from, into) => db.write(() => performNow(entities.merge(from, into))),
  };
}

export function createNoteFiles(db: Database, tables: SharedTables): NoteFileTable {
  return {
    list: async () => performNow(listNoteFiles(tables.tx)),
    apply: async (change) => db.write(() => performNow(applyToNoteFiles(tables, change))),
  };
}

export function createTopics(db: Database, tables: SharedTables): TopicTable {
  const { tx, now, topics, centroids } = tables;
  const copy = new TopicCopy(db);
  return {
    get: async (ids) => performNow(topics.getMany(ids)),
    list: async (filter, page) => performNow(listTopics(tables, filter, page)),
    nearest: async (vector, limit) =>
      db.read(() => {
        if (limit <= 0 || !db.get('SELECT 1 FROM topic_centroid LIMIT 1')) return [];
        performNow(centroids.checkDimensions(vector));
        return copy.nearest(vector, limit);
      }),
    centroids: async (ids) => db.read(() => performNow(topicDirections(tables, ids))),
    search: async (terms, limit) => db.read(() => performNow(searchTopics(tables, terms, limit))),
    membersOf: async (topicId, page) => performNow(topicMembers(tx, topicId, page)),
    ofUnits: async (unitIds) => performNow(topicsOfUnits(tx, unitIds)),
    assign: async (entries) => db.writeUnflushed(() => performNow(assignTopics(tables, entries, now()))),
    async update(topicId, set, expectedVersion) {
      const update = () => performNow(updateTopic(tables, topicId, set, expectedVersion));
      // A text by a model can be generated again, so the write is not flushed.
      const isByHand = set.source === 'user' || set.strength !== undefined;
      return isByHand ? db.write(update) : db.writeUnflushed(update);
    },
  };
}

export function createJournal(db: Database, { journal }: SharedTables): JournalTable {
  return {
    apply: async (change) => db.write(() => performNow(journal.apply(change))),
    list: async (page) => performNow(journal.list(page)),
    get: async (id) => performNow(journal.get(id)) ?? null,
    rollback: async (id) =>
      db.write(() => {
        // Rows refer to one another, and may be restored in any order.
        db.exec('PRAGMA defer_foreign_keys = ON');
        return performNow(journal.rollback(id));
      }),
  };
}

/** Tells the copies in memory that a topic's centroid or state has changed; null: all of them. */
export function noteCentroid(db: Database, topicId: number | null): void {
  if (topicId === null) {
    db.run('INSERT OR REPLACE INTO topic_change (topic_id) SELECT topic_id FROM topic_centroid');
  } else db.run('INSERT OR REPLACE INTO topic_change (topic_id) VALUES (?)', topicId);
}
