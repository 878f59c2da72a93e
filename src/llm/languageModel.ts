/** What a language model is asked, whoever serves it. */
import type { z } from 'zod';

/** A language model that writes. Every failure is a MemoryError MODEL_FAILED, but for the signal's own reason. */
export interface LanguageModel {
  /** Which model, without its key: `http://127.0.0.1:11434/v1#qwen3`. */
  readonly id: string;
  /** A reply, piece by piece as it is made. Nothing is asked before the pieces are read. */
  stream(request: ModelRequest, signal?: AbortSignal): ModelStream;
  generateText(request: ModelRequest, signal?: AbortSignal): Promise<{ text: string; usage: ModelUsage }>;
  /** A value of the schema. A reply that is none is sent back once to be mended, unless that is not wanted. */
  generateObject<Schema extends z.ZodType>(
    request: ModelRequest & {
      /** Names the schema to the model: `facts`. */
      readonly name: string;
      readonly schema: Schema;
      /** False where someone waits: then a faulty reply is the failure. Default: true. */
      readonly mends?: boolean;
    },
    signal?: AbortSignal,
  ): Promise<{ value: z.output<Schema>; usage: ModelUsage }>;
  /**
   * Hands a request of an OpenAI-compatible client on as it is, but for the model's name and key, and returns the answer as it comes.
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
  /** What it is for (`chat`, `extract_facts`): for traces and counts. */
  readonly purpose: string;
  readonly system?: string;
  readonly messages: readonly ModelMessage[];
  readonly maxOutputTokens?: number;
  readonly temperature?: number;
}

export interface ModelMessage {
  readonly role: 'user' | 'assistant';
  readonly content: string;
  /** Data URLs (`data:image/png;base64,…`); of a user's message only. */
  readonly images?: readonly string[];
}

export interface ModelStream {
  readonly text: AsyncIterable<string>;
  /** Settles when `text` has been read to its end; rejects as it does. */
  readonly end: Promise<{ readonly usage: ModelUsage; readonly finishReason: string }>;
}

/** Null where the server does not say. */
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
  /** Null when it went well. */
  readonly error: string | null;
}
