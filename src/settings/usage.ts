/** Statistics of the use of memories and models, for the operator, stored with the settings. They contain no text. */
import type { Instant } from '../model/model.ts';
import type { SettingsFile } from './settingsFile.ts';

/** One recall for an utterance. */
export interface RecallUse {
  readonly at: Instant;
  readonly memoryId: string;
  readonly profile: string;
  /** `injected`: confident enough to use the hits. `silent`: hits were found, but not used. `empty`: no hits. */
  readonly outcome: 'injected' | 'silent' | 'empty';
  readonly totalMs: number;
  /** Milliseconds by stage. */
  readonly stages: Readonly<Record<string, number>>;
}

/** The requests to a model for one purpose on one day. */
export interface ModelUse {
  /** `2026-03-01`, in UTC. */
  readonly day: string;
  readonly purpose: string;
  readonly model: string;
  readonly calls: number;
  readonly failed: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly totalMs: number;
}

export interface UsageLog {
  /** Written within a second; a process that is killed before loses it. */
  addRecall(use: RecallUse): void;
  addModelCall(call: Omit<ModelUse, 'day' | 'calls'>): void;
  /** Oldest first. */
  recalls(memoryId: string, from: Instant): RecallUse[];
  modelUse(fromDay: string): ModelUse[];
  /** Writes pending data. */
  flush(): void;
}

const FLUSH_MS = 1_000;
const KEPT_MS = 90 * 86_400_000;
/** On a busy server only the last recalls are kept. */
const MAX_RECALLS = 20_000;

interface RecallRow {
  readonly at: number;
  readonly memory_id: string;
  readonly profile: string;
  readonly outcome: RecallUse['outcome'];
  readonly total_ms: number;
  readonly stages: string;
}

export function createUsageLog(file: SettingsFile, now: () => Instant): UsageLog {
  let recalls: RecallUse[] = [];
  let calls: Omit<ModelUse, 'day' | 'calls'>[] = [];
  let timer: NodeJS.Timeout | undefined;

  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    if (recalls.length === 0 && calls.length === 0) return;
    const [newRecalls, newCalls] = [recalls, calls];
    [recalls, calls] = [[], []];
    try {
      file.write(() => {
        for (const use of newRecalls) insertRecall(file, use);
        for (const call of newCalls) addToDay(file, dayOf(now()), call);
        file.run('DELETE FROM recall WHERE at < ?', now() - KEPT_MS);
      });
    } catch {
      // Memories still answer when the disk is full; these figures are then missing.
    }
  };
  const later = () => {
    timer ??= setTimeout(flush, FLUSH_MS).unref();
  };
  return {
    addRecall(use) {
      recalls.push(use);
      later();
    },
    addModelCall(call) {
      calls.push(call);
      later();
    },
    recalls(memoryId, from) {
      flush();
      const rows = file.all<RecallRow>(
        'SELECT * FROM recall WHERE memory_id = ? AND at >= ? ORDER BY at DESC LIMIT ?',
        memoryId,
        from,
        MAX_RECALLS,
      );
      return rows.toReversed().map((row) => ({
        at: row.at,
        memoryId: row.memory_id,
        profile: row.profile,
        outcome: row.outcome,
        totalMs: row.total_ms,
        stages: JSON.parse(row.stages) as RecallUse['stages'],
      }));
    },
    modelUse(fromDay) {
      flush();
      return file.all<ModelUse>(
        `SELECT day, purpose, model, calls, failed, input_tokens AS inputTokens, output_tokens AS outputTokens,
           total_ms AS totalMs FROM model_use WHERE day >= ? ORDER BY day, purpose, model`,
        fromDay,
      );
    },
    flush,
  };
}

function insertRecall(file: SettingsFile, use: RecallUse): void {
  file.run(
    'INSERT INTO recall (at, memory_id, profile, outcome, total_ms, stages) VALUES (?, ?, ?, ?, ?, ?)',
    use.at,
    use.memoryId,
    use.profile,
    use.outcome,
    use.totalMs,
    JSON.stringify(use.stages),
  );
}

function addToDay(file: SettingsFile, day: string, call: Omit<ModelUse, 'day' | 'calls'>): void {
  file.run(
    `INSERT INTO model_use VALUES (?, ?, ?, 1, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET calls = calls + 1,
       failed = failed + excluded.failed, input_tokens = input_tokens + excluded.input_tokens,
       output_tokens = output_tokens + excluded.output_tokens, total_ms = total_ms + excluded.total_ms`,
    day,
    call.purpose,
    call.model,
    call.failed,
    call.inputTokens,
    call.outputTokens,
    call.totalMs,
  );
}

function dayOf(at: Instant): string {
  return new Date(at).toISOString().slice(0, 10);
}
