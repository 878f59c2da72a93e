import { KINDS } from '../../model/model.ts';
import { openTopic, readEmotion, topicWordsSchema, type TopicRow } from '../rows/rows.ts';
import type { Verification } from '../store.ts';
import type { Sql } from './sql.ts';
import type { Steps } from './steps.ts';
import { forEachPageById } from './pageById.ts';
import type { TableParts } from './parts.ts';
import { isWholeSum } from './centroids.ts';
import { findCycle } from './topicGraph.ts';

type Problem = Verification['problems'][number];

const EPISODE = KINDS.indexOf('episode');

/** The derivation whose mark implies that a topic exists. */
const ASSIGNED = 'assign_topic';

const noTopic = (column: string) =>
  `NOT EXISTS (SELECT 1 FROM topic t WHERE t.memory_id = $1 AND t.id = x.${column})`;
const noMember = (column: string) =>
  `NOT EXISTS (SELECT 1 FROM topic_member m WHERE m.memory_id = $1 AND m.unit_id = x.${column})`;

/** Rows with references to rows that do not exist. */
const DANGLING = [
  {
    table: 'topic_member',
    is: `(NOT EXISTS (SELECT 1 FROM unit u WHERE u.memory_id = $1 AND u.id = x.unit_id AND u.kind = ${EPISODE})
      OR ${noTopic('topic_id')})`,
    says: "'Unit ' || unit_id || ' is a member of topic ' || topic_id || '; one of them does not exist, or the unit is not an episode.'",
  },
  {
    table: 'topic_parent',
    is: `(${noTopic('topic_id')} OR ${noTopic('parent_id')})`,
    says: "'Topic ' || topic_id || ' is below topic ' || parent_id || '; one of them does not exist.'",
  },
  {
    table: 'topic_centroid',
    is: noTopic('topic_id'),
    says: "'There is a centroid of topic ' || topic_id || ', which does not exist.'",
  },
] as const;

const counted = (what: string) => `(SELECT ${what} FROM topic_member m
  JOIN unit u ON u.memory_id = $1 AND u.id = m.unit_id WHERE m.memory_id = $1 AND m.topic_id = x.id)`;
const MISCOUNTED = `(members <> ${counted('count(*)')} OR first_at IS DISTINCT FROM ${counted('min(u.occurred_at)')}
  OR last_at IS DISTINCT FROM ${counted('max(u.occurred_at)')})`;
const OVERCROWDED = `state = 'archived' AND EXISTS (
  SELECT 1 FROM topic_member m WHERE m.memory_id = $1 AND m.topic_id = x.id
  UNION ALL SELECT 1 FROM topic_parent p WHERE p.memory_id = $1 AND (p.topic_id = x.id OR p.parent_id = x.id))`;

/** Conditions for inconsistent topics, with their messages. */
const WRONG_TOPICS = [
  { is: MISCOUNTED, says: "'The number of members or the period of topic ' || id || ' is wrong.'" },
  { is: OVERCROWDED, says: "'Topic ' || id || ' is archived and still has members, parents or children.'" },
  {
    is: '(strength NOT BETWEEN 0 AND 1 OR emotion_weight < 0)',
    says: "'The strength of topic ' || id || ' is ' || strength || ', outside 0 to 1.'",
  },
  {
    is: `successor_id IS NOT NULL AND ${noTopic('successor_id')}`,
    says: "'Topic ' || id || ' has the successor ' || successor_id || ', which does not exist.'",
  },
] as const;

/** Problems of topics and their members, at most `max` of a kind. */
export function* topicProblems(tables: TableParts, max: number): Steps<Problem[]> {
  const messages: string[] = [];
  const find = function* (says: string, from: string): Steps<void> {
    const sql = `SELECT DISTINCT ${says} AS message FROM ${from} LIMIT ${max}`;
    const rows = yield* tables.tx.all<{ message: string }>(sql);
    messages.push(...rows.map((row) => row.message));
  };
  for (const { table, is, says } of DANGLING) yield* find(says, `${table} x WHERE memory_id = $1 AND ${is}`);
  for (const { is, says } of WRONG_TOPICS) yield* find(says, `topic x WHERE memory_id = $1 AND ${is}`);
  yield* find(
    "'Unit ' || unit_id || ' was assigned to a topic, but has none.'",
    `derivation x WHERE memory_id = $1 AND kind = '${ASSIGNED}' AND ${noMember('unit_id')}`,
  );
  const cycle = yield* findCycle(tables.tx, yield* childIds(tables.tx));
  if (cycle) messages.push(`The topics form a cycle: ${cycle.join(', ')}.`);
  messages.push(...(yield* centroidProblems(tables.tx)));
  const unreadable = yield* unreadableTopics(tables.tx);
  messages.push(...unreadable.slice(0, max).map((id) => `Topic ${id} cannot be read.`));
  // The index is compared with the texts.
  const misindexed = unreadable.length > 0 ? [] : (yield* tables.topicText.misindexed()).slice(0, max);
  return [
    ...messages.map((message) => ({ code: 'TOPIC_WRONG' as const, message })),
    ...misindexed.map((id) => ({
      code: 'INDEX_WRONG' as const,
      message: `Topic ${id} has wrong entries in the text index.`,
    })),
  ];
}

function* centroidProblems(tx: Sql): Steps<string[]> {
  const problems: string[] = [];
  const select = 'SELECT topic_id AS id, sum FROM topic_centroid WHERE memory_id = $1';
  const compare = (rows: readonly { id: number; sum: Uint8Array }[]) => {
    for (const { id, sum } of rows) {
      if (!isWholeSum(sum)) problems.push(`The centroid of topic ${id} was changed.`);
    }
  };
  yield* forEachPageById(tx, select, compare, 'topic_id');
  return problems;
}

/** Topics whose title or summary cannot be decrypted, or whose emotion is none. */
function* unreadableTopics(tx: Sql): Steps<number[]> {
  const found: number[] = [];
  yield* forEachPageById<TopicRow>(tx, 'SELECT * FROM topic WHERE memory_id = $1', (rows) => {
    for (const row of rows) if (!canBeRead(tx, row)) found.push(row.id);
  });
  return found;
}

function canBeRead({ keys }: Sql, row: TopicRow): boolean {
  try {
    readEmotion(row.emotion);
    return topicWordsSchema.safeParse(openTopic(keys, row)).success;
  } catch {
    return false;
  }
}

function* childIds(tx: Sql): Steps<number[]> {
  const sql = 'SELECT DISTINCT topic_id AS id FROM topic_parent WHERE memory_id = $1 ORDER BY 1';
  return (yield* tx.all<{ id: number }>(sql)).map((row) => row.id);
}

/**
 * Deletes topics that cannot be read, whose episodes are assigned again, and dangling references; reactivates archived topics that have members, counts again, breaks cycles at their
 * newest link, and deletes marks that refer to missing topics.
 */
export function* reconcileTopics(tables: TableParts): Steps<void> {
  const tx = tables.tx;
  for (const id of yield* unreadableTopics(tx)) {
    yield* tx.run('UPDATE topic SET successor_id = NULL WHERE memory_id = $1 AND successor_id = ?', id);
    yield* tx.run(
      'DELETE FROM topic_parent WHERE memory_id = $1 AND (topic_id = ? OR parent_id = ?)',
      id,
      id,
    );
    for (const table of ['topic_member', 'topic_centroid', 'topic_term']) {
      yield* tx.run(`DELETE FROM ${table} WHERE memory_id = $1 AND topic_id = ?`, id);
    }
    yield* tx.run('DELETE FROM topic WHERE memory_id = $1 AND id = ?', id);
  }
  const archived = "SELECT id FROM topic WHERE memory_id = $1 AND state = 'archived'";
  for (const { table, is } of DANGLING)
    yield* tx.run(`DELETE FROM ${table} AS x WHERE memory_id = $1 AND ${is}`);
  const steps = [
    `DELETE FROM topic_parent WHERE memory_id = $1 AND (topic_id IN (${archived}) OR parent_id IN (${archived}))`,
    `UPDATE topic AS x SET state = 'active', successor_id = NULL WHERE memory_id = $1 AND ${OVERCROWDED}`,
    `UPDATE topic AS x SET successor_id = NULL
       WHERE memory_id = $1 AND successor_id IS NOT NULL AND ${noTopic('successor_id')}`,
    `UPDATE topic SET strength = CASE WHEN strength < 0 THEN 0 WHEN strength > 1 THEN 1 ELSE strength END,
       emotion_weight = CASE WHEN emotion_weight < 0 THEN 0 ELSE emotion_weight END
       WHERE memory_id = $1`,
    `UPDATE topic AS x SET members = ${counted('count(*)')}, first_at = ${counted('min(u.occurred_at)')},
       last_at = ${counted('max(u.occurred_at)')}, changes = changes + 1 WHERE memory_id = $1 AND ${MISCOUNTED}`,
    `DELETE FROM derivation AS x WHERE memory_id = $1 AND kind = '${ASSIGNED}' AND ${noMember('unit_id')}`,
  ];
  for (const step of steps) yield* tx.run(step);
  for (let cycle = yield* findCycle(tx, yield* childIds(tx)); cycle;) {
    const newest = cycle.reduce((last, id) => Math.max(last, id));
    const parent = cycle[(cycle.indexOf(newest) + 1) % cycle.length] ?? newest;
    yield* tables.topics.unlink(newest, parent);
    cycle = yield* findCycle(tx, yield* childIds(tx));
  }
  yield* tables.centroids.remakeAll();
  yield* tables.topicText.rebuild();
}
