import type { ServerResponse } from 'node:http';
import { setImmediate, setTimeout } from 'node:timers/promises';
import type { ScriptedReply } from './scriptedModel.ts';

const CHARACTERS_PER_PIECE = 4;
const DEFAULT_USAGE = { inputTokens: 10, outputTokens: 5 };

/** Sends a reply, as a stream if the request asks for one. Resolves when it ends in any way. */
export async function sendReply(
  reply: ScriptedReply,
  request: Record<string, unknown>,
  outgoing: ServerResponse,
): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    outgoing.on('close', resolve);
  });
  if (reply.delayMs) await setTimeout(reply.delayMs);
  if (outgoing.destroyed) return;
  if (reply.status !== undefined || 'body' in reply) sendBody(reply, outgoing);
  else if (reply.hang !== 'at_once') await sendCompletion(reply, request, outgoing);
  await closed;
}

async function sendCompletion(
  reply: ScriptedReply,
  request: Record<string, unknown>,
  outgoing: ServerResponse,
): Promise<void> {
  if (reply.drop === 'at_once') outgoing.destroy();
  else if (request['stream'] === true) await sendStream(reply, request, outgoing);
  else if (reply.malformed) sendBody({ ...reply, body: '<html>welcome</html>' }, outgoing);
  else if (typeof reply.drop === 'number') sendHalf(JSON.stringify(completion(reply, request)), outgoing);
  else if (typeof reply.hang !== 'number') sendBody({ ...reply, body: completion(reply, request) }, outgoing);
}

function sendBody({ status = 200, headers, body = '' }: ScriptedReply, outgoing: ServerResponse): void {
  outgoing.writeHead(status, { 'content-type': 'application/json', ...headers });
  outgoing.end(typeof body === 'string' ? body : JSON.stringify(body));
}

/** Sends half of the announced body. */
function sendHalf(body: string, outgoing: ServerResponse): void {
  outgoing.writeHead(200, {
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
  });
  outgoing.write(body.slice(0, body.length / 2), () => outgoing.destroy());
}

function completion(reply: ScriptedReply, request: Record<string, unknown>): object {
  const toolCalls = callsOf(reply);
  return {
    ...frame(request, 'chat.completion'),
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: toolCalls ? null : textOf(reply),
          ...(toolCalls && { tool_calls: toolCalls }),
        },
        finish_reason: finishReason(reply),
      },
    ],
    ...(reply.usage === null ? {} : { usage: usageOf(reply) }),
  };
}

async function sendStream(
  reply: ScriptedReply,
  request: Record<string, unknown>,
  outgoing: ServerResponse,
): Promise<void> {
  outgoing.writeHead(200, { 'content-type': 'text/event-stream', ...reply.headers });
  if (reply.malformed) return void outgoing.end('data: <html>welcome</html>\n\n');
  const event = (choice: object | null, more: object = {}) => ({
    ...frame(request, 'chat.completion.chunk'),
    choices: choice ? [{ index: 0, finish_reason: null, ...choice }] : [],
    ...more,
  });
  outgoing.flushHeaders();
  const deltas = deltasOf(reply);
  for (const [i, delta] of [...deltas, null].entries()) {
    if (reply.drop === i) return void outgoing.destroy();
    if (reply.hang === i || outgoing.destroyed) return;
    if (delta === null) break;
    if (i > 0 && reply.chunkDelayMs) await setTimeout(reply.chunkDelayMs);
    await write(outgoing, event({ delta: i === 0 ? { role: 'assistant', ...delta } : delta }), reply);
  }
  await write(outgoing, event({ delta: {}, finish_reason: finishReason(reply) }), reply);
  const options = request['stream_options'] as { include_usage?: boolean } | undefined;
  if (options?.include_usage && reply.usage !== null)
    await write(outgoing, event(null, { usage: usageOf(reply) }), reply);
  outgoing.end('data: [DONE]\n\n');
}

/** Resolves after the bytes were sent, so that they arrive separately. */
async function write(
  outgoing: ServerResponse,
  event: object,
  { bytesPerWrite }: ScriptedReply,
): Promise<void> {
  const bytes = Buffer.from(`data: ${JSON.stringify(event)}\n\n`);
  const size = bytesPerWrite ?? bytes.length;
  for (let at = 0; at < bytes.length && !outgoing.destroyed; at += size) {
    await new Promise((resolve) => {
      outgoing.write(bytes.subarray(at, at + size), resolve);
    });
    if (bytesPerWrite) await setImmediate();
  }
}

function frame(request: Record<string, unknown>, object: string): object {
  return { id: 'chatcmpl-scripted', object, created: 0, model: request['model'] };
}

function deltasOf(reply: ScriptedReply): object[] {
  const calls = callsOf(reply);
  if (calls) return calls.map((call, index) => ({ tool_calls: [{ index, ...call }] }));
  return piecesOf(reply).map((content) => ({ content }));
}

function piecesOf(reply: ScriptedReply): readonly string[] {
  if (reply.chunks) return reply.chunks;
  const characters = Array.from(textOf(reply));
  const count = Math.ceil(characters.length / CHARACTERS_PER_PIECE);
  return Array.from({ length: count }, (_, i) =>
    characters.slice(i * CHARACTERS_PER_PIECE, (i + 1) * CHARACTERS_PER_PIECE).join(''),
  );
}

function textOf(reply: ScriptedReply): string {
  if ('json' in reply) return JSON.stringify(reply.json);
  return reply.text ?? reply.chunks?.join('') ?? '';
}

function callsOf({ toolCalls }: ScriptedReply) {
  return toolCalls?.map((call, index) => ({
    id: call.id ?? `call_${index}`,
    type: 'function',
    function: { name: call.name, arguments: JSON.stringify(call.arguments) },
  }));
}

function finishReason(reply: ScriptedReply): string {
  return reply.finishReason ?? (reply.toolCalls ? 'tool_calls' : 'stop');
}

function usageOf({ usage }: ScriptedReply): object {
  const { inputTokens, outputTokens } = usage ?? DEFAULT_USAGE;
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
  };
}
