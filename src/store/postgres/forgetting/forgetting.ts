/** Forgetting in PostgreSQL: all rows with forgotten content, in one transaction. */
import { KINDS, MemoryError } from '../../../model/model.ts';
import { isForgotten } from '../../rows/rows.ts';
import type { Erasure } from '../../store.ts';
import { noteErasure } from '../outbox.ts';
import { eraseFromJournal, eraseTopics, perform } from '../../tables/tables.ts';
import type { Tables } from '../tables.ts';

const FACT = KINDS.indexOf('fact');

/** An entity that the erased units mention, with the names used. */
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
  const touched = {
    unitIds: [...gone, ...reworded.map(({ unitId }) => unitId)],
    topicIds: [...places, ...topics.map(({ id }) => id)],
  };
  await perform(eraseFromJournal(tables.shared, touched, at));
  for (const unitId of gone) {
    await session.run('DELETE FROM topic_member WHERE memory_id = $1 AND unit_id = ?', unitId);
    await session.run('DELETE FROM job WHERE memory_id = $1 AND input = ?', JSON.stringify({ unitId }));
    await units.putBack(unitId, null);
  }
  for (const { unitId, payload } of reworded) await units.reword(unitId, payload, at);
  await perform(eraseTopics(tables.shared, { touched: places, reworded: topics }, at));
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

/** Call after the units are erased: removes names that no other unit gives, and entities without mentions. */
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
