import { AsyncLocalStorage } from 'node:async_hooks';
import type { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { MemoryError } from '../model/model.ts';
import { renameTokenLimit } from './knownServers.ts';
import type { ModelMessage, ModelRequest, ModelUsage } from './languageModel.ts';
import type { CheckedLanguageModelSettings } from './languageModelSettings.ts';
import type { Outgoing, Remote } from './remote/remote.ts';
import { formInWords, type ReplyForm } from './structured.ts';

export interface Generated {
  readonly text: string;
  readonly usage: ModelUsage;
  readonly finishReason: string;
}

/** `/chat/completions` of a server. Only this file depends on the SDK. */
export interface ChatEndpoint {
  /** @param form the form to which the server should constrain the reply, if it supports that */
  generate(request: ModelRequest, form: ReplyForm | null, signal?: AbortSignal): Promise<Generated>;
  /** Pieces of text and, last, how it ended. */
  stream(request: ModelRequest, signal?: AbortSignal): AsyncGenerator<string | StreamEnd>;
}

export interface StreamEnd {
  readonly usage: ModelUsage;
  readonly finishReason: string;
}

type ChatModel = ReturnType<ReturnType<typeof createOpenAICompatible>['chatModel']>;
type CallOptions = Parameters<ChatModel['doGenerate']>[0];
type Prompt = CallOptions['prompt'];

/** The key under which the SDK accepts our options. */
const PROVIDER = 'model';

export function createChatEndpoint(settings: CheckedLanguageModelSettings, remote: Remote): ChatEndpoint {
  const concessions: SupportedFields = { sendsTemperature: true, sendsSchema: true };
  /** Values that the SDK does not pass to `fetch`. The SDK is set up once, since that takes longer than a request. */
  const sending = new AsyncLocalStorage<Pick<Outgoing, 'isStream' | 'purpose' | 'signal'>>();
  const send = (body: string) => {
    const outgoing = sending.getStore();
    if (!outgoing) throw new Error('A request was sent outside of its call.');
    return remote.send({ path: '/chat/completions', body, ...outgoing });
  };
  let connecting: Promise<ChatModel> | undefined;
  const open = () => (connecting ??= connect(settings, send));

  async function generateOnce(request: ModelRequest, form: ReplyForm | null, signal?: AbortSignal) {
    const model = await open();
    const options = callOptions(settings, concessions, request, form);
    const outgoing = { isStream: false, purpose: request.purpose, signal };
    const result = await sending.run(outgoing, () => model.doGenerate(options));
    return {
      text: result.content.map((part) => (part.type === 'text' ? part.text : '')).join(''),
      usage: usageOf(result.usage),
      finishReason: result.finishReason.unified,
    };
  }

  return {
    async generate(request, form, signal) {
      try {
        return await generateOnce(request, form, signal);
      } catch (error) {
        if (!dropRejectedField(concessions, error)) throw error;
        return generateOnce(request, form, signal);
      }
    },
    async *stream(request, signal) {
      const begin = async () => {
        const model = await open();
        const options = callOptions(settings, concessions, request, null);
        const outgoing = { isStream: true, purpose: request.purpose, signal };
        return sending.run(outgoing, () => model.doStream(options));
      };
      const { stream } = await begin().catch((error: unknown) => {
        if (!dropRejectedField(concessions, error)) throw error;
        return begin();
      });
      for await (const part of stream) {
        if (part.type === 'text-delta') yield part.delta;
        else if (part.type === 'error') throw part.error;
        else if (part.type === 'finish')
          yield { usage: usageOf(part.usage), finishReason: part.finishReason.unified };
      }
    },
  };
}

/** Loads the SDK on demand, since that takes 50 ms. */
async function connect(
  settings: CheckedLanguageModelSettings,
  send: (body: string) => Promise<Response>,
): Promise<ChatModel> {
  const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
  const provider = createOpenAICompatible({
    name: PROVIDER,
    baseURL: settings.url,
    includeUsage: true,
    supportsStructuredOutputs: settings.structuredOutput === 'json_schema',
    transformRequestBody: (body) => ({ ...renameTokenLimit(body, settings.url), ...settings.extraBody }),
    fetch: (_url, init) => send(typeof init?.body === 'string' ? init.body : ''),
  });
  return provider.chatModel(settings.model);
}

/** Fields that this server rejected; they are not sent again. */
interface SupportedFields {
  sendsTemperature: boolean;
  sendsSchema: boolean;
}

/** Whether the server rejected an optional field: some models have a fixed temperature, some servers no schemas. */
function dropRejectedField(concessions: SupportedFields, error: unknown): boolean {
  if (!(error instanceof MemoryError)) return false;
  const { status } = error.details;
  if (status !== 400 && status !== 422) return false;
  if (concessions.sendsTemperature && /\btemperature\b/i.test(error.message)) {
    concessions.sendsTemperature = false;
    return true;
  }
  if (concessions.sendsSchema && /response_format|json_schema|structured output/i.test(error.message)) {
    concessions.sendsSchema = false;
    return true;
  }
  return false;
}

function callOptions(
  settings: CheckedLanguageModelSettings,
  concessions: SupportedFields,
  request: ModelRequest,
  form: ReplyForm | null,
): CallOptions {
  const temperature = settings.temperature ?? request.temperature;
  const limits = [settings.maxOutputTokens, request.maxOutputTokens].filter((limit) => limit !== undefined);
  const mode = concessions.sendsSchema ? settings.structuredOutput : 'prompt';
  return {
    prompt: promptOf(request, form !== null && mode !== 'json_schema' ? formInWords(form) : null),
    ...(temperature === undefined || !concessions.sendsTemperature ? {} : { temperature }),
    ...(limits.length === 0 ? {} : { maxOutputTokens: Math.min(...limits) }),
    ...(form === null || mode === 'prompt'
      ? {}
      : {
          responseFormat: { type: 'json', name: form.name, schema: form.jsonSchema },
          providerOptions: { [PROVIDER]: { strictJsonSchema: form.isStrict } },
        }),
  };
}

/** @param demand the instruction about the reply's form */
function promptOf({ system, messages }: ModelRequest, demand: string | null): Prompt {
  const content = [system, demand].filter((words) => words).join('\n\n');
  return [...(content === '' ? [] : [{ role: 'system' as const, content }]), ...messages.map(promptMessage)];
}

function promptMessage({ role, content, images = [] }: ModelMessage): Prompt[number] {
  const text = { type: 'text' as const, text: content };
  if (role === 'assistant') return { role, content: [text] };
  return { role, content: [text, ...images.map(imagePart)] };
}

/** @throws MemoryError INVALID_INPUT */
function imagePart(url: string) {
  const [, mediaType, data] = /^data:(image\/[\w.+-]+);base64,([\w+/=-]+)$/.exec(url) ?? [];
  if (mediaType === undefined || data === undefined)
    throw new MemoryError('INVALID_INPUT', 'An image must be a data URL: data:image/png;base64,…');
  return { type: 'file' as const, mediaType, data: { type: 'data' as const, data } };
}

/** The SDK gives 0 for parts that the server does not report, and undefined when it reports nothing at all. */
function usageOf(usage: {
  inputTokens: { total: number | undefined };
  outputTokens: { total: number | undefined };
}): ModelUsage {
  return {
    inputTokens: usage.inputTokens.total ?? null,
    outputTokens: usage.outputTokens.total ?? null,
  };
}
