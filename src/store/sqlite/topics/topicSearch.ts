import type { Database } from '../database.ts';
import type { TextIndex } from '../textIndex.ts';
import type { TopicText } from './topicText.ts';

/** Members to search for, for each requested topic. */
const MEMBERS_PER_TOPIC = 20;
const MAX_MEMBERS = 2_000;
/** The weight of a term in title or summary, relative to a term in one member. */
const TITLE_WEIGHT = 3;

/** Topics ranked by the scores of their best members, plus three times the score of title and summary (both BM25). */
export function searchTopics(
  db: Database,
  parts: { textIndex: TextIndex; text: TopicText },
  terms: readonly string[],
  limit: number,
): { topicId: number; score: number }[] {
  if (terms.length === 0 || limit <= 0) return [];
  const scores = new Map<number, number>();
  const count = (topicId: number, score: number) => scores.set(topicId, (scores.get(topicId) ?? 0) + score);
  for (const [topicId, score] of parts.text.scores(terms)) count(topicId, TITLE_WEIGHT * score);
  const members = parts.textIndex.search(
    terms,
    { kinds: ['episode'] },
    Math.min(MAX_MEMBERS, MEMBERS_PER_TOPIC * limit),
  );
  const scoreOf = new Map(members.map(({ unitId, score }) => [unitId, score]));
  const memberships = db.all<{ topicId: number; unitId: number }>(
    `SELECT m.topic_id AS topicId, m.unit_id AS unitId FROM json_each(?) j
       CROSS JOIN topic_member m ON m.unit_id = j.value ORDER BY j.key, m.topic_id`,
    JSON.stringify([...scoreOf.keys()]),
  );
  for (const { topicId, unitId } of memberships) count(topicId, scoreOf.get(unitId) ?? 0);
  return [...scores]
    .map(([topicId, score]) => ({ topicId, score }))
    .sort((a, b) => b.score - a.score || a.topicId - b.topicId)
    .slice(0, limit);
}
