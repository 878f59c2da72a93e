import { describe, expect, test } from 'vitest';
import type { Operation } from '../../src/serve/operation.ts';
import { bodyOf, pathOf, TABLE, withQuery } from './requests.ts';
import { openTestServer, type TestServer } from './testServer.ts';

async function send(
  { request }: TestServer,
  operation: Operation,
  token: string | null,
  places: Readonly<Record<string, string>> = {},
  more: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const { headers, ...init } = bodyOf(operation);
  const authorization: Record<string, string> = token === null ? {} : { authorization: `Bearer ${token}` };
  return request(pathOf(operation, places), {
    method: operation.method,
    headers: { ...headers, ...authorization, ...more },
    ...init,
  });
}

const OPEN = ['docs', 'health', 'openApi', 'signIn'];
const guarded = TABLE.filter(({ name }) => !OPEN.includes(name));

async function fill({ client }: TestServer, memoryId: string): Promise<void> {
  const turn = { conversationId: 'c1', speaker: 'user', text: '秘密の話' };
  await client.ingestTurns({ memoryId, body: { turns: [turn] } });
}

describe('without a token', () => {
  test('only documentation, health and sign-in are open', () => {
    expect(
      TABLE.filter(({ access }) => access === 'open')
        .map(({ name }) => name)
        .toSorted(),
    ).toEqual(OPEN);
  });

  test.each(guarded)('$name rejects the request', async (operation) => {
    const server = openTestServer();
    await fill(server, 'default');
    const tokens = [
      null,
      '',
      'wrong',
      `${server.token}x`,
      server.token.slice(0, -1),
      server.token.toUpperCase(),
    ];
    for (const token of tokens) {
      const response = await send(server, operation, token);
      expect(response.status).toBe(401);
      expect(response.headers.get('www-authenticate')).toBe('Bearer realm="omoide"');
      expect(await response.text()).not.toContain('秘密');
    }
    const head = await server.request(pathOf(operation), { method: 'HEAD' });
    expect(head.ok).toBe(false);
  });

  test.each(guarded)('$name accepts none in the address', async (operation) => {
    const server = openTestServer();
    const { headers, ...init } = bodyOf(operation);
    for (const name of ['token', 'access_token', 'api_key', 'ticket', 'authorization']) {
      const path = withQuery(pathOf(operation), `${name}=${server.token}`);
      expect((await server.request(path, { method: operation.method, headers, ...init })).status).toBe(401);
    }
    expect(server.log.join('\n')).not.toContain(server.token);
  });

  test('rejects a revoked token', async () => {
    const server = openTestServer();
    const { id, token } = server.settings.tokens.create({ name: 'guest' });
    expect((await server.clientOf(token).listMemories()).items).toEqual([]);
    server.settings.tokens.revoke(id);
    await expect(server.clientOf(token).listMemories()).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
  });

  test('the metrics are open only when the settings allow it', async () => {
    const server = openTestServer();
    expect((await server.request('/metrics')).status).toBe(401);
    await server.settings.change({ metricsOpen: true });
    expect((await server.request('/metrics')).status).toBe(200);
    await server.settings.change({ metricsOpen: false });
    expect((await server.request('/metrics')).status).toBe(401);
  });
});

describe('a token that is bound to a memory', () => {
  async function openBound(): Promise<TestServer & { bound: string }> {
    const server = openTestServer();
    await fill(server, 'mine');
    await fill(server, 'other');
    const { token } = server.settings.tokens.create({ name: 'guest', memoryId: 'mine' });
    return { ...server, bound: token };
  }

  test('is rejected by every operation on other memories, existing or not', async () => {
    const server = await openBound();
    for (const operation of TABLE.filter(({ path }) => path.includes('{memoryId}'))) {
      for (const memoryId of ['other', 'nowhere']) {
        const response = await send(server, operation, server.bound, { memoryId });
        expect([operation.name, response.status]).toEqual([operation.name, 403]);
        expect(await response.text()).not.toContain('秘密');
      }
    }
  });

  test('is rejected by every operation that gets another memory in header or query', async () => {
    const server = await openBound();
    for (const operation of TABLE.filter(({ headers }) => headers.includes('Omoide-Memory'))) {
      const inHeader = await send(server, operation, server.bound, {}, { 'omoide-memory': 'other' });
      expect([operation.name, inHeader.status]).toEqual([operation.name, 403]);
      const { headers, ...init } = bodyOf(operation);
      const inQuery = await server.request(`${pathOf(operation)}?memoryId=other`, {
        method: operation.method,
        headers: { ...headers, authorization: `Bearer ${server.bound}` },
        ...init,
      });
      expect([operation.name, inQuery.status]).toEqual([operation.name, 403]);
    }
  });

  test('`user` does not select another memory', async () => {
    const server = await openBound();
    const body = { messages: [{ role: 'user', content: 'こんにちは' }], user: 'other' };
    await server
      .clientOf(server.bound)
      .createChatCompletion({ body })
      .catch(() => null);
    expect((await server.client.readStats({ memoryId: 'other' })).turns).toBe(1);
    expect((await server.client.readStats({ memoryId: 'mine' })).turns).toBe(2);
  });

  test('cannot read the settings, or lists of all memories', async () => {
    const server = await openBound();
    const operators = TABLE.filter(({ access }) => access === 'operator' || access === 'metrics');
    expect(operators.map(({ name }) => name).toSorted()).toEqual([
      'archiveMemory',
      'backUpMemory',
      'changeSettings',
      'createToken',
      'listAudit',
      'listTokens',
      'metrics',
      'readModelUsage',
      'readSettings',
      'revokeToken',
      'testModel',
      'tryRecall',
    ]);
    for (const operation of operators) expect((await send(server, operation, server.bound)).status).toBe(403);
    const { items } = await server.clientOf(server.bound).listMemories();
    expect(items.map(({ memoryId }) => memoryId)).toEqual(['mine']);
  });

  test('uses its own memory when the request names none', async () => {
    const server = await openBound();
    const client = server.clientOf(server.bound);
    await client.notify({ body: { from: 'clock', message: '正午です。' } });
    expect((await client.readStats({ memoryId: 'mine' })).turns).toBe(2);
    expect((await server.client.listMemories()).items.map(({ memoryId }) => memoryId)).toEqual([
      'mine',
      'other',
    ]);
  });
});

describe('the memory is chosen', () => {
  test('by header, else by query, else `default`', async () => {
    const { client } = openTestServer();
    const body = { from: 'clock', message: '正午です。' };
    await client.notify({ body });
    await client.notify({ body, query: { memoryId: 'q' } });
    await client.notify({ body, query: { memoryId: 'q' } }, { headers: { 'Omoide-Memory': 'h' } });
    const { items } = await client.listMemories();
    expect(items.map(({ memoryId }) => memoryId)).toEqual(['default', 'h', 'q']);
    await expect(client.notify({ body }, { headers: { 'Omoide-Memory': '../x' } })).rejects.toMatchObject({
      code: 'INVALID_INPUT',
    });
  });

  test('by `user`, written `MEMORY/CONVERSATION`', async () => {
    const { client } = openTestServer();
    const messages = [{ role: 'user', content: 'こんにちは' }];
    await client.createChatCompletion({ body: { messages, user: 'alice/c7' } }).catch(() => null);
    expect((await client.listConversations({ memoryId: 'alice' })).items[0]?.conversationId).toBe('c7');
    await expect(
      client.createChatCompletion({ body: { messages, user: 'alice@example.com' } }),
    ).rejects.toMatchObject({ problem: { errors: [{ in: 'body', pointer: '/user' }] } });
  });
});

describe('limits the number', () => {
  test('of requests, for each token', async () => {
    const server = openTestServer({ rateLimitPerMinute: 3 });
    const other = server.settings.tokens.create({ name: 'other' }).token;
    for (let i = 0; i < 3; i += 1) await server.client.listMemories();
    const refused = await server.request('/api/memories', {
      headers: { authorization: `Bearer ${server.token}` },
    });
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await server.clientOf(other).listMemories()).items).toEqual([]);
  });

  test('of requests without a token, for each address', async () => {
    const server = openTestServer({ rateLimitPerMinute: 2 });
    const statuses = [];
    for (let i = 0; i < 3; i += 1) statuses.push((await server.request('/api/health')).status);
    expect(statuses).toEqual([200, 200, 429]);
  });

  test('of wrong tokens, for each address; a valid token is still accepted', async () => {
    const server = openTestServer();
    const statuses = [];
    for (let i = 0; i < 12; i += 1) {
      const response = await server.request('/api/memories', {
        headers: { authorization: `Bearer guess-${i}` },
      });
      statuses.push(response.status);
    }
    expect(statuses).toEqual([...Array<number>(10).fill(401), 429, 429]);
    expect((await server.client.listMemories()).items).toEqual([]);
  });
});

describe('pages of other origins', () => {
  const ORIGIN = 'https://app.example';

  test('may not call the server, and preflight requests are rejected', async () => {
    const { request, token } = openTestServer();
    const headers = { authorization: `Bearer ${token}`, origin: ORIGIN };
    const response = await request('/api/memories', { headers });
    expect(response.status).toBe(403);
    expect(response.headers.get('access-control-allow-origin')).toBeNull();
    const preflight = await request('/api/memories', {
      method: 'OPTIONS',
      headers: { origin: ORIGIN, 'access-control-request-method': 'GET' },
    });
    expect(preflight.status).toBe(403);
    for (const origin of ['null', 'http://localhost:1', 'http://127.0.0.1']) {
      expect((await request('/api/memories', { headers: { ...headers, origin } })).status).toBe(403);
    }
  });

  test('may call it when they are allowed, and read the headers they need', async () => {
    const { request, token } = openTestServer({ corsOrigins: [ORIGIN] });
    const response = await request('/api/memories', {
      headers: { authorization: `Bearer ${token}`, origin: ORIGIN },
    });
    expect(response.status).toBe(200);
    expect(response.headers.get('access-control-allow-origin')).toBe(ORIGIN);
    expect(response.headers.get('vary')).toBe('Origin');
    expect(response.headers.get('access-control-expose-headers')).toContain('ETag');
    const preflight = await request('/api/settings', {
      method: 'OPTIONS',
      headers: {
        origin: ORIGIN,
        'access-control-request-method': 'PATCH',
        'access-control-request-headers': 'authorization,content-type',
      },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-headers')).toBe('authorization,content-type');
    const refused = await request('/api/memories', { headers: { origin: ORIGIN } });
    expect(refused.headers.get('access-control-allow-origin')).toBe(ORIGIN);
  });

  test('the server’s own pages may call it', async () => {
    const { request } = openTestServer();
    expect((await request('/api/health', { headers: { origin: 'http://localhost' } })).status).toBe(200);
  });
});

describe('other host names', () => {
  test('are rejected by a server on a loopback address', async () => {
    const { parts: _, ...server } = openTestServer();
    const { clientOf, token } = server;
    expect((await clientOf(token).health()).status).toBe('ok');
    const rebound = await openAt('http://rebound.example');
    expect(rebound.status).toBe(421);
    for (const name of ['http://127.0.0.1:99', 'http://[::1]:99', 'http://omoide.localhost']) {
      expect((await openAt(name)).status).toBe(200);
    }
  });

  test('are accepted by a server that others can reach', async () => {
    expect((await openAt('http://box.example', '0.0.0.0')).status).toBe(200);
  });

  async function openAt(address: string, host = '127.0.0.1'): Promise<Response> {
    return openTestServer({ host, baseUrl: address }).request('/api/health');
  }
});

test('every answer has the security headers', async () => {
  const { request, token } = openTestServer();
  for (const path of ['/api/health', '/docs', '/nowhere', '/api/memories']) {
    const { headers } = await request(path, { headers: { authorization: `Bearer ${token}` } });
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('content-security-policy')).toMatch(/^default-src 'none';.*frame-ancestors 'none'/);
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('x-request-id')).toMatch(/^[\w-]{36}$/);
  }
});

test('keeps a valid request id of the sender', async () => {
  const { request, log } = openTestServer();
  const ask = async (id: string) =>
    (await request('/api/health', { headers: { 'x-request-id': id } })).headers.get('x-request-id');
  expect(await ask('trace-7')).toBe('trace-7');
  expect(await ask('a b')).toMatch(/^[\w-]{36}$/);
  expect(log[0]).toMatch(/^GET \/api\/health 200 \d+\.\dms trace-7$/);
});

test('the log contains no query and no body', async () => {
  const server = openTestServer();
  await fill(server, 'default');
  await server.client.recall({ memoryId: 'default', body: { utterance: '合言葉' } });
  await server.client.listEntities({ memoryId: 'default', query: { query: '合言葉' } });
  expect(server.log.length).toBe(3);
  expect(server.log.join('\n')).not.toMatch(/秘密|合言葉|%E5/);
});
