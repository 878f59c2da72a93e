import { KINDS, type Instant } from '../../model/model.ts';
import { isForgotten, isReadable, unitJob } from '../rows/rows.ts';
import type { RebuildPlan, RebuildReport } from '../store.ts';
import { reconcileEntities } from './entityUpkeep.ts';
import { hashRows } from './rowHashes.ts';
import { settled, type Steps } from './steps.ts';
import type { SharedTables } from './sharedTables.ts';
import { reconcileTopics } from './topicUpkeep.ts';
import { reconcileUnits } from './unitUpkeep.ts';

const EPISODE = KINDS.indexOf('episode');
/** Turns that are read at a time. */
const PAGE_SIZE = 1_000;

/** Rebuilds derived data; see `Store.rebuild`. The caller holds the transaction, so that all or nothing is rebuilt. */
export function* rebuildMemory(
  tables: SharedTables,
  what: 'indexes' | 'units',
  plan: RebuildPlan,
): Steps<RebuildReport> {
  const { own, reading, turns, vectors } = tables;
  yield* settled(own.allowLongStatements());
  const episodesRemoved = what === 'units' ? yield* removeOrphans(tables) : 0;
  const episodesRestored = what === 'units' ? yield* restoreEpisodes(tables, plan.now) : 0;
  if (what === 'units') yield* reconcileUnits(tables, plan.now);
  yield* plan.dropVectors ? vectors.drop() : vectors.reconcile();
  yield* turns.recount();
  yield* reconcileEntities(tables);
  yield* reconcileTopics(tables);
  if (what === 'units') yield* hashRows(tables.tx);
  const total = yield* reading.count();
  const textIndex = yield* settled(own.clearTextIndex());
  let unitsIndexed = 0;
  let jobsEnqueued = 0;
  yield* reading.forEachPage(function* (units) {
    yield* settled(textIndex.add(units));
    const embedded = yield* vectors.servedAmong(units.map(({ id }) => id));
    const jobs = units.flatMap((unit) => {
      const kinds = embedded.has(unit.id) ? plan.jobKinds.filter((kind) => kind !== 'embed') : plan.jobKinds;
      return kinds.map((kind) => unitJob(kind, unit));
    });
    jobsEnqueued += yield* settled(own.insertJobs(jobs, plan.now));
    unitsIndexed += units.length;
    plan.onProgress?.(unitsIndexed, total);
  });
  yield* settled(textIndex.finish());
  return { unitsIndexed, episodesRestored, episodesRemoved, jobsEnqueued };
}

/** Analyses the text of all units again, after the analysis has changed. */
export function* reindexText({ own, reading, topicText }: SharedTables): Steps<void> {
  const textIndex = yield* settled(own.clearTextIndex());
  yield* reading.forEachPage((units) => settled(textIndex.add(units)));
  yield* settled(textIndex.finish());
  yield* topicText.rebuild();
}

/** Removes the episodes without a turn: their text was stored with it. */
function* removeOrphans({ tx, units }: SharedTables): Steps<number> {
  const orphans = yield* tx.all<{ id: number }>(
    `SELECT u.id FROM unit u WHERE u.memory_id = $1 AND u.kind = ${EPISODE}
       AND NOT EXISTS (SELECT 1 FROM turn t WHERE t.memory_id = $1 AND t.id = u.turn_id) ORDER BY 1`,
  );
  for (const { id } of orphans) {
    yield* tx.run('DELETE FROM topic_member WHERE memory_id = $1 AND unit_id = ?', id);
    yield* units.putBack(id, null);
  }
  return orphans.length;
}

/** Creates missing episodes, and gives every episode the place and time of its turn. */
function* restoreEpisodes({ tx, turns }: SharedTables, now: Instant): Steps<number> {
  yield* tx.run(
    `UPDATE unit AS u SET conversation_id = t.conversation_id, turn_index = t.turn_index, occurred_at = t.occurred_at
     FROM turn t WHERE u.memory_id = $1 AND t.memory_id = $1 AND t.id = u.turn_id AND u.kind = ${EPISODE}`,
  );
  let restored = 0;
  for (let afterId = 0; ;) {
    const rows = yield* turns.rows({ afterId, limit: PAGE_SIZE });
    const last = rows.at(-1);
    if (!last) return restored;
    const kept = yield* tx.all<{ id: number }>(
      'SELECT turn_id AS id FROM unit WHERE memory_id = $1 AND turn_id > ? AND turn_id <= ?',
      afterId,
      last.id,
    );
    const present = new Set(kept.map((row) => row.id));
    const missing = rows.filter((row) => !present.has(row.id) && !isForgotten(row) && isReadable(row));
    restored += (yield* turns.insertEpisodes(missing, now)).length;
    afterId = last.id;
  }
}
