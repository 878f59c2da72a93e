import type { Instant, ReorganizationPlan } from '../../../model/model.ts';
import type { Database } from '../database.ts';

/** Rows of these tables have a unit, or a topic and a unit, in their key. */
const TOUCHED = `SELECT DISTINCT entry_id AS id FROM journal_image WHERE
  (of_table IN ('unit', 'unit_version') AND row_key ->> 0 IN (SELECT value FROM json_each(?1)))
  OR (of_table IN ('topic_member', 'unit_vector') AND row_key ->> 1 IN (SELECT value FROM json_each(?1)))
  OR (of_table IN ('topic', 'topic_member', 'topic_centroid') AND row_key ->> 0 IN (SELECT value FROM json_each(?2)))
  OR (of_table = 'topic_parent' AND (row_key ->> 0 IN (SELECT value FROM json_each(?2))
    OR row_key ->> 1 IN (SELECT value FROM json_each(?2))))`;

/** Empties the entries that touched any of these: only their date is kept, and they can no longer be undone. */
export function eraseFromJournal(
  db: Database,
  gone: { readonly unitIds: readonly number[]; readonly topicIds: readonly number[] },
  now: Instant,
): void {
  const touched = db.all<{ id: number }>(
    TOUCHED,
    JSON.stringify(gone.unitIds),
    JSON.stringify(gone.topicIds),
  );
  for (const { id } of touched) {
    const row = db.get<{ plan: string }>('SELECT plan FROM journal WHERE id = ?', id);
    const { at, by } = JSON.parse(row ? db.keys.open(row.plan) : '{}') as ReorganizationPlan;
    const plan: ReorganizationPlan = { at, by, operations: [], refresh: [] };
    db.run('DELETE FROM journal_image WHERE entry_id = ?', id);
    db.run(
      'UPDATE journal SET plan = ?, erased_at = ? WHERE id = ?',
      db.keys.seal(JSON.stringify(plan)),
      now,
      id,
    );
  }
}
