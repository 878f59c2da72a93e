/** Due open loops become events: once each, never in quiet hours. */
import { dueIn, type Job, type Memory } from '../../engine/engine.ts';
import { isMemoryError, type Episode, type Instant } from '../../model/model.ts';
import { detectLanguage } from '../../text/text.ts';
import { withinTime } from '../../async/async.ts';
import { storableText } from '../storeTurn.ts';
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
/** Number of newest loops that are checked. */
const MAX_LOOPS = 1_000;
/** Maximum wait for a model's text; then the template is used. */
const MODEL_WAIT_MS = 8_000;
/** A message within this time after a reminder may answer it. */
const ANSWERED_WITHIN_MS = 12 * 3_600_000;
const PLACE = /^reminder-(?<loopId>\d+)-\d+$/;

/** Schedules the reminders of all open loops with a due time. May be called any time. */
export async function requestReminders({ memory, settings, now }: CompanionParts): Promise<void> {
  if (!settings().reminders.enabled) return;
  const at = now();
  const loops = await memory.units.list(
    { kinds: ['loop'], aliveAt: at, maxSensitivity: 'private' },
    { limit: MAX_LOOPS },
  );
  for (const loop of loops) {
    if (loop.kind !== 'loop' || !isWaiting(loop, at)) continue;
    if (await isAnnounced(memory, loop.id, loop.payload.dueAt)) continue;
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
 * Creates the reminder of a job's loop, unless it exists, or the loop is closed or has another due time. The text is a
 * model's if it answers in time.
 */
export async function remind(parts: CompanionParts, job: Job, signal: AbortSignal): Promise<void> {
  const { memory, settings, now } = parts;
  const [loopId, dueAt] = [Number(job.input['loopId']), Number(job.input['dueAt'])];
  const [loop] = await memory.units.get([loopId]);
  if (!settings().reminders.enabled || loop?.kind !== 'loop' || !isWaiting(loop, now())) return;
  if (loop.payload.dueAt !== dueAt || (await isAnnounced(memory, loopId, dueAt))) return;
  const clock = { now: now(), timeZone: memory.timeZone };
  // The quiet hours may have changed since scheduling.
  if (remindAt(dueAt, settings().reminders, clock) > clock.now) return schedule(parts, loopId, dueAt);
  const text = (await writeByModel(parts, loop, signal)) ?? reminderText(loop.payload, clock);
  const place = { conversationId: placeOf(loopId, dueAt), turnIndex: 0 };
  try {
    const kept = await memory.add({ ...place, speaker: COMPANION, text, source: REMINDER });
    if (!kept.isNew) return;
    await memory.units.link(kept.unitId, loopId, REMINDER);
    const [episode] = await memory.units.get([kept.unitId]);
    if (episode?.kind === 'episode') parts.publish(reminderEvent(episode, loop));
  } catch (error) {
    // Another process has created the reminder.
    if (!isMemoryError(error, 'TURN_CONFLICT')) throw error;
  }
}

function placeOf(loopId: number, dueAt: Instant): string {
  return `${REMINDER}-${loopId}-${dueAt}`;
}

async function isAnnounced(memory: Memory, loopId: number, dueAt: Instant): Promise<boolean> {
  return (await memory.conversations.recent(placeOf(loopId, dueAt), 1)).length > 0;
}

/** Null without a model, and when it fails or takes too long: a reminder must not be delayed. */
async function writeByModel(
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
    return storableText(text).trim() || null;
  } catch {
    caller.throwIfAborted();
    return null;
  }
}

/** The loop id of a reminder's episode. */
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

/** Updates the loop of the last reminder from the user's answer: done, dropped, or later. */
export async function applyAnswer({ memory, now }: CompanionParts, text: string): Promise<void> {
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
