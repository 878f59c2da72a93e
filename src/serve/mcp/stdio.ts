import type { JSONRPCMessage, MessageExtraInfo, Transport } from '@modelcontextprotocol/server';
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { Transform, type Readable, type Writable } from 'node:stream';
import type { McpAccess } from './access.ts';
import { createMcpServer } from './server.ts';

export interface StdioOptions {
  readonly input: Readable;
  readonly output: Writable;
  /** Aborted when the process should end: no more requests are read, and pending ones are answered. */
  readonly signal: AbortSignal;
}

/** How long to wait for pending requests at the end, in milliseconds. */
const MAX_CLOSING_MS = 10_000;

/** Serves one client until it closes its end or the signal is aborted, and pending requests have been answered. */
export async function serveMcpOverStdio(
  access: McpAccess,
  { input, output, signal }: StdioOptions,
): Promise<void> {
  const unanswered = new PendingRequests();
  // The transport ends with this stream, which is ended after everything has been answered.
  const requests = new Transform({
    transform: (chunk, _, done) => done(null, chunk),
    flush: (done) => void unanswered.none(MAX_CLOSING_MS).then(() => done()),
  });
  const transport = new StdioServerTransport(requests, output);
  const closed = unanswered.watch(transport);
  const handle = serveStdio(() => createMcpServer(access), {
    transport,
    maxSubscriptions: 0,
    onerror: (error) => access.log(`mcp: ${error.message}`, 'warn'),
  });
  const end = () => {
    input.unpipe(requests);
    requests.end();
  };
  signal.addEventListener('abort', end, { once: true });
  input.once('close', end);
  input.pipe(requests);
  if (signal.aborted) end();
  await closed;
  signal.removeEventListener('abort', end);
  await handle.close();
  // Otherwise a client that does not close its end would keep the process alive.
  input.destroy();
}

/** Requests without an answer. */
class PendingRequests {
  readonly #ids = new Set<string | number>();
  #onIdle: () => void = () => {};

  /** Observes the messages of a transport. Resolves when it was closed. Call it before other listeners are added. */
  watch(transport: Transport): Promise<void> {
    const send = transport.send.bind(transport);
    transport.send = async (message, options) => {
      try {
        await send(message, options);
      } finally {
        if ('id' in message && !('method' in message) && message.id !== undefined) this.#settle(message.id);
      }
    };
    const start = transport.start.bind(transport);
    const { promise, resolve } = Promise.withResolvers<void>();
    transport.start = async () => {
      const { onmessage, onclose } = transport;
      Object.assign(transport, {
        onmessage: (message: JSONRPCMessage, extra?: MessageExtraInfo) => {
          this.#see(message);
          onmessage?.(message, extra);
        },
        onclose: () => {
          onclose?.();
          resolve();
        },
      });
      await start();
    };
    return promise;
  }

  /** Resolves when there are none, or after the time limit. */
  async none(limitMs: number): Promise<void> {
    // The last message is processed in this turn of the event loop.
    await new Promise(setImmediate);
    if (this.#ids.size === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#onIdle = resolve;
    const timer = setTimeout(resolve, limitMs);
    await promise;
    clearTimeout(timer);
  }

  #see(message: JSONRPCMessage): void {
    if (!('method' in message)) return;
    if ('id' in message && message.id !== undefined) this.#ids.add(message.id);
    // A cancelled request gets no answer.
    const cancelled = message.params?.['requestId'];
    if (message.method === 'notifications/cancelled') this.#settle(cancelled as string | number);
  }

  #settle(id: string | number): void {
    this.#ids.delete(id);
    if (this.#ids.size === 0) this.#onIdle();
  }
}
