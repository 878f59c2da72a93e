import { idText, scalarMeta, type ImportItem, type Intake, type Place, type ReadRecord } from './intake.ts';
import { isRecord } from '../../model/model.ts';

/** One session of a conversation in a research data set. Its fields are not validated. */
export interface DatasetSession {
  readonly conversationId: string;
  /** `session_1` … in LoCoMo, the id from `haystack_session_ids` in LongMemEval. */
  readonly sessionId: string;
  /** As in the file; see parseSourceTime. */
  readonly time: unknown;
  readonly turns: readonly DatasetTurn[];
}

export interface DatasetTurn {
  /** The id that the questions' evidence refers to: `D1:3` in LoCoMo, `<session id>_<n>` from 1 in LongMemEval. */
  readonly sourceId: string;
  readonly speaker: unknown;
  readonly text: unknown;
  /** A description of the attached image. */
  readonly imageSummary: string | null;
  /** Whether it is marked as containing the answer (LongMemEval). Not imported: it is not part of the conversation. */
  readonly hasAnswer: boolean;
}

/** The sessions of one sample of LoCoMo's `locomo10.json`, first to last; empty when it is not such a sample. */
export function locomoSessions(sample: unknown): DatasetSession[] {
  const conversation = isRecord(sample) ? sample['conversation'] : null;
  if (!isRecord(sample) || !isRecord(conversation)) return [];
  const sampleId = idText(sample['sample_id']) ?? 'locomo';
  return Object.keys(conversation)
    .flatMap((key) => /^session_(\d+)$/.exec(key)?.[1] ?? [])
    .sort((a, b) => Number(a) - Number(b))
    .map((number) => ({
      conversationId: `${sampleId}:session_${number}`,
      sessionId: `session_${number}`,
      time: conversation[`session_${number}_date_time`],
      turns: records(conversation[`session_${number}`]).map((turn, index) => ({
        sourceId: idText(turn['dia_id']) ?? `D${number}:${index + 1}`,
        speaker: turn['speaker'],
        text: turn['text'],
        imageSummary: typeof turn['blip_caption'] === 'string' ? turn['blip_caption'] : null,
        hasAnswer: false,
      })),
    }));
}

/** The sessions of one question of a LongMemEval file, in file order; empty when it is not such a question. */
export function longMemEvalSessions(question: unknown): DatasetSession[] {
  if (!isRecord(question) || !Array.isArray(question['haystack_sessions'])) return [];
  const ids = list(question['haystack_session_ids']);
  const times = list(question['haystack_dates']);
  const questionId = idText(question['question_id']) ?? 'longmemeval';
  const uses = new Map<string, number>();
  return question['haystack_sessions'].map((session: unknown, index) => {
    const sessionId = idText(ids[index]) ?? `session_${index + 1}`;
    const use = (uses.get(sessionId) ?? 0) + 1;
    uses.set(sessionId, use);
    return {
      // A haystack may contain the same session twice.
      conversationId: `${questionId}:${sessionId}${use > 1 ? `#${use}` : ''}`,
      sessionId,
      time: times[index],
      turns: records(session).map((turn, turnIndex) => ({
        sourceId: `${sessionId}_${turnIndex + 1}`,
        speaker: turn['role'],
        text: turn['content'],
        imageSummary: null,
        hasAnswer: turn['has_answer'] === true,
      })),
    };
  });
}

export const readLocomoSample: ReadRecord = (sample, at, intake) =>
  takeSessions(locomoSessions(sample), at, intake);

export const readLongMemEvalQuestion: ReadRecord = (question, at, intake) =>
  takeSessions(longMemEvalSessions(question), at, intake);

function* takeSessions(
  sessions: readonly DatasetSession[],
  at: Place,
  intake: Intake,
): Generator<ImportItem> {
  if (sessions.length === 0) yield intake.takeUnreadable('It has no sessions.', at);
  for (const [index, { conversationId, time, turns }] of sessions.entries()) {
    for (const [turnIndex, { sourceId, speaker, text, imageSummary }] of turns.entries()) {
      const place = `${at.place}, session ${index + 1}, message ${turnIndex + 1}`;
      yield intake.take(
        {
          conversationId,
          speaker,
          text,
          time,
          meta: scalarMeta({ sourceId }),
          imageSummary: imageSummary ?? undefined,
        },
        { ...at, place },
      );
    }
  }
}

function records(value: unknown): Record<string, unknown>[] {
  return list(value).map((item) => (isRecord(item) ? item : {}));
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
