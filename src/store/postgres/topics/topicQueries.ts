import type { Instant, Topic } from '../../../model/model.ts';
import { dot, quantize } from '../../../vectors/vectors.ts';
import type { TopicFilter } from '../../store.ts';
import { TOPICS_BELOW } from '../filter.ts';
import type { Session, Value } from '../session.ts';
import type { TopicParts } from './parts.ts';

export async function listTopics(
  tables: TopicParts,
  filter: TopicFilter,
  page: { limit: number; offset?: number },
): Promise<Topic[]> {
  const conditions = ['t.memory_id = $1', 't.state = ?'];
  const values: Value[] = [filter.state ?? 'active'];
  const add = (condition: string, ...given: Value[]) => {
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
  return tables.topics.select(tail, ...values, page.limit, page.offset ?? 0);
}

/** Active topics, nearest first, compared in whole numbers as vectors are. */
export async function nearestTopics(
  tables: TopicParts,
  vector: Float32Array,
  limit: number,
): Promise<{ topicId: number; score: number }[]> {
  const sums = await tables.centroids.ofActive();
  if (limit <= 0) return [];
  if (sums.size === 0) return [];
  await tables.centroids.checkDimensions(vector);
  const query = quantize(vector);
  const queryLength = dot(query, query);
  const scored = [...sums].flatMap(([topicId, sum]) => {
    if (sum.length !== vector.length) return [];
    const centroid = quantize(sum);
    const lengths = Math.sqrt(dot(centroid, centroid) * queryLength);
    return { topicId, score: lengths === 0 ? 0 : dot(query, centroid) / lengths };
  });
  return scored.sort((a, b) => b.score - a.score || a.topicId - b.topicId).slice(0, limit);
}

/** Directions of centroids, unit length; topics without one are left out. */
export async function topicDirections(
  tables: TopicParts,
  ids: readonly number[],
): Promise<Map<number, Float32Array>> {
  const sums = await tables.centroids.getMany(ids);
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

export async function topicMembers(
  session: Session,
  topicId: number,
  page: { limit: number; after?: { occurredAt: Instant; unitId: number }; withDescendants?: boolean },
): Promise<number[]> {
  const topics = page.withDescendants
    ? { below: `WITH RECURSIVE ${TOPICS_BELOW}`, is: 'IN (SELECT id FROM below)' }
    : { below: '', is: '= ?' };
  const after = page.after ? [page.after.occurredAt, page.after.unitId] : [];
  const rows = await session.all<{ id: number }>(
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

export async function topicsOfUnits(
  session: Session,
  unitIds: readonly number[],
): Promise<Map<number, number[]>> {
  const rows = await session.all<{ unitId: number; topicId: number }>(
    `SELECT m.unit_id AS "unitId", m.topic_id AS "topicId" FROM topic_member m
       JOIN topic t ON t.memory_id = $1 AND t.id = m.topic_id
     WHERE m.memory_id = $1 AND m.unit_id = ANY (?::bigint[]) ORDER BY t.strength DESC, t.id`,
    [...new Set(unitIds)],
  );
  const topics = new Map<number, number[]>();
  for (const { unitId, topicId } of rows) topics.set(unitId, [...(topics.get(unitId) ?? []), topicId]);
  return topics;
}
