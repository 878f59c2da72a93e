import type { Instant, ReorganizationPlan } from '../../model/model.ts';
import type { Erasure } from '../store.ts';
import type { TableParts } from './parts.ts';
import { writeRow } from './rowImages.ts';
import type { Steps } from './steps.ts';

/** Rows of these tables have a unit, or a topic and a unit, in their key. */
const TOUCHED = `SELECT DISTINCT entry_id AS id FROM journal_image WHERE memory_id = $1 AND (
  (of_table IN ('unit', 'unit_version') AND (row_key::json ->> 0)::bigint = ANY (?::bigint[]))
  OR (of_table IN ('topic_member', 'unit_vector') AND (row_key::json ->> 1)::bigint = ANY (?::bigint[]))
  OR (of_table IN ('topic', 'topic_member', 'topic_centroid') AND (row_key::json ->> 0)::bigint = ANY (?::bigint[]))
  OR (of_table = 'topic_parent' AND ((row_key::json ->> 0)::bigint = ANY (?::bigint[])
    OR (row_key::json ->> 1)::bigint = ANY (?::bigint[]))))`;

/** Empties the entries that touched any of these: only their date is kept, and they can no longer be undone. */
export function* eraseFromJournal(
  { tx }: TableParts,
  { unitIds, topicIds }: { readonly unitIds: readonly number[]; readonly topicIds: readonly number[] },
  now: Instant,
): Steps<void> {
  const touched = yield* tx.all<{ id: number }>(TOUCHED, unitIds, unitIds, topicIds, topicIds, topicIds);
  for (const { id } of touched) {
    const sql = 'SELECT plan FROM journal WHERE memory_id = $1 AND id = ?';
    const row = yield* tx.get<{ plan: string }>(sql, id);
    const { at, by } = JSON.parse(row ? tx.keys.open(row.plan) : '{}') as ReorganizationPlan;
    const plan: ReorganizationPlan = { at, by, operations: [], refresh: [] };
    yield* tx.run('DELETE FROM journal_image WHERE memory_id = $1 AND entry_id = ?', id);
    yield* tx.run(
      'UPDATE journal SET plan = ?, erased_at = ? WHERE memory_id = $1 AND id = ?',
      tx.keys.seal(JSON.stringify(plan)),
      now,
      id,
    );
  }
}

/** Gives topics their new texts and figures; deletes those without members. */
export function* eraseTopics(
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
