import { messageOf } from '../../model/model.ts';
import { withinTime } from '../../async/async.ts';
import type { StageClock } from '../trace.ts';

/**
 * The outcome of a phase that calls a model:
 * - `used`: the reply was used
 * - `failed`: the model could not be reached, or its reply had the wrong form
 * - `late`: it did not reply in time
 * - `no_model`: there is no model
 * - `not_needed`: there was nothing to ask
 */
export type PhaseOutcome = 'used' | 'failed' | 'late' | 'no_model' | 'not_needed';

export interface Phase<Value> {
  readonly outcome: PhaseOutcome;
  /** Null unless used. */
  readonly value: Value | null;
  /** Why it failed. */
  readonly problem: string | null;
}

/** The remaining time of a recall. */
export interface Deadline {
  remainingMs(): number;
}

export function startDeadline(limitMs: number): Deadline {
  const end = performance.now() + limitMs;
  return { remainingMs: () => end - performance.now() };
}

/** With less time than this, in milliseconds, no call is made. */
const MIN_ASK_MS = 1;

export function skipped<Value>(outcome: PhaseOutcome): Phase<Value> {
  return { outcome, value: null, problem: null };
}

/** Calls the model within the deadline. Never throws: recall has a result without it. */
export async function askWithinLimit<Value>(
  stage: string,
  clock: StageClock,
  limitMs: number,
  ask: (signal: AbortSignal) => Promise<Value>,
): Promise<Phase<Value>> {
  if (limitMs < MIN_ASK_MS) return skipped('late');
  try {
    const value = await clock.time(stage, () => withinTime(Math.floor(limitMs), ask));
    return { outcome: 'used', value, problem: null };
  } catch (error) {
    const isTimeout = error instanceof DOMException && error.name === 'TimeoutError';
    const words = messageOf(error);
    return { outcome: isTimeout ? 'late' : 'failed', value: null, problem: isTimeout ? null : words };
  }
}
