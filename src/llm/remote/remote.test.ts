import { statSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startScriptedModel, type ScriptedModel } from '../../../test/scriptedModel/scriptedModel.ts';
import { temporaryFolder } from '../../../test/temporary.ts';
import type { ModelCall } from '../languageModel.ts';
import { createRemote, openTraceFile, type Outgoing, type Remote, type TraceRecord } from './remote.ts';

const KEY = 'sk-this-must-never-be-seen';
const SOON = { 'retry-after-ms': '1' };

interface Watched {
  readonly server: ScriptedModel;
  readonly remote: Remote;
  readonly calls: ModelCall[];
  readonly records: TraceRecord[];
}

async function open(more: object = {}): Promise<Watched> {
  const server = await startScriptedModel();
  onTestFinished(() => server.close());
  const calls: ModelCall[] = [];
  const records: TraceRecord[] = [];
  const settings = { url: server.url, model: 'm', apiKey: KEY, timeoutMs: 5000, retries: 2, concurrency: 8 };
  const remote = createRemote(
    { ...settings, ...more },
    { onCall: (call) => calls.push(call), trace: (record) => records.push(record) },
  );
  return { server, remote, calls, records };
}

function outgoing(isStream: boolean, more: Partial<Outgoing> = {}): Outgoing {
  const body = JSON.stringify({
    model: 'm',
    stream: isStream,
    messages: [{ role: 'user', content: 'やあ' }],
  });
  return { path: '/chat/completions', body, isStream, purpose: 'test', ...more };
}

describe.each([
  ['a whole reply', false],
  ['a stream', true],
])('%s', (_what, isStream) => {
  test('is requested with the key and reported', async () => {
    const { server, remote, calls } = await open();
    server.reply('はい');
    expect(await (await remote.send(outgoing(isStream))).text()).toContain('はい');
    expect(server.requests[0]?.headers.authorization).toBe(`Bearer ${KEY}`);
    const usage = isStream ? { inputTokens: null, outputTokens: null } : { inputTokens: 10, outputTokens: 5 };
    expect(calls).toEqual([
      {
        modelId: `${server.url}#m`,
        purpose: 'test',
        startedAt: expect.any(Number) as number,
        elapsedMs: expect.any(Number) as number,
        usage,
        error: null,
      },
    ]);
  });

  test.each([429, 408, 500, 503])('is delivered by a later attempt after status %i', async (status) => {
    const { server, remote, calls, records } = await open();
    server.reply({ status, headers: SOON, body: 'later' }, { status, headers: SOON }, 'at last');
    expect(await (await remote.send(outgoing(isStream))).text()).toContain('at ');
    expect(server.chats).toHaveLength(3);
    expect(calls.map(({ error }) => error)).toEqual([null]);
    expect(records.map((record) => [record.attempt, record.status, record.error === null])).toEqual([
      [0, status, false],
      [1, status, false],
      [2, 200, true],
    ]);
    expect(records[0]?.reply).toBe('later');
  });

  test.each([400, 401, 404, 422])('is not requested again after status %i', async (status) => {
    const { server, remote, calls } = await open();
    server.reply({ status, body: { error: { message: `Wrong, and so is ${KEY}.` } } });
    const error: unknown = await remote.send(outgoing(isStream)).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      code: 'MODEL_FAILED',
      details: { retryable: false, reason: 'status', status },
      message: `The language model at ${server.url} (model m) answered with status ${status}: Wrong, and so is [key].`,
    });
    expect(inspect([error, calls], { depth: 20, showHidden: true })).not.toContain(KEY);
    expect(server.chats).toHaveLength(1);
  });

  test('of a busy server fails after the last attempt', async () => {
    const { server, remote, calls } = await open({ retries: 1 });
    server.answer(() => ({ status: 429, headers: SOON, body: {} }));
    await expect(remote.send(outgoing(isStream))).rejects.toMatchObject({
      details: { retryable: true, status: 429, retryAfterMs: 1 },
    });
    expect(server.chats).toHaveLength(2);
    expect(calls).toHaveLength(1);
  });

  test('is not awaited when the server asks for a longer delay than the time limit', async () => {
    const { server, remote } = await open();
    server.reply({ status: 429, headers: { 'retry-after': '6' }, body: {} });
    await expect(remote.send(outgoing(isStream))).rejects.toMatchObject({
      details: { retryable: true, status: 429, retryAfterMs: 6000 },
    });
    expect(server.chats).toHaveLength(1);
  });

  test('that does not arrive fails at the time limit, and is not requested again', async () => {
    const { server, remote, calls } = await open({ timeoutMs: 60 });
    server.reply({ hang: 'at_once' });
    await expect(remote.send(outgoing(isStream))).rejects.toMatchObject({
      code: 'MODEL_FAILED',
      message: expect.stringContaining('did not answer within 60 ms') as string,
      details: { retryable: true, reason: 'timeout' },
    });
    await server.settled();
    expect(server.requests.map(({ isAbandoned }) => isAbandoned)).toEqual([true]);
    expect(calls[0]?.error).toContain('within 60 ms');
  });

  test('ends with the caller’s own reason, which disconnects from the server', async () => {
    const { server, remote, calls } = await open();
    const stop = new AbortController();
    const reason = new Error('no longer needed');
    server.answer(() => {
      setImmediate(() => stop.abort(reason));
      return { hang: 'at_once' };
    });
    await expect(remote.send(outgoing(isStream, { signal: stop.signal }))).rejects.toBe(reason);
    await expect(remote.send(outgoing(isStream, { signal: stop.signal }))).rejects.toBe(reason);
    await server.settled();
    expect(server.requests.map(({ isAbandoned }) => isAbandoned)).toEqual([true]);
    expect(calls.map(({ error }) => error)).toEqual(['no longer needed']);
  });

  test('is not requested again after the caller aborts during the delay', async () => {
    const { server, remote } = await open();
    const stop = new AbortController();
    server.answer(() => {
      setTimeout(() => stop.abort(new Error('enough')), 20);
      return { status: 503, headers: { 'retry-after': '4' }, body: {} };
    });
    await expect(remote.send(outgoing(isStream, { signal: stop.signal }))).rejects.toThrow('enough');
    expect(server.chats).toHaveLength(1);
  });

  test('waits for a free slot', async () => {
    const { server, remote } = await open({ concurrency: 2 });
    server.answer(() => ({ text: 'one of many', delayMs: 5 }));
    const all = Array.from({ length: 7 }, async () => (await remote.send(outgoing(isStream))).text());
    expect(await Promise.all(all)).toHaveLength(7);
    expect(server.mostAtOnce).toBe(2);
  });

  test('that fails frees its slot', async () => {
    const { server, remote } = await open({ concurrency: 1, retries: 0 });
    server.reply({ status: 500, body: {} }, { drop: 'at_once' }, { status: 400, body: {} }, 'there is room');
    for (let i = 0; i < 3; i++)
      await expect(remote.send(outgoing(isStream))).rejects.toThrow(/language model/);
    expect((await remote.send(outgoing(isStream))).status).toBe(200);
  });
});

test('an unreachable server fails', async () => {
  const { remote } = await open({ url: 'http://127.0.0.1:9/v1', retries: 0 });
  await expect(remote.send(outgoing(false))).rejects.toMatchObject({
    code: 'MODEL_FAILED',
    details: { retryable: true, reason: 'unreachable' },
  });
});

test('a response that breaks off before it was read is requested again', async () => {
  const { server, remote, records } = await open();
  server.reply({ text: 'a rather long reply', drop: 1 }, 'whole');
  const response = await remote.send(outgoing(false));
  expect(await response.json()).toMatchObject({ choices: [{ message: { content: 'whole' } }] });
  server.reply({ drop: 0 }, 'stream');
  expect(await (await remote.send(outgoing(true))).text()).toContain('stre');
  expect(records.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
});

describe('a running stream', () => {
  test('that breaks off is not started again', async () => {
    const { server, remote, calls } = await open();
    server.reply({ chunks: ['one', 'two', 'three'], drop: 2, chunkDelayMs: 5 });
    const response = await remote.send(outgoing(true));
    await expect(response.text()).rejects.toMatchObject({ details: { retryable: true, reason: 'broken' } });
    expect(server.chats).toHaveLength(1);
    expect(calls[0]?.error).toContain('broke off');
  });

  test('has its time limit for each piece, not for the whole', async () => {
    const { server, remote } = await open({ timeoutMs: 2_000 });
    const chunks = ['a', 'b', 'c', 'd', 'e', 'f'];
    server.reply({ chunks, chunkDelayMs: 400 });
    expect(await (await remote.send(outgoing(true))).text()).toContain('[DONE]');
    server.reply({ chunks, hang: 2 });
    await expect((await remote.send(outgoing(true))).text()).rejects.toMatchObject({
      message: expect.stringContaining('sent nothing more within 2000 ms') as string,
      details: { reason: 'timeout' },
    });
  });

  test('does not time out for a slow reader', async () => {
    const { server, remote } = await open({ timeoutMs: 1_000 });
    server.reply({ chunks: ['a', 'b', 'c'], chunkDelayMs: 10 });
    const reader = (await remote.send(outgoing(true))).body?.getReader();
    await reader?.read();
    await new Promise((resolve) => {
      setTimeout(resolve, 1_100);
    });
    await expect(reader?.read()).resolves.toMatchObject({ done: false });
  });

  test('frees its slot and disconnects when it is not read on', async () => {
    const { server, remote, calls } = await open({ concurrency: 1 });
    server.reply({ chunks: ['a', 'b'], hang: 1 }, { chunks: ['a', 'b'], hang: 1 }, 'next');
    await (await remote.send(outgoing(true))).body?.cancel();
    const stop = new AbortController();
    await remote.send(outgoing(true, { signal: stop.signal }));
    stop.abort(new Error('stopped'));
    expect(await (await remote.send(outgoing(true))).text()).toContain('next');
    await server.settled();
    expect(server.requests.map(({ isAbandoned }) => isAbandoned)).toEqual([true, true, false]);
    expect(calls.map(({ error }) => error)).toEqual(['abandoned', 'stopped', null]);
  });

  test('reports its cost when the client requested usage', async () => {
    const { server, remote, calls } = await open();
    server.reply({ text: 'はい', usage: { inputTokens: 7, outputTokens: 3 }, bytesPerWrite: 3 });
    const body = JSON.stringify({ stream: true, stream_options: { include_usage: true } });
    await (await remote.send(outgoing(true, { body }))).text();
    expect(calls[0]?.usage).toEqual({ inputTokens: 7, outputTokens: 3 });
  });
});

describe('the trace', () => {
  test('contains request and reply, but no key and no picture', async () => {
    const { server, remote, records } = await open();
    server.reply(`はい ${KEY}`);
    const body = JSON.stringify({
      key: KEY,
      image: `data:image/png;base64,${'A'.repeat(1000)}`,
      words: 'やあ',
    });
    await remote.send(outgoing(false, { body }));
    expect(records).toMatchObject([
      {
        modelId: `${server.url}#m`,
        purpose: 'test',
        attempt: 0,
        path: '/chat/completions',
        request: { key: '[key]', image: 'data:image/png;base64,… (1022 characters)', words: 'やあ' },
        status: 200,
        reply: { choices: [{ message: { content: 'はい [key]' } }] },
        error: null,
      },
    ]);
  });

  test('of a stream contains its events as they arrived', async () => {
    const { server, remote, records } = await open();
    server.reply({ chunks: ['你', '好'], bytesPerWrite: 1 });
    const text = await (await remote.send(outgoing(true))).text();
    expect(records.map(({ reply }) => reply)).toEqual([text]);
  });

  test('is written line by line to a file that only its owner can read', async () => {
    const path = join(temporaryFolder(), 'trace.jsonl');
    writeFileSync(path, '', { mode: 0o644 });
    const { server, remote, records } = await open();
    server.reply('one', 'two');
    await remote.send(outgoing(false));
    await remote.send(outgoing(false));
    for (const record of records) {
      const file = openTraceFile(path);
      file.write(record);
      file.close();
    }
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(records);
    expect(() => openTraceFile(temporaryFolder())).toThrow(
      expect.objectContaining({ code: 'FILE_UNREADABLE' }),
    );
  });

  test('and the usage report do not affect a request when they fail', async () => {
    const server = await startScriptedModel();
    onTestFinished(() => server.close());
    const fail = () => {
      throw new Error('full');
    };
    const settings = {
      url: server.url,
      model: 'm',
      apiKey: undefined,
      timeoutMs: 5000,
      retries: 0,
      concurrency: 1,
    };
    const remote = createRemote(settings, { onCall: fail, trace: fail });
    server.reply('fine');
    expect((await remote.send(outgoing(false))).status).toBe(200);
    expect(server.requests[0]?.headers.authorization).toBeUndefined();
  });
});
