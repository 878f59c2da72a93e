/** The interface of language models. */
import type { z } from 'zod';

/** A language model. Every failure is a MemoryError MODEL_FAILED, except the signal's own reason. */
export interface LanguageModel {
  /** The model's name and address, without its key: `http://127.0.0.1:11434/v1#qwen3`. */
  readonly id: string;
  /** A reply, streamed in pieces. The request is sent when the pieces are read. */
  stream(request: ModelRequest, signal?: AbortSignal): ModelStream;
  generateText(request: ModelRequest, signal?: AbortSignal): Promise<{ text: string; usage: ModelUsage }>;
  /** A value of the schema. An invalid reply is sent back once for repair, unless `repairs` is false. */
  generateObject<Schema extends z.ZodType>(
    request: ModelRequest & {
      /** The name of the schema for the model: `facts`. */
      readonly name: string;
      readonly schema: Schema;
      /** Use false when a user waits: an invalid reply is then an error. Default: true. */
      readonly repairs?: boolean;
    },
    signal?: AbortSignal,
  ): Promise<{ value: z.output<Schema>; usage: ModelUsage }>;
  /**
   * Forwards a request of an OpenAI-compatible client unchanged, except for the model's name and key, and streams the
   * answer back.
   * @param path below the endpoint's address: `/chat/completions`
   */
  forward(
    path: string,
    body: Readonly<Record<string, unknown>>,
    purpose: string,
    signal?: AbortSignal,
  ): Promise<Response>;
}

export interface ModelRequest {
  /** The purpose (`chat`, `extract_facts`): for traces and counts. */
  readonly purpose: string;
  readonly system?: string;
  readonly messages: readonly ModelMessage[];
  readonly maxOutputTokens?: number;
  readonly temperature?: number;
}

export interface ModelMessage {
  readonly role: 'user' | 'assistant';
  readonly content: string;
  /** Data URLs (`data:image/png;base64,…`); only in messages of a user. */
  readonly images?: readonly string[];
}

export interface ModelStream {
  readonly text: AsyncIterable<string>;
  /** Settles when `text` has been read to its end; rejects if that fails. */
  readonly end: Promise<{ readonly usage: ModelUsage; readonly finishReason: string }>;
}

/** Null when the server does not report it. */
export interface ModelUsage {
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
}

/** One request and how it ended. */
export interface ModelCall {
  readonly modelId: string;
  readonly purpose: string;
  readonly startedAt: number;
  readonly elapsedMs: number;
  readonly usage: ModelUsage;
  /** Null when it succeeded. */
  readonly error: string | null;
}
