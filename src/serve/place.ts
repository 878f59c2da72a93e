/** Chooses the memory of a request whose path does not name one. */
import { z } from 'zod';
import { checkReach, type Caller } from './auth.ts';
import { invalidFields } from './problem.ts';

const DEFAULT_MEMORY = 'default';

export const placeQuery = z.strictObject({
  memoryId: z
    .string()
    .optional()
    .describe('The memory, for clients that cannot send headers; default: the token’s, else `default`.'),
});

/**
 * By header, else by query, else by body, else that of the token, else `default`. The body is ignored for a token
 * that is bound to a memory, since clients send this field by themselves.
 * @throws Problem INVALID_INPUT, FORBIDDEN
 */
export function chosenMemory(
  request: Request,
  inQuery: string | undefined,
  caller: Caller | null,
  inBody?: string,
): string {
  const memoryId = findMemoryId(request, inQuery, caller, inBody);
  checkReach(caller, memoryId);
  return memoryId;
}

function findMemoryId(
  request: Request,
  inQuery: string | undefined,
  caller: Caller | null,
  inBody?: string,
): string {
  const header = request.headers.get('omoide-memory');
  const bound = caller?.memoryId ?? null;
  if (header !== null) return checkMemory(header, 'header', '/Omoide-Memory');
  if (inQuery !== undefined) return checkMemory(inQuery, 'query', '/memoryId');
  if (bound !== null) return bound;
  if (inBody !== undefined) return checkMemory(inBody, 'body', '/user');
  return DEFAULT_MEMORY;
}

function checkMemory(id: string, from: 'header' | 'query' | 'body', pointer: string): string {
  if (/^[\w-][\w.-]{0,63}$/.test(id)) return id;
  const detail = 'must be 1 to 64 letters, digits, “.”, “_” or “-”, not beginning with “.”';
  throw invalidFields([{ in: from, pointer, detail }]);
}
