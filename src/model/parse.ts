import type { z } from 'zod';
import { MemoryError } from './error.ts';

/**
 * Checks what a caller handed in and returns it with its defaults.
 * @param what it should be, for the message: `a turn`, `options of a recall`
 * @throws MemoryError INVALID_INPUT, naming every field that is wrong
 */
export function parseInput<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  what: string,
): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const reasons = parsed.error.issues.map(({ path, message }) =>
    path.length === 0 ? message : `${path.map(String).join('.')}: ${message}`,
  );
  throw new MemoryError('INVALID_INPUT', `Not ${what}: ${reasons.join('; ')}`);
}
