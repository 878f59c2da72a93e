import type { ScoredId, UnitFilter } from '../store.ts';

/** Filters unit ids. */
export interface UnitFilterer {
  passing(unitIds: readonly number[], filter: UnitFilter): ReadonlySet<number>;
}

/** The hits whose units pass, in order. */
export function passingHits(sieve: UnitFilterer, filter: UnitFilter, hits: readonly ScoredId[]): ScoredId[] {
  const unitIds = hits.map((hit) => hit.unitId);
  const passing = sieve.passing(unitIds, filter);
  return hits.filter((hit) => passing.has(hit.unitId));
}

/** Hits read in addition to those requested, to replace those that the filter excludes. */
const SPARE_HITS = 20;

/**
 * The first `limit` hits that pass, for a search that does not support the whole filter: reads more, in steps,
 * until enough pass or there are no more.
 * @param most the most hits that the search can return
 * @param find returns the given number of best hits, best first
 */
export function firstPassing(
  sieve: UnitFilterer,
  filter: UnitFilter,
  { limit, max }: { limit: number; max: number },
  find: (wanted: number) => ScoredId[],
): ScoredId[] {
  for (let wanted = limit + SPARE_HITS; ; wanted *= 4) {
    const hits = find(Math.min(wanted, max));
    const passing = passingHits(sieve, filter, hits);
    const isAll = hits.length < wanted || wanted >= max;
    if (passing.length >= limit || isAll) return passing.slice(0, limit);
  }
}
