import { describe, expect, test } from 'vitest';
import { messagesOf, openRig, PIXEL, systemOf, until, type Rig } from '../../../test/companion/rig.ts';
import { openLanguageModel, type Embedder } from '../../engine/engine.ts';
import { MemoryError } from '../../model/model.ts';
import { embeddings } from './embeddings.ts';
import { models } from './models.ts';

type Messages = readonly Record<string, unknown>[];

const ask = ({ companion }: Rig, messages: Messages, more: object = {}, conversationId?: string) =>
  companion.complete(
    { model: 'omoide', messages, ...more },
    { signal: new AbortController().signal, ...(conversationId !== undefined && { conversationId }) },
  );
const user = (content: unknown) => ({ role: 'user', content });
const assistant = (content: unknown) => ({ role: 'assistant', content });
const system = (content: string) => ({ role: 'system', content });

async function conversations(rig: Rig): Promise<string[][]> {
  const all = await rig.memory.conversations.list({ limit: 100 });
  return Promise.all(all.map(({ conversationId }) => rig.turns(conversationId)));
}

const TALKS = [
  [
    'ja',
    '那須塩原の吊り橋を来週の火曜に見に行くんだ。',
    '那須塩原の吊り橋はいつ見に行くんだっけ？',
    'あなたは',
  ],
  ['zh', '我下周二要去张家界看玻璃桥。', '我什么时候去张家界看玻璃桥？', '你是'],
  [
    'en',
    'Next Tuesday I am going to see the bridge at Capilano.',
    'When am I going to see the bridge at Capilano?',
    'You are',
  ],
] as const;

describe.each(TALKS)('in %s', (_language, told, asked, guard) => {
  test('recalls for the model what was said in another conversation', async () => {
    const rig = await openRig();
    rig.model.answer(() => 'OK');
    await (await ask(rig, [system('Be brief.'), user(told)])).json();
    await (await ask(rig, [system('Be brief.'), user(asked)])).json();
    const messages = messagesOf(rig.model);
    expect(messages.map(({ role }) => role)).toEqual(['system', 'system', 'user']);
    expect(messages[0]).toEqual(system('Be brief.'));
    expect(String(messages[1]?.content).startsWith(guard)).toBe(true);
    expect(messages[1]?.content).toContain(told.slice(0, 8));
    expect(messages[2]).toEqual(user(asked));
    expect(await conversations(rig)).toEqual(
      expect.arrayContaining([
        [`user: ${told}`, 'ai: OK'],
        [`user: ${asked}`, 'ai: OK'],
      ]),
    );
  });
});

describe('the request', () => {
  test('is forwarded unchanged except for the model’s name when nothing is recalled', async () => {
    const rig = await openRig();
    rig.model.reply('OK');
    const more = {
      temperature: 0.3,
      tools: [{ type: 'function', function: { name: 'f', parameters: {} } }],
      tool_choice: 'auto',
      made_up: { a: [1] },
    };
    const messages = [system('a'), { ...user('Hi.'), made_up: true }];
    await ask(rig, messages, more);
    expect(rig.model.chats).toEqual([{ model: 'scripted-model', messages, ...more }]);
  });

  test('includes persona and contract', async () => {
    const rig = await openRig({ settings: { persona: 'You are Robin.', contract: 'Be kind.' } });
    rig.model.reply('OK');
    await ask(rig, [user('Hi.')]);
    expect(systemOf(rig.model)).toContain('You are Robin.');
    expect(systemOf(rig.model)).toContain('Be kind.');
  });

  test('gets no recalled turns that it already contains', async () => {
    const rig = await openRig();
    rig.model.answer(() => 'Noted.');
    await ask(rig, [user('My cat is called Tofu.')]);
    await ask(rig, [user('My cat is called Tofu.'), assistant('Noted.'), user('What is my cat called?')]);
    expect(systemOf(rig.model)).not.toContain('Tofu');
    // Turns that the client left out of the request are recalled.
    await ask(
      rig,
      [user('What is my cat called?')],
      {},
      (await rig.memory.conversations.list({ limit: 1 }))[0]?.conversationId,
    );
    expect(systemOf(rig.model)).toContain('Tofu');
  });

  test('without a user message is forwarded, and nothing is stored', async () => {
    const rig = await openRig();
    rig.model.reply('OK');
    const answer = await ask(rig, [system('Say hello.')]);
    expect(await answer.json()).toMatchObject({ choices: [{ message: { content: 'OK' } }] });
    expect((await rig.memory.admin.info()).turns).toBe(0);
  });

  test.each([
    [{ messages: 'Hi.' }, {}],
    [{ messages: [user('Hi.')] }, { conversationId: 'a/b' }],
    [{ messages: [user('x'.repeat(1_100_000))] }, {}],
  ])('is rejected in OpenAI’s error format when it is invalid (%#)', async (body, place) => {
    const rig = await openRig();
    const answer = await rig.companion.complete(body, { signal: new AbortController().signal, ...place });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toEqual({
      error: {
        type: 'invalid_request_error',
        param: null,
        message: expect.any(String),
        code: expect.any(String),
      },
    });
    expect(rig.model.requests).toHaveLength(0);
  });
});

describe('the exchange is stored', () => {
  test('once, when the conversation continues and requests are repeated', async () => {
    const rig = await openRig();
    rig.model.reply('B', 'B', 'D');
    await ask(rig, [user('A')]);
    await ask(rig, [user('A')]);
    await ask(rig, [user('A'), assistant('B'), user('C')]);
    expect(await conversations(rig)).toEqual([['user: A', 'ai: B', 'user: C', 'ai: D']]);
    const [{ conversationId } = { conversationId: '' }] = await rig.memory.conversations.list({ limit: 1 });
    const places = (await rig.memory.conversations.recent(conversationId, 9)).map(
      ({ turnIndex }) => turnIndex,
    );
    expect(places).toEqual([0, 1, 2, 3]);
  });

  test('with each of several replies to one turn', async () => {
    const rig = await openRig();
    rig.model.reply('B', 'other B', 'D');
    await ask(rig, [user('A')]);
    await ask(rig, [user('A')]);
    await ask(rig, [user('A'), assistant('other B'), user('C')]);
    expect(await conversations(rig)).toEqual([['user: A', 'ai: B', 'ai: other B', 'user: C', 'ai: D']]);
  });

  test('in the named conversation', async () => {
    const rig = await openRig();
    rig.model.reply('B', 'D');
    await ask(rig, [user('A')], {}, 'mine');
    await ask(rig, [user('C')], {}, 'mine');
    expect(await rig.turns('mine')).toEqual(['user: A', 'ai: B', 'user: C', 'ai: D']);
  });

  test('across rounds of tool calls', async () => {
    const rig = await openRig();
    rig.model.reply({ toolCalls: [{ name: 'weather', arguments: { city: 'Nasu' } }] }, '21 °C.');
    const first = await ask(rig, [user('Weather?')]);
    const call = ((await first.json()) as { choices: { message: object }[] }).choices[0]?.message ?? {};
    const tool = { role: 'tool', tool_call_id: 'call_0', content: '{"t":21}' };
    await ask(rig, [user('Weather?'), { ...call }, tool]);
    expect(rig.model.chats[1]?.['messages']).toEqual([user('Weather?'), call, tool]);
    expect(await conversations(rig)).toEqual([['user: Weather?', 'ai: 21 °C.']]);
  });

  test('without the turns before a tool call that began elsewhere', async () => {
    const rig = await openRig();
    rig.model.reply('21 °C.');
    const call = { role: 'assistant', content: null, tool_calls: [] };
    await ask(rig, [user('Weather?'), call, { role: 'tool', tool_call_id: 'a', content: '21' }]);
    expect(await conversations(rig)).toEqual([['ai: 21 °C.']]);
  });

  test('with the first of several choices', async () => {
    const rig = await openRig();
    const choices = [
      { index: 0, message: { role: 'assistant', content: 'one' }, finish_reason: 'stop' },
      { index: 1, message: { role: 'assistant', content: 'two' }, finish_reason: 'stop' },
    ];
    rig.model.reply({ body: { choices } });
    const answer = await ask(rig, [user('A')], { n: 2 });
    expect(await answer.json()).toEqual({ choices });
    expect(await conversations(rig)).toEqual([['user: A', 'ai: one']]);
  });

  test('with descriptions of its images, which do not delay the answer', async () => {
    const rig = await openRig({ withVision: true });
    const seen = Promise.withResolvers<string>();
    rig.vision.answer(() => seen.promise);
    rig.model.reply('A cat!');
    const parts = [
      { type: 'text', text: 'Look!' },
      { type: 'image_url', image_url: { url: PIXEL } },
    ];
    await ask(rig, [user(parts)], {}, 'c1');
    expect(messagesOf(rig.model)).toEqual([user(parts)]);
    seen.resolve('A white cat.');
    await until(async () => (await rig.episodes('c1'))[0]?.payload.imageSummary === 'A white cat.');
  });

  test('completely when requests of one conversation run at the same time', async () => {
    const rig = await openRig();
    rig.model.answer((body) => `re ${(body['messages'] as { content: string }[]).at(-1)?.content}`);
    const words = Array.from({ length: 8 }, (_, i) => `word ${i}`);
    await Promise.all(words.map((word) => ask(rig, [user(word)], {}, 'c1')));
    expect((await rig.turns('c1')).sort()).toEqual(
      words.flatMap((word) => [`ai: re ${word}`, `user: ${word}`]).sort(),
    );
  });
});

describe('a streamed answer', () => {
  test('is forwarded as it is generated', async () => {
    const rig = await openRig();
    rig.model.reply({ chunks: ['Once ', 'upon'], chunkDelayMs: 10, bytesPerWrite: 7 });
    const answer = await ask(rig, [user('A story.')], {
      stream: true,
      stream_options: { include_usage: true },
    });
    expect(answer.headers.get('content-type')).toContain('text/event-stream');
    const text = await answer.text();
    expect(text.match(/"content":"[^"]*"/gu)).toEqual(['"content":"Once "', '"content":"upon"']);
    expect(text).toContain('"usage":{');
    expect(text.endsWith('data: [DONE]\n\n')).toBe(true);
    expect(await conversations(rig)).toEqual([['user: A story.', 'ai: Once upon']]);
  });

  test('is stored as far as it was received when the connection breaks', async () => {
    const rig = await openRig();
    rig.model.reply({ chunks: ['Once ', 'upon'], drop: 1 });
    const answer = await ask(rig, [user('A story.')], { stream: true }, 'c1');
    expect(await answer.text()).toContain('"code":"model_failed"');
    expect(await rig.memory.conversations.recent('c1', 1)).toMatchObject([
      { text: 'Once ', meta: { interrupted: true } },
    ]);
  });

  test('is stored as far as it was received when the client disconnects, which stops the model', async () => {
    const rig = await openRig();
    rig.model.reply({ chunks: ['Once ', 'upon'], hang: 1 });
    const answer = await ask(rig, [user('A story.')], { stream: true }, 'c1');
    const reader = answer.body?.getReader();
    await reader?.read();
    await reader?.cancel();
    expect(await rig.memory.conversations.recent('c1', 1)).toMatchObject([
      { text: 'Once ', meta: { interrupted: true } },
    ]);
    await rig.model.settled();
    expect(rig.model.requests[0]?.isAbandoned).toBe(true);
  });

  test('is interrupted and stored when the server stops', async () => {
    const rig = await openRig();
    rig.model.reply({ chunks: ['Once ', 'upon'], hang: 1 });
    const answer = await ask(rig, [user('A story.')], { stream: true }, 'c1');
    const reader = answer.body?.getReader();
    await reader?.read();
    await rig.companion.stop(20);
    const rest = await reader?.read();
    expect(new TextDecoder().decode(rest?.value)).toContain('"code":"closed"');
    expect(await rig.memory.conversations.recent('c1', 1)).toMatchObject([
      { text: 'Once ', meta: { interrupted: true } },
    ]);
    expect((await ask(rig, [user('Hi.')])).status).toBe(503);
  });
});

describe('the user’s turn is stored and the failure reported', () => {
  test('without a model', async () => {
    const rig = await openRig({ withoutModel: true });
    const answer = await ask(rig, [user('Hi.')]);
    expect(answer.status).toBe(503);
    expect(await answer.json()).toMatchObject({ error: { type: 'server_error', code: 'no_model' } });
    expect(await conversations(rig)).toEqual([['user: Hi.']]);
  });

  test.each([
    [500, 502],
    [401, 502],
    [404, 502],
    [400, 400],
    [429, 429],
  ])('when the model’s server returns %i', async (status, told) => {
    const rig = await openRig();
    rig.model.reply({ status, headers: { 'retry-after': '7' }, body: { error: { message: 'no' } } });
    const answer = await ask(rig, [user('Hi.')], { stream: true });
    expect(answer.status).toBe(told);
    expect(answer.headers.get('retry-after')).toBe('7');
    expect(await answer.json()).toMatchObject({ error: { code: 'model_failed', param: null } });
    expect(await conversations(rig)).toEqual([['user: Hi.']]);
  });

  test('when the client disconnects before the answer', async () => {
    const rig = await openRig();
    const leaving = new AbortController();
    rig.model.answer(() => {
      leaving.abort();
      return { hang: 'at_once' };
    });
    const answer = await rig.companion.complete({ messages: [user('Hi.')] }, { signal: leaving.signal });
    expect(answer.status).toBe(499);
    expect(await conversations(rig)).toEqual([['user: Hi.']]);
  });
});

test('a reply that cannot be stored is an error, which is also logged', async () => {
  const rig = await openRig();
  rig.model.answer(async () => {
    await rig.memory.close();
    return 'Hello.';
  });
  const answer = await ask(rig, [user('Hi.')]);
  expect([answer.status, await answer.json()]).toMatchObject([503, { error: { code: 'closed' } }]);
  expect(rig.problems).toEqual([{ what: 'reply', unitId: 1, code: 'CLOSED' }]);
});

test('unexpected exceptions are thrown', async () => {
  const rig = await openRig();
  await expect(
    ask(rig, [
      user('Hi.'),
      {
        get role(): string {
          throw new Error('mistake');
        },
      },
    ]),
  ).rejects.toThrow('mistake');
});

test('lists our model and the one it forwards to', () => {
  const behind = openLanguageModel({ provider: 'endpoint', url: 'http://127.0.0.1:9/v1', model: 'own#1' });
  expect(models(behind, 5_900)).toMatchObject({
    object: 'list',
    data: [
      { id: 'omoide', created: 5 },
      { id: 'own#1', owned_by: 'upstream' },
    ],
  });
  expect(models(null, 0)).toMatchObject({ data: [{ id: 'omoide' }] });
});

describe('embeddings', () => {
  const embedder: Embedder = {
    id: 'two',
    dimensions: 2,
    batchSize: 8,
    embed: async (texts) => texts.map((text) => Float32Array.of(3, text.length)),
  };

  test('are normalised arrays of numbers', async () => {
    const answer = await embeddings(embedder, { model: 'any', input: ['aaaa', ''.padEnd(4, 'b')] });
    expect(answer).toMatchObject({
      object: 'list',
      model: 'two',
      data: [
        { object: 'embedding', index: 0, embedding: [expect.closeTo(0.6, 6), expect.closeTo(0.8, 6)] },
        { object: 'embedding', index: 1 },
      ],
    });
    expect(answer['usage']).toEqual({ prompt_tokens: expect.any(Number), total_tokens: expect.any(Number) });
  });

  test('are base64 of float bytes on request', async () => {
    const answer = await embeddings(embedder, { input: 'aaaa', encoding_format: 'base64' });
    const [{ embedding } = { embedding: '' }] = answer['data'] as { embedding: string }[];
    const bytes = Buffer.from(embedding, 'base64');
    expect([bytes.readFloatLE(0), bytes.readFloatLE(4)]).toEqual([
      expect.closeTo(0.6, 6),
      expect.closeTo(0.8, 6),
    ]);
  });

  test.each([[{}], [{ input: [] }], [{ input: [1, 2] }], [{ input: ' ' }], [{ input: 'a', dimensions: 3 }]])(
    'rejects %j',
    async (body) => {
      await expect(embeddings(embedder, body)).rejects.toBeInstanceOf(MemoryError);
    },
  );

  test('require a model', async () => {
    await expect(embeddings(null, { input: 'a' })).rejects.toMatchObject({ code: 'NO_MODEL' });
  });
});
