import { createOpenAI } from '@ai-sdk/openai';
import { generateText, isStepCount, jsonSchema, streamText, tool, type ModelMessage } from 'ai';
import OpenAI from 'openai';
import { zodTextFormat } from 'openai/helpers/zod';
import { describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { conversations, startOpenAiServer as start, type OpenAiServer as Server } from './openAiServer.ts';

const openAi = ({ running, token }: Server, more: object = {}) =>
  new OpenAI({ baseURL: `${running.url}/v1`, apiKey: token, maxRetries: 0, ...more });

const aiSdk = ({ running, token }: Server) =>
  createOpenAI({ baseURL: `${running.url}/v1`, apiKey: token }).responses('omoide');

const WEATHER: OpenAI.Responses.FunctionTool = {
  type: 'function',
  name: 'weather',
  description: 'The weather somewhere.',
  strict: false,
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};
const CALL = { toolCalls: [{ id: 'call_1', name: 'weather', arguments: { city: 'Nasu' } }] };
const MODEL = { model: 'omoide' };
const RED_DOT =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4//8/w38GIAXDIBKE0DHxgljNBAAO9TXL0Y4OHwAAAABJRU5ErkJggg==';

/** The conversation that the model received. */
const talkOf = (chat: Record<string, unknown> = {}) =>
  (chat['messages'] as { role: string; content: string }[])
    .filter(({ role }) => role !== 'system')
    .map(({ content }) => content);

describe('the official client', () => {
  test('gets a whole response, and both turns are stored', async () => {
    const server = await start();
    server.model.reply('Hello, Emma.');
    const response = await openAi(server).responses.create({
      ...MODEL,
      instructions: 'Be brief.',
      input: 'I am Emma.',
      max_output_tokens: 100,
    });
    expect(response).toMatchObject({
      object: 'response',
      status: 'completed',
      output_text: 'Hello, Emma.',
      instructions: 'Be brief.',
      usage: { input_tokens: 10, output_tokens: 5, total_tokens: 15 },
    });
    expect(server.model.chats[0]).toMatchObject({ max_tokens: 100 });
    expect(server.model.chats[0]?.['messages']).toMatchObject([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'I am Emma.' },
    ]);
    expect(await conversations(server)).toEqual([['user: I am Emma.', 'ai: Hello, Emma.']]);
  });

  test('receives the stream of events it expects', async () => {
    const server = await start();
    server.model.reply({ chunks: ['Once ', 'upon ', 'a time.'] });
    const stream = openAi(server).responses.stream({ ...MODEL, input: 'Tell me a story.' });
    const types: string[] = [];
    const numbers: number[] = [];
    for await (const event of stream) {
      types.push(event.type);
      numbers.push(event.sequence_number);
    }
    expect(types).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.content_part.added',
      ...Array.from({ length: 3 }, () => 'response.output_text.delta'),
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.completed',
    ]);
    expect(numbers).toEqual(types.map((_, i) => i));
    const final = await stream.finalResponse();
    expect(final).toMatchObject({ output_text: 'Once upon a time.', usage: { output_tokens: 5 } });
    expect(await conversations(server)).toEqual([['user: Tell me a story.', 'ai: Once upon a time.']]);
  });

  test('may disconnect: the model stops, and the partial reply is stored', async () => {
    const server = await start();
    server.model.reply({ chunks: ['Once ', 'upon ', 'a ', 'time.'], chunkDelayMs: 300 });
    const stream = await openAi(server).responses.create({ ...MODEL, input: 'A story?', stream: true });
    for await (const event of stream)
      if (event.type === 'response.output_text.delta' && event.delta === 'upon ') break;
    await server.model.settled();
    expect(server.model.requests[0]?.isAbandoned).toBe(true);
    await vi.waitFor(async () =>
      expect(await conversations(server)).toEqual([['user: A story?', 'ai: Once upon ']]),
    );
  });

  test('recalls what was said in another conversation', async () => {
    const server = await start();
    server.model.answer(() => 'OK');
    const { responses } = openAi(server);
    await responses.create({ ...MODEL, input: '来週の火曜に那須塩原の吊り橋を見に行くんだ。' });
    await responses.create({
      ...MODEL,
      input: '那須塩原の吊り橋はいつ見に行くんだっけ？',
      conversation: 'other',
    });
    expect(JSON.stringify(server.model.chats[1])).toContain('来週の火曜に那須塩原');
  });

  test('continues by previous_response_id, also after a restart, and nothing is stored twice', async () => {
    const server = await start();
    server.model.answer((body) => `Reply ${(body['messages'] as unknown[]).length}.`);
    const { responses } = openAi(server);
    const first = await responses.create({ ...MODEL, input: 'One.' });
    const second = await responses.create({ ...MODEL, input: 'Two.', previous_response_id: first.id });
    expect(second.previous_response_id).toBe(first.id);
    expect(server.model.chats[1]?.['messages']).toEqual([
      { role: 'user', content: 'One.' },
      { role: 'assistant', content: 'Reply 1.' },
      { role: 'user', content: 'Two.' },
    ]);
    // Turns after the first response do not belong to another answer to it.
    await responses.create({ ...MODEL, input: 'Two, differently.', previous_response_id: first.id });
    expect(talkOf(server.model.chats[2])).toEqual(['One.', 'Reply 1.', 'Two, differently.']);
    await server.running.stop();
    const again = await start({ dataDir: server.dataDir });
    again.model.reply('Reply 3.');
    await openAi(again).responses.create({ ...MODEL, input: 'Three.', previous_response_id: second.id });
    expect(talkOf(again.model.chats[0])).toEqual(['One.', 'Reply 1.', 'Two.', 'Reply 3.', 'Three.']);
    expect(await conversations(again)).toHaveLength(1);
    await expect(
      openAi(again).responses.create({ ...MODEL, input: 'x', previous_response_id: 'resp_unknown' }),
    ).rejects.toMatchObject({ status: 400, message: expect.stringContaining('no response') as string });
  });

  test('stores repeated identical messages, however short the context sent to the model is', async () => {
    const server = await start();
    await server.client.changeSettings({ body: { budgets: { recentTurns: 4 } } });
    server.model.answer(() => 'OK');
    const { responses } = openAi(server);
    let previous: string | null = null;
    for (let nth = 0; nth < 6; nth += 1) {
      const response: OpenAI.Responses.Response = await responses.create({
        ...MODEL,
        input: 'Again.',
        ...(nth < 3 ? { previous_response_id: previous } : { conversation: 'c' }),
      });
      previous = response.id;
    }
    const said = (times: number) => Array.from({ length: times }, () => ['user: Again.', 'ai: OK']).flat();
    expect((await conversations(server)).toSorted((a, b) => a.length - b.length)).toEqual([said(3), said(3)]);
    expect(talkOf(server.model.chats.at(-1))).toHaveLength(5);
  });

  test.each(['previous_response_id', 'conversation'] as const)(
    'stores a request once that is sent again, by %s, after the model failed',
    async (by) => {
      const server = await start();
      server.model.reply('OK', { status: 500, body: {} }, 'Two it is.');
      const { responses } = openAi(server);
      const first = await responses.create({ ...MODEL, input: 'One.', conversation: 'c' });
      const place = by === 'conversation' ? { conversation: 'c' } : { previous_response_id: first.id };
      const request = { ...MODEL, input: 'Two.', ...place };
      await expect(responses.create(request)).rejects.toMatchObject({ status: 502 });
      await responses.create(request);
      expect(await conversations(server)).toEqual([['user: One.', 'ai: OK', 'user: Two.', 'ai: Two it is.']]);
      expect(talkOf(server.model.chats.at(-1))).toEqual(['One.', 'OK', 'Two.']);
    },
  );

  test('continues a conversation by its id', async () => {
    const server = await start();
    server.model.answer(() => 'OK');
    const { responses } = openAi(server);
    await responses.create({ ...MODEL, input: 'One.', conversation: 'c1' });
    await responses.create({ ...MODEL, input: 'Two.', conversation: { id: 'c1' } });
    expect(server.model.chats[1]?.['messages']).toHaveLength(3);
    expect(await conversations(server)).toEqual([['user: One.', 'ai: OK', 'user: Two.', 'ai: OK']]);
  });

  test('gets function calls, in a stream, and returns their output by previous_response_id', async () => {
    const server = await start();
    server.model.reply(CALL, 'It is 21 °C.');
    const { responses } = openAi(server);
    const stream = responses.stream({ ...MODEL, input: 'The weather in Nasu?', tools: [WEATHER] });
    const calling = await stream.finalResponse();
    const [call] = calling.output;
    if (call?.type !== 'function_call') throw new Error('No function was called.');
    expect(call).toMatchObject({ name: 'weather', arguments: '{"city":"Nasu"}', call_id: 'call_1' });
    const answer = await responses.create({
      ...MODEL,
      tools: [WEATHER],
      previous_response_id: calling.id,
      input: [{ type: 'function_call_output', call_id: call.call_id, output: '21 °C' }],
    });
    expect(answer.output_text).toBe('It is 21 °C.');
    expect(server.model.chats[0]?.['tools']).toMatchObject([
      { type: 'function', function: { name: 'weather', parameters: WEATHER.parameters } },
    ]);
    expect(server.model.chats[1]?.['messages']).toMatchObject([
      { role: 'user', content: 'The weather in Nasu?' },
      { role: 'assistant', tool_calls: [{ id: 'call_1', function: { name: 'weather' } }] },
      { role: 'tool', tool_call_id: 'call_1', content: '21 °C' },
    ]);
    expect(await conversations(server)).toEqual([['user: The weather in Nasu?', 'ai: It is 21 °C.']]);
  });

  test('may send a function call and its output itself', async () => {
    const server = await start();
    server.model.reply('It is 21 °C.');
    const { responses } = openAi(server);
    const call = { type: 'function_call', call_id: 'c', name: 'weather', arguments: '{}' } as const;
    const output = { type: 'function_call_output', call_id: 'c', output: '21 °C' } as const;
    const said = { role: 'user', content: 'The weather?' } as const;
    await expect(responses.create({ ...MODEL, input: [said, output] })).rejects.toMatchObject({
      status: 400,
    });
    const { output_text: text } = await responses.create({ ...MODEL, input: [said, call, output] });
    expect(text).toBe('It is 21 °C.');
  });

  test('gets structured output, and sends images', async () => {
    const server = await start();
    server.model.reply({ json: { colour: 'red' } });
    const { output_parsed: parsed } = await openAi(server).responses.parse({
      ...MODEL,
      input: [
        {
          role: 'user',
          content: [
            { type: 'input_text', text: 'Which colour is this?' },
            { type: 'input_image', image_url: RED_DOT, detail: 'auto' },
          ],
        },
      ],
      text: { format: zodTextFormat(z.object({ colour: z.string() }), 'answer') },
    });
    expect(parsed).toEqual({ colour: 'red' });
    const [chat] = server.model.chats;
    expect(chat).toMatchObject({ response_format: { type: 'json_schema', json_schema: { name: 'answer' } } });
    expect(JSON.stringify(chat)).toContain('"image_url":{"url":"data:image/png');
  });

  test('gets truncated replies and errors as it expects them', async () => {
    const server = await start();
    const { responses } = openAi(server);
    server.model.reply({ text: 'Once', finishReason: 'length' });
    expect(await responses.create({ ...MODEL, input: 'A story?' })).toMatchObject({
      status: 'incomplete',
      incomplete_details: { reason: 'max_output_tokens' },
    });
    server.model.reply({ status: 400, body: { error: { message: 'too long' } } });
    await expect(responses.create({ ...MODEL, input: 'Hi.' })).rejects.toBeInstanceOf(OpenAI.BadRequestError);
    server.model.reply({ text: 'Once upon a time there was', drop: 2 });
    const types: string[] = [];
    const stream = await responses.create({ ...MODEL, input: 'Another story?', stream: true });
    for await (const { type } of stream) types.push(type);
    expect(types.at(-1)).toBe('response.failed');
    // The received part is stored.
    expect((await conversations(server)).flat()).toContain('user: Another story?');
    for (const wrong of [
      { background: true, input: 'x' },
      { input: 'x', tools: [{ type: 'web_search' }] },
      { input: [{ type: 'computer_call_output', call_id: 'c' }] },
      { input: 7 },
    ])
      await expect(
        responses.create({ ...MODEL, ...wrong } as OpenAI.Responses.ResponseCreateParamsNonStreaming),
      ).rejects.toMatchObject({ status: 400 });
  });
});

test('the user’s turn is stored before the model is asked', async () => {
  const server = await start();
  server.model.answer(async () => ({ text: (await conversations(server)).flat().join() }));
  const { output_text: text } = await openAi(server).responses.create({ ...MODEL, input: 'Keep this.' });
  expect(text).toBe('user: Keep this.');
});

describe('the AI SDK', () => {
  test('streams, and continues a conversation by references', async () => {
    const server = await start();
    server.model.reply({ chunks: ['Hello, ', 'Emma.'] }, 'You are Emma.');
    const messages: ModelMessage[] = [{ role: 'user', content: 'I am Emma.' }];
    const first = streamText({ model: aiSdk(server), messages });
    expect(await first.text).toBe('Hello, Emma.');
    expect((await first.usage).outputTokens).toBe(5);
    messages.push(...(await first.response).messages, { role: 'user', content: 'Who am I?' });
    const second = await generateText({ model: aiSdk(server), messages });
    expect(second.text).toBe('You are Emma.');
    expect(server.model.chats[1]?.['messages']).toEqual([
      { role: 'user', content: 'I am Emma.' },
      { role: 'assistant', content: 'Hello, Emma.' },
      { role: 'user', content: 'Who am I?' },
    ]);
    expect(await conversations(server)).toEqual([
      ['user: I am Emma.', 'ai: Hello, Emma.', 'user: Who am I?', 'ai: You are Emma.'],
    ]);
  });

  test('gets tool calls', async () => {
    const server = await start();
    server.model.reply(CALL, 'It is 21 °C.');
    const { text } = await generateText({
      model: aiSdk(server),
      prompt: 'The weather in Nasu?',
      stopWhen: isStepCount(3),
      tools: {
        weather: tool({
          description: 'The weather somewhere.',
          inputSchema: jsonSchema<{ city: string }>(WEATHER.parameters as object),
          execute: ({ city }) => `21 °C in ${city}`,
        }),
      },
    });
    expect(text).toBe('It is 21 °C.');
    expect(server.model.chats[1]?.['messages']).toMatchObject([
      { role: 'user' },
      { role: 'assistant', tool_calls: [{ id: 'call_1', function: { name: 'weather' } }] },
      { role: 'tool', tool_call_id: 'call_1' },
    ]);
    expect(await conversations(server)).toEqual([['user: The weather in Nasu?', 'ai: It is 21 °C.']]);
  });
});
