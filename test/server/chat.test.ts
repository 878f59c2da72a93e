import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { minimalReply } from '../companion/minimalReply.ts';
import {
  promptText,
  schemaName,
  startScriptedModel,
  type ScriptedModel,
} from '../scriptedModel/scriptedModel.ts';
import { startTestServer } from './testServer.ts';

type Server = Awaited<ReturnType<typeof startTestServer>> & { readonly model: ScriptedModel };

async function start(given: Parameters<typeof startTestServer>[0] = {}): Promise<Server> {
  const model = await startScriptedModel();
  onTestFinished(() => model.close());
  const chat = {
    provider: 'endpoint',
    url: model.url,
    model: 'scripted',
    apiKey: 'sk-secret',
    retries: 0,
  } as const;
  const server = await startTestServer({
    modelOverrides: { chat, embedder: { provider: 'hashed' } },
    ...given,
  });
  return { ...server, model };
}

interface Heard {
  readonly event: string;
  readonly data: Record<string, unknown>;
}

async function chat(
  { client }: Server,
  body: Parameters<Server['client']['chat']>[0]['body'],
): Promise<Heard[]> {
  const heard: Heard[] = [];
  for await (const { event, data } of client.chat({ body })) heard.push({ event, data: { ...data } });
  return heard;
}

async function turns({ client }: Server, conversationId: string): Promise<string[]> {
  const { items } = await client.listTurns({ memoryId: 'default', conversationId });
  return items.map(({ speaker, text }) => `${speaker}: ${text}`).toReversed();
}

/** The complete text of the nth request to the model; negative: from the last. */
function sent({ model }: Server, nth = -1): string {
  return JSON.stringify(model.chats.at(nth)?.['messages']);
}

describe.each([
  [
    'ja',
    '来週の火曜に那須塩原の吊り橋を見に行くんだ。',
    'いいですね。',
    '那須塩原の吊り橋はいつ見に行くんだっけ？',
  ],
  ['zh', '我下周二要去张家界看玻璃桥。', '真好。', '我什么时候去张家界看玻璃桥？'],
  [
    'en',
    'I am going to see the bridge at Capilano.',
    'Nice.',
    'When am I going to see the bridge at Capilano?',
  ],
])('a chat in %s', (_language, told, reply, asked) => {
  test('is streamed as events, stored, and remembered in the next', async () => {
    const server = await start();
    server.model.answer(() => reply);
    const heard = await chat(server, { text: told, conversationId: 'c1' });
    expect(heard.map(({ event }) => event)).toEqual([...heard.slice(1).map(() => 'token'), 'done']);
    expect(heard.map(({ data }) => (data['text'] as string | undefined) ?? '').join('')).toBe(reply);
    expect(heard.at(-1)?.data).toMatchObject({
      conversationId: 'c1',
      userUnitId: expect.any(Number) as number,
      replyUnitId: expect.any(Number) as number,
      usage: { inputTokens: 10, outputTokens: 5 },
    });
    expect(await turns(server, 'c1')).toEqual([`user: ${told}`, `ai: ${reply}`]);
    const next = await chat(server, { text: asked, conversationId: 'c2', withMemory: true });
    expect(next[0]?.event).toBe('memory');
    expect(next[0]?.data['text']).toContain(told.slice(0, 8));
    expect(sent(server)).toContain(told.slice(0, 8));
  });
});

describe.each([
  ['ja', 'えびアレルギーがあるんだ。', 'アレルギー', 'えび', 'こんばんは。'],
  ['zh', '我对花生过敏。', '过敏原', '花生', '晚上好。'],
  ['en', 'I am allergic to shellfish.', 'is allergic to', 'shellfish', 'Good evening.'],
])('a fact learnt in %s', (_language, told, predicate, object, later) => {
  test('is in the pack of a later chat on any subject', async () => {
    const server = await start({ worker: true });
    const blank = { validFrom: null, validTo: null, confidence: 0.9, contradicts: null };
    const facts = [{ subject: 'user', predicate, object, quote: told, ...blank }];
    server.model.answer((body) => {
      const least = minimalReply(body);
      const isTold = schemaName(body) === 'learnt' && promptText(body).includes(told);
      return isTold ? { json: { ...Object(least?.json), facts } } : (least ?? 'OK');
    });
    await chat(server, { text: told, conversationId: 'c1' });
    await vi.waitFor(
      async () => expect((await server.client.listFacts({ memoryId: 'default' })).items).toHaveLength(1),
      { timeout: 10_000 },
    );
    const heard = await chat(server, { text: later, conversationId: 'c2', withMemory: true });
    const pack = String(heard[0]?.data['text']);
    expect(pack.slice(pack.indexOf('[STABLE_FACTS]'))).toContain(object);
    expect(
      server.model.chats
        .filter((body) => schemaName(body) === null)
        .map((body) => promptText(body))
        .at(-1),
    ).toContain(pack);
  });
});

test('the recent conversation comes from the memory, also after a restart', async () => {
  const first = await start();
  first.model.answer(() => 'Noted.');
  await chat(first, { text: 'My cat is called Tofu.', conversationId: 'c1' });
  await first.running.stop();
  const second = await start({ dataDir: first.dataDir, settings: first.settings });
  second.model.answer(() => 'Tofu.');
  await chat(second, { text: 'What is she called?', conversationId: 'c1' });
  expect(second.model.chats[0]?.['messages']).toMatchObject([
    { role: 'system' },
    { role: 'user', content: 'My cat is called Tofu.' },
    { role: 'assistant', content: 'Noted.' },
    { role: 'user', content: 'What is she called?' },
  ]);
});

test('a client that disconnects ends the generation, and the turns are stored', async () => {
  const server = await start();
  server.model.reply({ chunks: ['Once ', 'upon ', 'a time'], hang: 2 });
  const leaving = new AbortController();
  const answer = await server.request('/api/chat', {
    method: 'POST',
    headers: { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ text: 'Tell me a story.', conversationId: 'c1' }),
    signal: leaving.signal,
  });
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  let heard = '';
  while (!heard.includes('upon ')) heard += (await reader?.read())?.value ?? '';
  leaving.abort();
  await server.model.settled();
  expect(server.model.requests[0]?.isAbandoned).toBe(true);
  await vi.waitFor(async () =>
    expect(await turns(server, 'c1')).toEqual(['user: Tell me a story.', 'ai: Once upon ']),
  );
});

test.each([
  ['has failed', { status: 500, body: { error: { message: 'sk-secret is overloaded' } } }, []],
  ['breaks off', { chunks: ['Once ', 'upon'], drop: 1 }, ['ai: Once ']],
  ['answers nonsense', { malformed: true }, []],
] as const)('a model that %s gives an error event, and the turns are stored', async (_what, reply, more) => {
  const server = await start();
  server.model.reply(reply);
  const heard = await chat(server, { text: 'Hello?', conversationId: 'c1' });
  expect(heard.at(-1)).toMatchObject({ event: 'error', data: { code: 'MODEL_FAILED' } });
  expect(JSON.stringify(heard) + server.log.join('\n')).not.toContain('sk-secret');
  expect(await turns(server, 'c1')).toEqual(['user: Hello?', ...more]);
});

test('without a model the answer says so, and the turn is stored and found', async () => {
  const server = await start({ modelOverrides: { embedder: { provider: 'hashed' } } });
  const heard = await chat(server, { text: 'My cat is called Tofu.', conversationId: 'c1' });
  expect(heard).toMatchObject([{ event: 'error', data: { code: 'NO_MODEL' } }]);
  const { hits } = await server.client.recall({
    memoryId: 'default',
    body: { utterance: 'What is my cat called?' },
  });
  expect(hits.map(({ text }) => text)).toContain('My cat is called Tofu.');
});

test('bad input gives a problem document, not an event', async () => {
  const server = await start();
  await expect(chat(server, { text: ' ' })).rejects.toMatchObject({ status: 400 });
  expect((await server.client.listMemories()).items).toEqual([]);
});

/** All files of a folder as one text. */
function written(folder: string): string {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
    .join('\n');
}

test('a meta request is answered at once; its message is sent over the WebSocket, and its text appears nowhere else', async () => {
  const server = await start();
  await server.settings.change({ trace: true });
  const go = Promise.withResolvers<string>();
  server.model.answer(() => go.promise);
  const headers = { authorization: `Bearer ${server.token}` };
  const socket = new WebSocket(`${server.running.url.replace('http', 'ws')}/api/events/stream`, { headers });
  const messages: unknown[] = [];
  socket.on('message', (data: Buffer) => messages.push(JSON.parse(data.toString())));
  await once(socket, 'open');
  const prompt = '歯医者のことを気づかってあげて。';
  await server.client.metaRequest({ body: { prompt } });
  await vi.waitFor(() => expect(server.model.chats).toHaveLength(1));
  expect(messages).toEqual([]);
  go.resolve('歯医者、どうだった？');
  await vi.waitFor(() => expect(messages).toHaveLength(1));
  expect(messages[0]).toMatchObject({ type: 'meta_request', data: { message: '歯医者、どうだった？' } });
  expect(sent(server)).toContain(prompt);
  await chat(server, { text: 'これは記録される。' });
  await server.running.stop();
  const files = written(server.dataDir);
  // Tracing is on, and the trace contains what it may contain.
  const holds = ['"purpose":"chat"', prompt].map((words) => files.includes(words));
  expect(holds).toEqual([true, false]);
  expect(server.log.join('\n')).not.toContain(prompt);
});
