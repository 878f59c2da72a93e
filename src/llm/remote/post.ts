/**
 * Requests by `node:http` instead of `fetch`: a chat's first piece arrives about a millisecond earlier, and `fetch`
 * has its own time limits, which fail for servers that compute for minutes.
 */
import type { IncomingMessage } from 'node:http';
import { isRestrictedAddress, lookupUnrestricted } from '../restrictedAddress.ts';

export interface Outgoing {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signal: AbortSignal;
}

/** An answer whose head has been received. */
export interface Incoming {
  readonly status: number;
  readonly headers: Headers;
  /** Yields each piece as it arrives; throws when the connection breaks. */
  readonly pieces: AsyncIterator<Uint8Array, undefined>;
  /** Closes the connection: the rest is not needed. */
  leave(): void;
}

/** The most redirects that are followed. */
const MAX_REDIRECTS = 5;
/** Redirects for which the body is sent again. (RFC 9110) */
const REDIRECTS = new Set([307, 308]);
/** Headers that are sent only to the original host. */
const SECRET_HEADERS = new Set(['authorization']);

/**
 * Posts to an `http:` or `https:` address.
 * @throws the connection's Error from Node.js, until the head of the answer is received
 */
export async function post(address: string, outgoing: Outgoing): Promise<Incoming> {
  let url = new URL(address);
  let { headers } = outgoing;
  for (let redirects = 0; ; redirects++) {
    const message = await send(url, { ...outgoing, headers });
    const { statusCode: status = 0 } = message;
    const { location } = message.headers;
    if (!REDIRECTS.has(status) || location === undefined || redirects === MAX_REDIRECTS)
      return incoming(message, status);
    message.resume();
    const next = new URL(location, url);
    if (isRestrictedAddress(next.hostname))
      throw new Error(`It sends requests on to ${next.host}, a link-local or metadata address.`);
    if (next.origin !== url.origin)
      headers = Object.fromEntries(Object.entries(headers).filter(([name]) => !SECRET_HEADERS.has(name)));
    url = next;
  }
}

/** In milliseconds; servers of models keep connections a little longer, which most do not announce (uvicorn: 5 s). */
const KEEP_ALIVE_MS = 4_000;

/**
 * Creates the agents that keep connections alive; other settings are Node.js defaults, including its proxy. Loaded at
 * the first request: importing `node:http` loads everything that it exports, including a WebSocket, which takes some 30
 * ms.
 */
const loadConnections = once(() => {
  const http = process.getBuiltinModule('node:http');
  const https = process.getBuiltinModule('node:https');
  const { proxyEnv } = https.globalAgent.options;
  const kept = { keepAlive: true, timeout: KEEP_ALIVE_MS, ...(proxyEnv && { proxyEnv }) };
  return {
    'http:': { request: http.request, agent: new http.Agent(kept) },
    'https:': { request: https.request, agent: new https.Agent(kept) },
  };
});

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

async function send(url: URL, outgoing: Outgoing): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const { headers, signal } = outgoing;
  const body = Buffer.from(outgoing.body);
  const { request, agent } = loadConnections()[url.protocol === 'https:' ? 'https:' : 'http:'];
  const sent = request(url, {
    method: 'POST',
    headers: { ...headers, 'content-length': body.length },
    signal,
    lookup: lookupUnrestricted,
    agent,
  });
  sent.once('response', resolve);
  // Errors after the answer has begun are reported when its pieces are read.
  sent.on('error', reject);
  sent.end(body);
  return promise;
}

function incoming(message: IncomingMessage, status: number): Incoming {
  const headers = new Headers();
  for (const [name, values] of Object.entries(message.headersDistinct))
    for (const value of values ?? []) headers.append(name, value);
  const pieces: Incoming['pieces'] = message[Symbol.asyncIterator]();
  return { status, headers, pieces, leave: () => void message.destroy() };
}

/** Reads the rest of the answer. */
export async function readWhole({ pieces }: Incoming): Promise<Uint8Array<ArrayBuffer>> {
  const read: Uint8Array[] = [];
  for (let piece = await pieces.next(); !piece.done; piece = await pieces.next()) read.push(piece.value);
  return Buffer.concat(read);
}
