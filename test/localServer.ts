import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface ReceivedRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Record<string, unknown>;
}

export interface Reply {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  /** Sent as JSON; a string is sent as it is. */
  readonly body: unknown;
}

export interface LocalServer {
  /** Address without a path: `http://127.0.0.1:PORT`. */
  readonly address: string;
  readonly requests: readonly ReceivedRequest[];
}

/**
 * An HTTP server on this machine for one test.
 * @param answer the response; null: none, ever. `count` is the number of earlier requests.
 */
export async function startServer(
  answer: (request: ReceivedRequest, count: number) => Reply | null,
): Promise<LocalServer> {
  const requests: ReceivedRequest[] = [];
  const server = createServer((incoming, outgoing) => {
    const parts: Buffer[] = [];
    incoming.on('data', (part: Buffer) => parts.push(part));
    incoming.on('end', () => {
      const { url: path = '', headers } = incoming;
      const body = JSON.parse(Buffer.concat(parts).toString()) as Record<string, unknown>;
      const request = { path, headers, body };
      requests.push(request);
      const reply = answer(request, requests.length - 1);
      if (reply === null) return;
      outgoing.writeHead(reply.status ?? 200, { 'content-type': 'application/json', ...reply.headers });
      outgoing.end(typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body));
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}
