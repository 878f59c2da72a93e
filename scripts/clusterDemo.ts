/**
 * Shows what happens when a database fails: a PostgreSQL primary and its synchronous standby, two servers, one worker
 * and clients run on this machine; then the primary is killed and the standby promoted. At the end, acknowledged and
 * stored turns are compared.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { openMemory } from '../src/engine/engine.ts';
import { Load, type LoadedServer } from '../test/postgres/load.ts';
import { Pair } from '../test/postgres/pair.ts';
import { missingForServer } from '../test/postgres/server.ts';

const CLI = fileURLToPath(new URL('../src/cli/cli.ts', import.meta.url));
const TOKEN = 'a-token-for-this-demonstration-alone';
const MEMORY = 'demo';

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '1' },
    seconds: { type: 'string', default: '10' },
    clients: { type: 'string', default: '4' },
  },
});
const kills = wholeNumber('kills');
const seconds = wholeNumber('seconds');
const clients = wholeNumber('clients');
const startedAt = performance.now();
const children: ChildProcess[] = [];

const missing = missingForServer();
if (missing !== null) {
  process.stderr.write(`${missing}.\n`);
  process.exitCode = 1;
} else await demonstrate();

async function demonstrate(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'omoide-cluster-'));
  say(
    'Creating a primary and a synchronous standby (the first time, pgvector is compiled, which takes up to a minute) …',
  );
  const pair = await Pair.start();
  process.once('exit', () => pair.discard());
  try {
    await run(pair, folder);
  } finally {
    for (const child of children) child.kill('SIGKILL');
    await pair.remove();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function run(pair: Pair, folder: string): Promise<void> {
  const store = pair.url();
  say(`PostgreSQL listens at ${store}`);
  await makeMemory(folder, store);
  const servers = await Promise.all(['a', 'b'].map((name) => startServer(join(folder, name), store)));
  for (const { url } of servers) say(`omoide serve at ${url}`);
  await start([
    'worker',
    '--json',
    '--data',
    join(folder, 'worker'),
    '--store',
    store,
    '--embedder',
    'hashed',
  ]);
  say(`omoide worker is running. ${clients} clients begin to send turns.`);
  const load = new Load(servers, { memoryId: MEMORY, clients });
  for (let kill = 1; kill <= kills; kill += 1) {
    await pause((seconds * 1_000) / 2);
    say(
      `Acknowledged turns so far: ${load.acknowledged}. Killing the primary on port ${pair.primary.port} (SIGKILL).`,
    );
    const back = load.nextAcknowledgement();
    await pair.failOver();
    say(`The standby on port ${pair.primary.port} was promoted.`);
    say(`A new turn was acknowledged ${((await back) / 1_000).toFixed(1)} s after the kill.`);
    await pause((seconds * 1_000) / 2);
    if (kill < kills) {
      await pair.repair();
      say('The killed server is a synchronous standby again.');
    }
  }
  await load.stop();
  await tellAccount(load, folder, store);
}

async function makeMemory(folder: string, store: string): Promise<void> {
  for (const name of ['a', 'b', 'worker']) mkdirSync(join(folder, name), { mode: 0o700 });
  const dataDir = join(folder, 'a');
  const memory = await openMemory({ dataDir, store, memoryId: MEMORY, embedder: null, worker: false });
  await memory.add({ conversationId: 'first', speaker: 'user', text: 'Hello.' });
  await memory.close();
  for (const name of ['b', 'worker']) cpSync(join(dataDir, 'signing.key'), join(folder, name, 'signing.key'));
}

async function tellAccount(load: Load, folder: string, store: string): Promise<void> {
  const dataDir = join(folder, 'a');
  const memory = await openMemory({ dataDir, store, memoryId: MEMORY, embedder: null, worker: false });
  try {
    const turns = await Array.fromAsync(memory.conversations.turns());
    const { acknowledged, lost, doubled } = load.account(turns);
    const { problems } = await memory.admin.verify();
    const { jobs, vectorModel } = await memory.admin.info();
    say('The result:');
    process.stdout.write(
      `    turns that a server acknowledged        ${acknowledged}
    turns in the database                   ${turns.length - 1}
    acknowledged, but not in the database   ${lost.length}
    in the database twice                   ${doubled.length}
    requests that a client sent again       ${load.resent}
    problems that “omoide verify” finds     ${problems.length}
    vectors that the worker made so far     ${vectorModel?.count ?? 0} (of turns and summaries)
    jobs of the worker that failed          ${jobs.failed}\n`,
    );
    const isWhole = lost.length + doubled.length + problems.length === 0;
    say(
      isWhole
        ? 'No acknowledged turn was lost or stored twice, and the chain of turns is whole.'
        : 'Something was lost or stored twice: see above.',
    );
    process.exitCode = isWhole ? 0 : 1;
  } finally {
    await memory.close();
  }
}

async function startServer(dataDir: string, store: string): Promise<LoadedServer & { readonly url: string }> {
  const words = ['serve', '--no-worker', '--json', '--port', '0', '--data', dataDir];
  const line = await start([...words, '--store', store, '--embedder', 'hashed']);
  const { url } = JSON.parse(line) as { url: string };
  const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };
  return {
    url,
    request: (method, path, body) =>
      fetch(url + path, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) }),
  };
}

/** Starts a command of Omoide; resolves with the first line it prints. */
async function start(words: readonly string[]): Promise<string> {
  const child = spawn(process.execPath, [CLI, ...words], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...process.env,
      OMOIDE_TOKEN: TOKEN,
      OMOIDE_RATE_LIMIT_PER_MINUTE: '1000000',
      OMOIDE_LOG_LEVEL: process.env['OMOIDE_LOG_LEVEL'] ?? 'error',
    },
  });
  children.push(child);
  return new Promise((resolve, reject) => {
    createInterface({ input: child.stdout }).once('line', resolve);
    child.once('exit', (code) => reject(new Error(`omoide ${words[0]} ended with ${code}.`)));
  });
}

function say(line: string): void {
  const at = ((performance.now() - startedAt) / 1_000).toFixed(1).padStart(6);
  process.stdout.write(`${at} s  ${line}\n`);
}

function wholeNumber(name: 'kills' | 'seconds' | 'clients'): number {
  const value = Number(values[name]);
  if (Number.isSafeInteger(value) && value > 0) return value;
  throw new Error(`--${name} must be a whole number above 0.`);
}
