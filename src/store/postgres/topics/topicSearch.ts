import type { TopicParts } from './parts.ts';

/** Members that are looked for, for each topic wanted. */
const MEMBERS_PER_TOPIC = 20;
const MAX_MEMBERS = 2_000;
/** What a term in title or summary counts, in terms said by one member. */
const TITLE_WEIGHT = 3;

/** Topics by the sum of what their best members score, and three times what title and summary do (BM25, both). */
export async function searchTopics(
  tables: TopicParts,
  terms: readonly string[],
  limit: number,
): Promise<{ topicId: number; score: number }[]> {
  if (terms.length === 0 || limit <= 0) return [];
  const scores = new Map<number, number>();
  const count = (topicId: number, score: number) => scores.set(topicId, (scores.get(topicId) ?? 0) + score);
  for (const [topicId, score] of await tables.topicText.scores(terms)) count(topicId, TITLE_WEIGHT * score);
  const most = Math.min(MAX_MEMBERS, MEMBERS_PER_TOPIC * limit);
  const members = await tables.textIndex.search(terms, { kinds: ['episode'] }, most);
  const scoreOf = new Map(members.map(({ unitId, score }) => [unitId, score]));
  const memberships = await tables.session.all<{ topicId: number; unitId: number }>(
    `SELECT m.topic_id AS "topicId", m.unit_id AS "unitId" FROM unnest(?::bigint[]) WITH ORDINALITY j (id, place)
       JOIN topic_member m ON m.memory_id = $1 AND m.unit_id = j.id ORDER BY j.place, m.topic_id`,
    [...scoreOf.keys()],
  );
  for (const { topicId, unitId } of memberships) count(topicId, scoreOf.get(unitId) ?? 0);
  return [...scores]
    .map(([topicId, score]) => ({ topicId, score }))
    .sort((a, b) => b.score - a.score || a.topicId - b.topicId)
    .slice(0, limit);
}
