/** Users' verdicts on recalled units. Stored with the settings, since no recall depends on them. */
import { MemoryError, type Instant } from '../model/model.ts';
import type { SettingsFile } from './settingsFile.ts';

export const VERDICTS = ['helped', 'wrong'] as const;

export interface NewFeedback {
  readonly memoryId: string;
  /** The profile that ranked the unit. */
  readonly profile: string;
  readonly verdict: (typeof VERDICTS)[number];
  /** The utterance for which it was recalled, and what was said just before. */
  readonly utterance: string;
  readonly context: readonly { readonly speaker: string; readonly text: string }[];
  /** The recalled unit. */
  readonly unitId: number;
}

export interface Feedback extends NewFeedback {
  readonly id: number;
  readonly at: Instant;
}

export interface FeedbackLog {
  /** Adds a verdict; a later verdict on the same utterance and unit replaces it. */
  add(feedback: NewFeedback): Feedback;
  /** Newest first. */
  list(memoryId: string, page: { readonly limit: number; readonly beforeId?: number }): Feedback[];
  /** @throws MemoryError NOT_FOUND */
  remove(memoryId: string, id: number): void;
  /** Removes verdicts on units that were forgotten. Returns how many were removed. */
  removeUnits(memoryId: string, unitIds: readonly number[]): number;
}

interface FeedbackRow {
  readonly id: number;
  readonly at: number;
  readonly memory_id: string;
  readonly profile: string;
  readonly verdict: Feedback['verdict'];
  readonly utterance: string;
  readonly context: string;
  readonly unit_id: number;
}

export function createFeedbackLog(file: SettingsFile, now: () => Instant): FeedbackLog {
  return {
    add({ memoryId, profile, verdict, utterance, context, unitId }) {
      const [row] = file.all<FeedbackRow>(
        `INSERT INTO feedback (at, memory_id, profile, verdict, utterance, context, unit_id) VALUES (?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT (memory_id, utterance, unit_id) DO UPDATE SET at = excluded.at, verdict = excluded.verdict,
           profile = excluded.profile, context = excluded.context RETURNING *`,
        now(),
        memoryId,
        profile,
        verdict,
        utterance,
        JSON.stringify(context),
        unitId,
      );
      if (!row) throw new MemoryError('STORE_FAILED', 'The feedback was not stored.');
      return toFeedback(row);
    },
    list: (memoryId, { limit, beforeId }) =>
      file
        .all<FeedbackRow>(
          'SELECT * FROM feedback WHERE memory_id = ? AND id < ? ORDER BY id DESC LIMIT ?',
          memoryId,
          beforeId ?? Number.MAX_SAFE_INTEGER,
          limit,
        )
        .map(toFeedback),
    remove(memoryId, id) {
      if (file.run('DELETE FROM feedback WHERE memory_id = ? AND id = ?', memoryId, id) === 0)
        throw new MemoryError('NOT_FOUND', `There is no feedback ${id}.`);
    },
    removeUnits: (memoryId, unitIds) =>
      file.run(
        'DELETE FROM feedback WHERE memory_id = ? AND unit_id IN (SELECT value FROM json_each(?))',
        memoryId,
        JSON.stringify(unitIds),
      ),
  };
}

function toFeedback({
  id,
  at,
  memory_id: memoryId,
  unit_id: unitId,
  context,
  ...row
}: FeedbackRow): Feedback {
  const { profile, verdict, utterance } = row;
  return {
    id,
    at,
    memoryId,
    profile,
    verdict,
    utterance,
    unitId,
    context: JSON.parse(context) as Feedback['context'],
  };
}
