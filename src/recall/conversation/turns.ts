import type { Document } from '../documents.ts';
import type { Gathered } from './gather.ts';
import { NONE } from './queryTerms.ts';

type Sides = Pick<Gathered, 'unitIds' | 'before' | 'after'>;

/**
 * The candidates and who stands beside them, for one query. Each goes by its place: candidates first, by ascending id,
 * so that hundreds are weighed in arrays and not looked up by their ids.
 */
export interface Turns {
  readonly documents: readonly Document[];
  /** By unit. */
  readonly places: ReadonlyMap<number, number>;
  /** How many of them are candidates. */
  readonly candidates: number;
  /** The turn before each candidate in its conversation, and the one after; `NONE` where none may be recalled. */
  readonly before: Int32Array;
  readonly after: Int32Array;
}

/**
 * Gives everything that was gathered its place.
 * @param read in the order of the ids; what is not there any more is left out
 */
export async function placeTurns(
  gathered: Sides,
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
  return placeTurns(onlyThose(gathered, there), async (ids) => ids.map((id) => there.get(id) as Document));
}

/** What was gathered, without what is not there any more. */
function onlyThose({ unitIds, before, after }: Sides, there: ReadonlyMap<number, Document>): Sides {
  const among = (side: ReadonlyMap<number, number>) => new Map([...side].filter(([, id]) => there.has(id)));
  return { unitIds: unitIds.filter((id) => there.has(id)), before: among(before), after: among(after) };
}
