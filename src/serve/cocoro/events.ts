/** `/api/events/stream`: proactive messages of the companion. */
import { z } from 'zod';
import type { CompanionEvent } from '../../companion/companion.ts';
import type { Wire } from '../eventStream.ts';
import type { ServerParts } from '../parts.ts';

/** Clients of the newer version send a hello within this time after connecting. */
const HELLO_MS = 500;
/** Older reminders are not sent. */
const MAX_REMINDER_AGE_MS = 60_000;

const helloSchema = z.looseObject({ type: z.literal('hello'), client_id: z.string().min(1) });

/**
 * The events of one client. Clients of the newer version send `hello` and read `meta-request`; those of the older
 * one send nothing and read `meta_request`. Events wait until the version is known.
 */
export class EventWire implements Wire {
  readonly #parts: ServerParts;
  #held: CompanionEvent[] | null = [];
  #isNewer = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: ServerParts) {
    this.#parts = parts;
  }

  send(event: CompanionEvent, write: (text: string) => void): void {
    if (!this.#held) return this.#write(event, write);
    this.#held.push(event);
    this.#timer ??= setTimeout(() => this.#release(write), HELLO_MS);
  }

  receive(text: string, write: (text: string) => void): void {
    if (!isHello(text)) return;
    this.#isNewer = true;
    this.#release(write);
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#held = null;
  }

  #release(write: (text: string) => void): void {
    clearTimeout(this.#timer);
    const held = this.#held ?? [];
    this.#held = null;
    for (const event of held) this.#write(event, write);
  }

  #write(event: CompanionEvent, write: (text: string) => void): void {
    const translated = toCocoroEvent(event, { isNewer: this.#isNewer, now: this.#parts.now() });
    if (translated) write(JSON.stringify(translated));
  }
}

function isHello(text: string): boolean {
  try {
    return helloSchema.safeParse(JSON.parse(text)).success;
  } catch {
    return false;
  }
}

/** Null for events that do not exist in that protocol: a notification without the companion's message, or a failure. */
function toCocoroEvent(
  { type, unitId, data, at }: CompanionEvent,
  { isNewer, now }: { readonly isNewer: boolean; readonly now: number },
): object | null {
  if (data.message === null) return null;
  const ids = { event_id: unitId, unit_id: unitId };
  if (type === 'reminder') {
    if (now - at > MAX_REMINDER_AGE_MS) return null;
    const dueAt = data.loop?.dueAt ?? null;
    const hhmm = dueAt === null ? '' : clockTime(dueAt);
    return { ...ids, type, data: { reminder_id: String(data.causeUnitId), hhmm, message: data.message } };
  }
  if (type === 'meta_request') {
    return { ...ids, type: isNewer ? 'meta-request' : type, data: { message: data.message } };
  }
  return { ...ids, type, data: { system_text: systemText(data.systemText ?? ''), message: data.message } };
}

/** `calendar：…` → `[calendar] …` */
function systemText(words: string): string {
  return words.replace(/^([^：:]{1,200})(?:：|: )/, '[$1] ');
}

/** `09:30`, by the machine's clock, as these clients run on the same machine. */
function clockTime(at: number): string {
  return new Date(at).toTimeString().slice(0, 5);
}
