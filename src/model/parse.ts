import { z } from 'zod';
import { isMemoryError, MemoryError } from './error.ts';
import { describeUnknownKey } from './unknownKey.ts';

/**
 * Validates a caller's input and returns it with its defaults.
 * @param what what it is, for the message: `a turn`, `options of a recall`
 * @throws MemoryError INVALID_INPUT, naming every invalid field
 */
export function parseInput<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  what: string,
): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const known = schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
  const reasons = parsed.error.issues.map((issue) => describeIssue(issue, known));
  throw new MemoryError('INVALID_INPUT', `Not ${what}: ${reasons.join('; ')}`);
}

/** @param known keys of the outermost object */
function describeIssue(issue: z.core.$ZodIssue, known: readonly string[]): string {
  const path = issue.path.map(String).join('.');
  const place = path === '' ? '' : `${path}: `;
  if (issue.code !== 'unrecognized_keys') return `${place}${issue.message}`;
  const candidates = path === '' ? known : [];
  return place + issue.keys.map((key) => describeUnknownKey(key, candidates)).join('; ');
}

/** Converts a check that throws a MemoryError to a check of a schema, for `superRefine`. */
export function refineBy<T>(check: (value: T) => unknown) {
  return (value: T, context: z.RefinementCtx): void => {
    try {
      check(value);
    } catch (error) {
      if (!isMemoryError(error)) throw error;
      context.addIssue({ code: 'custom', message: error.message });
    }
  };
}
