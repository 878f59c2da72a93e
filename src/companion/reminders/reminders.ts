/** Open loops that are due become events: once each, never in quiet hours. */
import { dueIn, type Job, type Memory } from '../../engine/engine.ts';
import { isMemoryError, type Episode, type Instant } from '../../model/model.ts';
import { detectLanguage } from '../../text/text.ts';
import { withinTime } from '../../async/async.ts';
import { keepable } from '../keep.ts';
import { packFor, systemPrompt } from '../prompted.ts';
import { prompt } from '../prompts.ts';
import type { CompanionEvent, CompanionParts } from '../types.ts';
import { COMPANION } from '../window.ts';
import { answerIn } from './answers.ts';
import { changeLoop, type Loop } from '../loopChange.ts';
import { MAX_LATE_MS, remindAt } from '../reminderTime.ts';
import { reminderText } from './words.ts';

export const REMIND = 'remind';
export const REMINDER = 'reminder';
/** Loops looked through, the newest. */
const MAX_LOOPS = 1_000;
/** A reminder waits so long for a model's words; then the template serves. */
const MODEL_WAIT_MS = 8_000;
/** So long after a reminder what is said may be an answer to it. */
const ANSWERED_WITHIN_MS = 12 * 3_600_000;
const PLACE = /^reminder-(?<loopId>\d+)-\d+$/;

/** Asks for the reminders of what is due some day. May be called any time. */
export async function requestReminders({ memory, settings, now }: CompanionParts): Promise<void> {
  if (!settings().reminders.enabled) return;
  const at = now();
  const loops = await memory.units.list(
    { kinds: ['loop'], aliveAt: at, maxSensitivity: 'private' },
    { limit: MAX_LOOPS },
  );
  for (const loop of loops) {
    if (loop.kind !== 'loop' || !isWaiting(loop, at)) continue;
    if (await isTold(memory, loop.id, loop.payload.dueAt)) continue;
    await schedule({ memory, settings, now }, loop.id, loop.payload.dueAt);
  }
}

type Waiting = Loop & { readonly payload: { readonly dueAt: Instant } };

function isWaiting(loop: Loop, now: Instant): loop is Waiting {
  const { status, dueAt } = loop.payload;
  return status === 'open' && dueAt !== null && dueAt + MAX_LATE_MS > now && loop.state !== 'archived';
}

async function schedule(
  { memory, settings, now }: Pick<CompanionParts, 'memory' | 'settings' | 'now'>,
  loopId: number,
  dueAt: Instant,
): Promise<void> {
  const clock = { now: now(), timeZone: memory.timeZone };
  const runAfter = remindAt(dueAt, settings().reminders, clock);
  const key = `${REMIND}:${loopId}:${dueAt}`;
  await memory.jobs.request({ kind: REMIND, key, conversationId: null, input: { loopId, dueAt }, runAfter });
}

/**
 * Reminds of the loop of a job, unless that was done before, or the loop is closed or due at another time. The words
 * are a model's if it answers in time.
 */
export async function remind(parts: CompanionParts, job: Job, signal: AbortSignal): Promise<void> {
  const { memory, settings, now } = parts;
  const [loopId, dueAt] = [Number(job.input['loopId']), Number(job.input['dueAt'])];
  const [loop] = await memory.units.get([loopId]);
  if (!settings().reminders.enabled || loop?.kind !== 'loop' || !isWaiting(loop, now())) return;
  if (loop.payload.dueAt !== dueAt || (await isTold(memory, loopId, dueAt))) return;
  const clock = { now: now(), timeZone: memory.timeZone };
  // The quiet hours may have changed since.
  if (remindAt(dueAt, settings().reminders, clock) > clock.now) return schedule(parts, loopId, dueAt);
  const text = (await wordsByModel(parts, loop, signal)) ?? reminderText(loop.payload, clock);
  const place = { conversationId: placeOf(loopId, dueAt), turnIndex: 0 };
  try {
    const kept = await memory.add({ ...place, speaker: COMPANION, text, source: REMINDER });
    if (!kept.isNew) return;
    await memory.units.link(kept.unitId, loopId, REMINDER);
    const [episode] = await memory.units.get([kept.unitId]);
    if (episode?.kind === 'episode') parts.publish(reminderEvent(episode, loop));
  } catch (error) {
    // Another process was quicker.
    if (!isMemoryError(error, 'TURN_CONFLICT')) throw error;
  }
}

function placeOf(loopId: number, dueAt: Instant): string {
  return `${REMINDER}-${loopId}-${dueAt}`;
}

async function isTold(memory: Memory, loopId: number, dueAt: Instant): Promise<boolean> {
  return (await memory.conversations.recent(placeOf(loopId, dueAt), 1)).length > 0;
}

/** Null without a model, and when it fails or takes too long: a reminder cannot wait. */
async function wordsByModel(
  parts: CompanionParts,
  loop: Waiting,
  caller: AbortSignal,
): Promise<string | null> {
  const model = parts.chatModel();
  if (!model) return null;
  const { memory } = parts;
  const settings = parts.settings();
  const clock = { now: parts.now(), timeZone: memory.timeZone };
  const content = reminderText(loop.payload, clock);
  const language = settings.language ?? detectLanguage(content);
  const pack = await packFor(memory, settings, loop.payload.text, { context: [], exceptUnitIds: [] });
  const request = {
    purpose: REMINDER,
    system: `${systemPrompt(language, pack, clock)}\n\n${prompt('reminder', language)}`,
    messages: [{ role: 'user', content }],
    ...(settings.maxOutputTokens !== undefined && { maxOutputTokens: settings.maxOutputTokens }),
  } as const;
  try {
    const { text } = await withinTime(MODEL_WAIT_MS, (late) =>
      model.generateText(request, AbortSignal.any([late, caller])),
    );
    parts.onExchange?.();
    return keepable(text).trim() || null;
  } catch {
    caller.throwIfAborted();
    return null;
  }
}

/** The loop that a reminder's episode reminds of. */
export function loopIdOf({ payload }: Episode): number | null {
  const id = PLACE.exec(payload.conversationId)?.groups?.['loopId'];
  return id === undefined ? null : Number(id);
}

export function reminderEvent({ id, occurredAt, payload }: Episode, loop: Loop | null): CompanionEvent {
  const data = {
    message: payload.text,
    causeUnitId: loop?.id ?? null,
    ...(loop && {
      loop: { text: loop.payload.text, dueAt: loop.payload.dueAt, status: loop.payload.status },
      evidenceUnitIds: loop.payload.evidence,
    }),
  };
  return { id, type: REMINDER, unitId: id, data, at: occurredAt };
}

/** Has the loop of the last reminder follow what a person says to it: done, dropped, or later. */
export async function heedAnswer({ memory, now }: CompanionParts, text: string): Promise<void> {
  const action = answerIn(text);
  if (action === null) return;
  const at = now();
  const filter = { kinds: ['episode' as const], source: REMINDER, from: at - ANSWERED_WITHIN_MS };
  const [reminder] = await memory.units.list(filter, { limit: 1 });
  const loopId = reminder?.kind === 'episode' ? loopIdOf(reminder) : null;
  const [loop] = loopId === null ? [] : await memory.units.get([loopId]);
  if (loop?.kind !== 'loop' || loop.payload.status !== 'open') return;
  const until = dueIn(text, at, memory.timeZone) ?? undefined;
  await changeLoop(memory, loop.id, { action, ...(action === 'later' && { until }) }, at);
}
