/** Personal data and secrets in the text of a turn, and their masks. */
import { hash } from 'node:crypto';
import { z } from 'zod';
import { MemoryError } from './error.ts';

export const SENSITIVE_KINDS = [
  'apiKey',
  'password',
  'card',
  'bankAccount',
  'passport',
  'nationalId',
  'phone',
  'email',
  'address',
] as const;
export type SensitiveKind = (typeof SENSITIVE_KINDS)[number];

/** A place in a text. */
export const sensitiveSpanSchema = z.strictObject({
  kind: z.enum(SENSITIVE_KINDS),
  /** UTF-16 units. */
  from: z.int().min(0),
  /** Exclusive. */
  to: z.int().min(1),
});
export type SensitiveSpan = Readonly<z.infer<typeof sensitiveSpanSchema>>;

/** Kinds that give access, allow payment or prove an identity; the other kinds are `private`. */
const SECRET: ReadonlySet<SensitiveKind> = new Set([
  'apiKey',
  'password',
  'card',
  'bankAccount',
  'passport',
  'nationalId',
]);

export function isSecretKind(kind: SensitiveKind): boolean {
  return SECRET.has(kind);
}

/** The sensitivity of a text with these places. */
export function sensitivityOf(
  spans: readonly Pick<SensitiveSpan, 'kind'>[],
): 'normal' | 'private' | 'secret' {
  if (spans.length === 0) return 'normal';
  return spans.some(({ kind }) => isSecretKind(kind)) ? 'secret' : 'private';
}

/** Replaces a masked place; it says nothing of its length. */
export const MASK = '███';

const NAME_DIGITS = 5;

/** A pseudonym for a name that is personal data (a phone number), always the same for the same number or address. */
export function maskedName(name: string): string {
  const plain = name
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}@]/gu, '');
  return `${MASK}-${hash('sha256', plain).slice(0, NAME_DIGITS)}`;
}

/** @param spans in order, not overlapping */
export function maskText(text: string, spans: readonly SensitiveSpan[] | undefined): string {
  if (!spans?.length) return text;
  let masked = '';
  let end = 0;
  for (const { from, to } of spans) {
    masked += text.slice(end, from) + MASK;
    end = to;
  }
  return masked + text.slice(end);
}

/**
 * Checks places given by a caller, and returns them in order.
 * @throws MemoryError INVALID_INPUT when one is outside the text, or two overlap
 */
export function checkMasks(spans: readonly SensitiveSpan[], text: string): SensitiveSpan[] {
  const inOrder = spans.toSorted((a, b) => a.from - b.from);
  for (const [i, { from, to }] of inOrder.entries()) {
    if (from >= to || to > text.length)
      throw new MemoryError(
        'INVALID_INPUT',
        `The text of ${text.length} UTF-16 units has no place ${from} to ${to}.`,
      );
    if (from < (inOrder[i - 1]?.to ?? 0))
      throw new MemoryError('INVALID_INPUT', `Two masks overlap at ${from}.`);
  }
  return inOrder;
}
