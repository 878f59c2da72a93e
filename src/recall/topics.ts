/** Stage 7: the topics that a recall leads to, and their other episodes. (MemoryCore §6.2) */
import type { Store, UnitFilter } from '../store/store.ts';

/** Maximum number of leading topics. */
export const MAX_LEADING = 3;
/** Number of results whose topics are counted and whose neighbours may be added. */
const TOP = 20;
/** Maximum distance of a neighbour in its conversation, in turns. */
const REACH = 2;

/** The topics of results, the one with most votes first; a result's vote is its weight over 1 + its rank. */
export function countTopics(
  results: readonly { readonly unitId: number; readonly weight: number }[],
  topicsOf: ReadonlyMap<number, readonly number[]>,
): number[] {
  const votes = new Map<number, number>();
  results.forEach(({ unitId, weight }, rank) => {
    for (const topicId of topicsOf.get(unitId) ?? [])
      votes.set(topicId, (votes.get(topicId) ?? 0) + weight / (rank + 1));
  });
  return [...votes].sort((a, b) => b[1] - a[1] || a[0] - b[0]).map(([topicId]) => topicId);
}

/**
 * Episodes of the leading topics next to the best results.
 * @param found best first
 * @param filter must be applied here: these episodes come from no search, so nothing else has excluded sensitive ones
 */
export async function expandByTopic(
  store: Store,
  found: readonly number[],
  filter: UnitFilter,
): Promise<number[]> {
  const top = found.slice(0, TOP);
  const topicsOfTop = await store.topics.ofUnits(top);
  const counted = countTopics(
    top.map((unitId) => ({ unitId, weight: 1 })),
    topicsOfTop,
  );
  const leading = new Set(counted.slice(0, MAX_LEADING));
  const belongs = (topicIds: readonly number[] = []) => topicIds.some((topicId) => leading.has(topicId));
  const from = top.filter((unitId) => belongs(topicsOfTop.get(unitId)));
  if (from.length === 0) return [];
  const around = await store.units.neighbours(from, { before: REACH, after: REACH });
  const known = new Set(found);
  const beside = new Set(around.flatMap(({ before, after }) => [...before, ...after]));
  const others = [...beside].filter((unitId) => !known.has(unitId));
  const topicsOfOthers = await store.topics.ofUnits(others);
  return store.units.filter(
    others.filter((unitId) => belongs(topicsOfOthers.get(unitId))),
    filter,
  );
}

/** The strength of the strongest topic of each unit, 0..1; units without a topic are left out. */
export async function topicStrengths(store: Store, unitIds: readonly number[]): Promise<Map<number, number>> {
  const topicsOf = await store.topics.ofUnits(unitIds);
  const topics = await store.topics.get([...new Set([...topicsOf.values()].flat())]);
  const strengths = new Map(topics.map(({ id, strength }) => [id, strength]));
  return new Map(
    [...topicsOf].map(([unitId, ids]) => [unitId, Math.max(0, ...ids.map((id) => strengths.get(id) ?? 0))]),
  );
}

/**
 * The title of the strongest topic of each unit that has one.
 * @param topicsOf the topics of at least these units
 */
export async function topicTitles(
  store: Store,
  unitIds: readonly number[],
  topicsOf: ReadonlyMap<number, readonly number[]>,
): Promise<Map<number, string>> {
  const wanted = new Set(unitIds.flatMap((unitId) => topicsOf.get(unitId) ?? []));
  const topics = wanted.size > 0 ? await store.topics.get([...wanted]) : [];
  const byId = new Map(topics.map((topic) => [topic.id, topic]));
  return new Map(
    unitIds.flatMap((unitId): [number, string][] => {
      const own = (topicsOf.get(unitId) ?? [])
        .flatMap((id) => byId.get(id) ?? [])
        .sort((a, b) => b.strength - a.strength || a.id - b.id);
      return own[0] ? [[unitId, own[0].title]] : [];
    }),
  );
}
