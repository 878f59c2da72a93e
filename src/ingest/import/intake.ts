import {
  checkId,
  checkText,
  isMemoryError,
  MemoryError,
  type ErrorCode,
  type Instant,
  type Meta,
  type NewTurn,
} from '../../model/model.ts';
import { holdsInvalidBytes } from './bytes.ts';
import { speakerName } from './speakers.ts';
import { parseSourceTime } from './times.ts';

export interface ImportedTurn {
  readonly turn: NewTurn;
  /** Where it stands in the file, for messages: `line 12` or `conversation 3, message 7`. */
  readonly place: string;
}

/** Something in the file that could not become a turn. */
export interface ImportProblem {
  readonly place: string;
  /** Where it begins, from 1. */
  readonly line: number | null;
  readonly code: ErrorCode;
  readonly reason: string;
}

export type ImportItem =
  | ({ readonly type: 'turn' } & ImportedTurn)
  | ({ readonly type: 'problem' } & ImportProblem);

const INVALID_BYTES = 'The text holds bytes that are not UTF-8, or half a surrogate pair.';

export interface Place {
  readonly place: string;
  readonly line: number;
  /** Which line, record or element of the file it is in, from 1. */
  readonly ordinal: number;
}

/** What reads one line, record or element of a file, and says what it holds. */
export type ReadRecord = (record: Record<string, unknown>, at: Place, intake: Intake) => Iterable<ImportItem>;

/** An utterance as a file has it: nothing about it has been checked. */
export interface Utterance {
  readonly conversationId: string;
  readonly speaker: unknown;
  readonly text: unknown;
  /** Null or undefined: not known. */
  readonly time?: unknown;
  readonly meta?: Meta;
  readonly imageSummary?: string | undefined;
}

/**
 * Makes turns of utterances. Each utterance takes the next place of its conversation, also one that cannot be read, so
 * that those after it keep theirs when the file is mended and imported again.
 */
export class Intake {
  readonly #timeZone: string;
  readonly #undatedFrom: Instant;
  readonly #nextIndex = new Map<string, number>();
  /** Of conversations of which some time is known. */
  readonly #lastTime = new Map<string, Instant>();
  #undated = 0;
  /** The conversation spoken of last: that of a line of which nothing can be read. */
  #current: string;
  /** The conversation of messages that name none. */
  readonly defaultConversationId: string;

  /** `undatedFrom`: the time given to the first utterance of which none is known; each further one a millisecond later. */
  constructor(timeZone: string, undatedFrom: Instant, defaultConversationId: string) {
    this.#timeZone = timeZone;
    this.#undatedFrom = undatedFrom;
    this.#current = defaultConversationId;
    this.defaultConversationId = defaultConversationId;
  }

  /** The conversation begins at `time`, where that can be read: its undated utterances follow. */
  begin(conversationId: string, time: unknown): void {
    if (time === null || time === undefined) return;
    try {
      this.#lastTime.set(conversationId, parseSourceTime(time, this.#timeZone));
    } catch (error) {
      if (!isMemoryError(error, 'INVALID_TIME')) throw error;
    }
  }

  take(utterance: Utterance, at: Place): ImportItem {
    const turnIndex = this.#takePlace(utterance.conversationId);
    try {
      return { type: 'turn', turn: this.#toTurn(utterance, turnIndex), place: at.place };
    } catch (error) {
      if (!isMemoryError(error)) throw error;
      return toProblem(at, error.code, error.message);
    }
  }

  /** An utterance, of the conversation spoken of last, of which nothing can be read. */
  takeUnreadable(reason: string, at: Place, code: ErrorCode = 'INVALID_INPUT'): ImportItem {
    this.#takePlace(this.#current);
    return toProblem(at, code, reason);
  }

  #takePlace(conversationId: string): number {
    const index = this.#nextIndex.get(conversationId) ?? 0;
    this.#nextIndex.set(conversationId, index + 1);
    this.#current = conversationId;
    return index;
  }

  #toTurn(
    { conversationId, speaker, text, time, meta, imageSummary }: Utterance,
    turnIndex: number,
  ): NewTurn {
    checkId(conversationId, 'conversation id');
    if (typeof speaker !== 'string') throw new MemoryError('INVALID_INPUT', 'It does not say who speaks.');
    if (typeof text !== 'string') throw new MemoryError('INVALID_INPUT', 'It has no text.');
    if (holdsInvalidBytes(text)) throw new MemoryError('INVALID_TEXT', INVALID_BYTES);
    return {
      conversationId,
      turnIndex,
      speaker: checkId(speakerName(speaker), 'speaker'),
      text: checkText(text),
      occurredAt: this.#timeOf(conversationId, time),
      meta: meta ?? {},
      source: 'import',
      ...(imageSummary ? { imageSummary: storable(imageSummary) } : {}),
    };
  }

  #timeOf(conversationId: string, time: unknown): Instant {
    const isDated = time !== null && time !== undefined && time !== '';
    const last = this.#lastTime.get(conversationId);
    if (!isDated && last === undefined) return this.#undatedFrom + this.#undated++;
    const instant = isDated ? parseSourceTime(time, this.#timeZone) : (last ?? 0) + 1;
    this.#lastTime.set(conversationId, instant);
    return instant;
  }
}

function toProblem({ place, line }: Place, code: ErrorCode, reason: string): ImportItem {
  return { type: 'problem', place, line, code, reason };
}

/**
 * What a file says beside the words: the fields that are strings, numbers or booleans, without the empty ones.
 * Here what cannot be stored as it is (a NUL, half a surrogate pair) becomes U+FFFD: it is no one's words.
 */
export function scalarMeta(fields: Readonly<Record<string, unknown>>): Meta {
  const meta: Meta = {};
  for (const [name, value] of Object.entries(fields)) {
    if (typeof value === 'string' && value !== '') meta[storable(name)] = storable(value);
    else if (typeof value === 'boolean' || Number.isFinite(value)) meta[name] = value as boolean | number;
  }
  return meta;
}

/** An id as a string, whether the file has a string or a number. */
export function idText(value: unknown): string | null {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value.trim() !== '' ? value : null;
}

function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD');
}
