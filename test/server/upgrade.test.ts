/** Requests to upgrade to another protocol: each is checked, answered and closed like any other. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { MAX_STREAMS } from '../../src/serve/streamLimit.ts';
import { startTestServer } from './testServer.ts';

type Server = Awaited<ReturnType<typeof startTestServer>>;

const WEBSOCKET =
  'Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n';
const OTHERS = {
  h2c: 'Upgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA\r\n',
  tls: 'Upgrade: TLS/1.0\r\nConnection: Upgrade\r\n',
  nonsense: 'Upgrade: \r\nConnection: upgrade\r\n',
};

async function open(server: Server, path: string, headers: string, host = '127.0.0.1'): Promise<Socket> {
  const { hostname, port } = new URL(server.running.url);
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  socket.on('error', () => {});
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\n${headers}\r\n`);
  return socket;
}

async function statusOf(socket: Socket): Promise<string> {
  const [bytes] = (await once(socket, 'data')) as [Buffer];
  return bytes.toString().slice(9, 12);
}

test.each(Object.entries(OTHERS))(
  'a request to upgrade to another protocol (%s) is answered normally',
  async (_, upgrade) => {
    const server = await startTestServer();
    expect(await statusOf(await open(server, '/api/health', upgrade))).toBe('200');
    expect(await statusOf(await open(server, '/api/memories', upgrade))).toBe('401');
    expect(await statusOf(await open(server, '/api/health', upgrade, 'evil.example'))).toBe('421');
  },
);

test('a WebSocket on another path, or without a token, is rejected', async () => {
  const server = await startTestServer();
  expect(await statusOf(await open(server, '/api/memories', WEBSOCKET))).toBe('401');
  expect(await statusOf(await open(server, '/api/events/stream', WEBSOCKET))).toBe('401');
  expect(await statusOf(await open(server, '/api/events/stream', WEBSOCKET, 'evil.example'))).toBe('421');
  const withToken = `Authorization: Bearer ${server.token}\r\n${WEBSOCKET}`;
  expect(await statusOf(await open(server, '/api/events/stream', withToken))).toBe('101');
});

test('the connections of disconnected clients are closed', async () => {
  const server = await startTestServer();
  const before = openSockets();
  for (let i = 0; i < 40; i += 1) {
    const upgrade = [OTHERS.h2c, OTHERS.tls, WEBSOCKET][i % 3] ?? '';
    const socket = await open(server, '/api/events/stream', upgrade);
    socket.destroy();
  }
  await vi.waitFor(() => expect(openSockets()).toBeLessThanOrEqual(before), 5_000);
});

test('the server stops while clients keep their rejected connections open', async () => {
  const server = await startTestServer({ graceMs: 200 });
  for (const upgrade of [OTHERS.h2c, WEBSOCKET]) {
    await statusOf(await open(server, '/api/events/stream', upgrade));
  }
  await server.running.stop();
  await expect(fetch(server.running.url)).rejects.toThrow('fetch failed');
});

test('a token may open a limited number of streams of both kinds', async () => {
  const server = await startTestServer();
  const withToken = `Authorization: Bearer ${server.token}\r\n`;
  const streams: Socket[] = [];
  for (let i = 0; i < MAX_STREAMS; i += 1) {
    const socket = await open(server, '/api/events/stream', withToken + (i % 2 === 0 ? '' : WEBSOCKET));
    expect(await statusOf(socket)).toBe(i % 2 === 0 ? '200' : '101');
    streams.push(socket);
  }
  expect(await statusOf(await open(server, '/api/events/stream', withToken))).toBe('429');
  expect(await statusOf(await open(server, '/api/events/stream', withToken + WEBSOCKET))).toBe('429');
  for (const socket of streams.slice(0, 2)) socket.destroy();
  await vi.waitFor(async () =>
    expect(await statusOf(await open(server, '/api/events/stream', withToken))).toBe('200'),
  );
});

test.each(['Content-Length: 1000', 'Transfer-Encoding: chunked'])(
  'a client that disconnects before its request is complete (%s) is not an internal error',
  async (length) => {
    const server = await startTestServer();
    const { hostname, port } = new URL(server.running.url);
    const socket = connect(Number(port), hostname);
    socket.write(
      `POST /api/memories/default/turns HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${server.token}\r\n` +
        `Content-Type: application/json\r\n${length}\r\n\r\n${length.startsWith('T') ? '5\r\n{"tur\r\n' : '{"tur'}`,
    );
    await setTimeout(100);
    socket.destroy();
    await vi.waitFor(() => expect(server.log.join('\n')).toContain('/turns 499'));
    expect(server.log.join('\n')).not.toContain('INTERNAL');
  },
);

function openSockets(): number {
  return process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length;
}
