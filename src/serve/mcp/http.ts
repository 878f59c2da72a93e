/** Streamable HTTP, for whoever has a token. */
import { checkScope } from '../scopes.ts';
import { createMcpHandler } from '@modelcontextprotocol/server';
import type { Log } from '../log.ts';
import { checkText, readJsonText } from '../body.ts';
import { createLeaving } from '../leaving.ts';
import type { ServerParts } from '../parts.ts';
import { chosenMemory, placeQuery } from '../place.ts';
import { proxyResponse } from '../sse.ts';
import { createMcpServer } from './server.ts';

export interface McpRequestOptions {
  readonly log: Log;
  /** Aborted when the server can wait no longer. */
  readonly cutOff: AbortSignal;
}

/**
 * Answers one request. Each stands by itself: there are no sessions, so that a client goes on where it was when the
 * server was restarted. The memory is named as on the way of OpenAI's clients, and made when it is not there.
 * @param address whence it comes, for the limits
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
  // An agent's tools also remember and forget.
  checkScope(caller, 'manage');
  const { memoryId } = checkText(placeQuery, new URL(request.url).searchParams, 'query');
  const chosen = chosenMemory(request, memoryId, caller);
  const { id: tokenId, name: tokenName } = caller;
  settings.audit.note({
    at: Date.now(),
    tokenId,
    tokenName,
    action: 'mcp',
    memoryId: chosen,
    outcome: 'done',
  });
  const lease = await memories.acquire(chosen, {});
  const { memory } = lease;
  const release = () => lease.release();
  const leaving = createLeaving(request);
  const signal = AbortSignal.any([cutOff, leaving.signal]);
  const access = { memory, version, log };
  const handler = createMcpHandler(() => createMcpServer(access), {
    maxRequestBodySize: bodyLimitBytes,
    // Nothing is ever told of, so a stream that waits for it would only be held open.
    maxSubscriptions: 0,
    onerror: (error) => log(`mcp: ${error.message}`, 'debug'),
  });
  try {
    const response = await handler.fetch(await readAhead(request, bodyLimitBytes, signal));
    if (response.body === null) {
      release();
      return response;
    }
    const watch = { onLeave: () => leaving.abort(), onFailure: () => {}, onEnd: release };
    return proxyResponse(response.body, response, watch);
  } catch (error) {
    release();
    throw error;
  }
}

/**
 * The same request with its body read and checked, ended by another signal. Made of its parts, since that of a connection
 * is none that can be copied.
 */
async function readAhead(request: Request, limitBytes: number, signal: AbortSignal): Promise<Request> {
  const { url, method, headers } = request;
  if (method !== 'POST') return new Request(url, { method, headers, signal });
  const body = await readJsonText(request, limitBytes);
  return new Request(url, { method, headers, signal, body });
}
