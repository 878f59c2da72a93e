/** The types of a labelled set of conversations, independent of its file format. */
import type { ContextLine } from '../engine/engine.ts';
import { DAY_MS, parseInstant, type Instant, type NewTurn } from '../model/model.ts';
import { parseSourceTime } from '../ingest/ingest.ts';

/** One turn of a set, with the ids that its queries use. */
export interface EvaluationTurn {
  /** The id in evidence; unique within its conversation. */
  readonly sourceId: string;
  readonly sessionId: string;
  readonly turn: NewTurn & { readonly occurredAt: Instant };
  /** Its position in the file, for messages. */
  readonly place: string;
}

export interface EvaluationQuery {
  readonly id: string;
  readonly text: string;
  readonly type: string;
  /** Null: unknown. */
  readonly askedAt: Instant | null;
  readonly context: readonly ContextLine[];
  readonly goldTurns: readonly string[];
  readonly goldSessions: readonly string[];
  /** Turns that a person called wrong for it: tuning ranks them lower. */
  readonly wrongTurns?: readonly string[];
  /** Only turns before this one may be found. */
  readonly cutoffTurn: string | null;
  /** Nothing in the memory answers it: the set says so, or names no gold at all. */
  readonly isUnanswerable: boolean;
}

/** Whether a query counts for recall: it has an answer, and the set names its turns or sessions. */
export function isAnswerable(query: EvaluationQuery): boolean {
  return !query.isUnanswerable && query.goldTurns.length + query.goldSessions.length > 0;
}

/** The content of one memory and its queries. */
export interface EvaluationConversation {
  readonly id: string;
  /** The conversation of which this is a part; none: it is whole. */
  readonly origin?: string;
  readonly language: string;
  readonly turns: readonly EvaluationTurn[];
  readonly queries: readonly EvaluationQuery[];
}

export interface EvaluationSet {
  /** The name of its folder or file. */
  readonly name: string;
  readonly path: string;
  /** What was left out while reading, for the report. */
  readonly notes?: readonly string[];
  /** How many queries each conversation has, in order. */
  queryCounts(): Promise<number[]>;
  /** The conversations, one at a time: a file may be larger than memory. */
  conversations(): AsyncIterable<EvaluationConversation>;
}

/** Wall clocks without a zone are read as UTC, so that figures do not depend on the machine. */
export const EVALUATION_TIME_ZONE = 'UTC';

const FIRST_UNDATED = Date.UTC(2024, 0, 1);
const UNDATED_STEP_MS = 1_000;

/** Assigns times to the turns of a conversation; one without a time is a second after the turn before it. */
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
 * When a question was asked. For a month (`2025-01`) or a year it is the last instant, since what it asks about has
 * happened by then; null when nothing is known.
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
 * The lines of a dialogue in the form `Speaker: text`, in one string or as a list, without a last line that is the
 * utterance itself. A line without a speaker continues the line before it.
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
