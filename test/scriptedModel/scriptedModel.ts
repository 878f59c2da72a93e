/** A server with OpenAI's protocol that sends scripted replies. */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sendReply } from './send.ts';

/**
 * The reply to one request. A string means `{ text }`. Of `status`, `hang`, `drop` and the following fields, the first
 * given one applies.
 */
export interface ScriptedReply {
  /** Delay before the reply, in milliseconds. */
  readonly delayMs?: number;
  /** A status other than 200; `body` is sent with it. */
  readonly status?: number;
  /** Further headers, such as `retry-after`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The whole body instead of a completion: a string as it is, else as JSON. */
  readonly body?: unknown;
  /** Keeps the connection open without further data, from the beginning or after this many pieces. */
  readonly hang?: 'at_once' | number;
  /** Closes the connection, before the answer or after this many pieces. */
  readonly drop?: 'at_once' | number;
  /** Status 200 with invalid JSON: the body, or the first event of a stream. */
  readonly malformed?: true;
  /** The reply's text; a stream sends it in pieces of a few characters. */
  readonly text?: string;
  /** The pieces of the text in a stream. */
  readonly chunks?: readonly string[];
  /** The reply's text is this value as JSON. */
  readonly json?: unknown;
  readonly toolCalls?: readonly {
    readonly id?: string;
    readonly name: string;
    readonly arguments: unknown;
  }[];
  /** Delay before each piece of a stream except the first, in milliseconds. */
  readonly chunkDelayMs?: number;
  /** Writes a stream in chunks of this many bytes, which may split characters. */
  readonly bytesPerWrite?: number;
  /** Null: no usage in the reply. Default: 10 in, 5 out. */
  readonly usage?: { readonly inputTokens: number; readonly outputTokens: number } | null;
  readonly finishReason?: string;
}

export interface ScriptedRequest {
  readonly method: string;
  /** `/v1/chat/completions` */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Record<string, unknown>;
  /** The time of arrival, as `performance.now()`. */
  readonly receivedAt: number;
  /** Whether the client disconnected before the end of the reply. */
  readonly isAbandoned: boolean;
}

export type Answer = (
  body: Record<string, unknown>,
  request: ScriptedRequest,
) => ScriptedReply | string | Promise<ScriptedReply | string>;

export interface ScriptedModel {
  /** `http://127.0.0.1:PORT/v1` */
  readonly url: string;
  /** Every request so far, including `/models` and `/embeddings`. */
  readonly requests: readonly ScriptedRequest[];
  /** The bodies of the chat completions so far. */
  readonly chats: readonly Record<string, unknown>[];
  /** Maximum number of concurrent chat completions. */
  readonly mostAtOnce: number;
  /** Queues replies for the next chat completions. */
  reply(...next: readonly (ScriptedReply | string)[]): void;
  /** Answers every chat completion without a queued reply; by default it gets a 400. */
  answer(answer: Answer): void;
  /** Resolves when no request is running. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

/** The name of the reply's schema (`facts`); null when there is none. */
export function schemaName(body: Record<string, unknown>): string | null {
  const format = body['response_format'] as { json_schema?: { name?: string } } | undefined;
  return format?.json_schema?.name ?? null;
}

/** All text of the prompt, the system's first, with a blank line between messages. */
export function promptText(body: Record<string, unknown>): string {
  const messages = (body['messages'] ?? []) as { content: string | { text?: string }[] | null }[];
  return messages
    .map(({ content }) =>
      typeof content === 'string' ? content : (content ?? []).map((part) => part.text ?? '').join('\n'),
    )
    .join('\n\n');
}

/** The model's name at `/models`. */
const MODEL = 'scripted-model';
const EMBEDDING_DIMENSIONS = 64;

interface UnderWay extends ScriptedRequest {
  isAbandoned: boolean;
  readonly ended: Promise<void>;
}

/** Listens on loopback at a random port. The caller closes it. */
export async function startScriptedModel(): Promise<ScriptedModel> {
  const queue: (ScriptedReply | string)[] = [];
  const requests: UnderWay[] = [];
  let answer: Answer = () => ({ status: 400, body: { error: { message: 'Nothing is scripted for this.' } } });
  let atOnce = 0;
  let mostAtOnce = 0;

  async function chat(request: ScriptedRequest, outgoing: ServerResponse): Promise<void> {
    mostAtOnce = Math.max(mostAtOnce, ++atOnce);
    try {
      const next = queue.shift() ?? (await answer(request.body, request));
      await sendReply(typeof next === 'string' ? { text: next } : next, request.body, outgoing);
    } finally {
      atOnce -= 1;
    }
  }

  async function serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const request = await receive(incoming, outgoing);
    requests.push(request);
    if (request.path.endsWith('/chat/completions')) return chat(request, outgoing);
    if (request.path.endsWith('/models')) return sendJson(outgoing, 200, listModels());
    if (request.path.endsWith('/embeddings')) return sendJson(outgoing, 200, embed(request.body));
    return sendJson(outgoing, 404, { error: { message: `There is nothing at ${request.path}.` } });
  }

  const server = createServer((incoming, outgoing) => {
    serve(incoming, outgoing).catch((error: unknown) => {
      if (!outgoing.headersSent) sendJson(outgoing, 500, { error: { message: String(error) } });
      else outgoing.destroy();
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    get chats() {
      return requests.filter(({ path }) => path.endsWith('/chat/completions')).map(({ body }) => body);
    },
    get mostAtOnce() {
      return mostAtOnce;
    },
    reply(...next) {
      queue.push(...next);
    },
    answer(next) {
      answer = next;
    },
    async settled() {
      await Promise.all(requests.map(({ ended }) => ended));
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function receive(incoming: IncomingMessage, outgoing: ServerResponse): Promise<UnderWay> {
  const parts: Buffer[] = [];
  for await (const part of incoming) parts.push(part as Buffer);
  const words = Buffer.concat(parts).toString();
  const request = {
    method: incoming.method ?? 'GET',
    path: incoming.url ?? '',
    headers: incoming.headers,
    body: (words === '' ? {} : JSON.parse(words)) as Record<string, unknown>,
    receivedAt: performance.now(),
    isAbandoned: false,
    ended: new Promise<void>((resolve) => {
      outgoing.on('close', () => {
        request.isAbandoned = !outgoing.writableFinished;
        resolve();
      });
    }),
  };
  return request;
}

function sendJson(outgoing: ServerResponse, status: number, body: unknown): void {
  outgoing.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function listModels(): object {
  return { object: 'list', data: [{ id: MODEL, object: 'model', created: 0, owned_by: 'nobody' }] };
}

function embed(body: Record<string, unknown>): object {
  const input = [body['input']].flat() as string[];
  const tokens = input.join('').length;
  return {
    object: 'list',
    model: body['model'],
    data: input.map((text, index) => ({ object: 'embedding', index, embedding: countCharacters(text) })),
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  };
}

/** Texts that share characters have similar vectors, of length 1. */
function countCharacters(text: string): number[] {
  const counts = Array.from<number>({ length: EMBEDDING_DIMENSIONS }).fill(0.001);
  for (const character of text) {
    const place = (character.codePointAt(0) ?? 0) % EMBEDDING_DIMENSIONS;
    counts[place] = (counts[place] ?? 0) + 1;
  }
  const length = Math.hypot(...counts);
  return counts.map((count) => count / length);
}
