import type { ScoredId, UnitFilter } from '../store.ts';

/** The ids of the units that match the filter. */
export type FilterUnits = (unitIds: readonly number[], filter: UnitFilter) => ReadonlySet<number>;

/** The hits whose units match, in order. */
export function filterHits(
  filterUnits: FilterUnits,
  filter: UnitFilter,
  hits: readonly ScoredId[],
): ScoredId[] {
  const unitIds = hits.map((hit) => hit.unitId);
  const matching = filterUnits(unitIds, filter);
  return hits.filter((hit) => matching.has(hit.unitId));
}

/** Hits read in addition to those requested, to replace those that the filter excludes. */
const SPARE_HITS = 20;

/**
 * The first `limit` hits that match, for a search that does not support the whole filter: reads more, in steps,
 * until enough match or there are no more.
 * @param max the most hits that the search can return
 * @param find returns the given number of best hits, best first
 */
export function firstMatching(
  filterUnits: FilterUnits,
  filter: UnitFilter,
  { limit, max }: { limit: number; max: number },
  find: (wanted: number) => ScoredId[],
): ScoredId[] {
  for (let wanted = limit + SPARE_HITS; ; wanted *= 4) {
    const hits = find(Math.min(wanted, max));
    const matching = filterHits(filterUnits, filter, hits);
    const isAll = hits.length < wanted || wanted >= max;
    if (matching.length >= limit || isAll) return matching.slice(0, limit);
  }
}
