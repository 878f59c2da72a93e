/** Pages of lists. A cursor is opaque: clients return it unchanged. */
import { z } from 'zod';
import { invalidFields } from './problem.ts';

export const MAX_PAGE = 200;

export interface Page<Item> {
  readonly items: readonly Item[];
  readonly nextCursor: string | null;
}

function formatCursor(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

/** @throws Problem INVALID_INPUT when it is not a cursor of this list */
function parseCursor<Schema extends z.ZodType>(schema: Schema, cursor: string): z.output<Schema> {
  const refused = () =>
    invalidFields([{ in: 'query', pointer: '/cursor', detail: 'is not a cursor of this list' }]);
  try {
    return schema.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()));
  } catch {
    throw refused();
  }
}

/**
 * One page, and the cursor of the next.
 * @param read the items after a position, one more than a page contains
 * @param placeOf the position of an item
 */
export async function pageAfter<Item, Place extends z.ZodType>(
  { limit, cursor }: { readonly limit: number; readonly cursor?: string | undefined },
  place: Place,
  read: (after: z.output<Place> | undefined, limit: number) => Promise<readonly Item[]>,
  placeOf: (item: Item) => z.output<Place>,
): Promise<Page<Item>> {
  const after = cursor === undefined ? undefined : parseCursor(place, cursor);
  const found = await read(after, limit + 1);
  const items = found.slice(0, limit);
  const last = items.at(-1);
  return {
    items,
    nextCursor: found.length > limit && last !== undefined ? formatCursor(placeOf(last)) : null,
  };
}

/** A page of a list by the number of items before it. */
export async function pageFrom<Item>(
  { limit, cursor }: { readonly limit: number; readonly cursor?: string | undefined },
  read: (page: { offset: number; limit: number }) => Promise<readonly Item[]>,
): Promise<Page<Item>> {
  const offset = cursor === undefined ? 0 : parseCursor(z.int().min(0), cursor);
  const found = await read({ offset, limit: limit + 1 });
  const items = found.slice(0, limit);
  return { items, nextCursor: found.length > limit ? formatCursor(offset + limit) : null };
}
