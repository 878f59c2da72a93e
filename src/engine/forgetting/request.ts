import { z } from 'zod';
import { MemoryError, parseInput, parseInstant, type Instant } from '../../model/model.ts';

const id = z.int().positive();
const instant = z.union([z.date(), z.string(), z.number()]);

export const forgetRequestSchema = z.strictObject({
  /** A turn, by its id. */
  turn: id.optional(),
  /** A unit, by its id; for an episode its turn is forgotten, too; of a note in a file only its earlier text. */
  unit: id.optional(),
  /** Several units, by their ids. */
  units: z.array(id).min(1).max(1_000).optional(),
  /** A whole conversation. */
  conversation: z.string().optional(),
  /** What a person said and what was said about them: a name, or the id of an entity. */
  person: z.union([z.string().min(1), id]).optional(),
  /** What was said from one instant (inclusive) to another (exclusive). */
  period: z.strictObject({ from: instant.optional(), to: instant.optional() }).optional(),
  /** All turns, and everything learnt from them. */
  everything: z.literal(true).optional(),
  /** Only reports what would be erased. */
  dryRun: z.boolean().optional(),
  /**
   * The `plan` of a dry run of the same request: erases only what it showed. Turns that were added since are kept; if
   * anything else has changed, or after 15 minutes, nothing is erased and VERSION_CONFLICT is thrown.
   */
  plan: z.string().optional(),
});
/** What to forget permanently: exactly one of these. */
export type ForgetRequest = z.input<typeof forgetRequestSchema>;

export type Wanted =
  | { readonly what: 'turn'; readonly id: number }
  | { readonly what: 'unit'; readonly ids: readonly number[] }
  | { readonly what: 'conversation'; readonly id: string }
  | { readonly what: 'person'; readonly person: string | number }
  | { readonly what: 'period'; readonly from: Instant; readonly to: Instant }
  | { readonly what: 'everything' };

/** @throws MemoryError INVALID_INPUT, INVALID_TIME */
export function parseForgetRequest(given: ForgetRequest, timeZone: string): Wanted {
  const { dryRun, plan, ...request } = parseInput(forgetRequestSchema, given, 'what to forget');
  if (dryRun && plan !== undefined)
    throw new MemoryError('INVALID_INPUT', 'plan is for erasing; leave it out of a dry run.');
  const [named, ...others] = Object.entries(request).filter(([, value]) => value !== undefined);
  if (!named || others.length > 0)
    throw new MemoryError(
      'INVALID_INPUT',
      'Name one thing to forget: a turn, one or several units, a conversation, person or period, or everything.',
    );
  const { turn, unit, units, conversation, person, period } = request;
  if (turn !== undefined) return { what: 'turn', id: turn };
  if (unit !== undefined) return { what: 'unit', ids: [unit] };
  if (units) return { what: 'unit', ids: [...new Set(units)] };
  if (conversation !== undefined) return { what: 'conversation', id: conversation };
  if (person !== undefined) return { what: 'person', person };
  return period ? parsePeriod(period, timeZone) : { what: 'everything' };
}

/** @throws MemoryError INVALID_INPUT, INVALID_TIME */
function parsePeriod(
  { from, to }: NonNullable<ForgetRequest['period']>,
  timeZone: string,
): Extract<Wanted, { what: 'period' }> {
  const read = (given: NonNullable<typeof from>) => parseInstant(given, timeZone);
  const period = {
    from: from === undefined ? Number.MIN_SAFE_INTEGER : read(from),
    to: to === undefined ? Number.MAX_SAFE_INTEGER : read(to),
  };
  if ((from === undefined && to === undefined) || period.from >= period.to)
    throw new MemoryError(
      'INVALID_INPUT',
      'The period begins after it ends, or has neither beginning nor end.',
    );
  return { what: 'period', ...period };
}
