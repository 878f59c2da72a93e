import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openTestServer, startTestServer } from '../server/testServer.ts';
import { temporaryFolder } from '../temporary.ts';
import { agentOf, notesFolder, type Agent } from './rig.ts';
import {
  editConcurrently,
  EDITED_BESIDE,
  expectNotesIn,
  expectNotesRemembered,
  JOURNAL_LINE,
  workWithNotes,
} from './sessions.ts';

async function connectTo(
  url: string,
  headers: Record<string, string>,
  mode: 'legacy' | 'auto' = 'legacy',
): Promise<Agent> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  const transport = new StreamableHTTPClientTransport(new URL('/mcp', url), { requestInit: { headers } });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return agentOf(client);
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const TURN = { speaker: 'user', text: '那須の吊り橋、すごく揺れて怖かったね。' };

describe.each(['legacy', 'auto'] as const)('over HTTP (%s)', (mode) => {
  test('recalls in a new session after a restart what an earlier session stored', async () => {
    const dataDir = temporaryFolder();
    const first = await startTestServer({ dataDir });
    const agent = await connectTo(first.running.url, bearer(first.token), mode);
    expect((await agent.client.listTools()).tools).toHaveLength(11);
    await agent.call('ingest_turns', { conversationId: 'c1', turns: [TURN] });
    await agent.call('remember', { text: '他的生日是七月九日。', type: 'entity' });
    expect((await agent.call('recall', { utterance: ' ' })).text).toMatch(/^EMPTY_TEXT/);
    await agent.client.close();
    await first.running.stop();

    const { settings } = first;
    const second = await startTestServer({ dataDir, settings });
    const later = await connectTo(second.running.url, bearer(first.token), mode);
    expect((await later.call('recall', { utterance: 'あの吊り橋、怖かったよね' })).text).toContain(
      '那須の吊り橋',
    );
    expect((await later.call('recall', { utterance: '他的生日是什么时候？' })).text).toContain('七月九日');
    const { contents } = await later.client.readResource({
      uri: 'omoide://pack/%E5%90%8A%E3%82%8A%E6%A9%8B',
    });
    expect(contents[0]).toMatchObject({ text: expect.stringContaining('吊り橋') as string });
  });
});

describe('notes', () => {
  test('recalls in a new session after a restart what an earlier session wrote to files', async () => {
    const dataDir = temporaryFolder();
    const notes = notesFolder({}, join(dataDir, 'notes'));
    const first = await startTestServer({ dataDir });
    const agent = await connectTo(first.running.url, bearer(first.token));
    const journal = await workWithNotes(agent);
    await agent.client.close();
    await first.running.stop();
    expectNotesIn(notes);
    expect(notes.read(journal)).toMatch(JOURNAL_LINE);

    const second = await startTestServer({ dataDir, settings: first.settings });
    await expectNotesRemembered(await connectTo(second.running.url, bearer(first.token)), notes);
  });

  test('finds a file that was edited by hand while the server runs', async () => {
    const dataDir = temporaryFolder();
    const notes = notesFolder({}, join(dataDir, 'notes'));
    const server = await startTestServer({ dataDir, worker: true });
    const agent = await connectTo(server.running.url, bearer(server.token));
    expect(await editConcurrently(agent, notes)).toBe(EDITED_BESIDE);
  });

  test('belong to one memory, and to no other', async () => {
    const dataDir = temporaryFolder();
    notesFolder({ 'user/notes.md': 'The key is under the mat.\n' }, join(dataDir, 'notes'));
    const hana = notesFolder({ 'user/notes.md': 'Hana has a red bicycle.\n' }, join(dataDir, 'notes_hana'));
    const server = await startTestServer({ dataDir });
    const { token } = server.settings.tokens.create({ name: 'bound', memoryId: 'hana' });
    const agent = await connectTo(server.running.url, bearer(token));
    const { text } = await agent.call('recall', { utterance: 'Where is the key, and the bicycle?' });
    expect(text).toContain('bicycle');
    expect(text).not.toContain('mat');
    await agent.call('edit_note', { uri: 'user/notes.md', append: '- and a helmet' });
    expect(hana.read('user/notes.md')).toContain('helmet');
    expect(await agent.call('read_note', { uri: '../notes/user/notes.md' })).toMatchObject({
      isError: true,
      text: expect.stringMatching(/^OUTSIDE_ROOT: /) as string,
    });
  });
});

const LIST = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} });
const HEADERS = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
  'mcp-protocol-version': '2025-06-18',
};

function post(
  server: ReturnType<typeof openTestServer>,
  headers: Record<string, string>,
  body: string = LIST,
  path = '/mcp',
) {
  return server.request(path, { method: 'POST', headers: { ...HEADERS, ...headers }, body });
}

describe('rejects requests', () => {
  test('without a token', async () => {
    const server = openTestServer();
    for (const headers of [{}, bearer('wrong'), { authorization: 'Basic x' }]) {
      const response = await post(server, headers);
      expect(response.status).toBe(401);
      expect(response.headers.get('www-authenticate')).toBe('Bearer realm="omoide"');
    }
    expect((await post(server, {}, LIST, `/mcp?token=${server.token}`)).status).toBe(401);
    expect((await post(server, bearer(server.token))).status).toBe(200);
  });

  test('from a page of another origin, and to another host name', async () => {
    const server = openTestServer();
    const from = { ...bearer(server.token), origin: 'https://evil.example' };
    expect((await post(server, from)).status).toBe(403);
    const named = openTestServer({ baseUrl: 'http://evil.example' });
    expect((await post(named, bearer(named.token))).status).toBe(421);
  });

  test('that are too frequent or too large', async () => {
    const hurried = openTestServer({ rateLimitPerMinute: 2 });
    const statuses = [];
    for (let i = 0; i < 3; i++) statuses.push((await post(hurried, bearer(hurried.token))).status);
    expect(statuses).toEqual([200, 200, 429]);
    const small = openTestServer({ bodyLimitBytes: 1_000 });
    expect((await post(small, bearer(small.token), LIST + ' '.repeat(1_000))).status).toBe(413);
  });
});

describe('the memory is chosen', () => {
  const turns = (text: string) => ({ conversationId: 'c1', turns: [{ speaker: 'user', text }] });

  test('by header, by path, or by the token that is bound to one', async () => {
    const server = await startTestServer();
    const { url } = server.running;
    const bound = server.settings.tokens.create({ name: 'bound', memoryId: 'hana' }).token;
    const byHeader = await connectTo(url, { ...bearer(server.token), 'omoide-memory': 'hana' });
    await byHeader.call('ingest_turns', turns('Hana has a red bicycle.'));
    const byToken = await connectTo(url, bearer(bound));
    expect((await byToken.call('recall', { utterance: 'bicycle' })).text).toContain('red bicycle');
    const byDefault = await connectTo(url, bearer(server.token));
    expect((await byDefault.call('recall', { utterance: 'bicycle' })).text).not.toContain('red');
    const memories = await server.client.listMemories();
    expect(memories.items.map(({ memoryId }) => memoryId)).toEqual(['default', 'hana']);
  });

  test('only within the memory that the token is bound to', async () => {
    const server = openTestServer();
    const { token } = server.settings.tokens.create({ name: 'bound', memoryId: 'hana' });
    expect((await post(server, { ...bearer(token), 'omoide-memory': 'default' })).status).toBe(403);
    expect((await post(server, bearer(token), LIST, '/mcp?memoryId=default')).status).toBe(403);
    expect((await post(server, { ...bearer(token), 'omoide-memory': '../x' })).status).toBe(400);
  });
});

describe('malformed requests', () => {
  test.each([
    ['invalid JSON', '{', 400],
    ['an unknown method', JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'no/such' }), 200],
    ['a body that is not a request', '[]', 400],
  ])('%s', async (_, body, status) => {
    const server = openTestServer();
    const response = await post(server, bearer(server.token), body);
    expect(response.status).toBe(status);
    expect(await response.text()).toContain('"error"');
  });

  test('rejects other media types and methods', async () => {
    const server = openTestServer();
    const headers = bearer(server.token);
    expect((await post(server, { ...headers, 'content-type': 'text/plain' })).status).toBe(415);
    for (const method of ['GET', 'DELETE', 'PUT']) {
      expect((await server.request('/mcp', { method, headers: { ...HEADERS, ...headers } })).status).toBe(
        405,
      );
    }
  });

  test('closes the memory after any answer', async () => {
    let now = Date.now();
    const server = openTestServer({ now: () => now });
    for (let i = 0; i < 20; i++) {
      const body = i % 2 === 0 ? LIST : '{';
      await (await post(server, { ...bearer(server.token), 'omoide-memory': `m${i}` }, body)).text();
    }
    now += 120_000;
    await server.parts.memories.closeUnused();
    // The number of sessions that stay open without use.
    expect(await server.parts.memories.opened()).toHaveLength(16);
  });
});
