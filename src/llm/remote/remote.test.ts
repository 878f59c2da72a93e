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
  test('is asked for with the key and told of', async () => {
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

  test.each([429, 408, 500, 503])('after a %i comes at another try', async (status) => {
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

  test.each([400, 401, 404, 422])('is not asked for again after a %i', async (status) => {
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

  test('of a server that stays busy is given up after the last try', async () => {
    const { server, remote, calls } = await open({ retries: 1 });
    server.answer(() => ({ status: 429, headers: SOON, body: {} }));
    await expect(remote.send(outgoing(isStream))).rejects.toMatchObject({
      details: { retryable: true, status: 429, retryAfterMs: 1 },
    });
    expect(server.chats).toHaveLength(2);
    expect(calls).toHaveLength(1);
  });

  test('is not waited for when the server wants to be left alone for longer than its time', async () => {
    const { server, remote } = await open();
    server.reply({ status: 429, headers: { 'retry-after': '6' }, body: {} });
    await expect(remote.send(outgoing(isStream))).rejects.toMatchObject({
      details: { retryable: true, status: 429, retryAfterMs: 6000 },
    });
    expect(server.chats).toHaveLength(1);
  });

  test('that does not come is given up at its time, and not asked for again', async () => {
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

  test('ends with the caller’s own reason, and the server is left', async () => {
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

  test('is not asked for by who stopped while waiting to try again', async () => {
    const { server, remote } = await open();
    const stop = new AbortController();
    server.answer(() => {
      setTimeout(() => stop.abort(new Error('enough')), 20);
      return { status: 503, headers: { 'retry-after': '4' }, body: {} };
    });
    await expect(remote.send(outgoing(isStream, { signal: stop.signal }))).rejects.toThrow('enough');
    expect(server.chats).toHaveLength(1);
  });

  test('waits for its place among so many', async () => {
    const { server, remote } = await open({ concurrency: 2 });
    server.answer(() => ({ text: 'one of many', delayMs: 5 }));
    const all = Array.from({ length: 7 }, async () => (await remote.send(outgoing(isStream))).text());
    expect(await Promise.all(all)).toHaveLength(7);
    expect(server.mostAtOnce).toBe(2);
  });

  test('that fails makes room', async () => {
    const { server, remote } = await open({ concurrency: 1, retries: 0 });
    server.reply({ status: 500, body: {} }, { drop: 'at_once' }, { status: 400, body: {} }, 'there is room');
    for (let i = 0; i < 3; i++)
      await expect(remote.send(outgoing(isStream))).rejects.toThrow(/language model/);
    expect((await remote.send(outgoing(isStream))).status).toBe(200);
  });
});

test('a server that is not there', async () => {
  const { remote } = await open({ url: 'http://127.0.0.1:9/v1', retries: 0 });
  await expect(remote.send(outgoing(false))).rejects.toMatchObject({
    code: 'MODEL_FAILED',
    details: { retryable: true, reason: 'unreachable' },
  });
});

test('what breaks off before anyone saw it is asked for again', async () => {
  const { server, remote, records } = await open();
  server.reply({ text: 'a rather long reply', drop: 1 }, 'whole');
  const response = await remote.send(outgoing(false));
  expect(await response.json()).toMatchObject({ choices: [{ message: { content: 'whole' } }] });
  server.reply({ drop: 0 }, 'stream');
  expect(await (await remote.send(outgoing(true))).text()).toContain('stre');
  expect(records.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
});

describe('a stream under way', () => {
  test('that breaks off is not begun again', async () => {
    const { server, remote, calls } = await open();
    server.reply({ chunks: ['one', 'two', 'three'], drop: 2, chunkDelayMs: 5 });
    const response = await remote.send(outgoing(true));
    await expect(response.text()).rejects.toMatchObject({ details: { retryable: true, reason: 'broken' } });
    expect(server.chats).toHaveLength(1);
    expect(calls[0]?.error).toContain('broke off');
  });

  test('has its time for each piece, not for the whole', async () => {
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

  test('costs a slow reader nothing', async () => {
    const { server, remote } = await open({ timeoutMs: 50 });
    server.reply({ chunks: ['a', 'b', 'c'], chunkDelayMs: 10 });
    const reader = (await remote.send(outgoing(true))).body?.getReader();
    await reader?.read();
    await new Promise((resolve) => {
      setTimeout(resolve, 120);
    });
    await expect(reader?.read()).resolves.toMatchObject({ done: false });
  });

  test('makes room and leaves the server when nobody reads on', async () => {
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

  test('tells its cost where the client asked the server for it', async () => {
    const { server, remote, calls } = await open();
    server.reply({ text: 'はい', usage: { inputTokens: 7, outputTokens: 3 }, bytesPerWrite: 3 });
    const body = JSON.stringify({ stream: true, stream_options: { include_usage: true } });
    await (await remote.send(outgoing(true, { body }))).text();
    expect(calls[0]?.usage).toEqual({ inputTokens: 7, outputTokens: 3 });
  });
});

describe('the trace', () => {
  test('holds what was said, but no key and no picture', async () => {
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

  test('of a stream holds its events as they came', async () => {
    const { server, remote, records } = await open();
    server.reply({ chunks: ['你', '好'], bytesPerWrite: 1 });
    const text = await (await remote.send(outgoing(true))).text();
    expect(records.map(({ reply }) => reply)).toEqual([text]);
  });

  test('goes to a file that only its owner reads, line after line', async () => {
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

  test('and the account break nothing when they fail', async () => {
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
