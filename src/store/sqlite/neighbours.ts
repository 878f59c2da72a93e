import type { Neighbours } from '../store.ts';
import type { Database } from './database.ts';

/**
 * For each episode what stands around it in its conversation, and the units linked to it. The units next to it are read
 * in half the time that any number of them takes, and a recall asks for those of hundreds.
 */
export function neighboursOf(
  db: Database,
  unitIds: readonly number[],
  reach: { before: number; after: number },
): Neighbours[] {
  const ids = JSON.stringify(unitIds);
  const isNext = reach.before <= 1 && reach.after <= 1;
  const around = isNext ? readNext(db, ids, reach) : readAround(db, ids, reach);
  if (!db.get('SELECT 1 FROM link LIMIT 1')) return around;
  const links = readLinks(db, ids);
  return around.map((each) => ({ ...each, linked: links.get(each.unitId) ?? [] }));
}

function readNext(db: Database, ids: string, reach: { before: number; after: number }): Neighbours[] {
  return db
    .all<{ id: number; before: number | null; after: number | null }>(NEXT, ids)
    .map(({ id, before, after }) => ({
      unitId: id,
      before: before === null || reach.before < 1 ? [] : [before],
      after: after === null || reach.after < 1 ? [] : [after],
      linked: [],
    }));
}

function readAround(db: Database, ids: string, reach: { before: number; after: number }): Neighbours[] {
  return db
    .all<{ id: number; before: string; after: string }>(AROUND, reach.before, reach.after, ids)
    .map((row) => ({
      unitId: row.id,
      before: (JSON.parse(row.before) as number[]).reverse(),
      after: JSON.parse(row.after) as number[],
      linked: [],
    }));
}

function readLinks(db: Database, ids: string): Map<number, Neighbours['linked'][number][]> {
  const links = new Map<number, Neighbours['linked'][number][]>();
  for (const { id, unitId, relation } of db.all<{ id: number; unitId: number; relation: string }>(
    LINKS,
    ids,
  )) {
    links.set(id, [...(links.get(id) ?? []), { unitId, relation }]);
  }
  return links;
}

/** The id before and the id after each unit of a JSON array of ids. */
const NEXT = `
  SELECT u.id,
    (SELECT n.id FROM unit n WHERE n.conversation_id = u.conversation_id
       AND n.turn_index < u.turn_index ORDER BY n.turn_index DESC LIMIT 1) AS before,
    (SELECT n.id FROM unit n WHERE n.conversation_id = u.conversation_id
       AND n.turn_index > u.turn_index ORDER BY n.turn_index LIMIT 1) AS after
  FROM json_each(?) j CROSS JOIN unit u ON u.id = j.value ORDER BY j.key`;

/** The ids before it, nearest first, and those after it. */
const AROUND = `
  SELECT u.id,
    (SELECT json_group_array(id) FROM (SELECT n.id FROM unit n WHERE n.conversation_id = u.conversation_id
       AND n.turn_index < u.turn_index ORDER BY n.turn_index DESC LIMIT +?)) AS before,
    (SELECT json_group_array(id) FROM (SELECT n.id FROM unit n WHERE n.conversation_id = u.conversation_id
       AND n.turn_index > u.turn_index ORDER BY n.turn_index LIMIT +?)) AS after
  FROM json_each(?) j CROSS JOIN unit u ON u.id = j.value ORDER BY j.key`;

const LINKS = `
  SELECT j.value AS id, l.to_unit_id AS unitId, l.relation
    FROM json_each(?1) j CROSS JOIN link l ON l.from_unit_id = j.value
  UNION SELECT j.value, l.from_unit_id, l.relation
    FROM json_each(?1) j CROSS JOIN link l ON l.to_unit_id = j.value
  ORDER BY 1, 2, 3`;
