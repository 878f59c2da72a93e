/** Shared code of operations on units: filters, pages, versions. */
import { z } from 'zod';
import {
  defined,
  isMemoryError,
  MemoryError,
  parseInstant,
  type Memory,
  type Unit,
  type UnitFilter,
} from '../engine/engine.ts';
import type { Call } from './operation.ts';
import { pageAfter, type Page } from './paging.ts';
import { invalidFields, Problem } from './problem.ts';
import type { OperationName } from './routes.ts';
import type { anyUnitQuery } from './shapes/shapes.ts';

type UnitQuery = Partial<z.output<z.ZodObject<typeof anyUnitQuery>>> & { readonly limit: number };

/** @throws MemoryError INVALID_TIME */
function filterOf(query: UnitQuery, timeZone: string): UnitFilter {
  const { limit: _, cursor: __, archived, from, to, ...rest } = query;
  return defined({
    ...rest,
    withArchived: archived === true || rest.states?.includes('archived') === true,
    from: from === undefined ? undefined : parseTime(from, timeZone),
    to: to === undefined ? undefined : parseTime(to, timeZone),
  });
}

/** A query contains only text: digits alone are milliseconds. */
export function parseTime(text: string, timeZone: string): number {
  return parseInstant(/^-?\d{5,}$/.test(text) ? Number(text) : text, timeZone);
}

/** The position of a unit in a list by time. */
export const placeSchema = z.object({ occurredAt: z.int(), unitId: z.int() });
export type Place = z.output<typeof placeSchema>;
export const placeOf = (unit: Unit): Place => ({ occurredAt: unit.occurredAt, unitId: unit.id });

/**
 * A page of units, newest first.
 * @param isWanted selects among those that pass the filter; the store cannot filter by the content of a unit
 */
export async function pageOfUnits<Wanted extends Unit>(
  memory: Memory,
  query: UnitQuery,
  isWanted: (unit: Unit) => unit is Wanted,
): Promise<Page<Wanted>> {
  const filter = filterOf(query, memory.timeZone);
  return pageAfter(
    query,
    placeSchema,
    (after, limit) =>
      readMatching(
        (place) => memory.units.list(filter, { limit, ...(place && { after: place }) }),
        { after, limit },
        isWanted,
      ),
    placeOf,
  );
}

/**
 * As many units as requested, however many are skipped.
 * @param read the units after a position, at most `limit`
 */
export async function readMatching<Wanted extends Unit>(
  read: (after: Place | undefined) => Promise<readonly Unit[]>,
  { after, limit }: { readonly after: Place | undefined; readonly limit: number },
  isWanted: (unit: Unit) => unit is Wanted,
): Promise<Wanted[]> {
  const wanted: Wanted[] = [];
  for (let from = after; ;) {
    const units = await read(from);
    wanted.push(...units.filter(isWanted));
    const last = units.at(-1);
    if (wanted.length >= limit || units.length < limit || !last) return wanted.slice(0, limit);
    from = placeOf(last);
  }
}

/** The item that was read by its id. @throws MemoryError NOT_FOUND */
export function found<T>(item: T | null | undefined, what: string): T {
  if (item !== undefined && item !== null) return item;
  throw new MemoryError('NOT_FOUND', `There is no ${what}.`);
}

/** @throws MemoryError NOT_FOUND */
export async function requireUnit(memory: Memory, unitId: number): Promise<Unit> {
  return found((await memory.units.get([unitId]))[0], `unit ${unitId}`);
}

/** Sets the version of a unit or topic as the answer's entity tag: RFC 9110 §8.8.3. */
export function withTag<T extends { readonly version: number }>(
  reply: { readonly headers: Headers },
  item: T,
): T {
  reply.headers.set('etag', `"${item.version}"`);
  return item;
}

/**
 * Makes a change at the version in the header If-Match, or in the body, and answers with the new version.
 * @throws Problem PRECONDITION_FAILED when the version in the header is not current, VERSION_CONFLICT when that in the
 * body is not
 */
export async function changeAtVersion<T extends { readonly version: number }>(
  { request, reply }: Pick<Call<OperationName, unknown, unknown>, 'request' | 'reply'>,
  inBody: number | undefined,
  change: (expected: { expectedVersion?: number }) => Promise<T>,
): Promise<T> {
  const inHeader = readIfMatch(request.headers.get('if-match'));
  try {
    return withTag(reply, await change(defined({ expectedVersion: inHeader ?? inBody })));
  } catch (error) {
    if (inHeader === undefined || !isMemoryError(error, 'VERSION_CONFLICT')) throw error;
    throw new Problem('PRECONDITION_FAILED', undefined, { cause: error });
  }
}

function readIfMatch(header: string | null): number | undefined {
  if (header === null || header.trim() === '*') return undefined;
  const [, version] = /^\s*"(\d{1,15})"\s*$/.exec(header) ?? [];
  if (version !== undefined) return Number(version);
  throw invalidFields([{ in: 'header', pointer: '/If-Match', detail: 'is not an ETag' }]);
}
