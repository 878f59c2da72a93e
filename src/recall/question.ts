/** The question, with defaults for everything that the caller left open. */
import { DAY_MS, MemoryError, parseInstant, type Instant } from '../model/model.ts';
import type { Store, UnitFilter } from '../store/store.ts';
import type { Question, RecallOptions } from './types.ts';

const DEFAULT_LIMIT = 10;
const DEFAULT_BUDGET_TOKENS = 1_500;
/**
 * The default kinds. Not the current state, which the pack contains anyway, and not summaries, which repeat the turns
 * and would displace them.
 */
const DEFAULT_KINDS = ['episode', 'fact', 'loop', 'note'] as const;
/** Longer utterances are cut to this length. */
const MAX_UTTERANCE_LENGTH = 20_000;

/** @throws MemoryError EMPTY_TEXT, INVALID_TIME */
export function settleQuestion(
  { store, now }: { readonly store: Store; readonly now: () => Instant },
  utterance: string,
  options: RecallOptions,
): Question {
  if (typeof utterance !== 'string' || utterance.trim() === '') {
    throw new MemoryError('EMPTY_TEXT', 'The utterance is empty.');
  }
  const instant = (value: Date | string | number | undefined) =>
    value === undefined ? undefined : parseInstant(value, store.timeZone);
  const asOf = instant(options.asOf);
  const at = instant(options.now) ?? asOf ?? now();
  return {
    utterance: utterance.slice(0, MAX_UTTERANCE_LENGTH).toWellFormed(),
    context: (options.context ?? []).map(({ speaker, text }) => ({
      speaker,
      text: text.slice(0, MAX_UTTERANCE_LENGTH).toWellFormed(),
    })),
    now: at,
    timeZone: store.timeZone,
    filter: buildFilter(options, { asOf, from: instant(options.from), to: instant(options.to), at }),
    reveals: options.maxSensitivity,
    similarityThreshold: options.similarityThreshold ?? null,
    limit: options.limit ?? DEFAULT_LIMIT,
    budgetTokens: options.budgetTokens ?? DEFAULT_BUDGET_TOKENS,
  };
}

function buildFilter(
  options: RecallOptions,
  times: { asOf: Instant | undefined; from: Instant | undefined; to: Instant | undefined; at: Instant },
): UnitFilter {
  const { maxAgeDays } = options;
  const oldest = maxAgeDays === undefined ? undefined : times.at - maxAgeDays * DAY_MS;
  const from = Math.max(times.from ?? -Infinity, oldest ?? -Infinity);
  return {
    kinds: options.kinds ?? DEFAULT_KINDS,
    maxSensitivity: options.maxSensitivity ?? 'private',
    aliveAt: times.at,
    validAt: times.asOf ?? times.at,
    ...(options.scope && { scope: options.scope }),
    ...(options.conversationId !== undefined && { conversationId: options.conversationId }),
    ...(options.beforeTurnId !== undefined && { beforeTurnId: options.beforeTurnId }),
    ...(options.exceptUnitIds && { exceptUnitIds: options.exceptUnitIds }),
    ...(times.asOf !== undefined && { asOf: times.asOf }),
    ...(from > -Infinity && { from }),
    ...(times.to !== undefined && { to: times.to }),
  };
}
