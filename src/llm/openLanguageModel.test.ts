import { inspect } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import {
  promptText,
  schemaName,
  startScriptedModel,
  type ScriptedModel,
} from '../../test/scriptedModel/scriptedModel.ts';
import type { LanguageModel, ModelCall, ModelRequest, ModelStream } from './languageModel.ts';
import type { LanguageModelSettings } from './languageModelSettings.ts';
import { openLanguageModel } from './openLanguageModel.ts';

const KEY = 'sk-this-must-never-be-seen';
const HELLO: ModelRequest = { purpose: 'test', messages: [{ role: 'user', content: 'こんにちは' }] };
const PIXEL = 'data:image/png;base64,iVBORw0KGgo=';

interface Opened {
  readonly server: ScriptedModel;
  readonly model: LanguageModel;
  readonly calls: ModelCall[];
}

async function open(more: Partial<LanguageModelSettings> = {}): Promise<Opened> {
  const server = await startScriptedModel();
  onTestFinished(() => server.close());
  const calls: ModelCall[] = [];
  const model = openLanguageModel(
    { provider: 'endpoint', url: server.url, model: 'm', apiKeyEnv: 'TEST_KEY', retries: 0, ...more },
    { environment: { TEST_KEY: KEY }, onCall: (call) => calls.push(call) },
  );
  return { server, model, calls };
}

async function piecesOf({ text }: ModelStream): Promise<string[]> {
  const pieces = [];
  for await (const piece of text) pieces.push(piece);
  return pieces;
}

describe('a stream', () => {
  test('is delivered in pieces', async () => {
    const { server, model, calls } = await open();
    const chunks = ['今日は', 'いい天気', 'ですね。😀'];
    server.reply({ chunks, chunkDelayMs: 5 });
    const stream = model.stream(HELLO);
    expect(await piecesOf(stream)).toEqual(chunks);
    expect(await stream.end).toEqual({ usage: { inputTokens: 10, outputTokens: 5 }, finishReason: 'stop' });
    expect(calls).toMatchObject([
      { purpose: 'test', usage: { inputTokens: 10, outputTokens: 5 }, error: null },
    ]);
    expect(server.chats[0]).toMatchObject({
      model: 'm',
      stream: true,
      messages: [{ role: 'user', content: 'こんにちは' }],
    });
  });

  test('sends no request before it is read', async () => {
    const { server, model } = await open();
    server.reply('read');
    model.stream(HELLO);
    expect(await piecesOf(model.stream(HELLO))).toEqual(['read']);
    expect(server.requests).toHaveLength(1);
  });

  test('is complete even when its bytes arrive one by one', async () => {
    const { server, model } = await open();
    server.reply({ chunks: ['👩‍👩‍👧と', '𠮷野家で', '¡ñandú!'], bytesPerWrite: 1 });
    expect((await piecesOf(model.stream(HELLO))).join('')).toBe('👩‍👩‍👧と𠮷野家で¡ñandú!');
  });

  test('leaves out reasoning', async () => {
    const { server, model } = await open();
    server.reply({ chunks: ['<thi', 'nk>hm', '</think>', '\n\nはい', '。'] });
    expect(await piecesOf(model.stream(HELLO))).toEqual(['はい', '。']);
  });

  test('from a server without usage reports no cost', async () => {
    const { server, model } = await open();
    server.reply({ text: 'はい', usage: null, finishReason: 'length' });
    const stream = model.stream(HELLO);
    await piecesOf(stream);
    expect(await stream.end).toEqual({
      usage: { inputTokens: null, outputTokens: null },
      finishReason: 'length',
    });
  });

  test.each([
    ['is not a stream', { malformed: true } as const, 'unusable', 0],
    ['breaks off', { chunks: ['あ', 'い', 'う'], drop: 2 }, 'broken', 2],
    ['stops sending', { chunks: ['あ', 'い', 'う'], hang: 1 }, 'timeout', 1],
    [
      'reports an error midway',
      { status: 200, body: 'data: {"error":{"message":"out of memory"}}\n\n' },
      'unusable',
      0,
    ],
    [
      'ends without its last event',
      { status: 200, body: 'data: {"choices":[{"index":0,"delta":{"content":"あ"}}]}\n\n' },
      'unusable',
      1,
    ],
  ])('that %s delivers what was received and fails', async (_what, reply, reason, count) => {
    const { server, model } = await open({ timeoutMs: 2_000 });
    server.reply(reply);
    const stream = model.stream(HELLO);
    const pieces: string[] = [];
    const reading = (async () => {
      for await (const piece of stream.text) pieces.push(piece);
    })();
    await expect(reading).rejects.toMatchObject({ code: 'MODEL_FAILED', details: { reason } });
    await expect(stream.end).rejects.toMatchObject({ code: 'MODEL_FAILED', details: { reason } });
    expect(pieces).toHaveLength(count);
  });

  test('that the caller aborts ends with the caller’s reason and disconnects from the server', async () => {
    const { server, model } = await open();
    server.reply({ chunks: ['あ', 'い', 'う'], hang: 2 });
    const stop = new AbortController();
    const reason = new Error('left');
    const stream = model.stream(HELLO, stop.signal);
    const pieces: string[] = [];
    const reading = (async () => {
      for await (const piece of stream.text) {
        pieces.push(piece);
        if (pieces.length === 2) setImmediate(() => stop.abort(reason));
      }
    })();
    await expect(reading).rejects.toBe(reason);
    await expect(stream.end).rejects.toBe(reason);
    expect(pieces).toEqual(['あ', 'い']);
    await server.settled();
    expect(server.requests[0]?.isAbandoned).toBe(true);
  });

  test('that is not read to its end disconnects from the server', async () => {
    const { server, model, calls } = await open({ concurrency: 1 });
    server.reply({ chunks: ['あ', 'い', 'う'], hang: 2 }, 'next');
    const stream = model.stream(HELLO);
    const reader = stream.text[Symbol.asyncIterator]();
    await reader.next();
    await reader.return?.();
    expect((await stream.end).finishReason).toBe('abandoned');
    await server.settled();
    expect(server.requests[0]?.isAbandoned).toBe(true);
    expect((await model.generateText(HELLO)).text).toBe('next');
    expect(calls.map(({ error }) => error)).toEqual(['abandoned', null]);
  });
});

describe('a text', () => {
  test('is the model’s reply without reasoning', async () => {
    const { server, model } = await open();
    server.reply('<think>she greets me</think>やあ');
    expect(await model.generateText(HELLO)).toEqual({
      text: 'やあ',
      usage: { inputTokens: 10, outputTokens: 5 },
    });
  });

  test('is requested with all settings and request options', async () => {
    const { server, model } = await open({
      temperature: 0.3,
      maxOutputTokens: 200,
      extraBody: { keep_alive: '1h' },
    });
    server.reply('猫');
    await model.generateText({
      purpose: 'vision',
      system: 'Be brief.',
      messages: [
        { role: 'user', content: 'What is it?', images: [PIXEL] },
        { role: 'assistant', content: 'A cat?' },
        { role: 'user', content: 'Look again.' },
      ],
      temperature: 1,
      maxOutputTokens: 500,
    });
    expect(server.chats[0]).toEqual({
      model: 'm',
      temperature: 0.3,
      max_tokens: 200,
      keep_alive: '1h',
      messages: [
        { role: 'system', content: 'Be brief.' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is it?' },
            { type: 'image_url', image_url: { url: PIXEL } },
          ],
        },
        { role: 'assistant', content: 'A cat?' },
        { role: 'user', content: 'Look again.' },
      ],
    });
    expect(server.requests[0]?.headers.authorization).toBe(`Bearer ${KEY}`);
  });

  test.each(['https://elsewhere.test/cat.png', 'data:text/html;base64,AAAA', 'data:image/png,AAAA'])(
    'rejects %s as a picture',
    async (image) => {
      const { server, model } = await open();
      const messages = [{ role: 'user' as const, content: '', images: [image] }];
      await expect(model.generateText({ purpose: 'test', messages })).rejects.toMatchObject({
        code: 'INVALID_INPUT',
      });
      expect(server.requests).toEqual([]);
    },
  );

  test.each([
    ['not JSON', { malformed: true } as const],
    ['another format', { body: { answer: 'hi' } }],
    ['without a choice', { body: { choices: [] } }],
  ])('fails when the response is %s', async (_what, reply) => {
    const { server, model } = await open();
    server.reply(reply);
    await expect(model.generateText(HELLO)).rejects.toMatchObject({
      code: 'MODEL_FAILED',
      message: expect.stringContaining(`${server.url} (model m) gave no usable answer`) as string,
      details: { retryable: false, reason: 'unusable' },
    });
  });

  test('is requested without a temperature when the model has a fixed one', async () => {
    const { server, model } = await open();
    server.answer((body) =>
      'temperature' in body
        ? {
            status: 400,
            body: { error: { message: "Unsupported value: 'temperature' does not support 0." } },
          }
        : 'ok',
    );
    for (let i = 0; i < 2; i++)
      expect((await model.generateText({ ...HELLO, temperature: 0 })).text).toBe('ok');
    expect((await piecesOf(model.stream({ ...HELLO, temperature: 0 }))).join('')).toBe('ok');
    expect(server.chats).toHaveLength(4);
  });
});

const asked = {
  ...HELLO,
  system: 'Find facts.',
  name: 'facts',
  schema: z.object({ facts: z.array(z.object({ who: z.string(), year: z.int() })) }),
};
const facts = { facts: [{ who: '小明', year: 2024 }] };

describe('an object', () => {
  test('is requested with its schema', async () => {
    const { server, model } = await open();
    server.reply({ json: facts });
    expect((await model.generateObject(asked)).value).toEqual(facts);
    expect(schemaName(server.chats[0]!)).toBe('facts');
    expect(server.chats[0]).toMatchObject({
      response_format: { json_schema: { strict: true, schema: { required: ['facts'] } } },
      messages: [{ role: 'system', content: 'Find facts.' }, {}],
    });
  });

  test.each([
    ['json_object', { type: 'json_object' }],
    ['prompt', undefined],
  ] as const)('is requested in words with %s', async (structuredOutput, format) => {
    const { server, model } = await open({ structuredOutput });
    server.reply(`<think>Well…</think>\n\`\`\`json\n${JSON.stringify(facts)}\n\`\`\``);
    expect((await model.generateObject(asked)).value).toEqual(facts);
    expect(server.chats[0]?.['response_format']).toEqual(format);
    expect(promptText(server.chats[0]!)).toMatch(/^Find facts\.\n\nReply with JSON.*"required":\["facts"\]/s);
  });

  test('is requested in words when the server rejects schemas, and from then on', async () => {
    const { server, model } = await open();
    server.answer((body) =>
      'response_format' in body
        ? { status: 400, body: { error: { message: 'This response_format type is unavailable now' } } }
        : { json: facts },
    );
    for (let i = 0; i < 2; i++) expect((await model.generateObject(asked)).value).toEqual(facts);
    expect(server.chats.map((body) => promptText(body).includes('Reply with JSON'))).toEqual([
      false,
      true,
      true,
    ]);
  });

  test('that is invalid is sent back once with the problem', async () => {
    const { server, model, calls } = await open();
    server.reply({ json: { facts: [{ who: '小明', year: 'last year' }] } }, { json: facts });
    const { value, usage } = await model.generateObject(asked);
    expect(value).toEqual(facts);
    expect(usage).toEqual({ inputTokens: 20, outputTokens: 10 });
    expect(calls).toHaveLength(2);
    const messages = server.chats[1]?.['messages'] as { role: string; content: string }[];
    expect(messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user']);
    expect(messages[2]?.content).toContain('last year');
    expect(messages[3]?.content).toMatch(/facts\[0\]\.year[\s\S]*"required":\["facts"\]/);
  });

  test('that is truncated or empty is sent back with that reason', async () => {
    const { server, model } = await open();
    server.reply({ text: '{"facts":[{"who":', finishReason: 'length' }, { json: facts });
    await model.generateObject(asked);
    expect(promptText(server.chats[1]!)).toMatch(/cut off/);
    server.reply('', { json: facts });
    await model.generateObject(asked);
    expect(server.chats[3]?.['messages']).toContainEqual({ role: 'assistant', content: '(nothing)' });
  });

  test('that is invalid twice is an error', async () => {
    const { server, model } = await open();
    server.answer(() => 'I would rather not.');
    await expect(model.generateObject(asked)).rejects.toMatchObject({
      code: 'MODEL_FAILED',
      message: expect.stringMatching(/facts.*no valid JSON/) as string,
      details: { retryable: false, reason: 'schema' },
    });
    expect(server.chats).toHaveLength(2);
    await expect(model.generateObject({ ...asked, repairs: false })).rejects.toMatchObject({
      details: { reason: 'schema' },
    });
    expect(server.chats).toHaveLength(3);
  });
});

describe('a forwarded request', () => {
  test('is unchanged except for model and key, and the response is passed on byte for byte', async () => {
    const { server, model, calls } = await open({ extraBody: { keep_alive: '1h', seed: 1 } });
    const reply = { toolCalls: [{ name: 'look', arguments: { at: '空' } }], bytesPerWrite: 2 };
    server.reply(reply);
    const body = {
      model: 'omoide',
      stream: true,
      seed: 7,
      tools: [{ x: 1 }],
      messages: [],
      odd: { deep: [null] },
    };
    const response = await model.forward('/chat/completions', body, 'proxy');
    expect(server.chats[0]).toEqual({ ...body, model: 'm', keep_alive: '1h' });
    expect(server.requests[0]?.headers.authorization).toBe(`Bearer ${KEY}`);
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    server.reply(reply);
    const direct = await fetch(`${server.url}/chat/completions`, {
      method: 'POST',
      body: JSON.stringify({ ...body, model: 'm' }),
    });
    expect(await response.text()).toBe(await direct.text());
    expect(calls).toMatchObject([{ purpose: 'proxy', error: null }]);
  });

  test('counts and fails like any other', async () => {
    const { server, model, calls } = await open();
    server.reply('やあ', { status: 404, body: { error: { message: 'no such model' } } });
    const response = await model.forward('/chat/completions', { messages: [] }, 'proxy');
    expect(await response.json()).toMatchObject({ choices: [{ message: { content: 'やあ' } }] });
    expect(calls[0]?.usage).toEqual({ inputTokens: 10, outputTokens: 5 });
    await expect(model.forward('/chat/completions', {}, 'proxy')).rejects.toMatchObject({
      code: 'MODEL_FAILED',
      details: { status: 404, reason: 'status' },
    });
  });

  test('may use other paths', async () => {
    const { server, model } = await open();
    const response = await model.forward('/embeddings', { input: ['a'] }, 'proxy');
    expect(await response.json()).toMatchObject({ model: 'm', data: [{ index: 0 }] });
    expect(server.requests[0]?.path).toBe('/v1/embeddings');
  });
});

describe('opening', () => {
  const settings = { provider: 'endpoint', url: 'http://127.0.0.1:9/v1', model: 'm' } as const;

  test('gives the model’s id without its key', () => {
    const model = openLanguageModel({ ...settings, apiKey: KEY });
    expect(model.id).toBe('http://127.0.0.1:9/v1#m');
    expect(inspect(model, { depth: 20, showHidden: true })).not.toContain(KEY);
  });

  test('prefers an explicit key to the environment’s', async () => {
    const { server, model } = await open({ apiKey: ' sk-other ' });
    server.reply('ok');
    await model.generateText(HELLO);
    expect(server.requests[0]?.headers.authorization).toBe('Bearer sk-other');
  });

  test.each([
    ['a variable that is not set', { apiKeyEnv: 'NO_SUCH_KEY' }, /NO_SUCH_KEY/],
    ['a key that is invalid in a header', { apiKey: `${KEY}\n${KEY}` }, /key/],
    ['a key in the address', { url: `http://user:${KEY}@a.test/v1` }, /user, password/],
    ['a wrong setting', { timeoutMs: 0 }, /timeoutMs/],
  ])('fails with %s', (_what, more, message) => {
    const opening = () => openLanguageModel({ ...settings, ...more }, { environment: {} });
    expect(opening).toThrow(
      expect.objectContaining({ code: 'INVALID_INPUT', message: expect.stringMatching(message) as string }),
    );
    expect(opening).not.toThrow(KEY);
  });
});
