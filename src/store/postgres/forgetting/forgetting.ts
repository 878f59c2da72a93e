/** Forgetting in PostgreSQL: all rows that hold what is forgotten, in one transaction. */
import { KINDS, MemoryError, type Instant, type ReorganizationPlan } from '../../../model/model.ts';
import { isForgotten } from '../../rows/rows.ts';
import type { Erasure } from '../../store.ts';
import { noteErasure } from '../outbox.ts';
import { writeRow } from '../rowImages.ts';
import type { Tables } from '../tables.ts';

const FACT = KINDS.indexOf('fact');

/** An entity that units spoke of, and by which names. */
interface TouchedEntity {
  readonly id: number;
  readonly surfaces: readonly string[];
}

/** See `Forgetting.erase`. The caller holds the transaction, and the memory's lock. */
export async function eraseRows(tables: Tables, erasure: Erasure): Promise<void> {
  const { session, units, now } = tables;
  const { turnIds, unitIds, reworded, topics, jobs, receipt } = erasure;
  const at = now();
  await mustBeThere(tables, turnIds);
  const gone = [...(await episodesOf(tables, turnIds)), ...unitIds];
  const places = await topicsOf(tables, gone);
  const entities = await touchedEntities(tables, gone);
  await eraseFromJournal(
    tables,
    {
      unitIds: [...gone, ...reworded.map(({ unitId }) => unitId)],
      topicIds: [...places, ...topics.map(({ id }) => id)],
    },
    at,
  );
  for (const unitId of gone) {
    await session.run('DELETE FROM topic_member WHERE memory_id = $1 AND unit_id = ?', unitId);
    await session.run('DELETE FROM job WHERE memory_id = $1 AND input = ?', JSON.stringify({ unitId }));
    await units.putBack(unitId, null);
  }
  for (const { unitId, payload } of reworded) await units.reword(unitId, payload, at);
  await eraseTopics(tables, { touched: places, reworded: topics }, at);
  await eraseFromEntities(tables, entities);
  await tables.turns.forget(turnIds);
  await tables.jobs.insert(jobs, at);
  await noteErasure(session);
  const id = await session.nextIds('receipt');
  await session.run('INSERT INTO receipt VALUES ($1, ?, ?)', id, JSON.stringify(receipt));
}

async function mustBeThere({ turns }: Tables, turnIds: readonly number[]): Promise<void> {
  const rows = new Map((await turns.rowsOf(turnIds)).map((row) => [row.id, row]));
  for (const id of turnIds) {
    const row = rows.get(id);
    if (!row || isForgotten(row)) throw new MemoryError('NOT_FOUND', `There is no turn ${id}.`);
  }
}

async function episodesOf({ session }: Tables, turnIds: readonly number[]): Promise<number[]> {
  const rows = await session.all<{ id: number }>(
    'SELECT id FROM unit WHERE memory_id = $1 AND turn_id = ANY (?::bigint[]) ORDER BY turn_id',
    turnIds,
  );
  return rows.map(({ id }) => id);
}

async function topicsOf({ session }: Tables, unitIds: readonly number[]): Promise<number[]> {
  const rows = await session.all<{ id: number }>(
    `SELECT DISTINCT topic_id AS id FROM topic_member WHERE memory_id = $1 AND unit_id = ANY (?::bigint[]) ORDER BY 1`,
    unitIds,
  );
  return rows.map(({ id }) => id);
}

async function touchedEntities({ session }: Tables, unitIds: readonly number[]): Promise<TouchedEntity[]> {
  const { keys } = session;
  const rows = await session.all<{ id: number; surface: string }>(
    `SELECT entity_id AS id, surface FROM unit_entity WHERE memory_id = $1 AND unit_id = ANY (?::bigint[]) ORDER BY 1`,
    unitIds,
  );
  return [...Map.groupBy(rows, ({ id }) => id)].map(([id, mentions]) => ({
    id,
    surfaces: mentions.map(({ surface }) => keys.open(surface)),
  }));
}

/** After the units are gone: takes the names away that nobody else gave, and entities that nothing speaks of. */
async function eraseFromEntities(
  { session, entities }: Tables,
  touched: readonly TouchedEntity[],
): Promise<void> {
  for (const { id, surfaces } of touched) {
    const others = await session.all<{ surface: string }>(
      `SELECT surface FROM unit_entity WHERE memory_id = $1 AND entity_id = ?
       GROUP BY surface ORDER BY count(*) DESC, min(unit_id)`,
      id,
    );
    const names = others.map(({ surface }) => session.keys.open(surface));
    if (names.length > 0) await entities.withdrawNames(id, surfaces, names);
    const used = await session.get(IS_USED, id, id, id, String(id));
    if (used) continue;
    await entities.names.remove(id);
    await session.run('DELETE FROM entity WHERE memory_id = $1 AND id = ?', id);
  }
}

const IS_USED = `SELECT 1 FROM unit_entity WHERE memory_id = $1 AND entity_id = ?
  UNION ALL SELECT 1 FROM edge WHERE memory_id = $1 AND (from_entity_id = ? OR to_entity_id = ?)
  UNION ALL SELECT 1 FROM unit WHERE memory_id = $1 AND kind = ${FACT} AND payload ->> 'objectEntityId' = ?`;

/** Rows of these tables are named by a unit, or by a topic and a unit. */
const TOUCHED = `SELECT DISTINCT entry_id AS id FROM journal_image i,
    LATERAL (SELECT (row_key::json ->> 0)::bigint AS a, (row_key::json ->> 1)::bigint AS b) k
  WHERE memory_id = $1 AND (
    (of_table IN ('unit', 'unit_version') AND k.a = ANY (?::bigint[]))
    OR (of_table IN ('topic_member', 'unit_vector') AND k.b = ANY (?::bigint[]))
    OR (of_table IN ('topic', 'topic_member', 'topic_centroid') AND k.a = ANY (?::bigint[]))
    OR (of_table = 'topic_parent' AND (k.a = ANY (?::bigint[]) OR k.b = ANY (?::bigint[]))))`;

/** Empties the entries that touched any of these: they stay as a date, and can no longer be undone. */
async function eraseFromJournal(
  { session, journal }: Tables,
  gone: { readonly unitIds: readonly number[]; readonly topicIds: readonly number[] },
  now: Instant,
): Promise<void> {
  const { unitIds, topicIds } = gone;
  const touched = await session.all<{ id: number }>(TOUCHED, unitIds, unitIds, topicIds, topicIds, topicIds);
  for (const { id } of touched) {
    const entry = await journal.get(id);
    const { at = now, by = 'rules' } = entry?.plan ?? {};
    const plan: ReorganizationPlan = { at, by, operations: [], refresh: [] };
    await session.run('DELETE FROM journal_image WHERE memory_id = $1 AND entry_id = ?', id);
    await session.run(
      'UPDATE journal SET plan = ?, erased_at = ? WHERE memory_id = $1 AND id = ?',
      session.keys.seal(JSON.stringify(plan)),
      now,
      id,
    );
  }
}

/** Gives topics their new words and figures; those without a member go. */
async function eraseTopics(
  tables: Tables,
  topics: { readonly touched: readonly number[]; readonly reworded: Erasure['topics'] },
  now: Instant,
): Promise<void> {
  const rows = tables.topics;
  for (const { id, ...words } of topics.reworded) if (await rows.get(id)) await rows.update(id, words, now);
  for (const id of topics.touched) {
    await rows.recompute(id, now);
    if ((await rows.get(id))?.members === 0) await removeTopic(tables, id);
  }
}

/** Its subtopics come below its parents. */
async function removeTopic({ session, topics }: Tables, id: number): Promise<void> {
  const parents = await topics.parentsOf(id);
  for (const childId of await topics.childrenOf(id)) {
    await topics.unlink(childId, id);
    for (const parentId of parents) await topics.linkTo(childId, parentId);
  }
  for (const parentId of parents) await topics.unlink(id, parentId);
  await session.run('UPDATE topic SET successor_id = NULL WHERE memory_id = $1 AND successor_id = ?', id);
  await writeRow(session, 'topic_centroid', [id], null);
  await writeRow(session, 'topic', [id], null);
  await topics.reindex(id);
}
