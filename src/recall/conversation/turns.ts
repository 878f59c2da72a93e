import type { Document } from '../documents.ts';
import type { Gathered } from './gather.ts';
import { NONE } from './queryTerms.ts';

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
  /** With the query's vector, less the cosine that every unit has with it on average; 0 for those without a vector. */
  readonly cosines: Float64Array;
}

/** @param read the documents of all that was gathered, as far as there are any */
export function placeTurns(
  { unitIds, before, after }: Pick<Gathered, 'unitIds' | 'before' | 'after'>,
  read: ReadonlyMap<number, Document>,
  cosines: ReadonlyMap<number, number>,
): Turns {
  const candidates = unitIds.flatMap((unitId) => read.get(unitId) ?? []);
  const documents = [...candidates];
  const places = new Map(candidates.map(({ unitId }, place) => [unitId, place]));
  const placeOf = (unitId: number | undefined): number => {
    const document = unitId === undefined ? undefined : read.get(unitId);
    if (!document) return NONE;
    const known = places.get(document.unitId);
    if (known !== undefined) return known;
    places.set(document.unitId, documents.length);
    return documents.push(document) - 1;
  };
  const beside = (side: ReadonlyMap<number, number>) =>
    Int32Array.from(candidates, ({ unitId }) => placeOf(side.get(unitId)));
  const sides = { before: beside(before), after: beside(after) };
  return {
    documents,
    places,
    candidates: candidates.length,
    ...sides,
    cosines: Float64Array.from(documents, ({ unitId }) => cosines.get(unitId) ?? 0),
  };
}
