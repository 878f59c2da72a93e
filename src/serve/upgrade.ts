/** Decides which requests become a WebSocket, and limits the time of the handshake. */
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/** From the request to the open WebSocket; also the time for a rejected peer to close its end. */
const HANDSHAKE_MS = 10_000;

/**
 * Only paths of streams may be upgraded. Any other `Upgrade` header is ignored, as RFC 9110 (7.8) allows: the
 * request is answered as if it had none, after the same checks.
 */
export class Handshakes {
  readonly #paths: readonly string[];
  readonly #timers = new Map<Socket, NodeJS.Timeout>();

  /** @param paths of the streams */
  constructor(paths: readonly string[]) {
    this.#paths = paths;
  }

  /** For the option `shouldUpgradeCallback` of `node:http`. */
  readonly accepts = (request: IncomingMessage): boolean => {
    const isWebSocket = request.method === 'GET' && request.headers.upgrade?.toLowerCase() === 'websocket';
    const [path] = (request.url ?? '').split('?');
    if (!isWebSocket || !this.#paths.includes(path ?? '')) return false;
    this.#begin(request.socket);
    return true;
  };

  /** The WebSocket is open: from now on pings check whether the peer is there. */
  end(socket: Socket): void {
    clearTimeout(this.#timers.get(socket));
    this.#timers.delete(socket);
  }

  abortAll(): void {
    for (const socket of this.#timers.keys()) socket.destroy();
  }

  #begin(socket: Socket): void {
    const timer = setTimeout(() => socket.destroy(), HANDSHAKE_MS).unref();
    this.#timers.set(socket, timer);
    socket.once('close', () => this.end(socket));
  }
}
