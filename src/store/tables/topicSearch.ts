import type { TableParts } from './parts.ts';
import { settled, type Steps } from './steps.ts';

/** Members to search for, for each requested topic. */
const MEMBERS_PER_TOPIC = 20;
const MAX_MEMBERS = 2_000;
/** The weight of a term in title or summary, relative to a term in one member. */
const TITLE_WEIGHT = 3;

/** Topics ranked by the scores of their best members, plus three times the score of title and summary (both BM25). */
export function* searchTopics(
  tables: TableParts,
  terms: readonly string[],
  limit: number,
): Steps<{ topicId: number; score: number }[]> {
  if (terms.length === 0 || limit <= 0) return [];
  const scores = new Map<number, number>();
  const count = (topicId: number, score: number) => scores.set(topicId, (scores.get(topicId) ?? 0) + score);
  for (const [topicId, score] of yield* tables.topicText.scores(terms)) count(topicId, TITLE_WEIGHT * score);
  const max = Math.min(MAX_MEMBERS, MEMBERS_PER_TOPIC * limit);
  const members = yield* settled(tables.own.searchText(terms, { kinds: ['episode'] }, max));
  const memberships = yield* tables.tx.all<{ topicId: number; unitId: number }>(
    `SELECT topic_id AS "topicId", unit_id AS "unitId" FROM topic_member
     WHERE memory_id = $1 AND unit_id = ANY (?::bigint[]) ORDER BY topic_id`,
    members.map(({ unitId }) => unitId),
  );
  const topicsOf = Map.groupBy(memberships, ({ unitId }) => unitId);
  for (const { unitId, score } of members) {
    for (const { topicId } of topicsOf.get(unitId) ?? []) count(topicId, score);
  }
  return [...scores]
    .map(([topicId, score]) => ({ topicId, score }))
    .sort((a, b) => b.score - a.score || a.topicId - b.topicId)
    .slice(0, limit);
}
