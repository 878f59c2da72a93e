/** Where the next page begins: a string that means nothing to its bearer, and is not believed without a look. */
import { hash } from 'node:crypto';
import { z } from 'zod';
import { MemoryError } from '../../model/model.ts';

/**
 * How the first page read the question, and what is still to be shown: of a ranking its next ids, in order; of
 * everything in order of time what lies after a unit. Whatever comes in meanwhile changes nothing of either. Of a long
 * ranking only the next `MAX_IDS` travel; what lies beyond the first `skip` of it is looked for again.
 */
const VERSION = 2;
export const MAX_IDS = 600;
const id = z.int().positive();
const cursorSchema = z.strictObject({
  v: z.literal(VERSION),
  /** Of the question: a cursor is good for one only. */
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

/** @param question everything that makes it another question */
export function writeCursor(question: unknown, cursor: Cursor): string {
  const { rest } = cursor;
  const packed = 'ids' in rest ? { ...rest, ids: packIds(rest.ids) } : rest;
  const json = JSON.stringify({ v: VERSION, mark: markOf(question), ...cursor, rest: packed });
  return Buffer.from(json).toString('base64url');
}

/** @throws MemoryError INVALID_INPUT when it is no cursor, or that of another question */
export function readCursor(question: unknown, cursor: string): Cursor {
  const parsed = cursorSchema.safeParse(unpack(Buffer.from(cursor, 'base64url').toString()));
  if (!parsed.success) throw new MemoryError('INVALID_INPUT', 'The cursor is none of ours.');
  const { v: _, mark, ...read } = parsed.data;
  if (mark !== markOf(question)) {
    throw new MemoryError('INVALID_INPUT', 'The cursor belongs to another question.');
  }
  return read;
}

function markOf(question: unknown): string {
  return hash('sha256', JSON.stringify(question)).slice(0, 12);
}

/** Ids to the base of 36, a dot between them: hundreds of them travel in an address. */
function packIds(ids: readonly number[]): string {
  return ids.map((each) => each.toString(36)).join('.');
}

/** The cursor as JSON has it, with its ids as numbers; null when it is none. */
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
