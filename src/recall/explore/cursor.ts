/** The cursor of the next page: an opaque string that is verified when it comes back. */
import { hash } from 'node:crypto';
import { z } from 'zod';
import { MemoryError } from '../../model/model.ts';

/**
 * How the first page read the question, and what is still to be shown: for a ranking the next ids, in order; in time
 * order the position after a unit. Units that are added later change neither. For a long ranking the cursor contains
 * only the next `MAX_IDS` ids; the results after the first `skip` are searched again.
 */
const VERSION = 2;
export const MAX_IDS = 600;
const id = z.int().positive();
const cursorSchema = z.strictObject({
  v: z.literal(VERSION),
  /** Hash of the question: a cursor is valid for one question only. */
  mark: z.string(),
  now: z.int(),
  period: z
    .strictObject({
      from: z.int().nullable(),
      to: z.int().nullable(),
      words: z.string(),
      start: z.int().min(0),
      end: z.int().min(0),
    })
    .nullable(),
  topicId: id.nullable(),
  entityId: id.nullable(),
  rest: z.union([
    z.strictObject({ ids: z.array(id), skip: z.int().min(0) }),
    z.strictObject({ after: z.strictObject({ occurredAt: z.int(), unitId: id }) }),
  ]),
});
export type Cursor = Omit<z.infer<typeof cursorSchema>, 'v' | 'mark'>;
export type Rest = Cursor['rest'];

/** @param question all parts that distinguish it from another question */
export function writeCursor(question: unknown, cursor: Cursor): string {
  const { rest } = cursor;
  const packed = 'ids' in rest ? { ...rest, ids: packIds(rest.ids) } : rest;
  const json = JSON.stringify({ v: VERSION, mark: markOf(question), ...cursor, rest: packed });
  return Buffer.from(json).toString('base64url');
}

/** @throws MemoryError INVALID_INPUT when it is not a cursor, or belongs to another question */
export function readCursor(question: unknown, cursor: string): Cursor {
  const parsed = cursorSchema.safeParse(unpack(Buffer.from(cursor, 'base64url').toString()));
  if (!parsed.success) throw new MemoryError('INVALID_INPUT', 'The cursor is invalid.');
  const { v: _, mark, ...read } = parsed.data;
  if (mark !== markOf(question)) {
    throw new MemoryError('INVALID_INPUT', 'The cursor belongs to another question.');
  }
  return read;
}

function markOf(question: unknown): string {
  return hash('sha256', JSON.stringify(question)).slice(0, 12);
}

/** Ids in base 36, separated by dots: hundreds of them must fit into a URL. */
function packIds(ids: readonly number[]): string {
  return ids.map((each) => each.toString(36)).join('.');
}

/** Parses the cursor's JSON with its ids as numbers; null if it is invalid. */
function unpack(json: string): unknown {
  try {
    return JSON.parse(json, (key, value: unknown) =>
      key === 'ids' && typeof value === 'string'
        ? value
            .split('.')
            .flatMap((each) => (each === '' ? [] : [each]))
            .map((each) => Number.parseInt(each, 36))
        : value,
    );
  } catch {
    return null;
  }
}
