import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText, jsonSchema, streamText, tool } from 'ai';
import OpenAI from 'openai';
import { describe, expect, test, vi } from 'vitest';
import { conversations, startOpenAiServer as start, type OpenAiServer as Server } from './openAiServer.ts';

const openAi = ({ running, token }: Server, more: object = {}) =>
  new OpenAI({ baseURL: `${running.url}/v1`, apiKey: token, maxRetries: 0, ...more });

const aiSdk = ({ running, token }: Server) =>
  createOpenAICompatible({ name: 'omoide', baseURL: `${running.url}/v1`, apiKey: token }).chatModel('omoide');

const WEATHER = {
  description: 'The weather somewhere.',
  parameters: {
    type: 'object' as const,
    properties: { city: { type: 'string' as const } },
    required: ['city'],
  },
};

const TALKS = [
  ['ja', '来週の火曜に那須塩原の吊り橋を見に行くんだ。', '那須塩原の吊り橋はいつ見に行くんだっけ？'],
  ['zh', '我下周二要去张家界看玻璃桥。', '我什么时候去张家界看玻璃桥？'],
  ['en', 'I am going to see the bridge at Capilano.', 'When am I going to see the bridge at Capilano?'],
] as const;

describe.each(TALKS)(
  'in %s, what was said in one conversation reaches the model in another',
  (_language, told, asked) => {
    test('by the official client', async () => {
      const server = await start();
      server.model.answer(() => 'OK');
      const { chat } = openAi(server);
      await chat.completions.create({ model: 'omoide', messages: [{ role: 'user', content: told }] });
      const answer = await chat.completions.create({
        model: 'omoide',
        messages: [
          { role: 'system', content: 'Be brief.' },
          { role: 'user', content: asked },
        ],
      });
      expect(answer.choices[0]?.message.content).toBe('OK');
      expect(server.model.chats.at(-1)?.['messages']).toEqual([
        { role: 'system', content: 'Be brief.' },
        { role: 'system', content: expect.stringContaining(told.slice(0, 8)) as string },
        { role: 'user', content: asked },
      ]);
    });

    test('by the AI SDK', async () => {
      const server = await start();
      server.model.answer(() => 'OK');
      const model = aiSdk(server);
      expect((await generateText({ model, prompt: told })).text).toBe('OK');
      expect(await streamText({ model, prompt: asked }).text).toBe('OK');
      expect(JSON.stringify(server.model.chats.at(-1)?.['messages'])).toContain(told.slice(0, 8));
      expect(await conversations(server)).toEqual([
        [`user: ${asked}`, 'ai: OK'],
        [`user: ${told}`, 'ai: OK'],
      ]);
    });
  },
);

describe('the official client', () => {
  test('receives chunks as they are generated', async () => {
    const server = await start();
    // The model never sends the third chunk: earlier ones are forwarded without waiting for it.
    server.model.reply({ chunks: ['Once ', 'upon ', 'a time'], hang: 2 });
    const { data: stream, response } = await openAi(server)
      .chat.completions.create({
        model: 'omoide',
        messages: [{ role: 'user', content: 'Tell me a story.' }],
        stream: true,
      })
      .withResponse();
    expect(response.headers.get('x-accel-buffering')).toBe('no');
    const heard: string[] = [];
    for await (const chunk of stream) {
      heard.push(chunk.choices[0]?.delta.content ?? '');
      if (heard.length === 2) break;
    }
    expect(heard).toEqual(['Once ', 'upon ']);
    await server.model.settled();
    expect(server.model.requests[0]?.isAbandoned).toBe(true);
    await vi.waitFor(async () =>
      expect(await conversations(server)).toEqual([['user: Tell me a story.', 'ai: Once upon ']]),
    );
  });

  test('has a whole conversation, stored once', async () => {
    const server = await start();
    const messages: OpenAI.ChatCompletionMessageParam[] = [];
    const { chat } = openAi(server);
    for (const word of ['one', 'two', 'three']) {
      server.model.reply({ text: `You said ${word}.` });
      messages.push({ role: 'user', content: word });
      const stream = chat.completions.stream({
        model: 'omoide',
        messages,
        stream_options: { include_usage: true },
      });
      const { choices, usage } = await stream.finalChatCompletion();
      expect(usage?.completion_tokens).toBe(5);
      messages.push({ role: 'assistant', content: choices[0]?.message.content ?? '' });
    }
    expect(await conversations(server)).toEqual([
      [
        'user: one',
        'ai: You said one.',
        'user: two',
        'ai: You said two.',
        'user: three',
        'ai: You said three.',
      ],
    ]);
    expect(server.model.chats.at(-1)?.['messages']).toEqual(messages.slice(0, -1));
  });

  test('gets tool calls', async () => {
    const server = await start();
    server.model.reply({ toolCalls: [{ name: 'weather', arguments: { city: 'Nasu' } }] }, 'It is 21 °C.');
    const runner = openAi(server).chat.completions.runTools({
      model: 'omoide',
      messages: [{ role: 'user', content: 'What is the weather in Nasu?' }],
      tools: [
        {
          type: 'function',
          function: {
            name: 'weather',
            ...WEATHER,
            parse: (text: string): object => JSON.parse(text),
            function: () => '21 °C',
          },
        },
      ],
    });
    expect(await runner.finalContent()).toBe('It is 21 °C.');
    expect(server.model.chats[0]?.['tools']).toMatchObject([{ function: { name: 'weather', ...WEATHER } }]);
    expect(server.model.chats[1]?.['messages']).toMatchObject([
      { role: 'user' },
      { role: 'assistant', tool_calls: [{ function: { name: 'weather' } }] },
      { role: 'tool', content: '21 °C' },
    ]);
    expect(await conversations(server)).toEqual([['user: What is the weather in Nasu?', 'ai: It is 21 °C.']]);
  });

  test('chooses memory and conversation by header or by user', async () => {
    const server = await start();
    server.model.answer(() => 'OK');
    const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'Hi.' }];
    const headers = { 'Omoide-Memory': 'a', 'Omoide-Conversation': 'c1' };
    await openAi(server, { defaultHeaders: headers }).chat.completions.create({ model: 'omoide', messages });
    await openAi(server).chat.completions.create({ model: 'omoide', messages, user: 'b/c2' });
    for (const [memoryId, conversationId] of [
      ['a', 'c1'],
      ['b', 'c2'],
    ] as const) {
      const { items } = await server.client.listConversations({ memoryId });
      expect(items).toMatchObject([{ conversationId, turns: 2 }]);
    }
  });

  test('gets the errors it expects', async () => {
    const server = await start();
    const { chat } = openAi(server);
    const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'Hi.' }];
    server.model.reply({ status: 400, body: { error: { message: 'too long' } } });
    await expect(chat.completions.create({ model: 'omoide', messages })).rejects.toMatchObject({
      constructor: OpenAI.BadRequestError,
      message: expect.stringContaining('too long') as string,
    });
    server.model.reply({ status: 429, headers: { 'retry-after': '90' }, body: {} });
    await expect(chat.completions.create({ model: 'omoide', messages })).rejects.toBeInstanceOf(
      OpenAI.RateLimitError,
    );
    server.model.reply({ chunks: ['Once ', 'upon'], drop: 1 });
    const broken = async () => {
      for await (const _ of await chat.completions.create({ model: 'omoide', messages, stream: true }));
    };
    await expect(broken()).rejects.toBeInstanceOf(OpenAI.APIError);
    await expect(chat.completions.create({ model: 'omoide', messages: [] })).rejects.toBeInstanceOf(
      OpenAI.BadRequestError,
    );
    const stranger = openAi({ ...server, token: 'wrong' }).chat.completions;
    await expect(stranger.create({ model: 'omoide', messages })).rejects.toBeInstanceOf(
      OpenAI.AuthenticationError,
    );
  });

  test('lists models and creates embeddings', async () => {
    const server = await start();
    const client = openAi(server);
    const models = await Array.fromAsync(client.models.list(), ({ id }) => id);
    expect(models).toEqual(['omoide', 'scripted']);
    // By default the client requests and decodes base64.
    const input = ['那須の吊り橋', 'a bridge'];
    const [bytes, numbers] = [
      await client.embeddings.create({ model: 'omoide', input }),
      await client.embeddings.create({ model: 'omoide', input, encoding_format: 'float' }),
    ];
    expect(bytes.data.map(({ index }) => index)).toEqual([0, 1]);
    for (const [i, { embedding }] of bytes.data.entries()) {
      expect(Math.hypot(...embedding)).toBeCloseTo(1, 4);
      expect(embedding).toEqual(numbers.data[i]?.embedding);
    }
  });
});

test('the AI SDK gets tool calls', async () => {
  const server = await start();
  server.model.reply({ toolCalls: [{ name: 'weather', arguments: { city: 'Nasu' } }] });
  const inputSchema = jsonSchema<{ city: string }>(WEATHER.parameters);
  const weather = tool({
    description: WEATHER.description,
    inputSchema,
    outputSchema: jsonSchema<string>({ type: 'string' }),
  });
  const { toolCalls } = await generateText({
    model: aiSdk(server),
    prompt: 'Weather in Nasu?',
    tools: { weather },
  });
  expect(toolCalls).toMatchObject([{ toolName: 'weather', input: { city: 'Nasu' } }]);
  expect(await conversations(server)).toEqual([['user: Weather in Nasu?']]);
});
