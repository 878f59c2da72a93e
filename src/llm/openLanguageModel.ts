import type { z } from 'zod';
import { isMemoryError, MemoryError } from '../model/model.ts';
import { excerpt, readApiKey, type Environment } from './access.ts';
import { createChatEndpoint, type ChatEndpoint, type Generated } from './chatEndpoint.ts';
import type { LanguageModel, ModelRequest, ModelStream, ModelUsage } from './languageModel.ts';
import {
  checkLanguageModelSettings,
  type CheckedLanguageModelSettings,
  type LanguageModelSettings,
} from './languageModelSettings.ts';
import { renameTokenLimit } from './knownServers.ts';
import { createRemote, modelFailed, UNKNOWN_USAGE, type Remote, type Watchers } from './remote/remote.ts';
import { askAgain, readReply, replyForm, type ReplyForm } from './structured.ts';
import { createThinkingFilter, withoutThinking } from './thinking.ts';

/** At most this much of an invalid reply is sent back to its model. */
const MAX_FAULTY_REPLY_LENGTH = 20_000;

/**
 * Opens the language model of the settings. Nothing is loaded or sent before its first use.
 *
 * @param options.environment where the API key is read, once, by the name in the settings.
 * @param options.onCall called for every request with its usage; an invalid reply and its repair are two requests.
 * @param options.trace called for every attempt with its full content, keys removed; it is for debugging, not for
 * storage.
 * @throws MemoryError INVALID_INPUT when the settings are invalid or the key they name is not set.
 */
export function openLanguageModel(
  settings: LanguageModelSettings,
  options: Watchers & { readonly environment?: Environment } = {},
): LanguageModel {
  const checked = checkLanguageModelSettings(settings);
  const apiKey = keyOf(checked, options.environment ?? process.env);
  const remote = createRemote({ ...checked, apiKey }, options);
  const endpoint = createChatEndpoint(checked, remote);
  /** Removes the key from errors of the SDK, which may quote the server. */
  const explain = (error: unknown, signal?: AbortSignal): unknown => {
    if (signal?.aborted) return signal.reason;
    // The SDK wraps errors of ours that are thrown while it reads.
    for (let one = error; one instanceof Error; one = one.cause) if (isMemoryError(one)) return one;
    const words = excerpt(wordsOf(error), apiKey);
    return modelFailed(`${remote.who} gave no usable answer: ${words}`, {
      retryable: false,
      reason: 'unusable',
    });
  };
  const generate: Generate = async (request, form, signal) => {
    try {
      return await endpoint.generate(request, form, signal);
    } catch (error) {
      throw explain(error, signal);
    }
  };
  return {
    id: remote.id,
    stream: (request, signal) => streamText(endpoint, request, explain, signal),
    async generateText(request, signal) {
      const { text, usage } = await generate(request, null, signal);
      return { text: withoutThinking(text), usage };
    },
    generateObject: (request, signal) => generateObject(generate, request, remote.who, signal),
    forward: (path, body, purpose, signal) => forward(remote, checked, { path, body, purpose, signal }),
  };
}

type Generate = (request: ModelRequest, form: ReplyForm | null, signal?: AbortSignal) => Promise<Generated>;

/** @throws MemoryError INVALID_INPUT */
function keyOf(settings: CheckedLanguageModelSettings, environment: Environment): string | undefined {
  const key = settings.apiKey?.trim() ?? readApiKey(environment, settings.apiKeyEnv);
  // The error about an invalid header would quote the key.
  if (key !== undefined && !/^[\x21-\x7e]+$/.test(key))
    throw new MemoryError('INVALID_INPUT', 'The API key of the language model contains invalid characters.');
  return key;
}

function streamText(
  endpoint: ChatEndpoint,
  request: ModelRequest,
  explain: (error: unknown, signal?: AbortSignal) => unknown,
  signal?: AbortSignal,
): ModelStream {
  const end = Promise.withResolvers<Awaited<ModelStream['end']>>();
  // A caller that only reads the text gets the error there.
  end.promise.catch(() => {});
  async function* read(): AsyncGenerator<string> {
    const filter = createThinkingFilter();
    try {
      for await (const part of endpoint.stream(request, signal)) {
        const shown = typeof part === 'string' ? filter.push(part) : filter.end();
        if (shown !== '') yield shown;
        if (typeof part !== 'string') end.resolve(part);
      }
    } catch (error) {
      const failure = explain(error, signal);
      end.reject(failure);
      throw failure;
    } finally {
      // Only has an effect when the reader stops early.
      end.resolve({ usage: UNKNOWN_USAGE, finishReason: 'abandoned' });
    }
  }
  return { text: read(), end: end.promise };
}

async function generateObject<Schema extends z.ZodType>(
  generate: Generate,
  request: ModelRequest & { readonly name: string; readonly schema: Schema; readonly repairs?: boolean },
  who: string,
  signal?: AbortSignal,
): Promise<{ value: z.output<Schema>; usage: ModelUsage }> {
  const form = replyForm(request.name, request.schema);
  const fail = (problem: string) =>
    modelFailed(`${who} gave no reply of the form ${request.name}. ${excerpt(problem, undefined)}`, {
      retryable: false,
      reason: 'schema',
    });
  const first = await generate(request, form, signal);
  const read = readReply(first.text, form);
  if (read.problem === undefined) return { value: read.value, usage: first.usage };
  const problem = problemOf(first, read.problem);
  if (request.repairs === false) throw fail(problem);
  const second = await generate(correctionRequest(request, first, askAgain(form, problem)), form, signal);
  const mended = readReply(second.text, form);
  if (mended.problem === undefined) return { value: mended.value, usage: sum(first.usage, second.usage) };
  throw fail(problemOf(second, mended.problem));
}

function problemOf({ finishReason }: Generated, problem: string): string {
  return finishReason === 'length' ? 'It was cut off at its greatest length; say less.' : problem;
}

function correctionRequest(asked: ModelRequest, faulty: Generated, demand: string): ModelRequest {
  const reply = faulty.text.slice(0, MAX_FAULTY_REPLY_LENGTH).toWellFormed();
  return {
    ...asked,
    messages: [
      ...asked.messages,
      // Servers reject an empty message.
      { role: 'assistant', content: reply.trim() === '' ? '(nothing)' : reply },
      { role: 'user', content: demand },
    ],
  };
}

function sum(a: ModelUsage, b: ModelUsage): ModelUsage {
  const add = (one: number | null, other: number | null) =>
    one === null && other === null ? null : (one ?? 0) + (other ?? 0);
  return {
    inputTokens: add(a.inputTokens, b.inputTokens),
    outputTokens: add(a.outputTokens, b.outputTokens),
  };
}

function forward(
  remote: Remote,
  { url, model, extraBody }: CheckedLanguageModelSettings,
  sent: {
    readonly path: string;
    readonly body: Readonly<Record<string, unknown>>;
    readonly purpose: string;
    readonly signal: AbortSignal | undefined;
  },
): Promise<Response> {
  const { path, body, purpose, signal } = sent;
  return remote.send({
    path,
    body: JSON.stringify({ ...extraBody, ...renameTokenLimit(body, url), model }),
    isStream: body['stream'] === true,
    purpose,
    signal,
  });
}

function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error === 'string' ? error : JSON.stringify(error);
  const responseBody = 'responseBody' in error ? error.responseBody : null;
  return typeof responseBody === 'string' ? `${error.message}. ${responseBody}` : error.message;
}
