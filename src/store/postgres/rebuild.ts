import { KINDS, type Instant, type NewJob } from '../../model/model.ts';
import { isForgotten, isReadable, unitJob } from '../rows/rows.ts';
import type { RebuildPlan, RebuildReport } from '../store.ts';
import type { Tables } from './tables.ts';
import { perform, reconcileEntities, reconcileTopics, reconcileUnits } from '../tables/tables.ts';

const EPISODE = KINDS.indexOf('episode');

/** Rebuilds derived data; see `Store.rebuild`. The caller holds the transaction, so that all or nothing is rebuilt. */
export async function rebuildMemory(
  tables: Tables,
  what: 'indexes' | 'units',
  plan: RebuildPlan,
): Promise<RebuildReport> {
  await tables.session.allowLongStatements();
  const episodesRemoved = what === 'units' ? await removeOrphans(tables) : 0;
  const episodesRestored = what === 'units' ? await restoreEpisodes(tables, plan.now) : 0;
  if (what === 'units') await perform(reconcileUnits(tables.shared, plan.now));
  if (plan.dropVectors) await tables.vectors.drop();
  else await tables.vectors.reconcile();
  await tables.turns.recount();
  await perform(reconcileEntities(tables.shared));
  await perform(reconcileTopics(tables.shared));
  const total = await tables.units.count();
  const embedded = new Set(await (await tables.vectors.open('serving'))?.unitIds());
  let unitsIndexed = 0;
  let jobsEnqueued = 0;
  async function* pages() {
    for await (const page of tables.units.pages()) {
      yield page;
      const jobs: NewJob[] = page.flatMap((unit) => {
        const kinds = embedded.has(unit.id)
          ? plan.jobKinds.filter((kind) => kind !== 'embed')
          : plan.jobKinds;
        return kinds.map((kind) => unitJob(kind, unit));
      });
      jobsEnqueued += await tables.jobs.insert(jobs, plan.now);
      unitsIndexed += page.length;
      plan.onProgress?.(unitsIndexed, total);
    }
  }
  await tables.textIndex.remake(pages());
  return { unitsIndexed, episodesRestored, episodesRemoved, jobsEnqueued };
}

/** Removes the episodes without a turn: their text was stored with it. */
async function removeOrphans({ session, shared }: Tables): Promise<number> {
  const orphans = await session.all<{ id: number }>(
    `SELECT u.id FROM unit u WHERE u.memory_id = $1 AND u.kind = ${EPISODE}
       AND NOT EXISTS (SELECT 1 FROM turn t WHERE t.memory_id = $1 AND t.id = u.turn_id) ORDER BY 1`,
  );
  for (const { id } of orphans) {
    await session.run('DELETE FROM topic_member WHERE memory_id = $1 AND unit_id = ?', id);
    await perform(shared.units.putBack(id, null));
  }
  return orphans.length;
}

/** Creates missing episodes, and gives every episode the place and time of its turn. */
async function restoreEpisodes({ session, turns }: Tables, now: Instant): Promise<number> {
  await session.run(
    `UPDATE unit u SET conversation_id = t.conversation_id, turn_index = t.turn_index, occurred_at = t.occurred_at
     FROM turn t WHERE u.memory_id = $1 AND t.memory_id = $1 AND t.id = u.turn_id AND u.kind = ${EPISODE}`,
  );
  let restored = 0;
  for (let afterId = 0; ;) {
    const rows = await turns.rows({ afterId, limit: 1_000 });
    const last = rows.at(-1);
    if (!last) return restored;
    const kept = await session.all<{ id: number }>(
      'SELECT turn_id AS id FROM unit WHERE memory_id = $1 AND turn_id > ? AND turn_id <= ?',
      afterId,
      last.id,
    );
    const present = new Set(kept.map((row) => row.id));
    const missing = rows.filter((row) => !present.has(row.id) && !isForgotten(row) && isReadable(row));
    restored += (await turns.insertEpisodes(missing, now)).length;
    afterId = last.id;
  }
}
