import { MemoryError, type Instant, type Topic } from '../../model/model.ts';
import { checkVersion } from '../rows/rows.ts';
import type { TopicFilter } from '../store.ts';
import type { Sql, SqlValue } from './sql.ts';
import type { Steps } from './steps.ts';
import { TOPICS_BELOW } from './filter.ts';
import type { TableParts } from './parts.ts';

export function* listTopics(
  tables: TableParts,
  filter: TopicFilter,
  page: { limit: number; offset?: number },
): Steps<Topic[]> {
  const conditions = ['t.memory_id = $1', 't.state = ?'];
  const values: SqlValue[] = [filter.state ?? 'active'];
  const add = (condition: string, ...given: SqlValue[]) => {
    conditions.push(condition);
    values.push(...given);
  };
  if (filter.parentId === null) add('t.id NOT IN (SELECT topic_id FROM topic_parent WHERE memory_id = $1)');
  else if (filter.parentId !== undefined) {
    add(
      't.id IN (SELECT topic_id FROM topic_parent WHERE memory_id = $1 AND parent_id = ?)',
      filter.parentId,
    );
  }
  if (filter.from !== undefined) add('t.last_at >= ?', filter.from);
  if (filter.to !== undefined) add('t.first_at < ?', filter.to);
  const tail = `topic t WHERE ${conditions.join(' AND ')} ORDER BY t.strength DESC, t.id LIMIT ? OFFSET ?`;
  return yield* tables.topics.select(tail, ...values, page.limit, page.offset ?? 0);
}

/** Directions of centroids, unit length; topics without one are left out. */
export function* topicDirections(
  tables: TableParts,
  ids: readonly number[],
): Steps<Map<number, Float32Array>> {
  const sums = yield* tables.centroids.getMany(ids);
  const directions = new Map<number, Float32Array>();
  for (const id of ids) {
    const sum = sums.get(id);
    const norm = sum ? Math.hypot(...sum) : 0;
    if (sum && norm > 0) {
      directions.set(
        id,
        sum.map((value) => value / norm),
      );
    }
  }
  return directions;
}

export function* topicMembers(
  tx: Sql,
  topicId: number,
  page: { limit: number; after?: { occurredAt: Instant; unitId: number }; withDescendants?: boolean },
): Steps<number[]> {
  const topics = page.withDescendants
    ? { below: `WITH RECURSIVE ${TOPICS_BELOW}`, is: 'IN (SELECT id FROM below)' }
    : { below: '', is: '= ?' };
  const after = page.after ? [page.after.occurredAt, page.after.unitId] : [];
  const rows = yield* tx.all<{ id: number }>(
    `${topics.below} SELECT DISTINCT u.id, u.occurred_at FROM topic_member m
       JOIN unit u ON u.memory_id = $1 AND u.id = m.unit_id
     WHERE m.memory_id = $1 AND m.topic_id ${topics.is} ${page.after ? 'AND (u.occurred_at, u.id) > (?, ?)' : ''}
     ORDER BY u.occurred_at, u.id LIMIT ?`,
    topicId,
    ...after,
    page.limit,
  );
  return rows.map((row) => row.id);
}

export function* topicsOfUnits(tx: Sql, unitIds: readonly number[]): Steps<Map<number, number[]>> {
  const rows = yield* tx.all<{ unitId: number; topicId: number }>(
    `SELECT m.unit_id AS "unitId", m.topic_id AS "topicId" FROM topic_member m
       JOIN topic t ON t.memory_id = $1 AND t.id = m.topic_id
     WHERE m.memory_id = $1 AND m.unit_id = ANY (?::bigint[]) ORDER BY t.strength DESC, t.id`,
    [...new Set(unitIds)],
  );
  const topics = new Map<number, number[]>();
  for (const { unitId, topicId } of rows) topics.set(unitId, [...(topics.get(unitId) ?? []), topicId]);
  return topics;
}

/** @throws MemoryError NOT_FOUND, VERSION_CONFLICT, INVALID_INPUT */
export function* updateTopic(
  { topics, now }: TableParts,
  topicId: number,
  set: Partial<Pick<Topic, 'title' | 'summary' | 'strength' | 'source'>>,
  expectedVersion?: number,
): Steps<Topic> {
  checkVersion(yield* topics.mustGet(topicId), expectedVersion);
  yield* topics.update(topicId, set, now());
  const [topic] = yield* topics.getMany([topicId]);
  if (!topic) throw new MemoryError('NOT_FOUND', `There is no topic ${topicId}.`);
  return topic;
}
