import { describe, expect, onTestFinished, test } from 'vitest';
import { promptText, schemaName, startScriptedModel, type ScriptedModel } from './scriptedModel.ts';

async function start(): Promise<ScriptedModel> {
  const model = await startScriptedModel();
  onTestFinished(() => model.close());
  return model;
}

function ask(model: ScriptedModel, more: object = {}, signal?: AbortSignal): Promise<Response> {
  return fetch(`${model.url}/chat/completions`, {
    method: 'POST',
    headers: { authorization: 'Bearer k' },
    body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'hello' }], ...more }),
    ...(signal && { signal }),
  });
}

async function events(response: Response): Promise<Record<string, unknown>[]> {
  const lines = (await response.text()).split('\n\n').filter((line) => line !== '');
  expect(lines.at(-1)).toBe('data: [DONE]');
  return lines.slice(0, -1).map((line) => JSON.parse(line.slice(6)) as Record<string, unknown>);
}

describe('a reply', () => {
  test('is the next of the queue, else the result of the function, else a 400', async () => {
    const model = await start();
    expect((await ask(model)).status).toBe(400);
    model.answer((body) => `${promptText(body)} yourself`);
    model.reply('first', { json: { a: 1 }, usage: null });
    const bodies = [];
    for (let i = 0; i < 3; i++) bodies.push(await (await ask(model)).json());
    expect(bodies).toMatchObject([
      {
        choices: [{ message: { content: 'first' }, finish_reason: 'stop' }],
        usage: { prompt_tokens: 10, completion_tokens: 5 },
      },
      { choices: [{ message: { content: '{"a":1}' } }] },
      { choices: [{ message: { content: 'hello yourself' } }] },
    ]);
    expect(bodies[1]).not.toHaveProperty('usage');
    expect(model.chats).toHaveLength(4);
    expect(model.requests[0]).toMatchObject({
      path: '/v1/chat/completions',
      headers: { authorization: 'Bearer k' },
    });
  });

  test('streams in chunks, with usage when requested', async () => {
    const model = await start();
    model.reply({ chunks: ['こん', 'にちは'], bytesPerWrite: 1 });
    const received = await events(
      await ask(model, { stream: true, stream_options: { include_usage: true } }),
    );
    expect(received).toMatchObject([
      { choices: [{ delta: { role: 'assistant', content: 'こん' } }] },
      { choices: [{ delta: { content: 'にちは' } }] },
      { choices: [{ finish_reason: 'stop' }] },
      { choices: [], usage: { prompt_tokens: 10 } },
    ]);
  });

  test('calls tools', async () => {
    const model = await start();
    const reply = { toolCalls: [{ name: 'look', arguments: { at: 'sky' } }] };
    model.reply(reply, reply);
    const call = { id: 'call_0', function: { name: 'look', arguments: '{"at":"sky"}' } };
    expect(await (await ask(model)).json()).toMatchObject({
      choices: [{ message: { tool_calls: [call] }, finish_reason: 'tool_calls' }],
    });
    const [first] = await events(await ask(model, { stream: true }));
    expect(first).toMatchObject({ choices: [{ delta: { tool_calls: [{ index: 0, ...call }] } }] });
  });
});

describe('a scripted fault', () => {
  test('is a status, headers and a body', async () => {
    const model = await start();
    model.reply({ status: 429, headers: { 'retry-after': '3' }, body: { error: { message: 'slow down' } } });
    const response = await ask(model);
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, '3']);
    expect(await response.json()).toEqual({ error: { message: 'slow down' } });
  });

  test.each([[{}], [{ stream: true }]])('is invalid JSON or a broken connection (%j)', async (more) => {
    const model = await start();
    model.reply({ malformed: true }, { text: 'a long enough reply', drop: 1 }, { drop: 'at_once' });
    expect(await (await ask(model, more)).text()).toContain('<html>');
    const broken = await ask(model, more);
    expect(broken.status).toBe(200);
    await expect(broken.text()).rejects.toThrow(/terminated/);
    await expect(ask(model, more)).rejects.toThrow(/fetch failed/);
  });

  test('is silence until the client disconnects', async () => {
    const model = await start();
    model.reply({ hang: 'at_once' });
    const stop = new AbortController();
    const asked = ask(model, {}, stop.signal);
    await expect.poll(() => model.requests.length).toBe(1);
    stop.abort();
    await expect(asked).rejects.toThrow(/abort/);
    await model.settled();
    expect(model.requests[0]?.isAbandoned).toBe(true);
  });
});

test('counts the requests in progress', async () => {
  const model = await start();
  model.answer(() => ({ text: 'yes', delayMs: 20 }));
  await Promise.all([ask(model), ask(model), ask(model)]);
  expect(model.mostAtOnce).toBe(3);
});

test('lists models and embeds without a reply in the queue', async () => {
  const model = await start();
  expect(await (await fetch(`${model.url}/models`)).json()).toMatchObject({
    data: [{ id: 'scripted-model' }],
  });
  const response = await fetch(`${model.url}/embeddings`, {
    method: 'POST',
    body: JSON.stringify({ model: 'e', input: ['猫', '犬'] }),
  });
  const { data } = (await response.json()) as { data: { embedding: number[] }[] };
  expect(data.map(({ embedding }) => embedding.length)).toEqual([64, 64]);
  expect(data[0]?.embedding).not.toEqual(data[1]?.embedding);
  expect(model.chats).toEqual([]);
});

test('parses a request: the name of its schema and its messages', () => {
  const messages = [
    { role: 'system', content: 'Be kind.' },
    { role: 'user', content: [{ type: 'text', text: 'What is this?' }, { type: 'image_url' }] },
  ];
  expect(promptText({ messages })).toBe('Be kind.\n\nWhat is this?\n');
  expect(schemaName({ response_format: { type: 'json_schema', json_schema: { name: 'facts' } } })).toBe(
    'facts',
  );
  expect(schemaName({})).toBeNull();
});
