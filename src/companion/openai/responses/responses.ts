/** OpenAI's `/responses`, answered by a chat completion with a memory. */
import { isMemoryError, parseInput } from '../../../model/model.ts';
import type { CompanionParts, OpenAiPlace } from '../../types.ts';
import { complete, type CompletionPlace } from '../complete.ts';
import { openAiError } from '../errors.ts';
import { conversationIdOf, readConversationLines, type Message } from '../messages.ts';
import { readEvents } from './events.ts';
import { findCall, readConversation, readMessage, readUpTo, type History } from './history.ts';
import { newKey, type ResponseKey } from './ids.ts';
import { checkOutputs, messagesOf } from './items.ts';
import { ResponseOutput, type Chunk, type ResponseEvent } from './output.ts';
import type { RecentCalls } from './recentCalls.ts';
import { chatBody, checkServed, requestSchema, type ResponseRequest } from './request.ts';

export { RecentCalls } from './recentCalls.ts';

type Body = Readonly<Record<string, unknown>>;
type Server = Parameters<typeof complete>[3];

interface ResponseParts extends CompanionParts {
  readonly recentCalls: RecentCalls;
}

/** Answers a request for a response. The user's message is stored before the model is called. */
export async function respondTo(
  parts: ResponseParts,
  body: Body,
  place: OpenAiPlace,
  server: Server,
): Promise<Response> {
  try {
    const request = parseInput(requestSchema, body, 'a request for a response');
    checkServed(request);
    const { messages, ...talk } = await readTalk(parts, request, place.conversationId);
    const { conversationId } = talk;
    const key = newKey(conversationId);
    const kept = { ...place, ...talk, keepsFirst: true, meta: { responseId: key.key } };
    const answer = await complete(parts, chatBody(request, messages), kept, server);
    if (!answer.ok) return answer;
    const output = new ResponseOutput(request, key, parts.now());
    const onEnd = () => noteCalls(parts.recentCalls, { request, key, messages, output });
    return await translate(answer, output, onEnd);
  } catch (error) {
    if (isMemoryError(error)) return openAiError(error);
    throw error;
  }
}

interface Talk extends Pick<CompletionPlace, 'turnIndex'> {
  /** The whole conversation that the model receives. */
  readonly messages: readonly Message[];
  readonly conversationId: string;
}

async function readTalk(
  parts: ResponseParts,
  request: ResponseRequest,
  named: string | undefined,
): Promise<Talk> {
  const { memory, recentCalls } = parts;
  const history = await readHistory(parts, request);
  const input = await messagesOf(request.input, {
    message: (itemId) => readMessage(memory, itemId),
    call: (itemId) => findCall(recentCalls, itemId),
  });
  const instructions = request.instructions ? [{ role: 'system', content: request.instructions }] : [];
  if (!history) {
    const messages = [...instructions, ...input];
    checkOutputs(messages);
    return { messages, conversationId: named ?? conversationIdOf(messages, readConversationLines(messages)) };
  }
  const { before, turnIndex } = follow(history, input);
  const messages = [...instructions, ...before, ...input];
  checkOutputs(messages);
  return { messages, conversationId: history.conversationId, ...(turnIndex !== null && { turnIndex }) };
}

/** The history before the input, and the turn index of the user's last message. */
function follow(
  history: History,
  input: readonly Message[],
): { readonly before: readonly Message[]; readonly turnIndex: number | null } {
  const { messages, userIndex, nextIndex } = history;
  const said = input.find(({ role }) => role === 'user');
  if (!said) return { before: messages, turnIndex: userIndex };
  const last = messages.at(-1);
  // It is already stored: the request is sent again because it was not answered.
  const isAgain = last?.role === 'user' && last.content === said.content;
  if (isAgain) return { before: messages.slice(0, -1), turnIndex: userIndex };
  return { before: messages, turnIndex: nextIndex };
}

async function readHistory(parts: ResponseParts, request: ResponseRequest): Promise<History | null> {
  const { memory, recentCalls } = parts;
  const from = { memory, recentCalls, recentTurns: parts.settings().recentTurns };
  const { previous_response_id: previous, conversation } = request;
  if (previous) return readUpTo(from, previous);
  if (!conversation) return null;
  return readConversation(from, typeof conversation === 'string' ? conversation : conversation.id);
}

/** Stores the function calls of a response for the next request. */
function noteCalls(
  recentCalls: RecentCalls,
  made: {
    readonly request: ResponseRequest;
    readonly key: ResponseKey;
    readonly messages: readonly Message[];
    readonly output: ResponseOutput;
  },
): void {
  const { request, key, messages, output } = made;
  const { calls, text } = output;
  if (calls.length === 0 || request.store === false) return;
  const since = messages.slice(messages.findLastIndex(({ role }) => role === 'user') + 1);
  const calling = { role: 'assistant', content: text || null, tool_calls: calls };
  recentCalls.set(key.key, { messages: [...since, calling], calls });
}

async function translate(answer: Response, output: ResponseOutput, onEnd: () => void): Promise<Response> {
  const isStream = answer.headers.get('content-type')?.includes('text/event-stream') ?? false;
  if (isStream && answer.body) {
    const stream = streamOf(encoded(events(answer.body, output, onEnd)));
    return new Response(stream, {
      headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' },
    });
  }
  output.add(wholeChunk((await answer.json()) as WholeCompletion));
  const response = output.final();
  onEnd();
  return Response.json(response);
}

type WholeCompletion = Omit<Chunk, 'choices'> & {
  readonly choices?: readonly { readonly message?: object; readonly finish_reason?: string | null }[];
};

function wholeChunk({ choices = [], ...rest }: WholeCompletion): Chunk {
  const [choice] = choices;
  if (!choice) return rest;
  return {
    ...rest,
    choices: [{ delta: choice.message ?? null, finish_reason: choice.finish_reason ?? null }],
  };
}

async function* events(
  body: ReadableStream<Uint8Array>,
  output: ResponseOutput,
  onEnd: () => void,
): AsyncGenerator<ResponseEvent> {
  yield* output.begin();
  for await (const chunk of readEvents(body)) yield* output.add(chunk as Chunk);
  const ending = output.end();
  onEnd();
  yield* ending;
}

async function* encoded(all: AsyncIterable<ResponseEvent>): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  for await (const event of all)
    yield encoder.encode(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
}

/** Produces each piece on demand. */
function streamOf(pieces: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> {
  const source = {
    async pull(controller: ReadableStreamDefaultController<Uint8Array>) {
      const { done, value } = await pieces.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      await pieces.return(undefined);
    },
  };
  return new ReadableStream(source, { highWaterMark: 0 });
}
