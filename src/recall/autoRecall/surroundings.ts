import { DAY_MS, type Episode } from '../../model/model.ts';
import type { Store, UnitFilter } from '../../store/store.ts';
import type { Hit } from '../types.ts';

/** Maximum number of a topic's members read around a hit, starting one day before it. */
const MAX_MEMBERS = 24;

/** A topic and the hit around which its episodes are searched. */
export interface Lead {
  readonly topicId: number;
  readonly hit: Hit;
}

/**
 * Episodes of the leading topics closest in time to the best hits, nearest first, alternating between the topics.
 * @param filter must be applied here: these episodes come from no search, so nothing else has excluded sensitive ones
 */
export async function surroundings(
  store: Store,
  leads: readonly Lead[],
  filter: UnitFilter,
  { except, limit }: { readonly except: ReadonlySet<number>; readonly limit: number },
): Promise<Episode[]> {
  const near = await Promise.all(leads.map((lead) => nearHit(store, lead)));
  const inTurns = Array.from({ length: MAX_MEMBERS }, (_, i) => near.flatMap((units) => units[i] ?? []));
  const episodes = new Map(inTurns.flat().map((episode) => [episode.id, episode]));
  const others = [...episodes.keys()].filter((id) => !except.has(id));
  const allowed = await store.units.filter(others, filter);
  return allowed.slice(0, limit).flatMap((id) => episodes.get(id) ?? []);
}

async function nearHit(store: Store, { topicId, hit }: Lead): Promise<Episode[]> {
  const at = Date.parse(hit.occurredAt);
  const after = { occurredAt: at - DAY_MS, unitId: 0 };
  const ids = await store.topics.membersOf(topicId, { limit: MAX_MEMBERS, after });
  const gap = ({ occurredAt }: Episode) => Math.abs(occurredAt - at);
  const turnsFrom = ({ id }: Episode) => Math.abs(id - hit.unitId);
  return (await store.units.get(ids))
    .filter((unit) => unit.kind === 'episode')
    .sort((a, b) => gap(a) - gap(b) || turnsFrom(a) - turnsFrom(b));
}
