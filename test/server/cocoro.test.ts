/**
 * The protocol of Cocoro as its public document describes it (docs/api.md of hirona98/cocoro_ghost; names of the
 * versions with `/v1` and `/v2`). Requests are those that its clients send.
 */
import { once } from 'node:events';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { readEvents } from '../../src/serve/clientStream.ts';
import { startScriptedModel, type ScriptedModel } from '../scriptedModel/scriptedModel.ts';
import { startTestServer } from './testServer.ts';

const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

type Started = Awaited<ReturnType<typeof startTestServer>>;
interface Cocoro extends Started {
  readonly model: ScriptedModel;
  /** A request at the port for Cocoro, with the token unless another is given. */
  readonly send: (
    path: string,
    init?: { method?: string; body?: unknown; token?: string },
  ) => Promise<Response>;
}

async function start(given: Parameters<typeof startTestServer>[0] = {}): Promise<Cocoro> {
  const model = await startScriptedModel();
  model.answer(() => 'うん、覚えておくね。');
  const chat = { provider: 'endpoint', url: model.url, model: 'scripted' } as const;
  const modelOverrides = { chat, embedder: { provider: 'hashed' } } as const;
  const server = await startTestServer({ cocoroPort: 0, worker: true, modelOverrides, ...given });
  const { cocoroUrl } = server.running;
  const send: Cocoro['send'] = async (path, { method = 'GET', body, token = server.token } = {}) =>
    fetch(`${cocoroUrl}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  return { ...server, model, send };
}

async function chat({ send }: Cocoro, body: object): Promise<{ event: string; data: unknown }[]> {
  const events = [];
  for await (const { event, data } of readEvents(send('/api/chat', { method: 'POST', body })))
    events.push({ event, data });
  return events;
}

interface Opened {
  readonly socket: WebSocket;
  readonly messages: unknown[];
}

async function open({ running, token }: Cocoro, path: string, first?: object): Promise<Opened> {
  const socket = new WebSocket(`${running.cocoroUrl?.replace('http', 'ws')}${path}`, {
    headers: { authorization: `Bearer ${token}` },
  });
  onTestFinished(() => socket.terminate());
  const messages: unknown[] = [];
  socket.on('message', (data: Buffer) => void messages.push(JSON.parse(data.toString())));
  await once(socket, 'open');
  if (first) socket.send(JSON.stringify(first));
  return { socket, messages };
}

const HELLO = { type: 'hello', client_id: 'console-1', caps: ['vision.desktop', 'vision.camera'] };

test('serves the protocol only when a port for it is set', async () => {
  expect((await startTestServer()).running.cocoroUrl).toBeNull();
});

describe('/api/health and /', () => {
  test('answer without a token', async () => {
    const { send } = await start();
    expect(await (await send('/api/health', { token: 'none' })).json()).toEqual({ status: 'healthy' });
    expect(await (await send('/', { token: 'none' })).json()).toEqual({
      message: expect.any(String) as string,
    });
  });

  test.each([
    ['POST', '/api/chat'],
    ['POST', '/api/v1/notification'],
    ['POST', '/api/v2/meta-request'],
    ['GET', '/api/settings'],
    ['PUT', '/api/settings'],
    ['GET', '/api/memories/default/units'],
  ])('%s %s needs a token', async (method, path) => {
    const { send } = await start();
    const response = await send(path, { method, token: 'wrong', ...(method !== 'GET' && { body: {} }) });
    expect(response.status).toBe(401);
  });
});

describe('/api/chat', () => {
  test.each([
    ['/v2', { embedding_preset_id: 'default', client_id: 'console-1', input_text: '明日は歯医者なんだ。' }],
    ['/v1', { user_text: '明日は歯医者なんだ。' }],
  ])('answers token by token, then done (names of %s)', async (_, body) => {
    const server = await start();
    const events = await chat(server, body);
    expect(events.length).toBeGreaterThan(1);
    const tokens = events.slice(0, -1);
    expect(tokens.every(({ event }) => event === 'token')).toBe(true);
    expect(tokens.map(({ data }) => (data as { text: string }).text).join('')).toBe('うん、覚えておくね。');
    const done = events.at(-1);
    const id = expect.any(Number) as number;
    const data = { event_id: id, episode_unit_id: id, reply_text: 'うん、覚えておくね。', usage: {} };
    expect(done).toEqual({ event: 'done', data });
    const turns = await server.client.listUnits({ memoryId: 'default', query: { kinds: ['episode'] } });
    expect(turns.items.map((unit) => unit.kind === 'episode' && unit.payload.text)).toContain(
      '明日は歯医者なんだ。',
    );
  });

  test('continues after the last message, and includes the client’s context', async () => {
    const server = await start();
    await chat(server, {
      input_text: '花は甲殻類が食べられないんだ。',
      client_id: 'console-1',
      client_context: { active_app: 'Slack', window_title: '#general', locale: 'ja-JP' },
    });
    await chat(server, { input_text: '何が食べられないって言った？', client_context: null, images: null });
    expect(JSON.stringify(server.model.requests.at(-1))).toContain('花は甲殻類が食べられないんだ。');
    const { items } = await server.client.listConversations({ memoryId: 'default' });
    expect(items).toHaveLength(1);
    const conversationId = items[0]?.conversationId ?? '';
    const turns = await server.client.listTurns({ memoryId: 'default', conversationId });
    expect(turns.items.map(({ meta }) => meta)).toContainEqual({
      clientContext: {
        active_app: 'Slack',
        window_title: '#general',
        locale: 'ja-JP',
        client_id: 'console-1',
      },
    });
  });

  test('takes images as base64, and skips invalid ones', async () => {
    const server = await start();
    const images = [
      { type: 'desktop_capture', base64: PNG },
      { type: 'image', base64: '' },
      { type: 'image' },
    ];
    const events = await chat(server, { input_text: 'これ見て', images });
    expect(events.at(-1)?.event).toBe('done');
    expect(JSON.stringify(server.model.requests.at(-1))).toContain(`data:image/png;base64,${PNG}`);
  });

  test('a client that disconnects stops the model, and the turns are stored', async () => {
    const server = await start();
    server.model.answer(() => ({ chunks: Array.from({ length: 1_000 }, () => 'うん。'), chunkDelayMs: 20 }));
    const leaving = new AbortController();
    const response = await fetch(`${server.running.cocoroUrl}/api/chat`, {
      method: 'POST',
      headers: { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ input_text: '長い話をして。' }),
      signal: leaving.signal,
    });
    await response.body?.getReader().read();
    leaving.abort();
    const answering = () =>
      server.model.requests.find(
        ({ body }) => body['stream'] === true && JSON.stringify(body).includes('長い話'),
      );
    await vi.waitFor(() => expect(answering()?.isAbandoned).toBe(true), 10_000);
    const { items } = await server.client.listUnits({ memoryId: 'default', query: { kinds: ['episode'] } });
    expect(items.map((unit) => unit.kind === 'episode' && unit.payload.text)).toContain('長い話をして。');
  });

  test('uses the named memory', async () => {
    const server = await start();
    await chat(server, { embedding_preset_id: 'sora', input_text: '空の話' });
    await chat(server, { memory_id: 'umi', user_text: '海の話' });
    const { items } = await server.client.listMemories();
    expect(items.map(({ memoryId }) => memoryId).toSorted()).toEqual(['sora', 'umi']);
  });

  test('without a model the turn is stored, and the error says why', async () => {
    const server = await start({ modelOverrides: { embedder: { provider: 'hashed' } } });
    const events = await chat(server, { input_text: '聞こえる？' });
    const data = { code: 'NO_MODEL', message: expect.any(String) as string };
    expect(events).toEqual([{ event: 'error', data }]);
  });

  test('rejects a request without text', async () => {
    const { send } = await start();
    for (const body of [{}, { input_text: null }, { input_text: '' }, [], 'text']) {
      const response = await send('/api/chat', { method: 'POST', body });
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({ detail: expect.any(String) as string });
    }
  });
});

describe('/api/events/stream', () => {
  test('sends notifications and meta requests to a client of /v1', async () => {
    const server = await start();
    const { messages } = await open(server, '/api/events/stream');
    const image = `data:image/png;base64,${PNG}`;
    const notified = { from: 'gmail', message: '荷物が届きました。', images: [image] };
    const asked = { prompt: '直近のニュースについて話して。' };
    for (const [path, body] of [
      ['/api/v1/notification', notified],
      ['/api/v1/meta_request', asked],
    ] as const) {
      const response = await server.send(path, { method: 'POST', body });
      expect([response.status, await response.text()]).toEqual([204, '']);
    }
    await vi.waitFor(() => expect(messages).toHaveLength(2), 5_000);
    const unit = { unit_id: expect.any(Number) as number, event_id: expect.any(Number) as number };
    expect(messages).toEqual(
      expect.arrayContaining([
        {
          ...unit,
          type: 'notification',
          data: { system_text: '[gmail] 荷物が届きました。', message: 'うん、覚えておくね。' },
        },
        { ...unit, type: 'meta_request', data: { message: 'うん、覚えておくね。' } },
      ]),
    );
  });

  test('sends them under their newer names to a client of /v2 after its hello, including earlier ones', async () => {
    const server = await start();
    const early = await open(server, '/api/events/stream', HELLO);
    const notified = { source_system: 'MyApp', text: '処理完了' };
    const asked = { instruction: '内容を説明してください。', payload_text: '～ニュース内容～' };
    await server.send('/api/v2/notification', { method: 'POST', body: notified });
    await vi.waitFor(() => expect(early.messages).toHaveLength(1), 5_000);
    await server.send('/api/v2/meta-request', { method: 'POST', body: asked });
    await vi.waitFor(() => expect(early.messages).toHaveLength(2), 5_000);
    expect(early.messages).toMatchObject([
      { type: 'notification', data: { system_text: '[MyApp] 処理完了', message: 'うん、覚えておくね。' } },
      { type: 'meta-request', data: { message: 'うん、覚えておくね。' } },
    ]);
    const prompts = JSON.stringify(server.model.requests);
    expect(prompts).toContain('～ニュース内容～');
    const late = await open(server, '/api/events/stream', HELLO);
    await vi.waitFor(() => expect(late.messages).toEqual(early.messages), 5_000);
  });

  test('ignores messages that are not a hello', async () => {
    const server = await start();
    const { socket, messages } = await open(server, '/api/events/stream');
    for (const words of ['', '{', '[]', '{"type":"other"}', '{"type":"hello"}']) socket.send(words);
    socket.send(Buffer.from([0xff, 0xfe]));
    socket.send(JSON.stringify(HELLO));
    await server.send('/api/v2/notification', { method: 'POST', body: { source_system: 'a', text: 'b' } });
    await vi.waitFor(() => expect(messages).toHaveLength(1), 5_000);
    expect(socket.readyState).toBe(WebSocket.OPEN);
  });

  test.each(['/api/events/stream', '/api/logs/stream'])('%s needs a token', async (path) => {
    const { running } = await start();
    const socket = new WebSocket(`${running.cocoroUrl?.replace('http', 'ws')}${path}`);
    const [, response] = (await once(socket, 'unexpected-response')) as [unknown, { statusCode: number }];
    socket.on('error', () => {});
    socket.terminate();
    expect(response.statusCode).toBe(401);
  });

  test('a page of another origin can open neither stream', async () => {
    const { running, token } = await start();
    for (const path of ['/api/events/stream', '/api/logs/stream']) {
      const headers = { authorization: `Bearer ${token}`, origin: 'https://evil.example' };
      const socket = new WebSocket(`${running.cocoroUrl?.replace('http', 'ws')}${path}`, { headers });
      const [, response] = (await once(socket, 'unexpected-response')) as [unknown, { statusCode: number }];
      socket.on('error', () => {});
      socket.terminate();
      expect(response.statusCode).toBe(403);
    }
  });
});

test('/api/logs/stream sends the last lines and each new one', async () => {
  const server = await start();
  await server.send('/api/settings');
  const { messages } = await open(server, '/api/logs/stream');
  await vi.waitFor(() => expect(messages.length).toBeGreaterThan(0));
  expect(messages[0]).toEqual({
    ts: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?\+00:00$/) as string,
    level: expect.stringMatching(/^(?:INFO|WARNING|ERROR|DEBUG)$/) as string,
    logger: expect.any(String) as string,
    msg: expect.any(String) as string,
  });
  const before = messages.length;
  await chat(server, { input_text: 'ログには出ない言葉' });
  await vi.waitFor(() => expect(messages.length).toBeGreaterThan(before));
  expect(JSON.stringify(messages)).toContain('POST /api/chat');
  expect(JSON.stringify(messages)).not.toContain('ログには出ない言葉');
});

test('/api/logs/stream sends nothing to a revoked token', async () => {
  const server = await start();
  const guest = server.settings.tokens.create({ name: 'guest' });
  const socket = new WebSocket(`${server.running.cocoroUrl?.replace('http', 'ws')}/api/logs/stream`, {
    headers: { authorization: `Bearer ${guest.token}` },
  });
  await once(socket, 'open');
  const closed = once(socket, 'close');
  server.settings.tokens.revoke(guest.id);
  await server.send('/api/settings');
  expect((await closed)[0]).toBe(1008);
});

describe('/api/settings', () => {
  const LLM = {
    llm_preset_id: '11111111-1111-4111-8111-111111111111',
    llm_preset_name: 'main',
    llm_api_key: 'sk-secret-key',
    llm_model: 'openrouter/openai/gpt-5-mini',
    reasoning_effort: 'low',
    llm_base_url: null,
    max_turns_window: 12,
    max_tokens: 4_096,
    image_model_api_key: null,
    image_model: 'openrouter/google/gemini-2.5-flash',
    image_llm_base_url: null,
    max_tokens_vision: 512,
    image_timeout_seconds: 20,
  };
  const LOCAL = {
    ...LLM,
    llm_preset_id: '22222222-2222-4222-8222-222222222222',
    llm_preset_name: 'at home',
    llm_api_key: '',
    llm_model: 'openai/qwen3',
    reasoning_effort: null,
    llm_base_url: 'http://127.0.0.1:11434/v1',
    image_model: '',
  };
  const FULL = {
    exclude_keywords: ['秘密.*'],
    memory_enabled: true,
    desktop_watch_enabled: false,
    desktop_watch_interval_seconds: 300,
    desktop_watch_target_client_id: null,
    reminders_enabled: false,
    reminders: [],
    active_llm_preset_id: LLM.llm_preset_id,
    active_embedding_preset_id: 'sora',
    active_persona_preset_id: 'p1',
    active_addon_preset_id: 'a1',
    llm_preset: [LLM, LOCAL],
    embedding_preset: [
      {
        embedding_preset_id: 'sora',
        embedding_preset_name: '空',
        embedding_model_api_key: null,
        embedding_model: 'openai/text-embedding-3-large',
        embedding_base_url: null,
        embedding_dimension: 1_536,
        similar_episodes_limit: 10,
      },
    ],
    persona_preset: [{ persona_preset_id: 'p1', persona_preset_name: '空', persona_text: '君は空。' }],
    addon_preset: [{ addon_preset_id: 'a1', addon_preset_name: '約束', addon_text: 'やさしく話す。' }],
  };

  async function put(
    { send }: Cocoro,
    body: object,
  ): Promise<{ status: number; settings: Record<string, unknown> }> {
    const response = await send('/api/settings', { method: 'PUT', body });
    return { status: response.status, settings: (await response.json()) as Record<string, unknown> };
  }

  test('has every documented field from the beginning', async () => {
    const { send } = await start();
    const settings = (await (await send('/api/settings')).json()) as object;
    expect(Object.keys(settings).toSorted()).toEqual(
      [...Object.keys(FULL), 'active_contract_preset_id', 'contract_preset'].toSorted(),
    );
  });

  test('returns what was put, except the keys', async () => {
    const server = await start();
    const { status, settings } = await put(server, FULL);
    expect(status).toBe(200);
    expect(settings).toMatchObject({
      exclude_keywords: ['秘密.*'],
      reminders_enabled: false,
      active_llm_preset_id: LLM.llm_preset_id,
      active_embedding_preset_id: 'sora',
      active_persona_preset_id: 'p1',
      active_addon_preset_id: 'a1',
      llm_preset: [
        { ...LLM, llm_api_key: '', image_model_api_key: '' },
        { llm_model: 'openai/qwen3', llm_base_url: 'http://127.0.0.1:11434/v1', image_model: '' },
      ],
      embedding_preset: [{ embedding_preset_id: 'sora', embedding_preset_name: '空' }],
      persona_preset: FULL.persona_preset,
      addon_preset: FULL.addon_preset,
    });
    expect(JSON.stringify(settings)).not.toContain('sk-secret-key');
    expect(await (await server.send('/api/settings')).json()).toEqual(settings);
  });

  test('changes Omoide’s own settings', async () => {
    const server = await start();
    await put(server, FULL);
    const kept = server.settings.get();
    expect(kept.presets.llm).toMatchObject([
      {
        id: LLM.llm_preset_id,
        settings: {
          url: 'https://openrouter.ai/api/v1',
          model: 'openai/gpt-5-mini',
          apiKey: 'sk-secret-key',
          maxOutputTokens: 4_096,
          extraBody: { reasoning_effort: 'low' },
        },
      },
      {
        id: `${LLM.llm_preset_id}.image`,
        settings: { model: 'google/gemini-2.5-flash', apiKey: 'sk-secret-key', timeoutMs: 20_000 },
      },
      { id: LOCAL.llm_preset_id, settings: { url: 'http://127.0.0.1:11434/v1', model: 'qwen3' } },
    ]);
    expect(kept.active).toMatchObject({
      chat: LLM.llm_preset_id,
      vision: `${LLM.llm_preset_id}.image`,
      persona: 'p1',
      contract: 'a1',
    });
    expect(kept.budgets.recentTurns).toBe(12);
    expect(kept.reminders.enabled).toBe(false);
    await chat(server, { input_text: '誰？' });
    expect(JSON.stringify(server.model.requests.at(-1))).toContain('君は空。');
    expect((await server.client.listMemories()).items.map(({ memoryId }) => memoryId)).toEqual(['sora']);
  });

  test('what was read can be put back unchanged, and the keys stay', async () => {
    const server = await start();
    const { settings } = await put(server, FULL);
    const before = server.settings.get();
    expect((await put(server, settings)).settings).toEqual(settings);
    expect(server.settings.get()).toEqual(before);
  });

  test('accepts the older names of the protocol, too', async () => {
    const server = await start();
    const { addon_preset: _, active_addon_preset_id: __, ...older } = FULL;
    const contract_preset = [
      { contract_preset_id: 'c1', contract_preset_name: '約束', contract_text: '嘘をつかない。' },
    ];
    const { settings } = await put(server, { ...older, contract_preset, active_contract_preset_id: 'c1' });
    expect(settings).toMatchObject({ contract_preset, active_contract_preset_id: 'c1' });
    expect(server.settings.get().presets.contract).toEqual([
      { id: 'c1', name: '約束', text: '嘘をつかない。' },
    ]);
  });

  test('with memory switched off, no units are stored', async () => {
    const server = await start();
    await put(server, { ...FULL, memory_enabled: false });
    await chat(server, { input_text: '覚えなくていいよ。' });
    const { items } = await server.client.listUnits({ memoryId: 'sora', query: {} });
    expect(items).toEqual([]);
  });

  test.each([
    [
      'an id occurs twice',
      { persona_preset: [...FULL.persona_preset, ...FULL.persona_preset] },
      'persona_preset',
    ],
    ['the active preset is unknown', { active_persona_preset_id: 'other' }, 'other'],
    ['a model names no server', { llm_preset: [{ ...LLM, llm_model: 'nowhere/model' }] }, 'nowhere/model'],
    [
      'a field is not text',
      { persona_preset: [{ ...FULL.persona_preset[0], persona_text: 7 }] },
      'persona_text',
    ],
    [
      'the name of a memory is invalid',
      {
        embedding_preset: [{ embedding_preset_id: '../x', embedding_preset_name: 'x' }],
        active_embedding_preset_id: '../x',
      },
      'cocoro',
    ],
  ])('rejects a change when %s, and changes nothing', async (_, wrong, named) => {
    const server = await start();
    await put(server, FULL);
    const before = server.settings.get();
    const response = await server.send('/api/settings', { method: 'PUT', body: { ...FULL, ...wrong } });
    expect(response.status).toBe(400);
    expect(((await response.json()) as { detail: string }).detail).toContain(named);
    expect(server.settings.get()).toEqual(before);
  });

  test('is open to the operator only', async () => {
    const server = await start();
    const { token } = server.settings.tokens.create({ name: 'guest', memoryId: 'mine' });
    expect((await server.send('/api/settings', { token })).status).toBe(403);
    expect((await server.send('/api/settings', { method: 'PUT', body: FULL, token })).status).toBe(403);
  });
});

describe('/api/memories/{memory_id}/units', () => {
  test('lists, reads and changes units', async () => {
    const server = await start({ worker: false });
    await chat(server, { input_text: '那須の吊り橋に行きたい。' });
    const list = await server.send('/api/memories/default/units?kind=EPISODE&limit=10&offset=0');
    const { items } = (await list.json()) as {
      items: { unit_id: number; kind: string; topic_tags: string }[];
    };
    expect(items).toHaveLength(2);
    const path = `/api/memories/default/units/${items[1]?.unit_id}`;
    const body = { pin: true, salience: 0.9, topic_tags: '["旅行","吊り橋"]' };
    const changed = (await (await server.send(path, { method: 'PATCH', body })).json()) as {
      topic_tags: string;
    };
    expect(changed).toMatchObject({ pinned: true, salience: 0.9 });
    expect((JSON.parse(changed.topic_tags) as string[]).toSorted()).toEqual(['吊り橋', '旅行']);
    expect(await (await server.send(path)).json()).toEqual(changed);
    const page = await server.send('/api/memories/default/units?kind=episode&limit=1&offset=1');
    expect(await page.json()).toEqual({ items: [changed] });
    expect((await server.send('/api/memories/default/units?limit=x')).status).toBe(400);
    expect((await server.send('/api/memories/default/units/999')).status).toBe(404);
    expect((await server.send(path, { method: 'PATCH', body: { salience: 7 } })).status).toBe(400);
  });
});
