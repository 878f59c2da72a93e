import type { LanguageModel, Memory, ModelUsage, Pack } from '../engine/engine.ts';
import { isMemoryError, type ErrorCode, type Instant } from '../model/model.ts';
import type { ChatRequest, MetaRequest, NotificationRequest } from './requests.ts';

export interface CompanionParts {
  readonly memory: Memory;
  /** What answers; null: nothing does, and what is said is kept all the same. Asked for each request anew. */
  readonly chatModel: () => LanguageModel | null;
  /** What describes images; null: they are shown to what answers as they are. */
  readonly visionModel: () => LanguageModel | null;
  readonly settings: () => CompanionSettings;
  /** Told of each message that the companion sends of its own accord, when it is kept. */
  readonly publish: (event: CompanionEvent) => void;
  /** Told of work after an answer that came to nothing. Never holds words of a request. */
  readonly onProblem?: (problem: CompanionProblem) => void;
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

/** What a chat tells, in this order: `memory` when asked for, pieces of the reply, and one end. */
export type ChatEvent =
  | { readonly type: 'memory'; readonly data: Pack }
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
  /** `stop`, `length`, … */
  readonly finishReason: string;
}

/** Why there is no reply, or only its beginning. What was said is kept. */
export interface ChatError extends ChatPlaces {
  readonly code: ErrorCode;
  readonly message: string;
}

/** A message that the companion sent of its own accord. */
export interface CompanionEvent {
  /** The message's unit; grows from one to the next. */
  readonly id: number;
  readonly type: 'notification' | 'meta_request';
  readonly unitId: number;
  readonly data: {
    readonly message: string;
    /** The unit of what it answers. */
    readonly causeUnitId: number | null;
    /** Of a notification: its words. */
    readonly systemText?: string;
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
   * Resolves when the notification is kept. The companion's message about it is made by a job, which survives a kill.
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
    place: { readonly conversationId?: string; readonly signal: AbortSignal },
  ): Promise<Response>;
  /** Messages sent after the given one, or the last ones, oldest first. */
  eventsAfter(unitId: number | null, limit: number): Promise<CompanionEvent[]>;
  /** Takes no more requests, and lets those in hand end; after `graceMs` they are cut off. */
  stop(graceMs?: number): Promise<void>;
}
