import type { Neighbours } from '../store.ts';
import type { Session } from './session.ts';

interface AroundRow {
  id: number;
  before: string;
  after: string;
}

/** The ids before each unit, nearest first, and those after it. */
const AROUND = `
  SELECT u.id,
    (SELECT coalesce(json_agg(b.id), '[]') FROM (SELECT n.id FROM unit n WHERE n.memory_id = $1
       AND n.conversation_id = u.conversation_id AND n.turn_index < u.turn_index
       ORDER BY n.turn_index DESC LIMIT ?) b) AS before,
    (SELECT coalesce(json_agg(a.id), '[]') FROM (SELECT n.id FROM unit n WHERE n.memory_id = $1
       AND n.conversation_id = u.conversation_id AND n.turn_index > u.turn_index
       ORDER BY n.turn_index LIMIT ?) a) AS after
  FROM unnest(?::bigint[]) WITH ORDINALITY j (id, place) JOIN unit u ON u.memory_id = $1 AND u.id = j.id
  ORDER BY j.place`;

const LINKS = `
  SELECT j.id, l.to_unit_id AS "unitId", l.relation
    FROM unnest(?::bigint[]) j (id) JOIN link l ON l.memory_id = $1 AND l.from_unit_id = j.id
  UNION SELECT j.id, l.from_unit_id, l.relation
    FROM unnest(?::bigint[]) j (id) JOIN link l ON l.memory_id = $1 AND l.to_unit_id = j.id
  ORDER BY 1, 2, 3`;

/** For each episode its neighbours in the conversation, and the units linked to it. */
export async function readNeighbours(
  session: Session,
  unitIds: readonly number[],
  reach: { before: number; after: number },
): Promise<Neighbours[]> {
  const [around, links] = await Promise.all([
    session.all<AroundRow>(AROUND, reach.before, reach.after, unitIds),
    session.all<{ id: number; unitId: number; relation: string }>(LINKS, unitIds, unitIds),
  ]);
  const linked = Map.groupBy(links, (link) => link.id);
  return around.map(({ id, before, after }) => ({
    unitId: id,
    before: (JSON.parse(before) as number[]).reverse(),
    after: JSON.parse(after) as number[],
    linked: (linked.get(id) ?? []).map(({ unitId, relation }) => ({ unitId, relation })),
  }));
}
