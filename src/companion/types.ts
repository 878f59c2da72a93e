import type { AddedTurn, LanguageModel, Memory, ModelUsage, NewTurn, Pack } from '../engine/engine.ts';
import { isMemoryError, type ErrorCode, type Instant } from '../model/model.ts';
import type { Language } from '../text/text.ts';
import type { Loop, LoopChange } from './loopChange.ts';
import type { ReminderSettings } from './reminderTime.ts';
import type { ChatRequest, MetaRequest, NotificationRequest } from './requests.ts';

export interface CompanionParts {
  readonly memory: Memory;
  /** What answers; null: nothing does, and what is said is kept all the same. Asked for each request anew. */
  readonly chatModel: () => LanguageModel | null;
  /** What describes images; null: they are shown to what answers as they are. */
  readonly visionModel: () => LanguageModel | null;
  readonly settings: () => CompanionSettings;
  /** Called with each notification and each proactive message when it is kept, and with each meta request that failed. */
  readonly publish: (event: CompanionEvent) => void;
  /** Told of work after an answer that came to nothing. Never holds words of a request. */
  readonly onProblem?: (problem: CompanionProblem) => void;
  /** Told of every chat, notification, reminder and meta request that a model answered. */
  readonly onExchange?: () => void;
  readonly now: () => Instant;
}

/** What the operator has settled. */
export interface CompanionSettings {
  /** Who the companion is; empty: nobody in particular. */
  readonly persona: string;
  /** What companion and person have agreed on. */
  readonly contract: string;
  /** Most tokens of memory in a prompt. */
  readonly packTokens: number;
  /** How many turns of the conversation stand in a prompt before what is said. */
  readonly recentTurns: number;
  readonly maxOutputTokens?: number;
  readonly deepRecall: boolean;
  /** How long a deep recall may take, in milliseconds. */
  readonly deepTimeLimitMs: number;
  /** Which weights rank what is recalled; default: the usual ones. */
  readonly profile?: string;
  readonly reminders: ReminderSettings;
  /** In which prompts are written; default: that of the conversation. */
  readonly language?: Language;
}

export interface CompanionProblem {
  readonly what: 'meta_request' | 'image' | 'reply';
  /** Of what was said, or asked for. */
  readonly unitId: number;
  readonly code: ErrorCode | 'UNEXPECTED';
}

export function codeOf(error: unknown): CompanionProblem['code'] {
  return isMemoryError(error) ? error.code : 'UNEXPECTED';
}

/** What was remembered for a chat. */
export interface ChatMemory extends Pack {
  /** What was just said, with the utterance: it stands in the prompt anyway and is not recalled. */
  readonly recentUnitIds: readonly number[];
}

/** What a chat tells, in this order: `memory` when asked for, pieces of the reply, and one end. */
export type ChatEvent =
  | { readonly type: 'memory'; readonly data: ChatMemory }
  | { readonly type: 'token'; readonly data: { readonly text: string } }
  | { readonly type: 'done'; readonly data: ChatDone }
  | { readonly type: 'error'; readonly data: ChatError };

/** Where a chat's turns are kept. */
export interface ChatPlaces {
  readonly conversationId: string;
  readonly userUnitId: number;
  /** Null when nothing was said in reply. */
  readonly replyUnitId: number | null;
  readonly turnIds: { readonly user: number; readonly reply: number | null };
}

export interface ChatDone extends ChatPlaces {
  readonly usage: ModelUsage;
  /** `stop`, `length`, …; `repeated`: the message had been answered before, and the reply is told again. */
  readonly finishReason: string;
  /** Whether the exchange is learnt from and recalled. */
  readonly remembered: boolean;
  /** How many images could not be looked at in time; they are described in the background. */
  readonly unseenImages: number;
}

/** Why there is no reply, or only its beginning. What was said is kept. */
export interface ChatError extends ChatPlaces {
  readonly code: ErrorCode;
  readonly message: string;
}

/** A notification, as soon as it is kept, or a message that the companion sent without being asked. */
export interface CompanionEvent {
  /** The id of the unit; grows from one event to the next. Null: a failure, which is told once and not repeated. */
  readonly id: number | null;
  readonly type: 'notification' | 'meta_request' | 'reminder';
  /** The companion's message; before there is one, the notification or meta request itself. */
  readonly unitId: number;
  readonly data: {
    /** The companion's words. Null: there are none yet, or none could be made. */
    readonly message: string | null;
    /** The unit of the notification or meta request; of a reminder the open loop. */
    readonly causeUnitId: number | null;
    /** Of a reminder: what is due, and when. */
    readonly loop?: Pick<Loop['payload'], 'text' | 'dueAt' | 'status'>;
    /** Of a reminder: the turns in which it was spoken of. */
    readonly evidenceUnitIds?: readonly number[];
    /** Of a notification: its words. */
    readonly systemText?: string;
    /** Why a meta request got no message. */
    readonly error?: { readonly code: CompanionProblem['code']; readonly message: string };
  };
  readonly at: Instant;
}

export interface Companion {
  /**
   * Answers. Leaving early, or aborting, stops the generation; what was said is kept, the reply as far as it came.
   * Chats of one conversation go one after another.
   * @throws MemoryError for what goes wrong before anything is kept: INVALID_INPUT, TURN_CONFLICT, DISK_FULL, BUSY, CLOSED …
   */
  chat(request: ChatRequest, signal: AbortSignal): AsyncGenerator<ChatEvent, void>;
  /**
   * Resolves when the notification is kept and published. The companion's message about it is made by a job, which
   * survives a kill and waits for the model while it cannot be reached.
   * @throws MemoryError INVALID_INPUT, TEXT_TOO_LONG, CLOSED …
   */
  notify(request: NotificationRequest): Promise<{ unitId: number }>;
  /**
   * Resolves when it is kept that there was a request. Its words are held in memory alone, until the message is made.
   * @throws MemoryError INVALID_INPUT, CLOSED …
   */
  metaRequest(request: MetaRequest): Promise<{ unitId: number }>;
  /**
   * A chat completion as OpenAI's clients ask for it, and the model's answer as it comes; between the two, what is
   * remembered is put into the prompt, and the exchange is kept. Failures are answers too, in OpenAI's form.
   * @throws what is no MemoryError: a mistake of ours
   */
  complete(
    body: Readonly<Record<string, unknown>>,
    place: {
      readonly conversationId?: string;
      /** False: the exchange is kept off the record. */
      readonly remember?: boolean;
      readonly signal: AbortSignal;
    },
  ): Promise<Response>;
  /**
   * A response as OpenAI's `/responses` has it, made from a chat completion, and kept like one; the user's words are
   * kept before the model is asked. Failures are answers too, in OpenAI's form.
   * @throws what is no MemoryError: a mistake of ours
   */
  respondTo(
    body: Readonly<Record<string, unknown>>,
    place: {
      readonly conversationId?: string;
      /** False: the exchange is kept off the record. */
      readonly remember?: boolean;
      readonly signal: AbortSignal;
    },
  ): Promise<Response>;
  /**
   * Looks for open loops that were made or changed since, and plans their reminders. Done every 15 seconds by itself.
   * @throws MemoryError CLOSED …
   */
  lookForReminders(): Promise<void>;
  /**
   * Closes an open loop, opens it again, or puts it off.
   * @throws MemoryError NOT_FOUND, INVALID_TIME, CLOSED …
   */
  changeLoop(unitId: number, change: LoopChange): Promise<Loop>;
  /**
   * Keeps turns in order; those that came with the same key before are not kept twice.
   * @param onKept called with each turn when it is on the disk
   * @throws MemoryError TURN_CONFLICT when the key came with other words before, INVALID_INPUT, CLOSED …
   */
  keepOnce(
    request: { readonly turns: readonly NewTurn[]; readonly key: string },
    onKept: (turn: AddedTurn) => void,
  ): Promise<void>;
  /** Notifications, reminders and proactive messages after the given one, or the last ones, oldest first. */
  eventsAfter(unitId: number | null, limit: number): Promise<CompanionEvent[]>;
  /** Takes no more requests, and lets those in hand end; after `graceMs` they are cut off. */
  stop(graceMs?: number): Promise<void>;
}
