import type { Verification } from '../../store.ts';
import { KINDS } from '../../../model/model.ts';
import type { Database } from '../database.ts';
import { findCycle } from './topicGraph.ts';
import { isWholeSum } from './centroids.ts';
import type { TopicRows } from './topicRows.ts';
import type { TopicText } from './topicText.ts';

type Problem = Verification['problems'][number];

const EPISODE = KINDS.indexOf('episode');

/** The derivation whose mark implies that a topic exists. */
const ASSIGNED = 'assign_topic';

/** Rows with references to rows that do not exist. */
const DANGLING = [
  {
    table: 'topic_member',
    is: `unit_id NOT IN (SELECT id FROM unit WHERE kind = ${EPISODE}) OR topic_id NOT IN (SELECT id FROM topic)`,
    says: "'Unit ' || unit_id || ' is said to belong to topic ' || topic_id || '; one of them is missing, or no episode.'",
  },
  {
    table: 'topic_parent',
    is: 'topic_id NOT IN (SELECT id FROM topic) OR parent_id NOT IN (SELECT id FROM topic)',
    says: "'Topic ' || topic_id || ' is said to be below topic ' || parent_id || '; one of them is missing.'",
  },
  {
    table: 'topic_centroid',
    is: 'topic_id NOT IN (SELECT id FROM topic)',
    says: "'A centroid of topic ' || topic_id || ' was kept, which there is not.'",
  },
] as const;

const COUNTED = `(SELECT count(*), min(u.occurred_at), max(u.occurred_at)
  FROM topic_member m CROSS JOIN unit u ON u.id = m.unit_id WHERE m.topic_id = topic.id)`;
const MISCOUNTED = `(members, first_at, last_at) IS NOT ${COUNTED}`;
const OVERCROWDED = `state = 'archived' AND (id IN (SELECT topic_id FROM topic_member)
  OR id IN (SELECT topic_id FROM topic_parent) OR id IN (SELECT parent_id FROM topic_parent))`;
const UNASSIGNED = `FROM derivation d WHERE d.kind = '${ASSIGNED}'
  AND d.unit_id NOT IN (SELECT unit_id FROM topic_member)`;

/** Conditions for inconsistent topics, with their messages. */
const WRONG_TOPICS = [
  { is: MISCOUNTED, says: "'The members of topic ' || id || ' are miscounted.'" },
  { is: OVERCROWDED, says: "'Topic ' || id || ' is archived and still has members, parents or children.'" },
  {
    is: 'strength NOT BETWEEN 0 AND 1 OR emotion_weight < 0',
    says: "'The strength of topic ' || id || ' is ' || strength || ', outside 0 to 1.'",
  },
  {
    is: 'successor_id IS NOT NULL AND successor_id NOT IN (SELECT t.id FROM topic t)',
    says: "'Topic ' || id || ' is said to live on in topic ' || successor_id || ', which there is not.'",
  },
] as const;

/** Problems of topics and their members, at most `most` of a kind. */
export function topicProblems(db: Database, text: TopicText, most: number): Problem[] {
  const find = (sql: string) =>
    db.all<{ message: string }>(`${sql} LIMIT ${most}`).map(({ message }) => message);
  const messages = [
    ...DANGLING.flatMap(({ table, is, says }) =>
      find(`SELECT DISTINCT ${says} AS message FROM ${table} WHERE ${is}`),
    ),
    ...WRONG_TOPICS.flatMap(({ is, says }) => find(`SELECT ${says} AS message FROM topic WHERE ${is}`)),
    ...find(
      `SELECT DISTINCT 'Unit ' || d.unit_id || ' was given a topic and has none.' AS message ${UNASSIGNED}`,
    ),
    ...cycleProblem(db),
    ...centroidProblems(db),
  ];
  const misindexed = text.misindexed().slice(0, most);
  return [
    ...messages.map((message) => ({ code: 'TOPIC_WRONG' as const, message })),
    ...misindexed.map((id) => ({
      code: 'INDEX_WRONG' as const,
      message: `Topic ${id} is not found by its words, or should not be.`,
    })),
  ];
}

function centroidProblems(db: Database): string[] {
  return db
    .all<{ id: number; sum: Uint8Array }>('SELECT topic_id AS id, sum FROM topic_centroid ORDER BY 1')
    .flatMap(({ id, sum }) => (isWholeSum(sum) ? [] : [`The centroid of topic ${id} was changed.`]));
}

function cycleProblem(db: Database): string[] {
  const cycle = findCycle(db, childIds(db));
  return cycle ? [`Topics lie below one another in a circle: ${cycle.join(', ')}.`] : [];
}

function childIds(db: Database): number[] {
  return db
    .all<{ id: number }>('SELECT DISTINCT topic_id AS id FROM topic_parent ORDER BY 1')
    .map((row) => row.id);
}

/**
 * Deletes dangling references, reactivates archived topics that have members, counts again, breaks cycles at their
 * newest link, and deletes marks that refer to missing topics.
 */
export function reconcileTopics(db: Database, rows: TopicRows, text: TopicText): void {
  for (const { table, is } of DANGLING) db.exec(`DELETE FROM ${table} WHERE ${is}`);
  db.exec(`DELETE FROM topic_parent WHERE topic_id IN (SELECT id FROM topic WHERE state = 'archived')
      OR parent_id IN (SELECT id FROM topic WHERE state = 'archived');
    UPDATE topic SET state = 'active', successor_id = NULL WHERE ${OVERCROWDED};
    UPDATE topic SET successor_id = NULL WHERE successor_id NOT IN (SELECT t.id FROM topic t);
    UPDATE topic SET strength = max(0, min(1, strength)), emotion_weight = max(0, emotion_weight);
    UPDATE topic SET (members, first_at, last_at) = ${COUNTED}, changes = changes + 1 WHERE ${MISCOUNTED};
    DELETE FROM derivation WHERE kind = '${ASSIGNED}' AND unit_id NOT IN (SELECT unit_id FROM topic_member);`);
  for (let cycle = findCycle(db, childIds(db)); cycle; cycle = findCycle(db, childIds(db))) {
    const newest = cycle.reduce((last, id) => Math.max(last, id));
    const parent = cycle[(cycle.indexOf(newest) + 1) % cycle.length] ?? newest;
    rows.unlink(newest, parent);
  }
  rows.centroids.remakeAll();
  text.remake();
}
