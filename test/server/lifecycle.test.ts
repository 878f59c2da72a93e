import { mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { MemoryError } from '../../src/engine/engine.ts';
import { startScriptedModel, type ScriptedModel } from '../scriptedModel/scriptedModel.ts';
import { temporaryFolder } from '../temporary.ts';
import { openTestServer, openTestSettings, startTestServer } from './testServer.ts';

const MEMORY = { memoryId: 'default' };
type Given = Parameters<typeof startTestServer>[0] & object;

async function start(model: ScriptedModel, given: Given = {}) {
  const settings = { provider: 'endpoint', url: model.url, model: 'scripted' } as const;
  return startTestServer({ modelOverrides: { chat: settings, embedder: { provider: 'hashed' } }, ...given });
}

describe('stopping', () => {
  test('lets an answer in progress finish, and rejects new requests', async () => {
    const model = await startScriptedModel();
    model.reply({ chunks: ['一つ', '二つ', '三つ', '四つ'], chunkDelayMs: 120 });
    const server = await start(model, { graceMs: 10_000 });
    const chat = server.client.chat({ body: { conversationId: 'c', text: '数えて' } });
    const heard = [(await chat.next()).value];
    const stopping = server.running.stop();
    await expect(server.client.listMemories()).rejects.toThrow('fetch failed');
    for await (const event of chat) heard.push(event);
    await stopping;
    expect(heard.map(({ event, data }) => (event === 'token' ? data.text : event)).join('')).toBe(
      '一つ二つ三つ四つdone',
    );
    await expect(fetch(server.running.url)).rejects.toThrow('fetch failed');
  });

  test('aborts an answer that takes too long, and keeps the turns', async () => {
    const model = await startScriptedModel();
    model.reply({ chunks: ['はじめは', 'ここまで'], hang: 2 });
    const server = await start(model, { graceMs: 200 });
    const { dataDir } = server;
    const chat = server.client.chat({ body: { conversationId: 'c', text: '長い話をして' } });
    await chat.next();
    await chat.next();
    await server.running.stop();
    const rest = await Array.fromAsync(chat).catch(() => []);
    expect(rest.at(-1)).toMatchObject({ event: 'error', data: { code: 'CLOSED' } });
    const again = openTestServer({ dataDir, settings: openTestSettings(temporaryFolder()) });
    const { items } = await again.client.listTurns({ ...MEMORY, conversationId: 'c' });
    expect(items.map(({ text, meta }) => [text, meta])).toEqual([
      ['はじめはここまで', { interrupted: true }],
      ['長い話をして', {}],
    ]);
  });

  test('stops once, however often it is called, and leaves no listener', async () => {
    const server = await start(await startScriptedModel());
    const other = await start(await startScriptedModel());
    await Promise.all([server.running.stop(), server.running.stop()]);
    await server.running.stop();
    expect((await other.client.health()).status).toBe('ok');
  });
});

describe('a client that disconnects', () => {
  test('stops the generation, and the turns are stored', async () => {
    const model = await startScriptedModel();
    model.reply({ chunks: ['一つ', '二つ'], hang: 2 });
    const server = await start(model);
    for await (const { event } of server.client.chat({ body: { conversationId: 'c', text: '話して' } })) {
      expect(event).toBe('token');
      break;
    }
    await vi.waitFor(() => expect(model.requests[0]?.isAbandoned).toBe(true));
    await vi.waitFor(async () => {
      const { items } = await server.client.listTurns({ ...MEMORY, conversationId: 'c' });
      expect(items.map(({ speaker }) => speaker)).toEqual(['ai', 'user']);
      expect(items[0]?.meta).toEqual({ interrupted: true });
    });
  });

  test('stops it without a port, too', async () => {
    const model = await startScriptedModel();
    model.reply({ chunks: ['一つ'], hang: 1 });
    const settings = { provider: 'endpoint', url: model.url, model: 'scripted' } as const;
    const server = openTestServer({ modelOverrides: { chat: settings, embedder: { provider: 'hashed' } } });
    for await (const _ of server.client.chat({ body: { text: '話して' } })) break;
    await vi.waitFor(() => expect(model.requests[0]?.isAbandoned).toBe(true));
  });
});

describe('starting', () => {
  test('continues waiting jobs', async () => {
    const dataDir = temporaryFolder();
    const settings = openTestSettings(dataDir);
    const first = await startTestServer({ dataDir, settings, worker: false });
    const turn = { conversationId: 'c', speaker: 'user', text: '吊り橋' };
    await first.client.ingestTurns({ ...MEMORY, body: { turns: [turn] } });
    await first.client.notify({
      body: { from: 'clock', message: '正午です。' },
      query: { memoryId: 'other' },
    });
    expect((await first.client.readStats(MEMORY)).jobs.queued).toBeGreaterThan(0);
    await first.running.stop();

    const model = await startScriptedModel();
    model.answer(() => 'お昼だね。');
    const chat = { provider: 'endpoint', url: model.url, model: 'scripted' } as const;
    const second = await startTestServer({
      dataDir,
      settings,
      worker: true,
      modelOverrides: { chat, embedder: { provider: 'hashed' } },
    });
    await vi.waitFor(
      async () => {
        const jobs = await second.client.listJobs({ ...MEMORY, query: { kind: 'embed' } });
        expect(jobs.items).toEqual([]);
        const { items } = await second.client.listUnits({ memoryId: 'other', query: { kinds: ['episode'] } });
        expect(items.map(({ payload }) => ('text' in payload ? payload.text : ''))).toContain('お昼だね。');
      },
      { timeout: 15_000 },
    );
  });

  test('skips a file that is not a memory, and reports it', async () => {
    const dataDir = temporaryFolder();
    writeFileSync(
      join(dataDir, 'memory_broken.db'),
      'this is not a database, but it is long enough to be one',
    );
    const server = await startTestServer({ dataDir });
    await vi.waitFor(() => expect(server.log.join('\n')).toContain('The memory broken cannot be opened'));
    const refused = server.client.readStats({ memoryId: 'broken' });
    await expect(refused).rejects.toMatchObject({ status: 500, code: 'NOT_A_MEMORY' });
    await expect(refused).rejects.not.toMatchObject({ message: expect.stringContaining(dataDir) as string });
  });

  test('fails when the port is in use', async () => {
    const first = await startTestServer();
    const { port } = first.running.address;
    await expect(startTestServer({ port })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });

  test('creates the folder of the memories', async () => {
    const dataDir = join(temporaryFolder(), 'not', 'there');
    const settings = openTestSettings(temporaryFolder());
    const server = await startTestServer({ dataDir, settings });
    expect(await server.client.health()).toMatchObject({ status: 'ok', writable: true });
    expect((await server.client.listMemories()).items).toEqual([]);
  });
});

describe('memories', () => {
  test.each([
    ['next to a worker', false],
    ['with a reorganisation at night', true],
  ])('%s stay open while in use, and are closed when idle', async (_what, worker) => {
    let now = Date.parse('2026-03-02T03:00:00Z');
    const server = openTestServer({ worker, now: () => now });
    const { memories } = server.parts;
    const held = await memories.acquire('held', {});
    for (let i = 0; i < 20; i += 1) {
      now += 1_000;
      (await memories.acquire(`m${i}`, {})).release();
    }
    await memories.closeUnused();
    expect(await memories.opened()).toHaveLength(21);
    now += 120_000;
    await memories.closeUnused();
    const open = (await memories.opened()).map(({ memoryId }) => memoryId);
    expect(open).toHaveLength(17);
    expect(open).toContain('held');
    expect(open).not.toContain('m0');
    await held.memory.add({ conversationId: 'c', speaker: 'user', text: '開いている' });
    held.release();
    const again = await memories.acquire('m0');
    expect((await again.memory.admin.info()).turns).toBe(0);
    again.release();
  });

  test('are released when the answer ends, however it ends', async () => {
    const model = await startScriptedModel();
    model.answer(() => 'はい。');
    const chat = { provider: 'endpoint', url: model.url, model: 'scripted' } as const;
    const server = openTestServer({ modelOverrides: { chat, embedder: { provider: 'hashed' } } });
    const { client, parts } = server;
    let held = 0;
    const acquire = parts.memories.acquire.bind(parts.memories);
    parts.memories.acquire = async (...request) => {
      const lease = await acquire(...request);
      held += 1;
      const release = () => {
        held -= 1;
        lease.release();
      };
      return { ...lease, release };
    };
    const turn = (text: string) => ({ conversationId: 'c', speaker: 'user', text });
    const inMemory = (memoryId: string) => ({ query: { memoryId }, body: { text: 'やあ' } });
    const messages = [{ role: 'user', content: 'やあ' }];
    const ways: Readonly<Record<string, (memoryId: string) => Promise<unknown>>> = {
      json: async (memoryId) => client.readStats({ memoryId }),
      refused: async (memoryId) => client.readUnit({ memoryId, unitId: 999 }).catch(() => null),
      chat: async (memoryId) => Array.fromAsync(client.chat(inMemory(memoryId))),
      leftChat: async (memoryId) => client.chat(inMemory(memoryId)).return?.(),
      exported: async (memoryId) => Array.fromAsync(client.exportMemory({ memoryId })),
      leftExport: async (memoryId) => {
        const turns = Array.from({ length: 200 }, (_, i) => turn(`話 ${i}`));
        for (let i = 0; i < 3; i += 1) await client.ingestTurns({ memoryId, body: { turns } });
        const headers = { authorization: `Bearer ${server.token}` };
        const response = await server.request(`/api/memories/${memoryId}/export`, { headers });
        const reader = response.body?.getReader();
        await reader?.read();
        await reader?.cancel();
      },
      completion: async (memoryId) =>
        (await client.createChatCompletion({ query: { memoryId }, body: { messages } })).text(),
      leftCompletion: async (memoryId) =>
        (
          await client.createChatCompletion({ query: { memoryId }, body: { messages, stream: true } })
        ).body?.cancel(),
      events: async (memoryId) => client.streamEvents({ query: { memoryId } }).return?.(),
    };
    for (const [memoryId, way] of Object.entries(ways)) {
      await client.ingestTurns({ memoryId, body: { turns: [turn('こんにちは')] } });
      await way(memoryId);
      await vi.waitFor(() => expect([memoryId, held]).toEqual([memoryId, 0]));
    }
  });

  test('with waiting jobs stay open', async () => {
    let now = Date.now();
    const server = openTestServer({ now: () => now });
    const { memories } = server.parts;
    const busy = await memories.acquire('busy', {});
    await busy.memory.add({ conversationId: 'c', speaker: 'user', text: '仕事がある' });
    busy.release();
    for (let i = 0; i < 20; i += 1) {
      now += 1_000;
      (await memories.acquire(`m${i}`, {})).release();
    }
    now += 120_000;
    await memories.closeUnused();
    expect((await memories.opened()).map(({ memoryId }) => memoryId)).toContain('busy');
  });

  test('requested at the same time are opened once', async () => {
    const { parts } = openTestServer();
    const leases = await Promise.all(Array.from({ length: 10 }, () => parts.memories.acquire('one', {})));
    expect(new Set(leases.map(({ memory }) => memory)).size).toBe(1);
    for (const lease of leases) lease.release();
  });

  test('that could not be opened are tried again', async () => {
    const { parts, dataDir } = openTestServer();
    const path = join(dataDir, 'memory_odd.db');
    mkdirSync(path);
    await expect(parts.memories.acquire('odd', {})).rejects.toBeInstanceOf(MemoryError);
    rmdirSync(path);
    (await parts.memories.acquire('odd', {})).release();
  });
});

test('sends JSON with its length, all headers of an answer, and nothing after it', async () => {
  const { running, settings } = await startTestServer();
  const { token } = settings.tokens.create({ name: 'test' });
  const ask = (path: string, init: RequestInit = {}) =>
    fetch(running.url + path, {
      ...init,
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        'x-request-id': 'trace-7',
      },
    });
  const turns = [{ conversationId: 'c', speaker: 'user', text: '那須塩原の吊り橋、すごく揺れたね。' }];
  expect(
    (await ask('/api/memories/default/turns', { method: 'POST', body: JSON.stringify({ turns }) })).status,
  ).toBe(200);
  const body = JSON.stringify({ utterance: '吊り橋' });
  for (const [path, init, status] of [
    ['/api/memories/default/recall', { method: 'POST', body }, 200],
    ['/api/memories/default/recall', { method: 'POST', body: '{}' }, 400],
    ['/api/health', {}, 200],
  ] as const) {
    const answer = await ask(path, init);
    const text = await answer.text();
    expect(answer.status).toBe(status);
    expect(JSON.parse(text)).toBeTypeOf('object');
    expect(answer.headers.get('content-length')).toBe(String(Buffer.byteLength(text)));
    expect(answer.headers.get('content-type')).toMatch(/^application\/(?:problem\+)?json$/);
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect(answer.headers.get('x-request-id')).toBe('trace-7');
  }
  const head = await ask('/api/health', { method: 'HEAD' });
  expect([head.status, await head.text()]).toEqual([200, '']);
});
