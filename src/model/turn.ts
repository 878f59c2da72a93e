import { z } from 'zod';
import { MemoryError } from './error.ts';
import { sensitiveSpanSchema } from './sensitive.ts';
import type { Instant } from './time.ts';

/** The longest text of one turn, in UTF-16 units. */
export const MAX_TEXT_LENGTH = 1_048_576;
const MAX_ID_LENGTH = 256;

// Ids are used in file names, URLs and logs: no slash, no control character.
// oxlint-disable-next-line no-control-regex
const UNSAFE_IN_ID = /[\u0000-\u001f\u007f/\\]/;

export const jsonSchema = z.json();
export const metaSchema = z.record(z.string(), jsonSchema);
/** Other metadata of a turn: its id in the original system, the channel, the language … Any JSON object. */
export type Meta = z.infer<typeof metaSchema>;

/** One utterance, word for word. Never changed. */
export interface Turn {
  readonly id: number;
  readonly conversationId: string;
  /** Index in the conversation, from 0. */
  readonly turnIndex: number;
  /** `user`, `ai`, or a name. */
  readonly speaker: string;
  readonly text: string;
  readonly occurredAt: Instant;
  readonly meta: Meta;
  /** Random, and part of the hashed content, so that the text cannot be guessed from the hash; '' in old turns. */
  readonly salt: string;
  /** SHA-256, hex, over the turn's own content. */
  readonly contentHash: string;
  /** SHA-256, hex, over the previous turn's chain hash and this content hash. */
  readonly chainHash: string;
  /** The object of the archive that holds a copy: `default/00000001.jsonl`, with its version if there is one. Null: no copy yet. */
  readonly rawPointer: string | null;
  /** Whether it was forgotten: speaker, text, meta and conversation are then empty. */
  readonly isForgotten: boolean;
}

/** A turn to be added. */
export const newTurnSchema = z.strictObject({
  conversationId: z.string(),
  /** Default: the next free index in the conversation. */
  turnIndex: z.int().min(0).max(2_147_483_647).optional(),
  speaker: z.string(),
  text: z.string(),
  /** Default: now. A string without a zone is the memory's local time. */
  occurredAt: z.union([z.date(), z.string(), z.number()]).optional(),
  meta: metaSchema.optional(),
  source: z.enum(['chat', 'notification', 'meta_request', 'reminder', 'import']).optional(),
  sensitivity: z.enum(['normal', 'private', 'secret']).optional(),
  scope: z.enum(['global', 'project']).optional(),
  /** A description of an attached image. */
  imageSummary: z.string().optional(),
  /** The salt of an exported turn, so that it gets the same hash again. Default: a random one. */
  salt: z.string().max(64).optional(),
  /**
   * False: it is kept as evidence, but nothing is learnt from it and it is not recalled. Its episode is archived
   * with the reason `off the record`; if it gets another state, it is learnt from. Default: true.
   */
  remember: z.boolean().optional(),
  /** The places of personal data and secrets in the text. Default: those that the rules find, as the memory's policy says. */
  masks: z.array(sensitiveSpanSchema).optional(),
  /** Whether units get a pseudonym instead of the speaker’s name. Default: when it is personal data, as the memory's policy says. */
  isSpeakerMasked: z.boolean().optional(),
});
export type NewTurn = z.infer<typeof newTurnSchema>;

/**
 * Checks a text that is kept word for word, and returns it unchanged.
 * @throws MemoryError EMPTY_TEXT, TEXT_TOO_LONG or INVALID_TEXT
 */
export function checkText(text: string, maxLength = MAX_TEXT_LENGTH): string {
  if (text.trim() === '') throw new MemoryError('EMPTY_TEXT');
  if (text.length > maxLength) {
    throw new MemoryError(
      'TEXT_TOO_LONG',
      `The text has ${text.length} UTF-16 units; the maximum is ${maxLength}.`,
    );
  }
  if (text.includes('\0'))
    throw new MemoryError('INVALID_TEXT', `The text contains a NUL at ${text.indexOf('\0')}.`);
  if (!text.isWellFormed()) {
    throw new MemoryError('INVALID_TEXT', `The text contains a lone surrogate at ${loneSurrogateAt(text)}.`);
  }
  return text;
}

function loneSurrogateAt(text: string): number {
  return text.search(/[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/);
}

/**
 * Checks an id chosen by a caller (a conversation, a speaker), and returns it unchanged.
 * @throws MemoryError INVALID_ID
 */
export function checkId(id: string, what: string): string {
  if (id.trim() === '') throw new MemoryError('INVALID_ID', `The ${what} is empty.`);
  if (id.length > MAX_ID_LENGTH)
    throw new MemoryError('INVALID_ID', `The ${what} is longer than ${MAX_ID_LENGTH}.`);
  if (UNSAFE_IN_ID.test(id)) {
    throw new MemoryError(
      'INVALID_ID',
      `The ${what} ${JSON.stringify(id)} contains a slash or a control character.`,
    );
  }
  if (!id.isWellFormed()) throw new MemoryError('INVALID_ID', `The ${what} contains a lone surrogate.`);
  return id;
}

// Line separators, and marks that change the direction of writing: a speaker's name is shown outside the quotation.
const UNSAFE_IN_NAME = /[\u0080-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;

/** A name without the marks that messengers add around names in exports. */
export function withoutMarks(name: string): string {
  return name.replaceAll(new RegExp(UNSAFE_IN_NAME, 'g'), '');
}

/**
 * Checks the name of a speaker and returns it unchanged.
 * @throws MemoryError INVALID_ID
 */
export function checkSpeaker(name: string): string {
  checkId(name, 'speaker');
  if (!UNSAFE_IN_NAME.test(name)) return name;
  throw new MemoryError(
    'INVALID_ID',
    `The speaker ${JSON.stringify(name)} contains a line separator or a mark that changes the text direction.`,
  );
}

/**
 * Checks a memory id: 1 to 64 of letters, digits, `.`, `_` and `-`, not beginning with a dot, since it names a file.
 * @throws MemoryError INVALID_ID
 */
export function checkMemoryId(id: string): string {
  if (!/^[A-Za-z0-9_-][A-Za-z0-9._-]{0,63}$/.test(id)) {
    throw new MemoryError(
      'INVALID_ID',
      `The memory id ${JSON.stringify(id)} must be 1 to 64 letters, digits, '.', '_' or '-', not beginning with '.'.`,
    );
  }
  return id;
}
