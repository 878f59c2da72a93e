/** The event stream: over a WebSocket, or as server-sent events. */
import { upgradeWebSocket } from '@hono/node-server';
import type { WebSocket } from 'ws';
import type { CompanionEvent } from '../companion/companion.ts';
import type { Caller } from './auth.ts';
import type { ServerParts } from './parts.ts';
import { whenInvalid } from './streamLimit.ts';
import { createEventWriter, EVENT_STREAM_HEADERS } from './sse.ts';
import type { Context } from 'hono';

/** How many past events a new listener gets first. */
const MAX_REPLAYED = 200;
/** A listener with this many unread bytes is disconnected; it may reconnect and continue. */
export const MAX_UNREAD_BYTES = 1_048_576;
const PING_MS = 30_000;

export const GOING_AWAY = 1001;
export const POLICY_VIOLATION = 1008;
export const TRY_AGAIN_LATER = 1013;

/** The destination of one listener’s events. */
interface Sink {
  send(event: CompanionEvent): void;
  bufferedBytes(): number;
  /** Closes the connection, with a code of RFC 6455 if there is one. */
  end(code: number, reason: string): void;
}

export interface Following {
  readonly memoryId: string;
  /** The last event that the listener got; null: none. */
  readonly after: number | null;
  readonly caller: Caller | null;
}

/** @returns a function that ends it */
function follow(parts: ServerParts, { memoryId, after, caller }: Following, sink: Sink): () => void {
  /** Events that occur while earlier ones are being read. */
  let early: CompanionEvent[] | null = [];
  /** Ids of events already sent: an event read from the memory may also arrive from another server. */
  const sent = new Set<number>();
  const send = (event: CompanionEvent) => {
    if (event.id !== null && sent.has(event.id)) return;
    if (event.id !== null) sent.add(event.id);
    sink.send(event);
  };
  const onEvent = (event: CompanionEvent) => {
    if (caller && !caller.isValid()) return end();
    if (early) return void early.push(event);
    send(event);
    if (sink.bufferedBytes() > MAX_UNREAD_BYTES) leave(TRY_AGAIN_LATER, 'Too slow.');
  };
  const unsubscribe = parts.hub.subscribe({
    memoryId,
    onEvent,
    end: () => leave(GOING_AWAY, 'The server is stopping.'),
  });
  const end = () => leave(POLICY_VIOLATION, 'The token is no longer valid.');
  const stopChecking = whenInvalid(caller, end);
  const stop = () => {
    unsubscribe();
    stopChecking();
  };
  const leave = (code: number, reason: string) => {
    stop();
    sink.end(code, reason);
  };
  const replay = async () => {
    const earlier = await eventsBefore(parts, memoryId, after);
    const later = early ?? [];
    early = null;
    for (const event of [...earlier, ...later]) send(event);
  };
  replay().catch(() => leave(TRY_AGAIN_LATER, 'The events cannot be read now.'));
  return stop;
}

/** None for a memory that does not exist yet: a listener may connect before the first turn. */
async function eventsBefore(
  { memories }: ServerParts,
  memoryId: string,
  after: number | null,
): Promise<CompanionEvent[]> {
  if (!(await memories.exists(memoryId))) return [];
  const lease = await memories.acquire(memoryId);
  try {
    return await lease.companion.eventsAfter(after, MAX_REPLAYED);
  } finally {
    lease.release();
  }
}

/** @throws Problem RATE_LIMITED */
export function serveServerSentEvents(parts: ServerParts, following: Following): Response {
  const { streams } = parts;
  streams.check(following.caller);
  const end = streams.add(following.caller);
  let stop = () => {};
  const writer = createEventWriter(() => {
    end();
    stop();
  });
  stop = follow(parts, following, {
    send: (event) =>
      writer.write({ event: event.type, ...(event.id !== null && { id: String(event.id) }), data: event }),
    bufferedBytes: writer.bufferedBytes,
    end: () => writer.end(),
  });
  return new Response(writer.body, { headers: EVENT_STREAM_HEADERS });
}

/** Converts the messages of one WebSocket: events for the client, and messages from it. */
export interface Wire {
  send(event: CompanionEvent, write: (text: string) => void): void;
  receive?(text: string, write: (text: string) => void): void;
  close?(): void;
}

const PLAIN_WIRE: Wire = { send: (event, write) => write(JSON.stringify(event)) };

/** @throws Problem RATE_LIMITED */
export async function serveWebSocket(
  parts: ServerParts,
  following: Following,
  context: Context,
  wire: Wire = PLAIN_WIRE,
): Promise<Response> {
  return openWebSocket(context, { parts, caller: following.caller }, (socket) => {
    const write = (text: string) => socket.send(text);
    const stop = follow(parts, following, {
      send: (event) => wire.send(event, write),
      bufferedBytes: () => socket.bufferedAmount,
      end(code, reason) {
        socket.close(code, reason);
        // A peer that does not read would not answer the closing handshake.
        if (code === TRY_AGAIN_LATER) socket.terminate();
      },
    });
    return {
      receive: (text) => wire.receive?.(text, write),
      stop() {
        stop();
        wire.close?.();
      },
    };
  });
}

interface Connection {
  receive?(text: string): void;
  stop(): void;
}

/**
 * Accepts a WebSocket, counts it as a stream of the caller, and disconnects a peer that is gone.
 * @param connect called when it is open
 * @throws Problem RATE_LIMITED
 */
export async function openWebSocket(
  context: Context,
  { parts: { streams }, caller }: { readonly parts: ServerParts; readonly caller: Caller | null },
  connect: (socket: WebSocket) => Connection,
): Promise<Response> {
  streams.check(caller);
  let connection: Connection | undefined;
  let stop = () => {};
  return upgradeWebSocket(context, {
    onOpen(_, { raw }) {
      const socket = raw as WebSocket | undefined;
      if (!socket) return;
      const stopPings = keepAlive(socket);
      const end = streams.add(caller);
      const opened = connect(socket);
      connection = opened;
      stop = () => {
        end();
        stopPings();
        opened.stop();
      };
    },
    onMessage({ data }) {
      if (typeof data === 'string') connection?.receive?.(data);
    },
    onClose: () => stop(),
    onError: () => stop(),
  });
}

/** A peer that has not answered a ping before the next one is disconnected. */
function keepAlive(socket: WebSocket): () => void {
  let isAlive = true;
  socket.on('pong', () => {
    isAlive = true;
  });
  const beat = setInterval(() => {
    if (!isAlive) return socket.terminate();
    isAlive = false;
    socket.ping();
  }, PING_MS).unref();
  return () => clearInterval(beat);
}
