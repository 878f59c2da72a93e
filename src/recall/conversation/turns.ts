import type { Document } from '../documents.ts';
import { NONE } from './queryTerms.ts';

/** Candidates, and the turn before and after each in its conversation. */
interface GatheredTurns {
  readonly unitIds: readonly number[];
  readonly before: ReadonlyMap<number, number>;
  readonly after: ReadonlyMap<number, number>;
}

/**
 * The candidates and their neighbouring turns, for one query. Each turn has an index: candidates come first, by
 * ascending id. Hundreds of turns are scored in arrays by index, without look-ups by id.
 */
export interface Turns {
  readonly documents: readonly Document[];
  /** Index by unit id. */
  readonly places: ReadonlyMap<number, number>;
  /** Number of candidates. */
  readonly candidates: number;
  /**
   * The index of the turn before and after each candidate in its conversation; `NONE` where the neighbour may not be
   * recalled.
   */
  readonly before: Int32Array;
  readonly after: Int32Array;
}

/** The ids of the candidates and of the turns next to them. */
export function turnIds({ unitIds, before, after }: GatheredTurns): number[] {
  const ids = new Set(unitIds);
  for (const unitId of unitIds) {
    const [previous, next] = [before.get(unitId), after.get(unitId)];
    if (previous !== undefined) ids.add(previous);
    if (next !== undefined) ids.add(next);
  }
  return [...ids];
}

/**
 * Assigns an index to every gathered turn.
 * @param read in the order of the ids; units that no longer exist are left out
 */
export async function placeTurns(
  gathered: GatheredTurns,
  read: (unitIds: readonly number[]) => Promise<readonly Document[]>,
): Promise<Turns> {
  const { unitIds } = gathered;
  const places = new Map<number, number>();
  for (const unitId of unitIds) places.set(unitId, places.size);
  const placeOf = (unitId: number | undefined): number => {
    if (unitId === undefined) return NONE;
    const known = places.get(unitId);
    if (known !== undefined) return known;
    places.set(unitId, places.size);
    return places.size - 1;
  };
  const beside = (side: ReadonlyMap<number, number>) =>
    Int32Array.from(unitIds, (unitId) => placeOf(side.get(unitId)));
  const sides = { before: beside(gathered.before), after: beside(gathered.after) };
  const documents = await read([...places.keys()]);
  if (documents.length === places.size) return { documents, places, candidates: unitIds.length, ...sides };
  const there = new Map(documents.map((document) => [document.unitId, document]));
  return placeTurns(onlyExisting(gathered, there), async (ids) => ids.flatMap((id) => there.get(id) ?? []));
}

/** The gathered ids without units that no longer exist. */
function onlyExisting(
  { unitIds, before, after }: GatheredTurns,
  there: ReadonlyMap<number, Document>,
): GatheredTurns {
  const among = (side: ReadonlyMap<number, number>) => new Map([...side].filter(([, id]) => there.has(id)));
  return { unitIds: unitIds.filter((id) => there.has(id)), before: among(before), after: among(after) };
}
