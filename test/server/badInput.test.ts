import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { ERROR_CODES } from '../../src/engine/engine.ts';
import type { Operation } from '../../src/serve/operation.ts';
import { HTTP_CODES, STATUS_OF } from '../../src/serve/problem.ts';
import { bodyOf, pathOf, TABLE, withQuery } from './requests.ts';
import { openTestServer, type TestServer } from './testServer.ts';

interface ProblemBody {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: string;
  readonly instance: string;
  readonly errors?: readonly { in: string; pointer: string; detail: string }[];
  readonly [member: string]: unknown;
}

/** Checks that a response is this problem document. */
async function problemOf(response: Response): Promise<ProblemBody> {
  expect(response.headers.get('content-type')).toBe('application/problem+json');
  const problem = (await response.json()) as ProblemBody;
  expect(problem).toMatchObject({
    type: `urn:omoide:problem:${problem.code.toLowerCase().replaceAll('_', '-')}`,
    title: expect.stringMatching(/^[A-Z]/) as string,
    status: response.status,
    detail: expect.stringMatching(/./) as string,
    instance: `urn:omoide:request:${response.headers.get('x-request-id')}`,
  });
  return problem;
}

async function send(
  { request, token }: TestServer,
  operation: Operation,
  {
    path = pathOf(operation),
    headers = {},
    ...init
  }: { path?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<Response> {
  return request(path, {
    method: operation.method,
    headers: { authorization: `Bearer ${token}`, ...headers },
    ...init,
  });
}

const JSON_TYPE = { 'content-type': 'application/json' };
const withBody = TABLE.filter(({ body }) => body !== null);
/** The id of a token may be any text. */
const withParameters = TABLE.filter(({ path, name }) => path.includes('{') && name !== 'revokeToken');

describe('every operation answers with a problem document for', () => {
  test.each(TABLE)('$name: an unknown query parameter', async (operation) => {
    const response = await send(openTestServer(), operation, {
      ...bodyOf(operation),
      path: withQuery(pathOf(operation), 'nonsense=1'),
    });
    const problem = await problemOf(response);
    expect(problem).toMatchObject({ code: 'INVALID_INPUT', status: 400, errors: [{ in: 'query' }] });
    expect(problem.errors?.[0]?.detail).toContain('nonsense');
  });

  test.each(withBody)('$name: a body that is not JSON', async (operation) => {
    const secret = '{"apiKey":"sk-very-secret",';
    const response = await send(openTestServer(), operation, { body: secret, headers: JSON_TYPE });
    const text = await response.clone().text();
    expect(await problemOf(response)).toMatchObject({ code: 'INVALID_JSON', status: 400 });
    expect(text).not.toContain('sk-very-secret');
  });

  test.each(withBody)('$name: a body of another media type', async (operation) => {
    const response = await send(openTestServer(), operation, {
      body: '{}',
      headers: { 'content-type': 'text/plain' },
    });
    expect(await problemOf(response)).toMatchObject({ code: 'UNSUPPORTED_MEDIA_TYPE', status: 415 });
  });

  test.each(withBody)('$name: a body of another shape, without creating a memory', async (operation) => {
    const server = openTestServer();
    for (const body of ['[]', '"text"', '{"nonsense":1}', '{"jobIds":["x"]}']) {
      const response = await send(server, operation, { body, headers: JSON_TYPE });
      // A body that is forwarded to a model may contain further fields.
      expect(await problemOf(response)).toMatchObject({ code: 'INVALID_INPUT', status: 400 });
    }
    expect(readdirSync(server.dataDir).filter((name) => name.startsWith('memory_'))).toEqual([]);
  });

  test.each(withBody)('$name: a body that is too long', async (operation) => {
    const server = openTestServer({ bodyLimitBytes: 100 });
    const body = JSON.stringify({ text: 'x'.repeat(200) });
    expect(await problemOf(await send(server, operation, { body, headers: JSON_TYPE }))).toMatchObject({
      code: 'BODY_TOO_LARGE',
      status: 413,
    });
  });

  test.each(withParameters)('$name: invalid parameters', async (operation) => {
    const server = openTestServer();
    const places = {
      memoryId: '..%2F..%2Fetc',
      unitId: 'abc',
      entityId: '0',
      topicId: '-1',
      entryId: '1e400',
      jobId: '1.5',
      turnId: '0',
      feedbackId: 'x',
      tokenId: 'x',
    };
    const response = await send(server, operation, { ...bodyOf(operation), path: pathOf(operation, places) });
    const problem = await problemOf(response);
    expect(problem).toMatchObject({ code: 'INVALID_INPUT', status: 400 });
    const named = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => `/${name}`);
    expect(problem.errors?.map(({ pointer }) => pointer)).toEqual(
      named.filter((name) => name !== '/conversationId'),
    );
  });

  test.each(TABLE.filter(({ needs }) => needs === 'existing'))(
    '$name: an unknown memory',
    async (operation) => {
      const server = openTestServer();
      expect(await problemOf(await send(server, operation, bodyOf(operation)))).toMatchObject({
        code: 'NOT_FOUND',
        status: 404,
      });
      expect(readdirSync(server.dataDir).filter((name) => name.startsWith('memory_'))).toEqual([]);
    },
  );

  test.each(TABLE)('$name: another method, with the allowed ones', async (operation) => {
    const { request, token } = openTestServer();
    const headers = { authorization: `Bearer ${token}` };
    const same = TABLE.filter(({ path }) => path === operation.path);
    const taken = new Set<string>(same.map(({ method }) => method));
    const method = ['DELETE', 'PUT', 'PATCH', 'POST'].find((each) => !taken.has(each))!;
    const response = await request(pathOf(operation), { method, headers });
    expect(await problemOf(response)).toMatchObject({ code: 'METHOD_NOT_ALLOWED', status: 405 });
    expect(response.headers.get('allow')?.split(', ')).toContain(operation.method);
  });
});

test('an unknown path', async () => {
  const { request } = openTestServer();
  for (const path of ['/api', '/api/nothing', '/api/memories/default/', '/v1/completions', '/%ff']) {
    expect(await problemOf(await request(path))).toMatchObject({ code: 'UNKNOWN_PATH', status: 404 });
  }
});

test('the limit applies to a body in chunks, too', async () => {
  const { request, token } = openTestServer({ bodyLimitBytes: 1_000 });
  const body = new ReadableStream({
    pull: (controller) => controller.enqueue(new TextEncoder().encode('x'.repeat(300))),
  });
  const headers = { authorization: `Bearer ${token}`, ...JSON_TYPE };
  const response = await request('/api/chat', { method: 'POST', body, headers, duplex: 'half' });
  expect(await problemOf(response)).toMatchObject({ code: 'BODY_TOO_LARGE' });
});

test('rejects a body that is not UTF-8, and a compressed body', async () => {
  const { request, token } = openTestServer();
  const headers = { authorization: `Bearer ${token}`, ...JSON_TYPE };
  const body = new Uint8Array([0x22, 0xff, 0x22]);
  const latin = await request('/api/chat', { method: 'POST', body, headers });
  expect(await problemOf(latin)).toMatchObject({ code: 'INVALID_JSON' });
  const packed = await request('/api/chat', {
    method: 'POST',
    body,
    headers: { ...headers, 'content-encoding': 'gzip' },
  });
  expect(await problemOf(packed)).toMatchObject({ code: 'UNSUPPORTED_MEDIA_TYPE' });
});

test.each([
  ['limit=0', '/limit'],
  ['limit=many', '/limit'],
  ['limit=1e9', '/limit'],
  ['limit=5&limit=6', '/limit'],
  ['kinds=episode,dream', '/kinds/1'],
  ['pinned=maybe', '/pinned'],
  ['cursor=nonsense', '/cursor'],
  ['entityId=-1', '/entityId'],
])('rejects the query %s and names the parameter', async (query, pointer) => {
  const { request, token, client } = openTestServer();
  const turn = { conversationId: 'c', speaker: 'user', text: 'こんにちは' };
  await client.ingestTurns({ memoryId: 'default', body: { turns: [turn] } });
  const headers = { authorization: `Bearer ${token}` };
  const problem = await problemOf(await request(`/api/memories/default/units?${query}`, { headers }));
  expect(problem.errors).toMatchObject([{ in: 'query', pointer }]);
});

test('rejects a value that is nested too deeply', async () => {
  const server = openTestServer();
  const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
  const turn = `{"conversationId":"c","speaker":"user","text":"x","meta":{"a":${deep}}}`;
  const operation = TABLE.find(({ name }) => name === 'ingestTurns')!;
  const response = await send(server, operation, { body: `{"turns":[${turn}]}`, headers: JSON_TYPE });
  expect(await problemOf(response)).toMatchObject({ code: 'INVALID_JSON', status: 400 });
  expect((await server.client.listMemories()).items).toEqual([]);
});

test('rejects deep nesting in a body that is forwarded unchanged', async () => {
  const server = openTestServer();
  const deep = `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`;
  const body = `{"messages":[{"role":"user","content":"x"}],"metadata":${deep}}`;
  const operation = TABLE.find(({ name }) => name === 'createChatCompletion')!;
  const response = await send(server, operation, { body, headers: JSON_TYPE });
  expect(await problemOf(response)).toMatchObject({ code: 'INVALID_JSON', status: 400 });
});

test('brackets inside strings do not count as nesting', async () => {
  const { client } = openTestServer();
  const turn = { conversationId: 'c', speaker: 'user', text: `${'[{'.repeat(500)}\\"${'[{'.repeat(500)}` };
  await client.ingestTurns({ memoryId: 'default', body: { turns: [turn] } });
  expect((await client.listTurns({ memoryId: 'default', conversationId: 'c' })).items).toMatchObject([turn]);
});

test('names every invalid field', async () => {
  const server = openTestServer();
  const turns = [
    { conversationId: 'c', speaker: 'user', text: 'ok' },
    { speaker: 1, text: 'x', turnIndex: -1 },
  ];
  const operation = TABLE.find(({ name }) => name === 'ingestTurns')!;
  const response = await send(server, operation, { body: JSON.stringify({ turns }), headers: JSON_TYPE });
  expect((await problemOf(response)).errors?.map(({ pointer }) => pointer).toSorted()).toEqual([
    '/turns/1/conversationId',
    '/turns/1/speaker',
    '/turns/1/turnIndex',
  ]);
});

test('reports turns stored before the one that cannot be stored', async () => {
  const server = openTestServer();
  const turn = { conversationId: 'c', speaker: 'user', text: 'first' };
  const operation = TABLE.find(({ name }) => name === 'ingestTurns')!;
  const body = JSON.stringify({ turns: [turn, { ...turn, text: ' ' }, turn] });
  const problem = await problemOf(await send(server, operation, { body, headers: JSON_TYPE }));
  expect(problem).toMatchObject({ code: 'EMPTY_TEXT', kept: [{ turnIndex: 0, isNew: true }] });
  expect((await server.client.readStats({ memoryId: 'default' })).turns).toBe(1);
});

test('errors have OpenAI’s format for its clients', async () => {
  const { request, token } = openTestServer();
  const anonymous = await problemOf(await request('/v1/models'));
  expect(anonymous['error']).toMatchObject({ type: 'authentication_error', code: 'unauthorized' });
  const headers = { authorization: `Bearer ${token}`, ...JSON_TYPE };
  const response = await request('/v1/chat/completions', {
    method: 'POST',
    body: '{"messages":[]}',
    headers,
  });
  expect((await problemOf(response))['error']).toMatchObject({ type: 'invalid_request_error', param: null });
});

test('an unexpected error is answered without details, and logged with them', async () => {
  const { request, token, settings, log } = openTestServer();
  settings.public = () => {
    throw new TypeError('cannot read /home/someone/settings.db');
  };
  const response = await request('/api/settings', { headers: { authorization: `Bearer ${token}` } });
  expect(JSON.stringify(await problemOf(response))).not.toContain('someone');
  expect(response.status).toBe(500);
  expect(log.join('\n')).toContain('TypeError: cannot read /home/someone/settings.db');
});

test('every code has a status', () => {
  const codes = [...Object.keys(ERROR_CODES), ...Object.keys(HTTP_CODES)];
  expect(Object.keys(STATUS_OF).toSorted()).toEqual(codes.toSorted());
});
