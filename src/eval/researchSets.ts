/** Reads two data sets in their published format: LoCoMo's `locomo10.json` and LongMemEval's files. */
import { basename, extname } from 'node:path';
import { checkId, checkText, isMemoryError, MemoryError } from '../model/model.ts';
import { locomoSessions, longMemEvalSessions, readJsonArray, type DatasetSession } from '../ingest/ingest.ts';
import {
  readAskedAt,
  TurnClock,
  type EvaluationConversation,
  type EvaluationQuery,
  type EvaluationSet,
  type EvaluationTurn,
} from './dataset.ts';

/** LoCoMo's types of question by number, in its paper's order of difficulty. */
const LOCOMO_TYPES = ['', 'multi_hop', 'temporal', 'open_domain', 'single_hop', 'adversarial'];

/** A file in the format of `locomo10.json`: each sample is a conversation. Read again for each pass; never held whole. */
export function openLocomo(path: string): EvaluationSet {
  return fileSet(path, (sample, index) => {
    const sessions = locomoSessions(sample);
    const turns = turnsOf(sessions, path, `sample ${index + 1}`);
    const known = new Map(turns.map((turn) => [turn.sourceId, turn.sessionId]));
    const id = textOf(sample['sample_id']) || `sample ${index + 1}`;
    const askedAt = turns.at(-1)?.turn.occurredAt ?? null;
    const queries = recordsOf(sample['qa']).flatMap((qa, number) =>
      locomoQuery(qa, `${id}:${number}`, known, askedAt),
    );
    return { id, language: 'en', turns, queries };
  });
}

function locomoQuery(
  qa: Record<string, unknown>,
  id: string,
  known: ReadonlyMap<string, string>,
  askedAt: number | null,
): EvaluationQuery[] {
  const text = textOf(qa['question']);
  if (text.trim() === '') return [];
  // Some evidence is written as `D8:6; D9:17` and some names no turn; unknown turns are left out.
  const named = (Array.isArray(qa['evidence']) ? qa['evidence'] : []).flatMap((ids) =>
    textOf(ids).split(/[;,\s]+/),
  );
  const goldTurns = [...new Set(named)].filter((turnId) => known.has(turnId));
  const type = LOCOMO_TYPES[Number(qa['category'])] ?? 'untyped';
  return [
    {
      id,
      text,
      type,
      askedAt,
      context: [],
      goldTurns,
      goldSessions: [...new Set(goldTurns.map((turnId) => known.get(turnId) ?? ''))],
      cutoffTurn: null,
      isUnanswerable: type === 'adversarial' || goldTurns.length === 0,
    },
  ];
}

/** A file in the format of `longmemeval_s.json`: each question has its own memory. */
export function openLongMemEval(path: string): EvaluationSet {
  return fileSet(path, (question, index) => {
    const sessions = longMemEvalSessions(question);
    const id = textOf(question['question_id']) || `question ${index + 1}`;
    const text = textOf(question['question']);
    const query: EvaluationQuery = {
      id,
      text,
      type: textOf(question['question_type']) || 'untyped',
      askedAt: readAskedAt(question['question_date']),
      context: [],
      goldTurns: goldTurnsOf(sessions),
      goldSessions: (Array.isArray(question['answer_session_ids']) ? question['answer_session_ids'] : []).map(
        textOf,
      ),
      cutoffTurn: null,
      isUnanswerable: id.endsWith('_abs'),
    };
    const turns = turnsOf(sessions, path, `question ${index + 1}`);
    return { id, language: 'en', turns, queries: text.trim() === '' ? [] : [query] };
  });
}

function goldTurnsOf(sessions: readonly DatasetSession[]): string[] {
  const marked = sessions.flatMap((session) => session.turns.filter((turn) => turn.hasAnswer));
  return [...new Set(marked.map((turn) => turn.sourceId))];
}

type ReadConversation = (element: Record<string, unknown>, index: number) => EvaluationConversation;

function fileSet(path: string, read: ReadConversation): EvaluationSet {
  async function* conversations(): AsyncGenerator<EvaluationConversation> {
    let index = 0;
    for await (const element of readJsonArray(path)) {
      const conversation = read(isRecord(element) ? element : {}, index);
      if (conversation.turns.length === 0)
        throw malformed(path, `element ${index + 1} contains no conversation`);
      index += 1;
      if (conversation.queries.length > 0) yield conversation;
    }
  }
  return {
    name: basename(path, extname(path)),
    path,
    async queryCounts() {
      const counts = [];
      for await (const conversation of conversations()) counts.push(conversation.queries.length);
      return counts;
    },
    conversations,
  };
}

/** The sessions' turns. Turns without text (some answers are empty) are left out: they cannot be added to a memory. */
function turnsOf(sessions: readonly DatasetSession[], path: string, element: string): EvaluationTurn[] {
  const clock = new TurnClock();
  const turns: EvaluationTurn[] = [];
  for (const [number, session] of sessions.entries()) {
    const place = `${path}, ${element}, session ${number + 1}`;
    try {
      let time = session.time;
      for (const [turnIndex, { sourceId, speaker, text, imageSummary }] of session.turns.entries()) {
        const occurredAt = clock.at(time);
        // The session's time is that of its first turn; the others follow.
        time = null;
        if (textOf(text).trim() === '') continue;
        turns.push({
          sourceId,
          sessionId: session.sessionId,
          place,
          turn: {
            conversationId: checkId(session.conversationId, 'session id'),
            turnIndex,
            speaker: checkId(textOf(speaker), 'speaker'),
            text: checkText(textOf(text)),
            occurredAt,
            meta: { sourceId },
            source: 'import',
            ...(imageSummary ? { imageSummary } : {}),
          },
        });
      }
    } catch (cause) {
      if (!isMemoryError(cause)) throw cause;
      throw malformed(place, cause.message, cause);
    }
  }
  return turns;
}

function malformed(place: string, reason: string, cause?: MemoryError): MemoryError {
  return new MemoryError(cause?.code ?? 'INVALID_INPUT', `${place}: ${reason}`, { cause });
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function recordsOf(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';
}
