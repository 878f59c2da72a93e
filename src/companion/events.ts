import type { Memory } from '../engine/engine.ts';
import { isMemoryError, type Episode, type Instant, unitsOfKind } from '../model/model.ts';
import type { Loop } from './loopChange.ts';
import { loopIdOf, REMINDER, reminderEvent } from './reminders/reminders.ts';
import { codeOf, type CompanionEvent } from './types.ts';
import { COMPANION } from './window.ts';

const TYPES = ['notification', 'meta_request', 'reminder'] as const;
const PAGE = 100;

/** Notifications and proactive messages after a unit, oldest first; the last ones when it is null. */
export async function eventsAfter(
  memory: Memory,
  unitId: number | null,
  limit: number,
): Promise<CompanionEvent[]> {
  const max = unitId === null ? limit : Infinity;
  const found = await Promise.all(TYPES.map((source) => messagesAfter(memory, source, unitId ?? 0, max)));
  const messages = found.flat().sort((a, b) => a.id - b.id);
  const wanted = unitId === null ? messages.slice(-limit || Infinity) : messages.slice(0, limit);
  return toEvents(memory, wanted);
}

async function messagesAfter(
  memory: Memory,
  source: CompanionEvent['type'],
  afterUnitId: number,
  max: number,
): Promise<Episode[]> {
  const messages: Episode[] = [];
  for (let offset = 0; messages.length < max; offset += PAGE) {
    const page = await memory.units.list({ kinds: ['episode'], source }, { limit: PAGE, offset });
    const later = page.filter((unit): unit is Episode => unit.kind === 'episode' && unit.id > afterUnitId);
    messages.push(...later.filter(({ payload }) => payload.speaker !== 'meta_request'));
    // Pages are in descending order: the next page contains nothing later.
    if (later.length < PAGE) break;
  }
  return messages;
}

async function toEvents(memory: Memory, episodes: readonly Episode[]): Promise<CompanionEvent[]> {
  const messages = episodes.filter(
    ({ payload, source }) => payload.speaker === COMPANION && source !== REMINDER,
  );
  const loops = await loopsOf(memory, episodes);
  const near = await memory.units.neighbours(
    messages.map(({ id }) => id),
    { before: 1, after: 0 },
  );
  const causeIds = new Map(near.map(({ unitId, before }) => [unitId, before[0] ?? null]));
  const causes = await memory.units.get([...causeIds.values()].filter((id) => id !== null));
  const words = new Map(unitsOfKind('episode', causes).map(({ id, payload }) => [id, payload.text]));
  return episodes.map((episode) => {
    if (episode.payload.speaker === 'notification') return notificationEvent(episode);
    if (episode.source === REMINDER) return reminderEvent(episode, loops.get(loopIdOf(episode) ?? 0) ?? null);
    const causeUnitId = causeIds.get(episode.id) ?? null;
    const systemText = causeUnitId === null ? undefined : words.get(causeUnitId);
    return messageEvent(episode, causeUnitId, systemText);
  });
}

async function loopsOf(memory: Memory, episodes: readonly Episode[]): Promise<Map<number, Loop>> {
  const ids = episodes.flatMap((episode) => (episode.source === REMINDER ? (loopIdOf(episode) ?? []) : []));
  const units = ids.length === 0 ? [] : await memory.units.get(ids);
  return new Map(units.flatMap((unit) => (unit.kind === 'loop' ? [[unit.id, unit]] : [])));
}

/** A notification without a message of the companion yet. */
export function notificationEvent({ id, occurredAt, payload }: Episode): CompanionEvent {
  const data = { message: null, causeUnitId: id, systemText: payload.text };
  return { id, type: 'notification', unitId: id, data, at: occurredAt };
}

function messageEvent(
  { id, source, occurredAt, payload }: Episode,
  causeUnitId: number | null,
  systemText: string | undefined,
): CompanionEvent {
  const isNotification = source === 'notification' && systemText !== undefined;
  return {
    id,
    type: source as CompanionEvent['type'],
    unitId: id,
    data: { message: payload.text, causeUnitId, ...(isNotification && { systemText }) },
    at: occurredAt,
  };
}

/** A failed meta request. */
export function failureEvent(causeUnitId: number, error: unknown, at: Instant): CompanionEvent {
  const message = isMemoryError(error) ? error.message : 'An unexpected error.';
  const data = { message: null, causeUnitId, error: { code: codeOf(error), message } };
  return { id: null, type: 'meta_request', unitId: causeUnitId, data, at };
}
