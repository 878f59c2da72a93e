/** The package as users get it: packed, installed into an empty project, and used as the README says. */
import { execFile, spawn } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { startScriptedModel } from './scriptedModel/scriptedModel.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const TSC = join(ROOT, 'node_modules/typescript/bin/tsc');
const NODE_FOLDER = dirname(process.execPath);
const NPM = process.env['npm_execpath'];
const REAL_HOME = homedir();
/** npm's configuration of this machine, to reach the registry. */
const CONNECTION = /^(?:npm_config_registry|https?_proxy|no_proxy|node_extra_ca_certs|ssl_cert_file)$/i;

/** The tutorial's commands to create a project. */
const PROJECT = ['npm init --yes', 'npm pkg set type=module'];

interface Ended {
  readonly code: number;
  readonly output: string;
}

let folder: string;
let project: string;
let home: string;
let files: string[];

/** An environment without the user's files: an empty home, and the package's commands in the path. */
function environment(): NodeJS.ProcessEnv {
  const fromHere = Object.fromEntries(Object.entries(process.env).filter(([name]) => CONNECTION.test(name)));
  return {
    HOME: home,
    USERPROFILE: home,
    PATH: [NODE_FOLDER, join(project, 'node_modules/.bin'), process.env['PATH'] ?? ''].join(delimiter),
    ...fromHere,
    npm_config_cache: process.env['npm_config_cache'] ?? join(REAL_HOME, '.npm'),
    npm_config_userconfig: process.env['npm_config_userconfig'] ?? join(REAL_HOME, '.npmrc'),
  };
}

function run(command: string, args: readonly string[], cwd = project): Promise<Ended> {
  const env = environment();
  return new Promise((resolve) => {
    const child = execFile(command, args, { cwd, env, maxBuffer: 2 ** 26 }, (error, stdout, stderr) => {
      resolve({ code: error ? (child.exitCode ?? 1) : 0, output: stdout + stderr });
    });
  });
}

function npm(args: readonly string[], cwd?: string): Promise<Ended> {
  return NPM ? run(process.execPath, [NPM, ...args], cwd) : run('npm', args, cwd);
}

async function outputOf(running: Promise<Ended>): Promise<string> {
  const { code, output } = await running;
  expect(output).not.toContain('Cannot find');
  expect(`${code}\n${code === 0 ? '' : output}`).toBe('0\n');
  return output;
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'omoide-package-'));
  home = join(folder, 'home');
  project = join(folder, 'project');
  mkdirSync(home);
  mkdirSync(project);
  await outputOf(npm(['run', '--silent', 'build'], ROOT));
  const packed = await outputOf(
    npm(['pack', '--json', '--loglevel=error', '--pack-destination', folder], ROOT),
  );
  const [listed] = Object.values(JSON.parse(packed.slice(packed.search(/[[{]/))) as object) as [
    { filename: string; files: { path: string }[] },
  ];
  files = listed.files.map(({ path }) => path);
  for (const line of PROJECT) await outputOf(npm(line.split(' ').slice(1)));
  const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz'))!;
  await outputOf(npm(['install', '--no-audit', '--no-fund', '--prefer-offline', join(folder, tarball)]));
}, 600_000);

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
}, 120_000);

describe('the tarball', () => {
  test('contains no source maps, tests or sources', () => {
    expect(files.length).toBeGreaterThan(200);
    expect(files.length).toBeLessThan(700);
    expect(files).toContain('dist/THIRD_PARTY_LICENSES.txt');
    expect(files.filter((path) => /\.map$|\.test\.|conformance|^src\/|^test\//.test(path))).toEqual([]);
  });

  test.each(['README.md', 'README.ja.md', 'README.zh.md'])('contains every file that %s links to', (name) => {
    const text = readFileSync(join(project, 'node_modules/omoide', name), 'utf8');
    const links = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)[^)]*\)/g)].map(([, link]) => link!);
    expect(links.length).toBeGreaterThan(5);
    expect(links.filter((link) => !existsSync(join(project, 'node_modules/omoide', link)))).toEqual([]);
  });
});

describe('in an empty project', () => {
  test('the tutorial works', () => {
    const tutorial = readFileSync(join(ROOT, 'docs/tutorial.md'), 'utf8');
    expect(tutorial).toContain(`${PROJECT.join('\n')}\nnpm install omoide\n`);
  });

  test('types compile in strict TypeScript', async () => {
    const program = `
      import { openMemory, type Memory, type RecallResult } from 'omoide';
      import { createClient } from 'omoide/client';
      const memory: Memory = await openMemory({ dataDir: './data' });
      const result: RecallResult = await memory.recall('a');
      // @ts-expect-error a number is no utterance
      await memory.recall(1);
      console.log(result.hits[0]?.why.sentence.toUpperCase(), typeof createClient);
    `;
    writeFileSync(join(project, 'typed.ts'), program);
    const options = ['--strict', '--noEmit', '--module', 'nodenext', '--target', 'es2024', '--types', ''];
    const { code, output } = await run(process.execPath, [
      TSC,
      ...options,
      '--skipLibCheck',
      'true',
      'typed.ts',
    ]);
    expect({ code, output }).toEqual({ code: 0, output: '' });
  });

  test('can be loaded from CommonJS', async () => {
    const program = `
      const { openMemory } = require('omoide');
      openMemory({ dataDir: './data-cjs', embedder: null }).then(async (memory) => {
        await memory.add({ conversationId: 'c', speaker: 'user', text: 'The bridge swayed.' });
        console.log((await memory.recall('the bridge')).hits[0].text);
        await memory.close();
      });
    `;
    writeFileSync(join(project, 'program.cjs'), program);
    expect(await outputOf(run(process.execPath, ['program.cjs']))).toContain('The bridge swayed.');
  });

  test.each(['README.md', 'README.ja.md', 'README.zh.md'])('the first example of %s runs', async (name) => {
    const text = readFileSync(join(ROOT, name), 'utf8');
    const example = /```ts\n([^]*?)```/.exec(text)?.[1] ?? '';
    expect(example).toContain("from 'omoide'");
    const file = `${name.replaceAll('.', '-')}.ts`;
    writeFileSync(join(project, file), example.replaceAll("'./data'", `'./data-${file}'`));
    expect(await outputOf(run(process.execPath, [file]))).toContain('EPISODE_EVIDENCE');
  });

  test('npx omoide demo runs', async () => {
    const output = await outputOf(npm(['exec', '--no', '--', 'omoide', 'demo', '--embedder', 'hashed']));
    expect(output).toContain('日本語');
    expect(output).toContain('English');
  });

  test('exports of other programs are imported and recalled', async () => {
    const fixtures = join(ROOT, 'test/fixtures/imports');
    const paths = readdirSync(fixtures)
      .filter((name) => name !== 'telegram-all.json')
      .map((name) => join(fixtures, name));
    const flags = ['--data', './imported', '--embedder', 'hashed', '--no-learn'];
    await outputOf(npm(['exec', '--no', '--', 'omoide', 'ingest', ...paths, ...flags]));
    const recalled = await outputOf(
      npm([
        'exec',
        '--no',
        '--',
        'omoide',
        'recall',
        'Did you pack the tent?',
        '--data',
        './imported',
        '--embedder',
        'hashed',
      ]),
    );
    expect(recalled).toContain('the stove');
  });
});

describe('its server', () => {
  test('serves one memory to the openai client and to an MCP client', async () => {
    const model = await startScriptedModel();
    onTestFinished(() => model.close());
    const setting = JSON.stringify({ provider: 'endpoint', url: model.url, model: 'scripted' });
    const { url, token } = await serve('--chat-model', setting);

    const openai = new OpenAI({ baseURL: `${url}/v1`, apiKey: token });
    const tell = (content: string) =>
      openai.chat.completions.create({ model: 'omoide', messages: [{ role: 'user', content }] });
    // Background learning asks the model, too.
    model.answer(() => 'It must have been quite a view!');
    const first = await tell('We crossed the swaying suspension bridge in Nasu.');
    expect(first.choices[0]?.message.content).toBe('It must have been quite a view!');
    await tell('Where was that swaying suspension bridge?');
    const asked = model.chats
      .map((body) => JSON.stringify(body))
      .find((body) => body.includes('Where was that'));
    expect(asked).toContain('bridge in Nasu');

    const agent = new Client({ name: 'newcomer', version: '1' });
    const headers = { authorization: `Bearer ${token}` };
    await agent.connect(
      new StreamableHTTPClientTransport(new URL('/mcp', url), { requestInit: { headers } }),
    );
    onTestFinished(() => agent.close());
    const call = async (name: string, given: Record<string, unknown>) =>
      JSON.stringify(await agent.callTool({ name, arguments: given }));
    expect(await call('recall', { utterance: 'the swaying suspension bridge' })).toContain('bridge in Nasu');
    // The server created the folder for notes.
    await call('remember', { text: 'Hana is allergic to shrimp.', type: 'entity' });
    expect(await call('recall', { utterance: 'What is Hana allergic to?' })).toContain('shrimp');
  });
});

/** Starts the package's server; it stops at the end of the test. */
async function serve(...flags: string[]): Promise<{ url: string; token: string }> {
  const cli = join(project, 'node_modules/omoide/dist/cli/cli.js');
  const args = [
    cli,
    'serve',
    '--data',
    './served',
    '--embedder',
    'hashed',
    '--port',
    '0',
    '--json',
    ...flags,
  ];
  const child = spawn(process.execPath, args, { cwd: project, env: environment() });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  onTestFinished(async () => {
    child.kill();
    await ended;
  });
  let complaints = '';
  child.stderr.on('data', (chunk) => (complaints += String(chunk)));
  let printed = '';
  return new Promise((resolve, reject) => {
    child.stdout.on('data', (chunk) => {
      printed += String(chunk);
      if (printed.includes('\n')) resolve(JSON.parse(printed) as { url: string; token: string });
    });
    child.once('exit', () => reject(new Error(complaints)));
  });
}

/** Beginnings of shell lines that other tests cover or that need a checkout. */
const ELSEWHERE = /^(?:npm|npx)\b/;
/** Names that the examples of the pages use without declaring them. */
const GIVEN = [
  ['chatgpt-voice.json', 'conversations.json'],
  ['line-ja.txt', '[LINE] ゆきとのトーク.txt'],
  ['wechat-time-first.txt', '小雨.txt'],
] as const;

describe('the code blocks of the pages run', () => {
  test.each(['README.md', 'README.ja.md', 'README.zh.md', 'docs/tutorial.md'])('%s', async (page) => {
    const cwd = join(project, page.replaceAll(/\W/g, '-'));
    mkdirSync(cwd);
    symlinkSync(join(project, 'node_modules'), join(cwd, 'node_modules'), 'junction');
    for (const [name, as] of GIVEN) copyFileSync(join(ROOT, 'test/fixtures/imports', name), join(cwd, as));
    const text = readFileSync(join(ROOT, page), 'utf8');
    for (const [, file, program] of text.matchAll(/```ts file=(\S+)\n([^]*?)```/g))
      writeFileSync(join(cwd, file!), program!);
    const blocks = [...text.matchAll(/```sh\n([^]*?)```/g)].map(([, block]) => block!);
    const lines = blocks
      .flatMap((block) => block.split('\n'))
      .map((line) => line.replace(/\s+#.*$/, '').trim());
    const outputs = [];
    for (const line of lines.filter((line) => line !== '' && !ELSEWHERE.test(line)))
      outputs.push(
        line.startsWith('omoide serve')
          ? await served(line, cwd)
          : await outputOf(shell(toRunnable(line), cwd)),
      );
    expect(outputs.length).toBeGreaterThan(3);
    // The pages promise that stored text is recalled.
    expect(outputs.join('\n')).toMatch(/Hana screamed|Nothing was stored/);
  });
});

/** Files of agents are printed and not written. */
function toRunnable(line: string): string {
  return line.startsWith('omoide mcp install') ? `${line} --print` : line;
}

function shell(line: string, cwd: string): Promise<Ended> {
  return run('sh', ['-c', line], cwd);
}

/** Starts a server, waits until it prints its address, and stops it. */
function served(line: string, cwd: string): Promise<string> {
  const child = spawn('sh', ['-c', `exec ${line} --port 0`], { cwd, env: environment() });
  return new Promise((resolve, reject) => {
    let output = '';
    const read = (chunk: Buffer) => {
      output += chunk.toString();
      if (output.includes('listens at')) child.kill();
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.once('exit', () => (output.includes('listens at') ? resolve(output) : reject(new Error(output))));
  });
}
