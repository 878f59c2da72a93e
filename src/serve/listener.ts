/** A port that serves an application over HTTP and WebSockets. */
import { createAdaptorServer, type WebSocketServerLike } from '@hono/node-server';
import type { Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocketServer } from 'ws';
import { MemoryError } from '../engine/engine.ts';
import { SUBPROTOCOL } from './auth.ts';
import { Handshakes } from './upgrade.ts';

/** Messages of listeners are hardly used; a longer one ends the connection. */
const MAX_MESSAGE_BYTES = 65_536;
/** An upload may take a long time. */
const MAX_REQUEST_MS = 3_600_000;

export interface ListenerOptions {
  readonly fetch: Parameters<typeof createAdaptorServer>[0]['fetch'];
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** Paths where a request may become a WebSocket. */
  readonly webSocketPaths: readonly string[];
}

interface Listener extends Closing {
  readonly address: AddressInfo;
}

export interface Listeners extends Closing {
  /** In the order of the options. */
  readonly addresses: readonly AddressInfo[];
}

interface Closing {
  /** Accepts no more connections. */
  startClosing(): void;
  /** Resolves when all requests have been answered completely. */
  whenAnswered(): Promise<void>;
  /** Closes all connections; resolves when the port is free. */
  close(): Promise<void>;
}

/**
 * Listens at all ports, or at none when one of them fails.
 * @throws MemoryError INVALID_INPUT when it cannot listen at a port
 */
export async function openListeners(all: readonly ListenerOptions[]): Promise<Listeners> {
  const open: Listener[] = [];
  const listeners: Listeners = {
    addresses: [],
    startClosing() {
      for (const listener of open) listener.startClosing();
    },
    async whenAnswered() {
      await Promise.all(open.map((listener) => listener.whenAnswered()));
    },
    async close() {
      await Promise.all(open.map((listener) => listener.close()));
    },
  };
  try {
    for (const options of all) open.push(await openListener(options));
  } catch (error) {
    listeners.startClosing();
    await listeners.close();
    throw error;
  }
  return { ...listeners, addresses: open.map(({ address }) => address) };
}

async function openListener(options: ListenerOptions): Promise<Listener> {
  const { fetch, host, webSocketPaths } = options;
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_MESSAGE_BYTES,
    handleProtocols: (protocols) => (protocols.has(SUBPROTOCOL) ? SUBPROTOCOL : false),
  });
  const handshakes = new Handshakes(webSocketPaths);
  sockets.on('connection', (_, request) => handshakes.end(request.socket));
  const server = createAdaptorServer({
    fetch,
    hostname: host,
    overrideGlobalObjects: false,
    websocket: { server: sockets as unknown as WebSocketServerLike },
    serverOptions: { requestTimeout: MAX_REQUEST_MS, shouldUpgradeCallback: handshakes.accepts },
  }) as HttpServer;
  const underWay = countUnderWay(server);
  await listen(server, options);
  const { promise: closed, resolve: onClosed } = Promise.withResolvers<void>();
  return {
    address: server.address() as AddressInfo,
    startClosing() {
      server.close(() => onClosed());
      server.closeIdleConnections();
    },
    whenAnswered: () => underWay.end(),
    async close() {
      for (const socket of sockets.clients) socket.terminate();
      handshakes.abortAll();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function listen(server: HttpServer, { host, port }: ListenerOptions): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const message = `The server cannot listen on ${host}:${port}: ${cause.message}`;
      reject(new MemoryError('INVALID_INPUT', message, { cause }));
    });
    server.listen(port, host, resolve);
  });
}

/** Counts requests without a complete answer, except WebSockets, which are closed explicitly. */
function countUnderWay(server: HttpServer): { end(): Promise<void> } {
  let count = 0;
  let noMore: () => void = () => {};
  server.on('request', (_, response) => {
    count += 1;
    response.once('close', () => {
      count -= 1;
      if (count === 0) noMore();
    });
  });
  return {
    end: () =>
      new Promise((resolve) => {
        if (count === 0) resolve();
        else noMore = resolve;
      }),
  };
}
