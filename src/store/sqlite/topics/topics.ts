/** Topics in SQLite: the implementation of the contract, and helpers for other files. */
import { MemoryError, type Instant, type Topic } from '../../../model/model.ts';
import type { TopicAssignment, TopicFilter, TopicTable } from '../../store.ts';
import type { Database } from '../database.ts';
import type { DerivationMarks } from '../derivationMarks.ts';
import { TOPICS_BELOW } from '../filter.ts';
import type { TextIndex } from '../textIndex.ts';
import { checkVersion } from '../../rows/rows.ts';
import { TopicCopy } from './topicCopy.ts';
import type { TopicRows } from './topicRows.ts';
import { searchTopics } from './topicSearch.ts';
import type { TopicText } from './topicText.ts';

export { Centroids } from './centroids.ts';
export { findCycle } from './topicGraph.ts';
export { TopicRows } from './topicRows.ts';
export { TopicText } from './topicText.ts';
export { reconcileTopics, topicProblems } from './topicUpkeep.ts';

/** Its dependencies. */
export interface TopicParts {
  readonly rows: TopicRows;
  readonly text: TopicText;
  readonly textIndex: TextIndex;
  readonly marks: DerivationMarks;
  readonly now: () => Instant;
}

export class SqliteTopicTable implements TopicTable {
  readonly #db: Database;
  readonly #parts: TopicParts;
  readonly #rows: TopicRows;
  readonly #copy: TopicCopy;

  constructor(db: Database, parts: TopicParts) {
    this.#db = db;
    this.#parts = parts;
    this.#rows = parts.rows;
    this.#copy = new TopicCopy(db);
  }

  async get(ids: readonly number[]): Promise<Topic[]> {
    return this.#rows.getMany(ids);
  }

  async list(filter: TopicFilter, page: { limit: number; offset?: number }): Promise<Topic[]> {
    const conditions = ['t.state = ?'];
    const values: (string | number)[] = [filter.state ?? 'active'];
    if (filter.parentId === null) {
      conditions.push('t.id NOT IN (SELECT topic_id FROM topic_parent)');
    } else if (filter.parentId !== undefined) {
      conditions.push('t.id IN (SELECT topic_id FROM topic_parent WHERE parent_id = ?)');
      values.push(filter.parentId);
    }
    if (filter.from !== undefined) {
      conditions.push('t.last_at >= ?');
      values.push(filter.from);
    }
    if (filter.to !== undefined) {
      conditions.push('t.first_at < ?');
      values.push(filter.to);
    }
    const tail = `topic t WHERE ${conditions.join(' AND ')} ORDER BY t.strength DESC, t.id LIMIT +? OFFSET ?`;
    return this.#rows.select(tail, ...values, page.limit, page.offset ?? 0);
  }

  async nearest(vector: Float32Array, limit: number): Promise<{ topicId: number; score: number }[]> {
    return this.#db.read(() => {
      if (limit <= 0 || !this.#db.get('SELECT 1 FROM topic_centroid LIMIT 1')) return [];
      this.#rows.centroids.checkDimensions(vector);
      return this.#copy.nearest(vector, limit);
    });
  }

  async centroids(ids: readonly number[]): Promise<Map<number, Float32Array>> {
    return this.#db.read(() => {
      const directions = new Map<number, Float32Array>();
      for (const id of ids) {
        const sum = this.#rows.centroids.get(id);
        const norm = sum ? Math.hypot(...sum) : 0;
        if (sum && norm > 0)
          directions.set(
            id,
            sum.map((value) => value / norm),
          );
      }
      return directions;
    });
  }

  async search(terms: readonly string[], limit: number): Promise<{ topicId: number; score: number }[]> {
    return this.#db.read(() => searchTopics(this.#db, this.#parts, terms, limit));
  }

  async membersOf(
    topicId: number,
    page: { limit: number; after?: { occurredAt: Instant; unitId: number }; withDescendants?: boolean },
  ): Promise<number[]> {
    const topics = page.withDescendants
      ? { below: `WITH RECURSIVE ${TOPICS_BELOW}`, is: 'IN (SELECT id FROM below)' }
      : { below: '', is: '= ?' };
    const after = page.after ? [page.after.occurredAt, page.after.unitId] : [];
    return this.#db
      .all<{ id: number }>(
        `${topics.below} SELECT DISTINCT u.id, u.occurred_at FROM topic_member m CROSS JOIN unit u ON u.id = m.unit_id
         WHERE m.topic_id ${topics.is} ${page.after ? 'AND (u.occurred_at, u.id) > (?, ?)' : ''}
         ORDER BY u.occurred_at, u.id LIMIT +?`,
        topicId,
        ...after,
        page.limit,
      )
      .map((row) => row.id);
  }

  async ofUnits(unitIds: readonly number[]): Promise<Map<number, number[]>> {
    const rows = this.#db.all<{ unitId: number; topicId: number }>(
      `SELECT m.unit_id AS unitId, m.topic_id AS topicId FROM json_each(?) j
         CROSS JOIN topic_member m ON m.unit_id = j.value CROSS JOIN topic t ON t.id = m.topic_id
       ORDER BY t.strength DESC, t.id`,
      JSON.stringify([...new Set(unitIds)]),
    );
    const topics = new Map<number, number[]>();
    for (const { unitId, topicId } of rows) topics.set(unitId, [...(topics.get(unitId) ?? []), topicId]);
    return topics;
  }

  async assign(entries: readonly TopicAssignment[]): Promise<number[]> {
    return this.#db.writeUnflushed(() => {
      const now = this.#parts.now();
      const assigned: number[] = [];
      const left = new Map<number, number>();
      for (const entry of entries) assigned.push(this.#assign(entry, assigned, left, now));
      for (const [topicId, forTopic] of left) {
        this.#rows.recompute(topicId, now);
        this.#rows.archiveIfDeserted(topicId, forTopic, now);
      }
      return assigned;
    });
  }

  async update(
    topicId: number,
    set: Partial<Pick<Topic, 'title' | 'summary' | 'strength' | 'source'>>,
    expectedVersion?: number,
  ): Promise<Topic> {
    // A text by a model can be generated again, so the write is not flushed.
    const isByHand = set.source === 'user' || set.strength !== undefined;
    const keep = isByHand ? this.#db.write.bind(this.#db) : this.#db.writeUnflushed.bind(this.#db);
    return keep(() => {
      checkVersion(this.#rows.mustGet(topicId), expectedVersion);
      this.#rows.update(topicId, set, this.#parts.now());
      return this.#rows.getMany([topicId])[0] as Topic;
    });
  }

  /** @param left collects topics that lost an episode and need new figures, with the topic it moved to */
  #assign(
    entry: TopicAssignment,
    earlier: readonly number[],
    left: Map<number, number>,
    now: Instant,
  ): number {
    const { mark, vector } = entry;
    const present = this.#rows.topicsOf(mark.unitId);
    if (present[0] !== undefined && this.#parts.marks.has(mark)) return present[0];
    this.#mustBeEpisode(mark.unitId);
    const topicId = this.#target(entry.topic, earlier, now);
    for (const id of present) {
      if (id === topicId) continue;
      this.#rows.displace(id, mark.unitId);
      left.set(id, topicId);
    }
    if (!present.includes(topicId)) this.#rows.join(topicId, mark.unitId, vector, now);
    this.#parts.marks.keep(mark);
    return topicId;
  }

  #target(topic: TopicAssignment['topic'], earlier: readonly number[], now: Instant): number {
    if ('id' in topic) return this.#rows.mustBeActive(topic.id).id;
    if ('title' in topic) return this.#rows.add(topic, now);
    const topicId = earlier[topic.sameAs];
    if (topicId === undefined) {
      throw new MemoryError('INVALID_INPUT', `There is no entry ${topic.sameAs} before this one.`);
    }
    return this.#rows.mustBeActive(topicId).id;
  }

  #mustBeEpisode(unitId: number): void {
    const unit = this.#db.get<{ turn_id: number | null }>('SELECT turn_id FROM unit WHERE id = ?', unitId);
    if (!unit) throw new MemoryError('NOT_FOUND', `There is no unit ${unitId}.`);
    if (unit.turn_id === null) {
      throw new MemoryError('INVALID_INPUT', `Unit ${unitId} is no episode; only episodes have topics.`);
    }
  }
}
