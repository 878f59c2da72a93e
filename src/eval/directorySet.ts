/** Reads a directory with `history.jsonl` and `queries.jsonl`: a labelled set in Omoide's own format. */
import { readFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { z } from 'zod';
import { checkId, checkText, isMemoryError, MemoryError, messageOf, unreadable } from '../model/model.ts';
import {
  readAskedAt,
  readContext,
  TurnClock,
  type EvaluationConversation,
  type EvaluationQuery,
  type EvaluationSet,
  type EvaluationTurn,
} from './dataset.ts';

export const HISTORY_FILE = 'history.jsonl';
export const QUERIES_FILE = 'queries.jsonl';

const id = z.union([z.string().min(1), z.number()]).transform(String);

const historyLineSchema = z.object({
  conv_id: id,
  session_id: id.nullish(),
  turn_id: id,
  speaker: z.string(),
  text: z.string(),
  timestamp: z.string().nullish(),
  lang: z.string().nullish(),
});

/** `Ann: Hello.`, or an object with speaker and text. */
const contextLine = z.union([
  z.string(),
  z.object({ speaker: z.string(), text: z.string() }).transform(({ speaker, text }) => `${speaker}: ${text}`),
]);

const queryLineSchema = z.object({
  query_id: id,
  conv_id: id,
  text: z.string().refine((text) => text.trim() !== '', 'empty'),
  asked_at: z.string().nullish(),
  type: z.string().nullish(),
  evidence: z.array(id).default([]),
  wrong: z.array(id).default([]),
  evidence_sessions: z.array(id).nullish(),
  context: z.union([z.string(), z.array(contextLine)]).nullish(),
  cutoff_turn_id: id.nullish(),
  unanswerable: z.boolean().nullish(),
});

/**
 * Reads such a directory.
 * @throws MemoryError FILE_UNREADABLE, or INVALID_INPUT with the file and line of what is malformed
 */
export async function readDirectorySet(directory: string): Promise<EvaluationSet> {
  const conversations = new Map<string, ConversationDraft>();
  await readJsonLines(join(directory, HISTORY_FILE), historyLineSchema, (line, place) => {
    const draft = conversations.get(line.conv_id) ?? new ConversationDraft(line.conv_id, line.lang ?? '');
    conversations.set(line.conv_id, draft);
    draft.addTurn(line, place);
  });
  await readJsonLines(join(directory, QUERIES_FILE), queryLineSchema, (line) => {
    const draft = conversations.get(line.conv_id);
    if (!draft) throw malformed(`${HISTORY_FILE} has no conversation ${line.conv_id}`);
    draft.addQuery(line);
  });
  const drafts = [...conversations.values()];
  const emptyTurns = drafts.reduce((sum, draft) => sum + draft.emptyTurns, 0);
  const asked = drafts.filter((conversation) => conversation.queries.length > 0);
  return {
    name: basename(resolve(directory)),
    path: directory,
    notes: emptyTurns === 0 ? [] : [`Left out turns without text: ${emptyTurns}.`],
    queryCounts: async () => asked.map((conversation) => conversation.queries.length),
    async *conversations() {
      yield* asked;
    },
  };
}

class ConversationDraft implements EvaluationConversation {
  readonly id: string;
  readonly language: string;
  readonly turns: EvaluationTurn[] = [];
  readonly queries: EvaluationQuery[] = [];
  /** The number of turns without text, which cannot be added to a memory. */
  emptyTurns = 0;
  readonly #sessionOf = new Map<string, string>();
  /** Their positions among the turns. */
  readonly #empty = new Map<string, number>();
  readonly #sessionLengths = new Map<string, number>();
  readonly #clock = new TurnClock();

  constructor(id: string, language: string) {
    this.id = id;
    this.language = language;
  }

  addTurn(line: z.infer<typeof historyLineSchema>, place: string): void {
    const sessionId = checkId(line.session_id ?? line.conv_id, 'session id');
    if (this.#sessionOf.has(line.turn_id)) throw malformed(`the turn ${line.turn_id} occurs twice`);
    this.#sessionOf.set(line.turn_id, sessionId);
    if (line.text.trim() === '') {
      this.emptyTurns++;
      this.#empty.set(line.turn_id, this.turns.length);
      return;
    }
    const turnIndex = this.#sessionLengths.get(sessionId) ?? 0;
    this.#sessionLengths.set(sessionId, turnIndex + 1);
    this.turns.push({
      sourceId: line.turn_id,
      sessionId,
      place,
      turn: {
        conversationId: sessionId,
        turnIndex,
        speaker: checkId(line.speaker, 'speaker'),
        text: checkText(line.text),
        occurredAt: this.#clock.at(line.timestamp),
        meta: { sourceId: line.turn_id },
        source: 'import',
      },
    });
  }

  addQuery(line: z.infer<typeof queryLineSchema>): void {
    const cutoffTurn = line.cutoff_turn_id ?? null;
    const goldTurns = line.evidence.filter((turnId) => !this.#empty.has(turnId));
    const unknown = [...line.evidence, ...line.wrong, ...(cutoffTurn === null ? [] : [cutoffTurn])].find(
      (turnId) => !this.#sessionOf.has(turnId),
    );
    if (unknown !== undefined) throw malformed(`the conversation ${this.id} has no turn ${unknown}`);
    const named = line.evidence_sessions ?? [];
    const sessions =
      named.length > 0 ? named : line.evidence.map((turnId) => this.#sessionOf.get(turnId) ?? '');
    this.queries.push({
      id: line.query_id,
      text: line.text,
      type: line.type ?? 'untyped',
      askedAt: readAskedAt(line.asked_at),
      context: readContext(line.context, line.text),
      goldTurns: [...new Set(goldTurns)],
      goldSessions: [...new Set(sessions)],
      wrongTurns: line.wrong.filter((turnId) => !line.evidence.includes(turnId)),
      cutoffTurn: this.#present(cutoffTurn),
      isUnanswerable: line.unanswerable === true || sessions.length === 0,
    });
  }

  /** The turn, or the first one after it when it was left out. */
  #present(turnId: string | null): string | null {
    const at = turnId === null ? undefined : this.#empty.get(turnId);
    return at === undefined ? turnId : (this.turns[at]?.sourceId ?? null);
  }
}

/** Passes each line to `take`; reports errors with file and line number. */
async function readJsonLines<Line>(
  path: string,
  schema: z.ZodType<Line>,
  take: (line: Line, place: string) => void,
): Promise<void> {
  const lines = (await readUtf8(path)).split('\n');
  for (const [index, text] of lines.entries()) {
    if (text.trim() === '') continue;
    const place = `${path}, line ${index + 1}`;
    try {
      take(parseLine(text, schema), place);
    } catch (cause) {
      if (!isMemoryError(cause)) throw cause;
      throw new MemoryError(cause.code, `${place}: ${cause.message}`, { cause, line: index + 1, file: path });
    }
  }
}

function parseLine<Line>(text: string, schema: z.ZodType<Line>): Line {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    // The parser counts lines within the given line only.
    throw malformed(`it is not JSON: ${messageOf(cause).replace(/ \(line \d+ column \d+\)$/, '')}`);
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw malformed(
    parsed.error.issues
      .map((issue) => `${issue.path.map(String).join('.') || 'line'}: ${issue.message}`)
      .join('; '),
  );
}

async function readUtf8(path: string): Promise<string> {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(await readFile(path));
  } catch (cause) {
    throw unreadable(path, cause);
  }
}

function malformed(reason: string): MemoryError {
  return new MemoryError('INVALID_INPUT', reason);
}
