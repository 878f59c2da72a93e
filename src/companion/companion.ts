/** The companion: answers chats, sends notifications and reminders, and serves OpenAI-compatible clients. */
import { randomUUID } from 'node:crypto';
import { internals, type JobService } from '../engine/engine.ts';
import { MemoryError, parseInput, type Instant } from '../model/model.ts';
import { runChat } from './chat.ts';
import { describe, DESCRIBE_IMAGES } from './describe.ts';
import { eventsAfter, failureEvent, notificationEvent } from './events.ts';
import { complete, openAiError, RecentCalls, respondTo } from './openai/openai.ts';
import { AsyncQueue, KeyedMutex } from '../async/async.ts';
import { runMetaRequest, storeMetaRequest, storeNotification, respond, RESPOND } from './proactive.ts';
import {
  chatRequestSchema,
  IMAGES_ALONE,
  metaRequestSchema,
  notificationRequestSchema,
  type ChatRequest,
  type MetaRequest,
  type NotificationRequest,
} from './requests.ts';
import { changeLoop, type Loop, type LoopChange } from './loopChange.ts';
import { REMIND, remind, requestReminders } from './reminders/reminders.ts';
import { keepOnce } from './repeatedTurns.ts';
import { currentConversation } from './timeline.ts';
import {
  codeOf,
  type ChatEvent,
  type Companion,
  type CompanionEvent,
  type CompanionParts,
  type OpenAiPlace,
} from './types.ts';

export { embeddings, models } from './openai/openai.ts';
export { toDataUrl } from './imageInput.ts';
export { LOOP_ACTIONS, type LoopChange } from './loopChange.ts';
export { DEFAULT_REMINDERS, type ReminderSettings } from './reminderTime.ts';
export {
  chatRequestSchema,
  metaRequestSchema,
  notificationRequestSchema,
  type ChatRequest,
  type MetaRequest,
  type NotificationRequest,
} from './requests.ts';
export type {
  ChatDone,
  ChatError,
  ChatEvent,
  ChatMemory,
  ChatPlaces,
  Companion,
  CompanionEvent,
  CompanionSettings,
  CompanionParts,
  CompanionProblem,
} from './types.ts';

type RunChat = Parameters<typeof runChat> extends [unknown, ...infer Rest] ? Rest : never;

const DEFAULT_GRACE_MS = 10_000;
/** Mutex key for finding the current conversation. */
const CURRENT_CONVERSATION_LOCK = 'current';
/** Mutex key for storing turns that may have been sent before; conversation ids never contain a slash. */
const REPEATED_TURNS_LOCK = '/turns';
const NEW_CONVERSATION_MS = 60_000;
/** How often new and changed open loops are checked. */
const CHECK_INTERVAL_MS = 15_000;
/** The same while nobody tells that the memory changed: the process that changed it may have been killed before. */
const UNCHANGED_INTERVAL_MS = 600_000;

/** Creates a companion for a memory. It runs until it is stopped. */
export function createCompanion(parts: CompanionParts): Companion {
  return new WorkingCompanion(parts);
}

class WorkingCompanion implements Companion {
  readonly #parts: CompanionParts;
  readonly #responder: JobService;
  readonly #describer: JobService;
  readonly #reminder: JobService;
  readonly #looking: NodeJS.Timeout;
  readonly #recentCalls = new RecentCalls();
  readonly #mutex = new KeyedMutex();
  readonly #pending = new Set<Promise<unknown>>();
  readonly #cutOff = new AbortController();
  /** The last conversation that was started for a chat without a conversation id. */
  #begun: { readonly conversationId: string; readonly at: Instant } | null = null;
  #isStopping = false;
  /** Whether the memory may have changed since the last check of its loops. */
  #isChanged = true;
  #checkedAt = -Infinity;

  constructor(parts: CompanionParts) {
    this.#parts = parts;
    internals(parts.memory).addCache(this.#recentCalls);
    const serve = (kind: string, run: typeof respond) =>
      internals(parts.memory).serveJobs({
        kind,
        batchSize: 1,
        async run(jobs, signal) {
          for (const job of jobs) await run(parts, job, signal);
        },
      });
    this.#responder = serve(RESPOND, respond);
    this.#describer = serve(DESCRIBE_IMAGES, describe);
    this.#reminder = serve(REMIND, remind);
    internals(parts.memory).onWake(() => (this.#isChanged = true));
    const look = () => {
      const isDue = this.#isChanged || this.#checkedAt + UNCHANGED_INTERVAL_MS < performance.now();
      if (isDue || parts.isToldOfChanges !== true) void this.#look();
    };
    this.#looking = setInterval(look, CHECK_INTERVAL_MS).unref();
  }

  async *chat(input: ChatRequest, signal: AbortSignal): AsyncGenerator<ChatEvent, void> {
    this.#checkOpen();
    const { conversationId: named, ...rest } = parseInput(chatRequestSchema, input, 'a chat request');
    const conversationId = named ?? (await this.#currentTalk());
    const text = rest.text.trim() === '' ? IMAGES_ALONE : rest.text;
    const events = new AsyncQueue<ChatEvent>();
    const leaving = new AbortController();
    const ended = AbortSignal.any([signal, leaving.signal, this.#cutOff.signal]);
    const answering = internals(this.#parts.memory).beginForegroundWork();
    const emit = (event: ChatEvent) => {
      if (event.type === 'token') answering();
      events.write(event);
    };
    const work = this.#track(
      internals(this.#parts.memory)
        .store.exclusively(`conversation ${conversationId}`, () =>
          this.#reply({ ...rest, text, conversationId }, ended, emit),
        )
        .finally(answering),
    ).then(
      () => events.end(),
      (error: unknown) => events.end({ error }),
    );
    try {
      yield* events;
    } finally {
      leaving.abort();
      await work;
    }
  }

  async #reply(...[request, signal, emit]: RunChat): Promise<void> {
    const replied = internals(this.#parts.memory).beginReply(request.conversationId);
    try {
      await runChat(this.#parts, request, signal, (event) => {
        if (event.type === 'done') this.#parts.onExchange?.();
        emit(event);
      });
    } finally {
      replied();
    }
  }

  async notify(input: NotificationRequest): Promise<{ unitId: number }> {
    this.#checkOpen();
    const request = parseInput(notificationRequestSchema, input, 'a notification');
    const kept = await storeNotification(this.#parts.memory, request);
    this.#parts.publish(notificationEvent(kept));
    this.#responder.wake();
    return { unitId: kept.id };
  }

  async metaRequest(input: MetaRequest): Promise<{ unitId: number }> {
    this.#checkOpen();
    const request = parseInput(metaRequestSchema, input, 'a meta request');
    const place = await storeMetaRequest(this.#parts.memory);
    const { unitId } = place;
    const work = runMetaRequest(this.#parts, place, request, this.#cutOff.signal);
    void this.#track(
      work.catch((error: unknown) => {
        const code = codeOf(error);
        this.#parts.onProblem?.({ what: 'meta_request', unitId, code });
        this.#parts.publish(failureEvent(unitId, error, this.#parts.now()));
      }),
    );
    return { unitId };
  }

  async complete(body: Readonly<Record<string, unknown>>, place: OpenAiPlace): Promise<Response> {
    if (this.#isStopping) return openAiError(stopping());
    return this.#track(complete(this.#parts, body, place, this.#server()));
  }

  async respondTo(body: Readonly<Record<string, unknown>>, place: OpenAiPlace): Promise<Response> {
    if (this.#isStopping) return openAiError(stopping());
    const parts = { ...this.#parts, recentCalls: this.#recentCalls };
    return this.#track(respondTo(parts, body, place, this.#server()));
  }

  #server() {
    return {
      stopping: this.#cutOff.signal,
      track: (work: Promise<void>) => void this.#track(work),
    };
  }

  /** The conversation id for a chat that gives none. */
  #currentTalk(): Promise<string> {
    const { memory, now } = this.#parts;
    return this.#mutex.run(CURRENT_CONVERSATION_LOCK, async () => {
      const at = now();
      const kept = await currentConversation(memory, at);
      // A conversation started a moment ago may not be stored yet.
      const begun =
        this.#begun && at - this.#begun.at < NEW_CONVERSATION_MS ? this.#begun.conversationId : null;
      const conversationId = kept ?? begun ?? randomUUID();
      if (kept === null) this.#begun = { conversationId, at };
      return conversationId;
    });
  }

  async lookForReminders(): Promise<void> {
    if (this.#isStopping) return;
    this.#isChanged = false;
    this.#checkedAt = performance.now();
    await requestReminders(this.#parts);
    this.#reminder.wake();
  }

  /** A failed check is repeated at the next interval. */
  async #look(): Promise<void> {
    await this.#track(this.lookForReminders()).catch(() => (this.#isChanged = true));
  }

  async changeLoop(unitId: number, change: LoopChange): Promise<Loop> {
    this.#checkOpen();
    const loop = await changeLoop(this.#parts.memory, unitId, change, this.#parts.now());
    await this.#look();
    return loop;
  }

  async keepOnce(...args: Parameters<Companion['keepOnce']>): Promise<void> {
    this.#checkOpen();
    await this.#track(this.#mutex.run(REPEATED_TURNS_LOCK, () => keepOnce(this.#parts.memory, ...args)));
  }

  async eventsAfter(unitId: number | null, limit: number): Promise<CompanionEvent[]> {
    return eventsAfter(this.#parts.memory, unitId, limit);
  }

  async stop(graceMs = DEFAULT_GRACE_MS): Promise<void> {
    this.#isStopping = true;
    const timer = setTimeout(() => this.#cutOff.abort(stopping()), graceMs);
    clearInterval(this.#looking);
    const services = [this.#responder, this.#describer, this.#reminder];
    await Promise.all([...services.map((service) => service.stop()), this.#settled()]);
    clearTimeout(timer);
  }

  /** Tracked work may start further work. */
  async #settled(): Promise<void> {
    while (this.#pending.size > 0) await Promise.allSettled(this.#pending);
  }

  #track<T>(work: Promise<T>): Promise<T> {
    const tracked = work.finally(() => this.#pending.delete(tracked));
    this.#pending.add(tracked);
    return tracked;
  }

  #checkOpen(): void {
    if (this.#isStopping) throw stopping();
  }
}

function stopping(): MemoryError {
  return new MemoryError('CLOSED', 'The server is stopping; the message is stored.');
}
