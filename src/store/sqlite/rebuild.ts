import { KINDS, type Instant, type NewJob } from '../../model/model.ts';
import type { RebuildPlan, RebuildReport } from '../store.ts';
import { isForgotten, isReadable, unitJob } from '../rows/rows.ts';
import type { Database } from './database.ts';
import { insertJobs } from './jobTable.ts';
import type { TextIndex } from './textIndex.ts';
import {
  performNow,
  reconcileEntities,
  reconcileTopics,
  reconcileUnits,
  type SharedTables,
} from '../tables/tables.ts';
import { insertEpisode, type TurnTable } from './turns.ts';
import type { UnitTable } from './units.ts';
import type { SqliteVectorIndex } from './vectorIndex.ts';

/** Rebuilds derived data; see `Store.rebuild`. The caller holds the transaction, so it happens completely or not at all. */
export function rebuildMemory(
  db: Database,
  parts: {
    units: UnitTable;
    textIndex: TextIndex;
    turns: TurnTable;
    vectors: SqliteVectorIndex;
    tables: SharedTables;
  },
  what: 'indexes' | 'units',
  plan: RebuildPlan,
): RebuildReport {
  const episodesRemoved = what === 'units' ? removeOrphans(db, parts.tables) : 0;
  const episodesRestored = what === 'units' ? restoreEpisodes(db, parts.turns, plan.now) : 0;
  if (what === 'units') performNow(reconcileUnits(parts.tables, plan.now));
  if (plan.dropVectors) parts.vectors.drop();
  else parts.vectors.reconcile();
  parts.turns.recount();
  performNow(reconcileEntities(parts.tables));
  performNow(reconcileTopics(parts.tables));
  const total = db.get<{ n: number }>('SELECT count(*) AS n FROM unit')?.n ?? 0;
  const embedded = new Set(parts.vectors.unitIds());
  let unitsIndexed = 0;
  let jobsEnqueued = 0;
  parts.textIndex.clear();
  for (const page of parts.units.pages()) {
    parts.textIndex.add(page);
    const jobs: NewJob[] = [];
    for (const unit of page) {
      const kinds = embedded.has(unit.id) ? plan.jobKinds.filter((kind) => kind !== 'embed') : plan.jobKinds;
      jobs.push(...kinds.map((kind) => unitJob(kind, unit)));
    }
    jobsEnqueued += insertJobs(db, jobs, plan.now);
    unitsIndexed += page.length;
    plan.onProgress?.(unitsIndexed, total);
  }
  return { unitsIndexed, episodesRestored, episodesRemoved, jobsEnqueued };
}

/** Deletes episodes whose turns do not exist: their text is lost with the turn. */
function removeOrphans(db: Database, { units }: SharedTables): number {
  const orphans = db.all<{ id: number }>(
    `SELECT id FROM unit WHERE kind = ${KINDS.indexOf('episode')} AND turn_id NOT IN (SELECT id FROM turn)`,
  );
  for (const { id } of orphans) {
    db.run('DELETE FROM topic_member WHERE unit_id = ?', id);
    performNow(units.putBack(id, null));
  }
  return orphans.length;
}

/** Creates missing episodes of turns, and restores index and time of all episodes from their turns. */
function restoreEpisodes(db: Database, turns: TurnTable, now: Instant): number {
  const episode = KINDS.indexOf('episode');
  db.exec(`UPDATE unit SET (conversation_id, turn_index, occurred_at) =
      (SELECT t.conversation_id, t.turn_index, t.occurred_at FROM turn t WHERE t.id = unit.turn_id)
    WHERE kind = ${episode} AND turn_id IS NOT NULL`);
  let restored = 0;
  for (let afterId = 0; ;) {
    const rows = turns.rows({ afterId, limit: 1_000 });
    const last = rows.at(-1);
    if (!last) return restored;
    for (const row of rows) {
      if (isForgotten(row) || !isReadable(row)) continue;
      if (db.get('SELECT 1 FROM unit WHERE turn_id = ?', row.id)) continue;
      insertEpisode(db, row, now);
      restored += 1;
    }
    afterId = last.id;
  }
}
