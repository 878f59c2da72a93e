import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { MAX_UNREAD_BYTES } from '../../src/serve/eventStream.ts';
import { startScriptedModel } from '../scriptedModel/scriptedModel.ts';
import { openTestServer, startTestServer, type TestServer } from './testServer.ts';

type Started = Awaited<ReturnType<typeof startTestServer>>;

async function start(given: Parameters<typeof startTestServer>[0] = {}): Promise<Started> {
  const model = await startScriptedModel();
  model.answer(() => 'わかった、覚えておくね。');
  const settings = { provider: 'endpoint', url: model.url, model: 'scripted' } as const;
  return startTestServer({ modelOverrides: { chat: settings, embedder: { provider: 'hashed' } }, ...given });
}

interface Listening {
  readonly socket: WebSocket;
  readonly events: { id: number; type: string; data: { message: string; systemText?: string } }[];
}

function streamUrl({ running }: Started, query = ''): string {
  return `${running.url.replace('http', 'ws')}/api/events/stream${query}`;
}

/** An open WebSocket. */
async function listen(
  server: Started,
  {
    query = '',
    protocols = [],
    headers = { authorization: `Bearer ${server.token}` },
  }: {
    query?: string;
    protocols?: string[];
    headers?: Record<string, string>;
  } = {},
): Promise<Listening> {
  const socket = new WebSocket(streamUrl(server, query), protocols, { headers });
  const events: Listening['events'] = [];
  socket.on(
    'message',
    (data: Buffer) => void events.push(JSON.parse(data.toString()) as Listening['events'][0]),
  );
  await once(socket, 'open');
  return { socket, events };
}

/** The status of a rejected WebSocket. */
async function refusal(
  server: Started,
  ...[query, protocols, headers]: [string, string[], Record<string, string>]
) {
  const socket = new WebSocket(streamUrl(server, query), protocols, { headers });
  const [, response] = (await once(socket, 'unexpected-response')) as [unknown, { statusCode: number }];
  socket.on('error', () => {});
  socket.terminate();
  return response.statusCode;
}

async function notify({ client }: TestServer, message: string): Promise<void> {
  await client.notify({ body: { from: 'clock', message } });
}

describe('a WebSocket', () => {
  test('receives messages of the companion, also earlier ones', async () => {
    const server = await start();
    const early = await listen(server);
    await notify(server, '正午です。');
    await vi.waitFor(() => expect(early.events).toHaveLength(2));
    expect(early.events).toMatchObject([
      {
        type: 'notification',
        data: { message: null, systemText: expect.stringContaining('正午です。') as string },
      },
      { type: 'notification', data: { message: 'わかった、覚えておくね。' } },
    ]);
    const late = await listen(server);
    await vi.waitFor(() => expect(late.events).toEqual(early.events));
    await notify(server, '一時です。');
    await vi.waitFor(() => expect(late.events).toHaveLength(4));
    const after = await listen(server, { query: `?after=${late.events[1]?.id}` });
    await vi.waitFor(() => expect(after.events).toEqual(late.events.slice(2)));
  });

  test('receives only those of its own memory', async () => {
    const server = await start();
    const other = await listen(server, { query: '?memoryId=other' });
    const own = await listen(server);
    await notify(server, '正午です。');
    await vi.waitFor(() => expect(own.events).toHaveLength(1));
    expect(other.events).toEqual([]);
    // Listening creates no memory.
    expect((await server.client.listMemories()).items.map(({ memoryId }) => memoryId)).toEqual(['default']);
  });

  test('accepts a token in a subprotocol, for browsers', async () => {
    const server = await start();
    const { socket } = await listen(server, { protocols: ['omoide', `bearer.${server.token}`], headers: {} });
    expect(socket.protocol).toBe('omoide');
  });

  test('accepts a ticket, once', async () => {
    const server = await start();
    const { ticket } = await server.client.createEventTicket();
    await listen(server, { query: `?ticket=${ticket}`, headers: {} });
    expect(await refusal(server, `?ticket=${ticket}`, [], {})).toBe(401);
    expect(server.log.join('\n')).not.toContain(ticket);
  });

  test('rejects an old ticket, and the ticket of a revoked token', async () => {
    let now = Date.now();
    const server = await start({ now: () => now });
    const { ticket } = await server.client.createEventTicket();
    now += 31_000;
    expect(await refusal(server, `?ticket=${ticket}`, [], {})).toBe(401);
    const guest = server.settings.tokens.create({ name: 'guest' });
    const second = await server.clientOf(guest.token).createEventTicket();
    server.settings.tokens.revoke(guest.id);
    expect(await refusal(server, `?ticket=${second.ticket}`, [], {})).toBe(401);
  });

  test('is rejected without a token, with a token in the address, for another memory, and from another origin', async () => {
    const server = await start({ corsOrigins: ['https://app.example'] });
    const bound = server.settings.tokens.create({ name: 'guest', memoryId: 'mine' }).token;
    const authorization = `Bearer ${server.token}`;
    expect(await refusal(server, '', [], {})).toBe(401);
    expect(await refusal(server, '', ['omoide'], {})).toBe(401);
    expect(await refusal(server, '', ['omoide', 'bearer.wrong'], {})).toBe(401);
    expect(await refusal(server, `?ticket=${server.token}`, [], {})).toBe(401);
    expect(await refusal(server, '?after=x', [], { authorization })).toBe(400);
    expect(await refusal(server, '?memoryId=other', [], { authorization: `Bearer ${bound}` })).toBe(403);
    expect(
      await refusal(server, '', [], { authorization: `Bearer ${bound}`, 'omoide-memory': 'other' }),
    ).toBe(403);
    expect(await refusal(server, '', [], { authorization, origin: 'https://evil.example' })).toBe(403);
    expect(await refusal(server, '', [], { authorization, host: 'rebound.example' })).toBe(421);
    await listen(server, { headers: { authorization, origin: 'https://app.example' } });
  });

  test('is rejected on other routes', async () => {
    const server = await start();
    const headers = { authorization: `Bearer ${server.token}` };
    for (const path of ['/api/health', '/api/memories', '/nowhere']) {
      const socket = new WebSocket(server.running.url.replace('http', 'ws') + path, { headers });
      const [error] = (await once(socket, 'error')) as [Error];
      expect(error.message).toMatch(/Unexpected server response/);
    }
  });

  test('is closed with a reason when the server stops', async () => {
    const server = await start();
    const { socket } = await listen(server);
    const closed = once(socket, 'close');
    await server.running.stop();
    expect((await closed)[0]).toBe(1001);
  });

  test('is closed when it sends too much', async () => {
    const server = await start();
    const { socket } = await listen(server);
    socket.send('x'.repeat(70_000));
    expect((await once(socket, 'close'))[0]).toBe(1009);
  });
});

describe('server-sent events', () => {
  test('continue where they stopped', async () => {
    const server = await start();
    for (const message of ['一つ目', '二つ目', '三つ目']) await notify(server, message);
    const ids: string[] = [];
    for await (const { id } of server.client.streamEvents()) {
      ids.push(id ?? '');
      if (ids.length === 3) break;
    }
    for await (const { id, data } of server.client.streamEvents(
      {},
      { headers: { 'Last-Event-ID': ids[1] ?? '' } },
    )) {
      expect(id).toBe(ids[2]);
      expect(data.data.systemText).toContain('つ目');
      break;
    }
    await expect(
      server.client.streamEvents({}, { headers: { 'Last-Event-ID': 'x' } }).next(),
    ).rejects.toMatchObject({ problem: { errors: [{ in: 'header' }] } });
  });

  test('send headers at once, before there is an event', async () => {
    const server = await start();
    const response = await server.request('/api/events/stream', {
      headers: { authorization: `Bearer ${server.token}`, accept: 'text/event-stream' },
    });
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    expect(response.headers.get('x-accel-buffering')).toBe('no');
    await response.body?.cancel();
    await vi.waitFor(async () => expect(await server.client.metrics()).toContain('omoide_event_listeners 0'));
  });

  test('end when the server stops', async () => {
    const server = await start();
    const heard = Array.fromAsync(server.client.streamEvents());
    await vi.waitFor(async () => expect(await server.client.metrics()).toContain('omoide_event_listeners 1'));
    await server.running.stop();
    expect(await heard).toEqual([]);
  });
});

describe('an idle stream', () => {
  /** A stream without a port, with simulated time. */
  async function openQuiet() {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const server = openTestServer();
    const guest = server.settings.tokens.create({ name: 'guest' });
    const headers = { authorization: `Bearer ${guest.token}` };
    const response = await server.request('/api/events/stream', { headers });
    const reader = response.body?.getReader();
    if (!reader) throw new Error('There is no stream.');
    return { ...server, guest, reader };
  }

  test('is kept alive', async () => {
    const { reader } = await openQuiet();
    const first = reader.read();
    vi.advanceTimersByTime(15_000);
    expect(new TextDecoder().decode((await first).value)).toBe(':\n\n');
    await reader.cancel();
    vi.advanceTimersByTime(60_000);
  });

  test('ends when its token is revoked', async () => {
    const { reader, settings, guest, parts } = await openQuiet();
    vi.advanceTimersByTime(60_000);
    expect(parts.hub.size).toBe(1);
    settings.tokens.revoke(guest.id);
    vi.advanceTimersByTime(30_000);
    expect(parts.hub.size).toBe(0);
    while (!(await reader.read()).done);
  });
});

test.each(['was revoked', 'has expired'])('an event stream ends when its token %s', async (how) => {
  const server = await start();
  const lifeMs = 1_500;
  const guest = server.settings.tokens.create({ name: 'guest', expiresAt: Date.now() + lifeMs });
  const { socket, events } = await listen(server, { headers: { authorization: `Bearer ${guest.token}` } });
  const closed = once(socket, 'close');
  if (how === 'was revoked') server.settings.tokens.revoke(guest.id);
  else await new Promise((resolve) => setTimeout(resolve, lifeMs));
  await notify(server, '正午です。');
  expect((await closed)[0]).toBe(1008);
  expect(events).toEqual([]);
});

test('sends the last 200 events again, and no more', async () => {
  const server = await start();
  for (let i = 0; i < 205; i += 1) await notify(server, `${i}時です。`);
  const { events } = await listen(server);
  await vi.waitFor(async () =>
    expect((await server.client.readStats({ memoryId: 'default' })).turns).toBe(410),
  );
  const late = await listen(server);
  await vi.waitFor(() => expect(late.events.length).toBe(200));
  expect(late.events.map(({ id }) => id)).toEqual(events.slice(-200).map(({ id }) => id));
});

test('a listener that does not read is disconnected, and the others receive everything', async () => {
  const server = await start();
  const { hostname, port } = new URL(server.running.url);
  const slow = connect(Number(port), hostname);
  slow.write(
    `GET /api/events/stream HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${server.token}\r\n` +
      'Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
  );
  await once(slow, 'readable');
  slow.pause();
  const { events } = await listen(server);
  await vi.waitFor(async () => expect(await server.client.metrics()).toContain('omoide_event_listeners 2'));
  const message = 'x'.repeat(1_000_000);
  // The operating system buffers some megabytes before the server must hold unread data.
  let sent = 0;
  while (sent * message.length < 20 * MAX_UNREAD_BYTES) {
    await notify(server, message);
    sent += 1;
    if ((await server.client.metrics()).includes('omoide_event_listeners 1')) break;
  }
  await vi.waitFor(async () => {
    expect(await server.client.metrics()).toContain('omoide_event_listeners 1');
    expect(events.filter(({ data }) => data.message === null)).toHaveLength(sent);
  }, 20_000);
  slow.destroy();
});
