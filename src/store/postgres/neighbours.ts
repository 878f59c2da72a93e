import { parseColumn, parseNumbers } from '../rows/rows.ts';
import type { Neighbours } from '../store.ts';
import type { Session } from './session.ts';

interface AroundRow {
  id: number;
  before: string;
  after: string;
  linked: string;
}

/** The ids before each unit, nearest first, those after it, and those linked to it. */
const AROUND = `
  SELECT u.id,
    (SELECT coalesce(json_agg(b.id), '[]') FROM (SELECT n.id FROM unit n WHERE n.memory_id = $1
       AND n.conversation_id = u.conversation_id AND n.turn_index < u.turn_index
       ORDER BY n.turn_index DESC LIMIT ?) b) AS before,
    (SELECT coalesce(json_agg(a.id), '[]') FROM (SELECT n.id FROM unit n WHERE n.memory_id = $1
       AND n.conversation_id = u.conversation_id AND n.turn_index > u.turn_index
       ORDER BY n.turn_index LIMIT ?) a) AS after,
    (SELECT coalesce(json_agg(json_build_array(l.id, l.relation) ORDER BY l.id, l.relation), '[]') FROM (
       SELECT to_unit_id AS id, relation FROM link WHERE memory_id = $1 AND from_unit_id = u.id
       UNION SELECT from_unit_id, relation FROM link WHERE memory_id = $1 AND to_unit_id = u.id) l) AS linked
  FROM unnest(?::bigint[]) WITH ORDINALITY j (id, place) JOIN unit u ON u.memory_id = $1 AND u.id = j.id
  ORDER BY j.place`;

/** For each episode its neighbours in the conversation, and the units linked to it. */
export async function readNeighbours(
  session: Session,
  unitIds: readonly number[],
  reach: { before: number; after: number },
): Promise<Neighbours[]> {
  const around = await session.all<AroundRow>(AROUND, reach.before, reach.after, unitIds);
  return around.map(({ id, before, after, linked }) => ({
    unitId: id,
    before: parseNumbers(before).reverse(),
    after: parseNumbers(after),
    linked: parseColumn<'linked'>(linked).map(([unitId, relation]) => ({ unitId, relation })),
  }));
}
