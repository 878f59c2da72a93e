/** Streamable HTTP, for callers with a token. */
import { includesScope } from '../scopes.ts';
import { createMcpHandler } from '@modelcontextprotocol/server';
import type { Log } from '../log.ts';
import { checkText, readJsonText } from '../body.ts';
import { createDisconnect } from '../disconnect.ts';
import type { ServerParts } from '../parts.ts';
import { chosenMemory, placeQuery } from '../place.ts';
import { proxyResponse } from '../sse.ts';
import { createMcpServer } from './server.ts';

export interface McpRequestOptions {
  readonly log: Log;
  /** Aborted when the server cannot wait any longer. */
  readonly cutOff: AbortSignal;
}

/**
 * Answers one request. There are no sessions, so that clients can continue after a restart of the server. The
 * memory is chosen as for OpenAI's clients, and created when it does not exist and the token may write. The tools are those
 * that the token may use.
 * @param address of the client, for rate limits
 * @throws Problem UNAUTHORIZED, FORBIDDEN, RATE_LIMITED, INVALID_INPUT; what opening a memory throws
 */
export async function answerMcp(
  request: Request,
  address: string,
  parts: ServerParts,
  { log, cutOff }: McpRequestOptions,
): Promise<Response> {
  const { auth, memories, settings, version, bodyLimitBytes } = parts;
  const caller = await auth.identify(request, address);
  await auth.countRequest(caller, address);
  const { memoryId } = checkText(placeQuery, new URL(request.url).searchParams, 'query');
  const chosen = chosenMemory(request, memoryId, caller);
  const { id: tokenId, name: tokenName, scope } = caller;
  const audit = (action: string, outcome: string) =>
    settings.audit.note({ at: Date.now(), tokenId, tokenName, memoryId: chosen, action, outcome });
  audit('mcp', 'done');
  const lease = await memories.acquire(chosen, includesScope(scope, 'write') ? {} : undefined);
  const { memory } = lease;
  const release = () => lease.release();
  const disconnected = createDisconnect(request);
  const signal = AbortSignal.any([cutOff, disconnected.signal]);
  const access = { memory, scope, version, audit, log };
  const handler = createMcpHandler(() => createMcpServer(access), {
    maxRequestBodySize: bodyLimitBytes,
    // There are no notifications, so a stream that waits for them would only stay open.
    maxSubscriptions: 0,
    onerror: (error) => log(`mcp: ${error.message}`, 'debug'),
  });
  try {
    const response = await handler.fetch(await withReadBody(request, bodyLimitBytes, signal));
    if (response.body === null) {
      release();
      return response;
    }
    const watch = { onDisconnect: () => disconnected.abort(), onFailure: () => {}, onEnd: release };
    return proxyResponse(response.body, response, watch);
  } catch (error) {
    release();
    throw error;
  }
}

/**
 * The same request with its body read and checked, and another signal. Built from its parts, since the original
 * cannot be cloned.
 */
async function withReadBody(request: Request, limitBytes: number, signal: AbortSignal): Promise<Request> {
  const { url, method, headers } = request;
  if (method !== 'POST') return new Request(url, { method, headers, signal });
  const body = await readJsonText(request, limitBytes);
  return new Request(url, { method, headers, signal, body });
}
