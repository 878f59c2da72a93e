import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { startScriptedModel } from '../scriptedModel/scriptedModel.ts';
import { openTestServer, type TestServer } from './testServer.ts';

const MEMORY = { memoryId: 'default' };
const KEY = 'sk-test-0123456789-very-secret';

const preset = (id: string, url: string, apiKey?: string) => ({
  id,
  name: id,
  settings: { provider: 'endpoint', url, model: `model-${id}`, ...(apiKey && { apiKey }) } as const,
});

async function say({ client }: TestServer, text: string): Promise<string> {
  const events = await Array.fromAsync(client.chat({ body: { conversationId: 'c', text } }));
  return events.map(({ event, data }) => (event === 'token' ? data.text : '')).join('');
}

test('model, persona and budgets apply from the next request on', async () => {
  const [first, second] = [await startScriptedModel(), await startScriptedModel()];
  first.answer(() => 'first');
  second.answer(() => 'second');
  const server = openTestServer();
  const { client } = server;
  const failed = await Array.fromAsync(client.chat({ body: { conversationId: 'c', text: 'だれかいる？' } }));
  expect(failed.at(-1)).toMatchObject({ event: 'error', data: { code: 'NO_MODEL' } });

  const llm = [preset('a', first.url, KEY), preset('b', second.url)];
  await client.changeSettings({ body: { presets: { llm }, active: { chat: 'a' } } });
  expect(await say(server, 'やあ')).toBe('first');
  expect(first.requests[0]?.headers.authorization).toBe(`Bearer ${KEY}`);
  expect(await client.health()).toMatchObject({ models: { chat: true, light: true, vision: false } });

  const persona = [{ id: 'p', name: 'Yuki', text: 'あなたはユキです。' }];
  await client.changeSettings({ body: { presets: { persona }, active: { chat: 'b', persona: 'p' } } });
  expect(await say(server, 'やあ')).toBe('second');
  expect(JSON.stringify(second.chats[0])).toContain('あなたはユキです。');
  expect(second.requests[0]?.headers.authorization).toBeUndefined();

  await client.changeSettings({ body: { active: { chat: null } } });
  expect(await client.health()).toMatchObject({ models: { chat: false } });
});

test('a memory can have its own model, persona and language, changed while it is in use', async () => {
  const [common, own] = [await startScriptedModel(), await startScriptedModel()];
  common.answer(() => 'common');
  own.answer(() => 'own');
  const { client } = openTestServer();
  const llm = [preset('a', common.url), preset('b', own.url)];
  const persona = [
    { id: 'yuki', name: 'Yuki', text: 'You are Yuki.' },
    { id: 'sora', name: 'Sora', text: 'You are Sora.' },
  ];
  const active = { chat: 'a', persona: 'yuki' };
  await client.changeSettings({ body: { presets: { llm, persona }, active } });
  const sayTo = async (memoryId: string) => {
    const body = { conversationId: 'c', text: 'Hello there, how are you today?' };
    const events = await Array.fromAsync(client.chat({ query: { memoryId }, body }));
    return events.map(({ event, data }) => (event === 'token' ? data.text : '')).join('');
  };
  await client.changeSettings({
    body: { memories: { sora: { chat: 'b', persona: 'sora', language: 'ja' } } },
  });
  expect(await sayTo('yuki')).toBe('common');
  expect(await sayTo('sora')).toBe('own');
  expect(JSON.stringify(common.chats)).toContain('You are Yuki.');
  expect(JSON.stringify(own.chats)).toContain('You are Sora.');
  expect(JSON.stringify(own.chats)).toMatch(/[ぁ-ん]/);
  await client.changeSettings({ body: { memories: { sora: { persona: 'sora' } } } });
  expect(await sayTo('sora')).toBe('common');
  await client.changeSettings({ body: { memories: { sora: null } } });
  expect((await client.readSettings()).memories).toEqual({});
  const wrong = client.changeSettings({ body: { memories: { sora: { chat: 'none-such' } } } });
  await expect(wrong).rejects.toMatchObject({ status: 400 });
});

test('a key appears nowhere: not in answers, errors, metrics, the log or the trace', async () => {
  const model = await startScriptedModel();
  // Some servers repeat the key in their error message.
  model.reply({ status: 401, body: { error: { message: `Incorrect API key provided: ${KEY}` } } });
  const server = openTestServer();
  const { client, log, dataDir, token, request } = server;
  const seen: string[] = [];
  const keep = (value: unknown) => void seen.push(JSON.stringify(value));
  const llm = [preset('a', model.url, KEY)];
  keep(await client.changeSettings({ body: { presets: { llm }, active: { chat: 'a' }, trace: true } }));
  keep(await Array.fromAsync(client.chat({ body: { text: 'やあ' } })));
  keep(await client.readSettings());
  const refused = [
    { presets: { llm: [{ ...llm[0], settings: { ...llm[0]!.settings, temperature: 9 } }] } },
    { presets: { llm: [{ ...llm[0], settings: { apiKey: KEY, [KEY.slice(0, 2)]: 1 } }] } },
    { active: { chat: 'nobody' }, presets: { llm } },
  ];
  for (const body of refused) {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const response = await request('/api/settings', { method: 'PATCH', headers, body: JSON.stringify(body) });
    expect(response.status).toBe(400);
    seen.push(await response.text());
  }
  seen.push(await client.metrics(), log.join('\n'), readFileSync(join(dataDir, 'trace.jsonl'), 'utf8'));
  expect(seen.join('\n')).toContain('model-a');
  expect(seen.join('\n')).not.toContain('very-secret');
  expect((await client.readSettings()).presets.llm[0]?.settings).toMatchObject({ hasKey: true });
});

test('traces only when the settings enable it', async () => {
  const model = await startScriptedModel();
  model.answer(() => 'はい');
  const server = openTestServer();
  const trace = join(server.dataDir, 'trace.jsonl');
  await server.client.changeSettings({
    body: { presets: { llm: [preset('a', model.url)] }, active: { chat: 'a' } },
  });
  await say(server, '一つ目');
  expect(existsSync(trace)).toBe(false);
  await server.client.changeSettings({ body: { trace: true } });
  await say(server, '二つ目');
  expect(readFileSync(trace, 'utf8')).toContain('二つ目');
  await server.client.changeSettings({ body: { trace: false } });
  await say(server, '三つ目');
  expect(readFileSync(trace, 'utf8')).not.toContain('三つ目');
});

test('a model that cannot be opened is logged, and everything else works', async () => {
  const { client, log } = openTestServer();
  const broken = {
    id: 'x',
    name: 'x',
    settings: {
      provider: 'endpoint',
      url: 'http://127.0.0.1:9/v1',
      model: 'm',
      apiKeyEnv: 'OMOIDE_KEY_NO_SUCH',
    } as const,
  };
  await client.changeSettings({ body: { presets: { llm: [broken] }, active: { chat: 'x' } } });
  expect(log.join('\n')).toContain('OMOIDE_KEY_NO_SUCH');
  expect(await client.health()).toMatchObject({ status: 'ok', models: { chat: false } });
});

test('another embedder rebuilds the vectors while the current ones serve, across a restart, too', async () => {
  const model = await startScriptedModel();
  const settings = { provider: 'endpoint', url: model.url, model: 'embedding' } as const;
  const first = openTestServer({ worker: true, modelOverrides: {} });
  const { dataDir, client } = first;
  const embedding = [
    { id: 'hashed', name: 'hashed', settings: { provider: 'hashed' } as const },
    { id: 'remote', name: 'remote', settings },
  ];
  await client.changeSettings({ body: { presets: { embedding }, active: { embedding: 'hashed' } } });
  const turns = ['吊り橋', '温泉', '京都'].map((text) => ({ conversationId: 'c', speaker: 'user', text }));
  await client.ingestTurns({ ...MEMORY, body: { turns } });
  await vi.waitFor(async () => {
    const { vectorModel } = await client.readStats(MEMORY);
    expect(vectorModel?.id).toBe('omoide-hashed-v1');
    expect(vectorModel?.count).toBeGreaterThanOrEqual(3);
  });
  await first.parts.memories.stop(1_000);

  // Chosen while the server is stopped: the current vectors serve until the new ones are ready.
  await first.settings.change({ active: { embedding: 'remote' } });
  const second = openTestServer({ dataDir, settings: first.settings, worker: false, modelOverrides: {} });
  const recalled = await second.client.recall({ ...MEMORY, body: { utterance: '温泉' } });
  expect(recalled.metadata.vectors).toBe('used');
  expect((await second.client.readStats(MEMORY)).embedder).toBe('omoide-hashed-v1');
  await second.parts.memories.stop(1_000);

  const third = openTestServer({ dataDir, settings: first.settings, worker: true, modelOverrides: {} });
  await vi.waitFor(
    async () => {
      const stats = await third.client.readStats(MEMORY);
      expect(stats.embedder).toContain('embedding');
      expect(stats.vectorModel).toMatchObject({ id: stats.embedder });
      expect(stats.vectorModel?.count).toBeGreaterThanOrEqual(3);
      expect(stats.nextVectorModel).toBeNull();
    },
    { timeout: 10_000 },
  );
});

test('a change of the settings cannot name any environment variable or address', async () => {
  const server = openTestServer({ modelAccess: { keyVariables: ['MY_KEY'], modelHosts: ['169.254.1.1'] } });
  const { client } = server;
  const change = async (settings: object) => {
    const llm = [{ id: 'a', name: 'a', settings: { provider: 'endpoint', model: 'm', ...settings } }];
    return client.changeSettings({ body: { presets: { llm } } as never });
  };
  const url = 'http://127.0.0.1:9/v1';
  const refused = [
    { url, apiKeyEnv: 'PATH' },
    { url, apiKeyEnv: 'OMOIDE_TOKEN' },
    // The usual variable, but at another address.
    { url, apiKeyEnv: 'OPENAI_API_KEY' },
    { url: 'http://169.254.169.254/v1' },
    { url: 'http://2852039166/v1' },
    { url: 'http://[::ffff:169.254.169.254]/v1' },
    { url: 'http://[fe80::1]/v1' },
  ];
  for (const settings of refused)
    await expect(change(settings)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  expect((await client.readSettings()).presets.llm).toEqual([]);
  const allowed = [
    { url, apiKeyEnv: 'OMOIDE_KEY_LOCAL' },
    { url, apiKeyEnv: 'MY_KEY' },
    { url: 'https://api.openai.com/v1', apiKeyEnv: 'OPENAI_API_KEY' },
    { url: 'http://169.254.1.1/v1' },
  ];
  for (const settings of allowed) expect((await change(settings)).presets.llm).toMatchObject([{ settings }]);
});

test('other settings stay when one is changed', async () => {
  const { client, settings } = openTestServer();
  const llm = [
    {
      id: 'a',
      name: 'a',
      settings: {
        provider: 'endpoint',
        url: 'http://127.0.0.1:9/v1',
        model: 'm',
        apiKeyEnv: 'MINE',
      } as const,
    },
  ];
  await settings.change({ presets: { llm } });
  await client.changeSettings({ body: { presets: { llm: [{ ...llm[0]!, name: 'b' }] } } });
  const moved = { ...llm[0]!, settings: { ...llm[0]!.settings, url: 'http://127.0.0.1:8/v1' } };
  await expect(client.changeSettings({ body: { presets: { llm: [moved] } } })).rejects.toMatchObject({
    code: 'INVALID_INPUT',
  });
});
