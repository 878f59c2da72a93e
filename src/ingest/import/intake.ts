import {
  checkId,
  checkSpeaker,
  checkText,
  isMemoryError,
  MemoryError,
  withoutMarks,
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
  /** The position in the file, for messages: `line 12` or `conversation 3, message 7`. */
  readonly place: string;
}

/** Something in the file that could not become a turn. */
export interface ImportProblem {
  readonly place: string;
  /** The line on which it begins, from 1. */
  readonly line: number | null;
  readonly code: ErrorCode;
  readonly reason: string;
}

/** A decision about a file as a whole, to show to people: how its dates are read, which files were skipped. */
export interface ImportRemark {
  readonly text: string;
}

export type ImportItem =
  | ({ readonly type: 'turn' } & ImportedTurn)
  | ({ readonly type: 'problem' } & ImportProblem)
  | ({ readonly type: 'remark' } & ImportRemark);

const INVALID_BYTES = 'The text contains bytes that are not UTF-8, or a lone surrogate.';

export interface Place {
  readonly place: string;
  readonly line: number;
  /** The number of the line, record or element in the file, from 1. */
  readonly ordinal: number;
}

/** Reads one line, record or element of a file into items. */
export type ReadRecord = (record: Record<string, unknown>, at: Place, intake: Intake) => Iterable<ImportItem>;

/** An utterance as in the file; its fields are not validated. */
export interface Utterance {
  readonly conversationId: string;
  readonly speaker: unknown;
  readonly text: unknown;
  /** Null or undefined: unknown. */
  readonly time?: unknown;
  readonly meta?: Meta;
  readonly imageSummary?: string | undefined;
}

export interface IntakeOptions {
  readonly timeZone: string;
  /** The names that belong to the owner of the memory: they become `user`. */
  readonly me?: readonly string[] | undefined;
}

export interface FileContext {
  /** The conversation of messages that do not name one. */
  readonly conversationId: string;
  /** The time of the first utterance if no time is known; each further one is a millisecond later. */
  readonly undatedFrom: Instant;
  /** Put before each position in messages: the name of the file, when there are several. */
  readonly prefix: string;
}

/**
 * Makes turns of utterances. Every utterance takes the next index of its conversation, even one that cannot be
 * read: those after it keep theirs when the file is repaired and imported again.
 */
export class Intake {
  readonly #timeZone: string;
  readonly #nextIndex = new Map<string, number>();
  /** The last known time of each conversation. */
  readonly #lastTime = new Map<string, Instant>();
  #undated = 0;
  /** The conversation named last: an unreadable line is counted to it. */
  #current = '';
  #undatedFrom: Instant = 0;
  #prefix = '';
  readonly #me: ReadonlySet<string>;
  /** The conversation of messages that do not name one. */
  defaultConversationId = '';

  constructor({ timeZone, me }: IntakeOptions) {
    this.#timeZone = timeZone;
    this.#me = new Set((me ?? []).map(foldName));
  }

  /** Starts a file: what is read from now on belongs to it. */
  beginFile({ conversationId, undatedFrom, prefix }: FileContext): void {
    this.defaultConversationId = conversationId;
    this.#current = conversationId;
    this.#undatedFrom = undatedFrom;
    this.#undated = 0;
    this.#prefix = prefix;
  }

  /** Whether this name belongs to the owner of the memory. */
  isMe(name: string): boolean {
    return this.#me.has(foldName(name));
  }

  /** Starts a conversation at `time`, if that can be read: its undated utterances follow it. */
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
      return { type: 'turn', turn: this.#toTurn(utterance, turnIndex), place: this.#prefix + at.place };
    } catch (error) {
      if (!isMemoryError(error)) throw error;
      return this.#toProblem(at, error.code, error.message);
    }
  }

  /** Reports an unreadable utterance of the conversation named last. */
  takeUnreadable(reason: string, at: Place, code: ErrorCode = 'INVALID_INPUT'): ImportItem {
    this.#takePlace(this.#current);
    return this.#toProblem(at, code, reason);
  }

  /** Adds a remark about the file as a whole. */
  remark(text: string): ImportItem {
    return { type: 'remark', text: this.#prefix + text };
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
    if (typeof speaker !== 'string') throw new MemoryError('INVALID_INPUT', 'It has no speaker.');
    if (typeof text !== 'string') throw new MemoryError('INVALID_INPUT', 'It has no text.');
    if (holdsInvalidBytes(text)) throw new MemoryError('INVALID_TEXT', INVALID_BYTES);
    const isMe = this.isMe(speaker);
    return {
      conversationId,
      turnIndex,
      speaker: isMe ? 'user' : checkSpeaker(withoutMarks(speakerName(speaker))),
      text: checkText(text),
      occurredAt: this.#timeOf(conversationId, time),
      meta: isMe ? { name: storable(speaker), ...meta } : (meta ?? {}),
      source: 'import',
      ...(imageSummary ? { imageSummary: storable(imageSummary) } : {}),
    };
  }

  #toProblem({ place, line }: Place, code: ErrorCode, reason: string): ImportItem {
    return { type: 'problem', place: this.#prefix + place, line, code, reason };
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

function foldName(name: string): string {
  return name.normalize('NFKC').trim().toLowerCase();
}

/**
 * The metadata of a record: its non-empty fields that are strings, numbers or booleans. Characters that cannot be
 * stored (a NUL, an unpaired surrogate) become U+FFFD; the text of an utterance is never changed like this.
 */
export function scalarMeta(fields: Readonly<Record<string, unknown>>): Meta {
  const meta: Meta = {};
  for (const [name, value] of Object.entries(fields)) {
    if (typeof value === 'string' && value !== '') meta[storable(name)] = storable(value);
    else if (typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value)))
      meta[name] = value;
  }
  return meta;
}

/** An id as a string, from a string or a number. */
export function idText(value: unknown): string | null {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value.trim() !== '' ? value : null;
}

function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD');
}

/** A name from the file as a part of an id: without slashes and control characters, at most 200 UTF-16 units. */
export function idPart(name: string): string {
  const part = name
    .toWellFormed()
    .replaceAll(/[\p{Cc}/\\]/gu, '_')
    .trim();
  return part.slice(0, 200).toWellFormed();
}

/** A person's name from a chat program as the name of a speaker: without direction marks. */
export function personName(name: unknown): string | null {
  const text =
    typeof name === 'string' ? idPart(name.replaceAll(/[\u200E\u200F\u202A-\u202E\u2066-\u2069]/g, '')) : '';
  return text === '' ? null : text;
}
