import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { startScriptedModel } from '../../test/scriptedModel/scriptedModel.ts';
import { temporaryFolder } from '../../test/temporary.ts';
import { openSettings, settingsPath } from '../settings/settings.ts';

const CLI = fileURLToPath(new URL('cli.ts', import.meta.url));

let dataDir: string;

beforeEach(() => {
  dataDir = join(temporaryFolder(), 'data');
});

const environment = (variables: Record<string, string>) => ({
  PATH: process.env['PATH'],
  OMOIDE_DATA: dataDir,
  ...variables,
});

function omoide(args: readonly string[], variables: Record<string, string> = {}) {
  return new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve) => {
    const env = environment(variables);
    const child = execFile(process.execPath, [CLI, ...args], { env }, (_, stdout, stderr) => {
      resolve({ code: child.exitCode, stdout, stderr });
    });
  });
}

interface Running {
  readonly child: ChildProcess;
  readonly stdout: () => string;
  readonly stderr: () => string;
  readonly ended: Promise<number | null>;
}

interface Serving extends Running {
  readonly url: string;
}

/** Resolves when it has written to standard output, or has exited. */
async function start(args: readonly string[], variables: Record<string, string> = {}): Promise<Running> {
  const child = spawn(process.execPath, [CLI, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: environment({ OMOIDE_EMBEDDER: 'hashed', ...variables }),
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = new Promise<number | null>((resolve) => {
    child.on('close', resolve);
  });
  const said = { stdout: '', stderr: '' };
  child.stdout.on('data', (part: Buffer) => (said.stdout += part.toString()));
  child.stderr.on('data', (part: Buffer) => (said.stderr += part.toString()));
  while (said.stdout === '' && child.exitCode === null) await pause(10);
  return { child, stdout: () => said.stdout, stderr: () => said.stderr, ended };
}

async function serve(args: readonly string[] = [], variables: Record<string, string> = {}): Promise<Serving> {
  const running = await start(['serve', '--port', '0', ...args], variables);
  return { ...running, url: /http:\/\/127\.0\.0\.1:\d+/.exec(running.stdout())?.[0] ?? running.stderr() };
}

async function statusOf(url: string, token: string): Promise<number> {
  const { status } = await fetch(`${url}/api/memories`, { headers: { authorization: `Bearer ${token}` } });
  return status;
}

describe('serve', () => {
  test('prints a token at the first start only', async () => {
    const first = await serve();
    const [token = ''] = /omoide_[\w-]{43}/.exec(first.stdout()) ?? [];
    expect(first.stdout()).toContain(`${first.url}/docs`);
    expect(await statusOf(first.url, token)).toBe(200);
    expect(await statusOf(first.url, `${token}x`)).toBe(401);
    first.child.kill('SIGTERM');
    expect(await first.ended).toBe(0);
    expect(first.stderr()).not.toContain(token);
    const second = await serve(['--json']);
    expect(JSON.parse(second.stdout())).toEqual({ url: second.url, docs: `${second.url}/docs`, token: null });
    expect(await statusOf(second.url, token)).toBe(200);
  });

  test('accepts the token of the environment while it is set', async () => {
    const token = 'from-the-environment-0123456789';
    const first = await serve(['--json'], { OMOIDE_TOKEN: token });
    expect(JSON.parse(first.stdout())).toMatchObject({ token: null });
    expect(await statusOf(first.url, token)).toBe(200);
    first.child.kill('SIGINT');
    expect(await first.ended).toBe(0);
    const second = await serve();
    expect(await statusOf(second.url, token)).toBe(401);
  });

  test.skipIf(process.platform === 'win32')('creates files that only their owner can read', async () => {
    const { url, stdout } = await serve();
    const [token = ''] = /omoide_[\w-]{43}/.exec(stdout()) ?? [];
    await fetch(`${url}/api/memories/m/turns`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ turns: [{ conversationId: 'c', speaker: 'user', text: '秘密だよ。' }] }),
    });
    const files = readdirSync(dataDir);
    expect(files).toEqual(expect.arrayContaining(['memory_m.db', 'settings.db']));
    expect(files.filter((name) => (statSync(join(dataDir, name)).mode & 0o077) !== 0)).toEqual([]);
  });

  test('reports a port that is in use, and creates no token', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => {
      other.listen(0, '127.0.0.1', resolve);
    });
    onTestFinished(() => void other.close());
    const port = String((other.address() as AddressInfo).port);
    const { code, stdout, stderr } = await omoide(['serve', '--port', port, '--embedder', 'hashed']);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^error INVALID_INPUT: .*another program listens there/);
    expect(stderr).toContain(port);
    expect((await omoide(['token', '--json'])).stdout).toBe('{"tokens":[]}\n');
  });

  test('does not listen on other interfaces because of the environment or a file', async () => {
    const { code, stderr } = await omoide(['serve'], { OMOIDE_HOST: '0.0.0.0' });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^error INVALID_INPUT: OMOIDE_HOST: .*--host 0\.0\.0\.0/);
  });

  test('finishes running answers after the first signal, and exits at once after the second', async () => {
    const model = await startScriptedModel();
    onTestFinished(() => model.close());
    const token = 'a-token-for-this-test-alone';
    // A worker would use up the scripted replies.
    const startOne = () =>
      serve(['--chat-model', `${model.url}#scripted`, '--no-worker'], { OMOIDE_TOKEN: token });
    const say = ({ url }: Serving) =>
      fetch(`${url}/api/chat`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ text: '元気？' }),
      });

    const patient = await startOne();
    model.reply({ chunks: ['ゆっくり', '話すよ。'], chunkDelayMs: 800 });
    const answer = await say(patient);
    patient.child.kill('SIGTERM');
    expect(await answer.text()).toContain('event: done');
    expect(await patient.ended).toBe(0);

    const hurried = await startOne();
    model.reply({ chunks: ['いつまで', 'も'], hang: 1 });
    const hanging = await say(hurried);
    hurried.child.kill('SIGINT');
    await pause(700); // Two signals within a short time count as one.
    expect(hurried.child.exitCode).toBeNull();
    hurried.child.kill('SIGINT');
    expect(await hurried.ended).toBe(130);
    await expect(hanging.text()).rejects.toThrow('terminated');
  });
});

test('worker runs the jobs of a server without a worker, also for memories created later', async () => {
  const token = 'a-token-for-this-test-alone';
  const server = await serve(['--no-worker'], { OMOIDE_TOKEN: token });
  const ask = async (path: string, body?: unknown) => {
    const response = await fetch(`${server.url}/api/memories/${path}`, {
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
    });
    return response.json() as Promise<{ vectorModel: { count: number } | null; jobs: { queued: number } }>;
  };
  const say = (memoryId: string) =>
    ask(`${memoryId}/turns`, {
      turns: [{ conversationId: 'c', speaker: 'user', text: '来週、那須へ行くよ。' }],
    });
  /** The number of vectors once there is one: of the turn, and of units derived from it so far. */
  const vectors = async (memoryId: string) => {
    for (;;) {
      const count = (await ask(memoryId)).vectorModel?.count ?? 0;
      if (count > 0) return count;
      await pause(50);
    }
  };
  await say('first');
  expect(await ask('first')).toMatchObject({ vectorModel: null });
  expect((await ask('first')).jobs.queued).toBeGreaterThan(0);
  const worker = await start(['worker', '--json']);
  expect(JSON.parse(worker.stdout())).toEqual({ data: dataDir, memory: null });
  expect(await vectors('first')).toBeGreaterThan(0);
  await say('second');
  expect(await vectors('second')).toBeGreaterThan(0);
  worker.child.kill('SIGTERM');
  expect(await worker.ended).toBe(0);
});

describe('token', () => {
  test('creates, lists and revokes tokens; a running server applies this at once', async () => {
    const { url } = await serve();
    const made = await omoide(['token', 'new', '--name', '電話', '--memory', 'bot', '--json']);
    const { id, token } = JSON.parse(made.stdout) as { id: string; token: string };
    expect(await statusOf(url, token)).toBe(200);
    const listed = JSON.parse((await omoide(['token', '--json'])).stdout) as { tokens: unknown[] };
    expect(listed.tokens).toContainEqual(expect.objectContaining({ id, name: '電話', memoryId: 'bot' }));
    expect(JSON.stringify(listed)).not.toContain(token);
    expect((await omoide(['token', 'revoke', id])).code).toBe(0);
    expect(await statusOf(url, token)).toBe(401);
  });

  test('reports errors', async () => {
    expect(await omoide(['token', 'revoke', 'none'])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^error NOT_FOUND/) as string,
    });
    expect(await omoide(['token', 'revoke'])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^error INVALID_INPUT/) as string,
    });
    expect(await omoide(['token', 'list', 'x'])).toMatchObject({ code: 2 });
    expect(await omoide(['token', 'new', '--memory', '../x'])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^error INVALID_ID/) as string,
    });
  });
});

test('config shows each value, its source and its meaning', async () => {
  const file = join(temporaryFolder(), 'config.json');
  writeFileSync(file, JSON.stringify({ port: 9, logFormat: 'json' }));
  const args = ['config', '--config', file, '--explain', '--log-format', 'text'];
  const { code, stdout } = await omoide(args, {
    OMOIDE_BODY_LIMIT_MIB: '5',
    OMOIDE_TOKEN: 'never-to-be-shown-1234',
  });
  expect(code).toBe(0);
  expect(stdout).toContain(`port                9  (${file})`);
  expect(stdout).toContain('logFormat           text  (--log-format)');
  expect(stdout).toContain('bodyLimitMib        5  (OMOIDE_BODY_LIMIT_MIB)');
  expect(stdout).toContain('maximum size of a request, in MiB');
  expect(stdout).not.toContain('never-to-be-shown');
});

test('commands use the chosen settings unless flags override them', async () => {
  const settings = openSettings(settingsPath(dataDir));
  const preset = { id: 'spelling', name: 'Spelling', settings: { provider: 'hashed' as const } };
  await settings.change({ presets: { embedding: [preset] }, active: { embedding: 'spelling' } });
  settings.close();
  const file = join(temporaryFolder(), 'talk.jsonl');
  writeFileSync(
    file,
    '{"role":"user","content":"The bridge swayed in the wind.","timestamp":"2026-03-28T10:00:00Z"}\n',
  );
  expect((await omoide(['ingest', file, '--no-learn'])).code).toBe(0);
  const embedderOf = async (...args: string[]) => {
    const { checks } = JSON.parse((await omoide(['doctor', '--json', ...args])).stdout) as {
      checks: { name: string; status: string; message: string }[];
    };
    return checks.filter(({ name }) => name === 'embedder' || name === 'vectors');
  };
  expect(await embedderOf()).toMatchObject([
    { message: expect.stringMatching(/hashed/) as string },
    { status: 'ok', message: expect.stringMatching(/hashed/) as string },
  ]);
  expect(await embedderOf('--embedder', 'bundled')).toMatchObject([
    { message: expect.stringMatching(/omoide-encoder/) as string },
    { status: 'fail' },
  ]);
});

test('jobs lists unfinished jobs', async () => {
  const file = join(temporaryFolder(), 'talk.jsonl');
  writeFileSync(file, '{"role":"user","content":"The bridge swayed in the wind."}\n');
  expect((await omoide(['ingest', file, '--no-learn', '--no-embed'])).code).toBe(0);
  const { stdout } = await omoide(['jobs', '--json']);
  expect(JSON.parse(stdout)).toMatchObject({
    counts: { queued: 1, running: 0, failed: 0 },
    jobs: [{ kind: 'embed', status: 'queued', input: { unitId: 1 } }],
  });
  expect((await omoide(['jobs', '--status', 'failed'])).stdout).toBe('1 queued, 0 running, 0 failed.\n');
  expect((await omoide(['jobs', 'retry', '--json'])).stdout).toBe('{"retried":0}\n');
  expect(await omoide(['jobs', 'retry', 'x'])).toMatchObject({ code: 2 });
});
