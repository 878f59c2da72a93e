import type { Instant, ReorganizationPlan } from '../../../model/model.ts';
import type { Database } from '../database.ts';

/** Rows of these tables are named by a unit, or by a topic and a unit. */
const TOUCHED = `SELECT DISTINCT entry_id AS id FROM journal_image WHERE
  (of_table IN ('unit', 'unit_version') AND row_key ->> 0 IN (SELECT value FROM json_each(?1)))
  OR (of_table IN ('topic_member', 'unit_vector') AND row_key ->> 1 IN (SELECT value FROM json_each(?1)))
  OR (of_table IN ('topic', 'topic_member', 'topic_centroid') AND row_key ->> 0 IN (SELECT value FROM json_each(?2)))
  OR (of_table = 'topic_parent' AND (row_key ->> 0 IN (SELECT value FROM json_each(?2))
    OR row_key ->> 1 IN (SELECT value FROM json_each(?2))))`;

/** Empties the entries that touched any of these: they stay as a date, and can no longer be undone. */
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
