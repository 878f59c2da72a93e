import type { AddedTurn, LanguageModel, Memory, ModelUsage, NewTurn, Pack } from '../engine/engine.ts';
import { isMemoryError, type ErrorCode, type Instant } from '../model/model.ts';
import type { Language } from '../text/text.ts';
import type { Loop, LoopChange } from './loopChange.ts';
import type { ReminderSettings } from './reminderTime.ts';
import type { ChatRequest, MetaRequest, NotificationRequest } from './requests.ts';

export interface CompanionParts {
  readonly memory: Memory;
  /** The chat model; null: messages are stored but not answered. Called for each request. */
  readonly chatModel: () => LanguageModel | null;
  /** The vision model; null: the chat model receives the images themselves. */
  readonly visionModel: () => LanguageModel | null;
  readonly settings: () => CompanionSettings;
  /** Called when a notification or proactive message is stored, and when a meta request fails. */
  readonly publish: (event: CompanionEvent) => void;
  /** Called when background work fails. Never contains text of a request. */
  readonly onProblem?: (problem: CompanionProblem) => void;
  /** Called after every chat, notification, reminder and meta request that a model answered. */
  readonly onExchange?: () => void;
  /** Whether the memory is woken when another process changes it, and this process does no background work that changes it. */
  readonly isToldOfChanges?: boolean;
  readonly now: () => Instant;
}

/** The operator's settings. */
export interface CompanionSettings {
  /** The companion's persona; empty: none. */
  readonly persona: string;
  /** The agreement between companion and user. */
  readonly contract: string;
  /** Maximum tokens of memory in a prompt. */
  readonly packTokens: number;
  /** Number of last turns of the conversation in a prompt. */
  readonly recentTurns: number;
  readonly maxOutputTokens?: number;
  readonly deepRecall: boolean;
  /** Time limit of a deep recall, in milliseconds. */
  readonly deepTimeLimitMs: number;
  /** The profile that ranks recalled memories; default: the memory's. */
  readonly profile?: string;
  readonly reminders: ReminderSettings;
  /** The language of prompts; default: that of the conversation. */
  readonly language?: Language;
}

export interface CompanionProblem {
  readonly what: 'meta_request' | 'image' | 'reply';
  /** Of the message or request. */
  readonly unitId: number;
  readonly code: ErrorCode | 'UNEXPECTED';
}

export function codeOf(error: unknown): CompanionProblem['code'] {
  return isMemoryError(error) ? error.code : 'UNEXPECTED';
}

/** The memory pack of a chat. */
export interface ChatMemory extends Pack {
  /** The last turns and the utterance: they are in the prompt already and are not recalled. */
  readonly recentUnitIds: readonly number[];
}

/** The events of a chat, in this order: `memory` if requested, pieces of the reply, and one end. */
export type ChatEvent =
  | { readonly type: 'memory'; readonly data: ChatMemory }
  | { readonly type: 'token'; readonly data: { readonly text: string } }
  | { readonly type: 'done'; readonly data: ChatDone }
  | { readonly type: 'error'; readonly data: ChatError };

/** Where a chat's turns are stored. */
export interface ChatPlaces {
  readonly conversationId: string;
  readonly userUnitId: number;
  /** Null if the reply is empty. */
  readonly replyUnitId: number | null;
  readonly turnIds: { readonly user: number; readonly reply: number | null };
}

export interface ChatDone extends ChatPlaces {
  readonly usage: ModelUsage;
  /** `stop`, `length`, …; `repeated`: the message was answered before, and the stored reply is sent again. */
  readonly finishReason: string;
  /** Whether the exchange can be learnt from and recalled. */
  readonly remembered: boolean;
  /** Number of images that could not be described in time; they are described in the background. */
  readonly unseenImages: number;
}

/** Why there is no reply, or only an incomplete one. The message is stored. */
export interface ChatError extends ChatPlaces {
  readonly code: ErrorCode;
  readonly message: string;
}

/** A notification, as soon as it is stored, or a proactive message of the companion. */
export interface CompanionEvent {
  /** The id of the unit; increases with each event. Null: a failure, which is sent once and not repeated. */
  readonly id: number | null;
  readonly type: 'notification' | 'meta_request' | 'reminder';
  /** The companion's message; before there is one, the notification or meta request itself. */
  readonly unitId: number;
  readonly data: {
    /** The companion's text. Null: there is none yet, or it could not be created. */
    readonly message: string | null;
    /** The unit of the notification or meta request; for a reminder the open loop. */
    readonly causeUnitId: number | null;
    /** For a reminder: the loop and its due time. */
    readonly loop?: Pick<Loop['payload'], 'text' | 'dueAt' | 'status'>;
    /** For a reminder: the turns that mention the loop. */
    readonly evidenceUnitIds?: readonly number[];
    /** For a notification: its text. */
    readonly systemText?: string;
    /** Why a meta request got no message. */
    readonly error?: { readonly code: CompanionProblem['code']; readonly message: string };
  };
  readonly at: Instant;
}

/** Where an exchange of OpenAI's interface is stored. */
export interface OpenAiPlace {
  /** Default: derived from the first messages. */
  readonly conversationId?: string;
  /** False: the exchange is stored off the record. */
  readonly remember?: boolean;
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal;
}

export interface Companion {
  /**
   * Answers a chat message. Stopping the iteration or aborting ends the generation; the message and the reply so far
   * are stored. Chats of one conversation run one after another.
   * @throws MemoryError before anything is stored: INVALID_INPUT, TURN_CONFLICT, DISK_FULL, BUSY, CLOSED …
   */
  chat(request: ChatRequest, signal: AbortSignal): AsyncGenerator<ChatEvent, void>;
  /**
   * Resolves when the notification is stored and published. A job creates the companion's message about it; it survives
   * a kill and waits while the model cannot be reached.
   * @throws MemoryError INVALID_INPUT, TEXT_TOO_LONG, CLOSED …
   */
  notify(request: NotificationRequest): Promise<{ unitId: number }>;
  /**
   * Resolves when a placeholder is stored. The request's text is only held in memory until the message is created.
   * @throws MemoryError INVALID_INPUT, CLOSED …
   */
  metaRequest(request: MetaRequest): Promise<{ unitId: number }>;
  /**
   * An OpenAI-compatible chat completion, streamed as it arrives. The memory is added to the prompt and the exchange is
   * stored. Errors become responses in OpenAI's format.
   * @throws unexpected errors that are no MemoryError
   */
  complete(body: Readonly<Record<string, unknown>>, place: OpenAiPlace): Promise<Response>;
  /**
   * OpenAI's `/responses`, made from a chat completion and stored like one; the user's message is stored before the
   * model is called. Errors become responses in OpenAI's format.
   * @throws unexpected errors that are no MemoryError
   */
  respondTo(body: Readonly<Record<string, unknown>>, place: OpenAiPlace): Promise<Response>;
  /**
   * Finds new and changed open loops and schedules their reminders. Runs automatically every 15 seconds, or when the memory changes.
   * @throws MemoryError CLOSED …
   */
  lookForReminders(): Promise<void>;
  /**
   * Closes, reopens or postpones an open loop.
   * @throws MemoryError NOT_FOUND, INVALID_TIME, CLOSED …
   */
  changeLoop(unitId: number, change: LoopChange): Promise<Loop>;
  /**
   * Stores turns in order; turns already stored with the same key are not stored twice.
   * @param onKept called with each turn when it is on the disk
   * @throws MemoryError TURN_CONFLICT when the key was used with other words, INVALID_INPUT, CLOSED …
   */
  keepOnce(
    request: { readonly turns: readonly NewTurn[]; readonly key: string },
    onKept: (turn: AddedTurn) => void,
  ): Promise<void>;
  /** Notifications, reminders and proactive messages after the given one, or the last ones, oldest first. */
  eventsAfter(unitId: number | null, limit: number): Promise<CompanionEvent[]>;
  /** Accepts no more requests and waits for running ones; after `graceMs` they are aborted. */
  stop(graceMs?: number): Promise<void>;
}
