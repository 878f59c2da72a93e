import { KINDS, type Instant, type ReorganizationPlan } from '../../model/model.ts';
import { parseColumn } from '../rows/rows.ts';
import type { Erasure, HistoryLimits } from '../store.ts';
import type { TableParts } from './parts.ts';
import { writeRow } from './rowImages.ts';
import type { Sql } from './sql.ts';
import { settled, type Steps } from './steps.ts';

/** An entity that units mention, with the names they use. */
interface TouchedEntity {
  readonly id: number;
  readonly surfaces: readonly string[];
}

/** Erases all rows that contain what is forgotten, and stores the receipt; see `Forgetting.erase`. */
export function* eraseRows(parts: TableParts, erasure: Erasure): Steps<void> {
  const { tx, own, units, now } = parts;
  const { turnIds, unitIds, reworded, topics, jobs, receipt } = erasure;
  const at = now();
  yield* settled(own.deferReferenceChecks());
  const gone = [...(yield* episodesOf(tx, turnIds)), ...unitIds];
  const places = yield* topicsOf(tx, gone);
  const entities = yield* touchedEntities(tx, gone);
  const touched = {
    unitIds: [...gone, ...reworded.map(({ unitId }) => unitId)],
    topicIds: [...places, ...topics.map(({ id }) => id)],
  };
  yield* eraseFromJournal(parts, touched, at);
  for (const unitId of gone) {
    yield* tx.run('DELETE FROM topic_member WHERE memory_id = $1 AND unit_id = ?', unitId);
    yield* tx.run('DELETE FROM job WHERE memory_id = $1 AND input = ?', JSON.stringify({ unitId }));
    yield* units.putBack(unitId, null);
  }
  for (const { unitId, payload } of reworded) yield* units.reword(unitId, payload, at);
  yield* eraseTopics(parts, { touched: places, reworded: topics }, at);
  yield* eraseFromEntities(parts, entities);
  yield* parts.turns.forget(turnIds);
  yield* settled(own.insertJobs(jobs, at));
  yield* tx.insertNew('receipt', { receipt: JSON.stringify(receipt) });
}

function* episodesOf(tx: Sql, turnIds: readonly number[]): Steps<number[]> {
  const rows = yield* tx.all<{ id: number }>(
    'SELECT id FROM unit WHERE memory_id = $1 AND turn_id = ANY (?::bigint[]) ORDER BY turn_id',
    turnIds,
  );
  return rows.map(({ id }) => id);
}

function* topicsOf(tx: Sql, unitIds: readonly number[]): Steps<number[]> {
  const rows = yield* tx.all<{ id: number }>(
    `SELECT DISTINCT topic_id AS id FROM topic_member WHERE memory_id = $1 AND unit_id = ANY (?::bigint[]) ORDER BY 1`,
    unitIds,
  );
  return rows.map(({ id }) => id);
}

function* touchedEntities(tx: Sql, unitIds: readonly number[]): Steps<TouchedEntity[]> {
  const rows = yield* tx.all<{ id: number; surface: string }>(
    `SELECT entity_id AS id, surface FROM unit_entity WHERE memory_id = $1 AND unit_id = ANY (?::bigint[]) ORDER BY 1`,
    unitIds,
  );
  return [...Map.groupBy(rows, ({ id }) => id)].map(([id, mentions]) => ({
    id,
    surfaces: mentions.map(({ surface }) => tx.keys.open(surface)),
  }));
}

/** Called after the units are deleted: removes names that no other unit uses, and entities that nothing mentions. */
function* eraseFromEntities({ tx, entities }: TableParts, touched: readonly TouchedEntity[]): Steps<void> {
  for (const { id, surfaces } of touched) {
    const others = yield* tx.all<{ surface: string }>(
      `SELECT surface FROM unit_entity WHERE memory_id = $1 AND entity_id = ?
       GROUP BY surface ORDER BY count(*) DESC, min(unit_id)`,
      id,
    );
    const names = others.map(({ surface }) => tx.keys.open(surface));
    if (names.length > 0) yield* entities.withdrawNames(id, surfaces, names);
    if (yield* tx.get(IS_USED, id, id, id, id)) continue;
    yield* entities.names.remove(id);
    yield* tx.run('DELETE FROM entity WHERE memory_id = $1 AND id = ?', id);
  }
}

const IS_USED = `SELECT 1 FROM unit_entity WHERE memory_id = $1 AND entity_id = ?
  UNION ALL SELECT 1 FROM edge WHERE memory_id = $1 AND (from_entity_id = ? OR to_entity_id = ?)
  UNION ALL SELECT 1 FROM unit WHERE memory_id = $1 AND kind = ${KINDS.indexOf('fact')}
    AND payload ->> 'objectEntityId' = ?::bigint::text`;

/** Rows of these tables have a unit, or a topic and a unit, in their key. */
const TOUCHED = `SELECT DISTINCT entry_id AS id FROM journal_image WHERE memory_id = $1 AND (
  (of_table IN ('unit', 'unit_version') AND (row_key::json ->> 0)::bigint = ANY (?::bigint[]))
  OR (of_table IN ('topic_member', 'unit_vector') AND (row_key::json ->> 1)::bigint = ANY (?::bigint[]))
  OR (of_table IN ('topic', 'topic_member', 'topic_centroid') AND (row_key::json ->> 0)::bigint = ANY (?::bigint[]))
  OR (of_table = 'topic_parent' AND ((row_key::json ->> 0)::bigint = ANY (?::bigint[])
    OR (row_key::json ->> 1)::bigint = ANY (?::bigint[]))))`;

/** Empties the entries that touched any of these: only their date is kept, and they can no longer be undone. */
function* eraseFromJournal(
  { tx }: TableParts,
  { unitIds, topicIds }: { readonly unitIds: readonly number[]; readonly topicIds: readonly number[] },
  now: Instant,
): Steps<void> {
  const touched = yield* tx.all<{ id: number }>(TOUCHED, unitIds, unitIds, topicIds, topicIds, topicIds);
  for (const { id } of touched) {
    const sql = 'SELECT plan FROM journal WHERE memory_id = $1 AND id = ?';
    const row = yield* tx.get<{ plan: string }>(sql, id);
    const { at, by } = parseColumn<'plan'>(row ? tx.keys.open(row.plan) : '{}');
    const plan = { at, by, operations: [], refresh: [] } satisfies ReorganizationPlan;
    yield* tx.run('DELETE FROM journal_image WHERE memory_id = $1 AND entry_id = ?', id);
    yield* tx.run(
      'UPDATE journal SET plan = ?, erased_at = ? WHERE memory_id = $1 AND id = ?',
      tx.keys.seal(JSON.stringify(plan)),
      now,
      id,
    );
  }
}

const OLD_IMAGES = `DELETE FROM journal_image WHERE memory_id = $1 AND entry_id IN (
  SELECT id FROM journal WHERE memory_id = $1 AND at < ?)`;
const OLD_VERSIONS = `DELETE FROM unit_version WHERE memory_id = $1 AND at < ? AND EXISTS (
  SELECT 1 FROM unit u WHERE u.memory_id = $1 AND u.id = unit_version.unit_id AND u.version > unit_version.version)`;

/** See `Forgetting.removeHistory`. */
export function* removeHistory({ tx }: TableParts, before: HistoryLimits): Steps<void> {
  if (before.journalBefore !== null) yield* tx.run(OLD_IMAGES, before.journalBefore);
  if (before.versionsBefore !== null) yield* tx.run(OLD_VERSIONS, before.versionsBefore);
}

/** Gives topics their new texts and figures; deletes those without members. */
function* eraseTopics(
  parts: TableParts,
  given: { readonly touched: readonly number[]; readonly reworded: Erasure['topics'] },
  now: Instant,
): Steps<void> {
  const { topics } = parts;
  for (const { id, ...words } of given.reworded) {
    if (yield* topics.get(id)) yield* topics.update(id, words, now);
  }
  for (const id of given.touched) {
    yield* topics.recompute(id, now);
    if ((yield* topics.get(id))?.members === 0) yield* removeTopic(parts, id);
  }
}

/** Its subtopics become children of its parents. */
function* removeTopic({ tx, topics }: TableParts, id: number): Steps<void> {
  const parents = yield* topics.parentsOf(id);
  for (const childId of yield* topics.childrenOf(id)) {
    yield* topics.unlink(childId, id);
    for (const parentId of parents) yield* topics.linkTo(childId, parentId);
  }
  for (const parentId of parents) yield* topics.unlink(id, parentId);
  yield* tx.run('UPDATE topic SET successor_id = NULL WHERE memory_id = $1 AND successor_id = ?', id);
  yield* writeRow(tx, 'topic_centroid', [id], null);
  yield* writeRow(tx, 'topic', [id], null);
  yield* topics.reindex(id);
  yield* topics.centroids.noteChange(id);
}
