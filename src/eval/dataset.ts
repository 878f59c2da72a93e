/** What a labelled set of conversations holds, whichever form it came in. */
import type { ContextLine } from '../engine/engine.ts';
import { DAY_MS, parseInstant, type Instant, type NewTurn } from '../model/model.ts';
import { parseSourceTime } from '../ingest/ingest.ts';

/** One turn of a set, with the names that its questions know it by. */
export interface EvaluationTurn {
  /** What evidence calls it; unique within its conversation. */
  readonly sourceId: string;
  readonly sessionId: string;
  readonly turn: NewTurn & { readonly occurredAt: Instant };
  /** Where it stands in the file, for messages. */
  readonly place: string;
}

export interface EvaluationQuery {
  readonly id: string;
  readonly text: string;
  readonly type: string;
  /** Null: not known. */
  readonly askedAt: Instant | null;
  readonly context: readonly ContextLine[];
  readonly goldTurns: readonly string[];
  readonly goldSessions: readonly string[];
  /** Only turns before this one may be found. */
  readonly cutoffTurn: string | null;
  /** Nothing in the memory answers it: so the set says, or it names no gold at all. */
  readonly isUnanswerable: boolean;
}

/** Whether a query counts for recall: something answers it, and the set says which turns or which sessions. */
export function isAnswerable(query: EvaluationQuery): boolean {
  return !query.isUnanswerable && query.goldTurns.length + query.goldSessions.length > 0;
}

/** What goes into one memory, and what that memory is asked. */
export interface EvaluationConversation {
  readonly id: string;
  /** The conversation that this is a part of; none: it is whole. */
  readonly origin?: string;
  readonly language: string;
  readonly turns: readonly EvaluationTurn[];
  readonly queries: readonly EvaluationQuery[];
}

export interface EvaluationSet {
  /** The name of its folder or file. */
  readonly name: string;
  readonly path: string;
  /** What was left out while reading, for whoever reads the report. */
  readonly notes?: readonly string[];
  /** How many queries each conversation has, in their order. */
  queryCounts(): Promise<number[]>;
  /** The conversations, one at a time: a file may be larger than memory. */
  conversations(): AsyncIterable<EvaluationConversation>;
}

/** Wall clocks without a zone are read as UTC, so that figures do not depend on the machine. */
export const EVALUATION_TIME_ZONE = 'UTC';

const FIRST_UNDATED = Date.UTC(2024, 0, 1);
const UNDATED_STEP_MS = 1_000;

/** Gives each turn of a conversation its time; one without follows a second after the turn before it. */
export class TurnClock {
  #last = FIRST_UNDATED - UNDATED_STEP_MS;

  /** @throws MemoryError INVALID_TIME */
  at(time: unknown): Instant {
    const isKnown = time !== null && time !== undefined && time !== '';
    this.#last = isKnown ? parseSourceTime(time, EVALUATION_TIME_ZONE) : this.#last + UNDATED_STEP_MS;
    return this.#last;
  }
}

/**
 * When a question was asked. Of a month (`2025-01`) or a year it is the last instant, since what it asks about has
 * happened by then; null where nothing is known.
 * @throws MemoryError INVALID_TIME
 */
export function readAskedAt(value: unknown): Instant | null {
  if (value === null || value === undefined || value === '') return null;
  const [, year, month] = (typeof value === 'string' && /^(\d{4})(?:-(\d{2}))?$/.exec(value)) || [];
  if (year === undefined) return parseSourceTime(value, EVALUATION_TIME_ZONE);
  const lastMonth = parseInstant(`${year}-${month ?? '12'}-01`, EVALUATION_TIME_ZONE);
  const nextMonth = new Date(lastMonth + 31 * DAY_MS);
  return Date.UTC(nextMonth.getUTCFullYear(), nextMonth.getUTCMonth(), 1) - 1;
}

const LINE_WITH_SPEAKER = /^([^:：\n]{1,40})(?::\s+|：\s*)(.*)$/su;

/**
 * The lines of a dialogue written as `Speaker: text`, in one string or as a list, without the utterance itself if it
 * ends with it. A line that names no speaker goes on with what the line before it says.
 */
export function readContext(
  dialogue: string | readonly string[] | null | undefined,
  utterance: string,
): ContextLine[] {
  const lines: { speaker: string; text: string }[] = [];
  const text = typeof dialogue === 'string' ? dialogue : (dialogue ?? []).join('\n');
  for (const line of text.split('\n')) {
    const [, speaker, text] = LINE_WITH_SPEAKER.exec(line) ?? [];
    const last = lines.at(-1);
    if (speaker !== undefined && text !== undefined) lines.push({ speaker: speaker.trim(), text });
    else if (last) last.text += `\n${line}`;
    else if (line.trim() !== '') lines.push({ speaker: '', text: line });
  }
  if (lines.at(-1)?.text.trim() === utterance.trim()) lines.pop();
  return lines.filter((line) => line.text.trim() !== '');
}
