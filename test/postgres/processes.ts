/** `omoide serve` and `omoide worker` as processes of one database, and requests to them. */
import { spawn } from 'node:child_process';
import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { openMemory } from '../../src/engine/engine.ts';
import { masterKeyVariables } from '../masterKeyVariables.ts';
import { startScriptedModel, type ScriptedModel } from '../scriptedModel/scriptedModel.ts';
import { startKillable, type Killable } from '../server/killable.ts';
import { temporaryFolder } from '../temporary.ts';
import { withDatabase } from './shared.ts';
import type { TestServer } from './server.ts';

const CLI = fileURLToPath(new URL('../../src/cli/cli.ts', import.meta.url));

let databases = 0;

/** The URL of a new, empty database in the server. */
export async function newDatabase(server: TestServer): Promise<string> {
  const name = `test_${process.pid}_${(databases += 1)}`;
  await withDatabase(server.url(), (sql) => sql.unsafe(`CREATE DATABASE ${name}`));
  return server.url(name);
}

/** Resolves when the worker is ready. It is killed at the end of the test if it still runs. */
export async function startWorkerProcess(dataDir: string, store: string): Promise<{ kill(): Promise<void> }> {
  const words = ['worker', '--json', '--data', dataDir, '--store', store, '--embedder', 'hashed'];
  const child = spawn(process.execPath, [CLI, ...words], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'], ...masterKeyVariables() },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = new Promise<number | null>((resolve) => {
    child.on('close', resolve);
  });
  let said = '';
  child.stderr.on('data', (part: Buffer) => (said += part.toString()));
  await new Promise<void>((resolve, reject) => {
    createInterface({ input: child.stdout }).once('line', () => resolve());
    void ended.then((code) => reject(new Error(`The worker ended with ${code}: ${said}`)));
  });
  return {
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** Two servers and, if wanted, a worker of one database. */
export interface TwoServers {
  readonly store: string;
  /** The data folders of the servers `a` and `b`, and of the worker. */
  readonly folders: readonly [string, string, string];
  readonly model: ScriptedModel;
  readonly a: Killable;
  readonly b: Killable;
}

/** Each process has its own data folder; all share one signing key. The database then has one turn. */
export async function startTwoServers(store: string, workers: 'worker' | 'no worker'): Promise<TwoServers> {
  const model = await startScriptedModel();
  onTestFinished(() => model.close());
  model.answer(() => 'わかった、覚えておくね。');
  const chatModel = JSON.stringify({ provider: 'endpoint', url: model.url, model: 'scripted', retries: 0 });
  const args = ['--store', store, '--no-worker', '--chat-model', chatModel];
  const dataDir = temporaryFolder();
  const folders = [join(dataDir, 'a'), join(dataDir, 'b'), join(dataDir, 'worker')] as const;
  const memory = await openMemory({ dataDir: folders[0], store, embedder: null, worker: false });
  await memory.add({ conversationId: 'first', speaker: 'user', text: '初めまして。' });
  await memory.close();
  for (const folder of folders.slice(1)) {
    mkdirSync(folder);
    cpSync(join(folders[0], 'signing.key'), join(folder, 'signing.key'));
  }
  const [a, b] = await Promise.all([startKillable(folders[0], args), startKillable(folders[1], args)]);
  if (workers === 'worker') await startWorkerProcess(folders[2], store);
  return { store, folders, model, a, b };
}

export interface HeardEvent {
  readonly event: string;
  readonly data: {
    readonly id: number | null;
    readonly unitId: number;
    readonly data: { readonly message: string | null; readonly causeUnitId: number | null };
  };
}

/** The events of a server's stream, as they arrive. Ends with the server or the test. */
export async function listenTo(server: Killable, path: string): Promise<HeardEvent[]> {
  const heard: HeardEvent[] = [];
  const response = await server.request('GET', path);
  if (!response.ok || !response.body) throw new Error(`${path}: ${response.status}`);
  const reader = response.body.getReader();
  onTestFinished(() => reader.cancel().catch(() => {}));
  void readAll(reader, heard).catch(() => {});
  return heard;
}

async function readAll(reader: ReadableStreamDefaultReader<Uint8Array>, heard: HeardEvent[]): Promise<void> {
  const decoder = new TextDecoder();
  let text = '';
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    text += decoder.decode(part.value, { stream: true });
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const lines = text.slice(0, end).split('\n');
      text = text.slice(end + 2);
      const field = (name: string) =>
        lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
      const data = field('data');
      if (data !== undefined)
        heard.push({ event: field('event') ?? '', data: JSON.parse(data) as HeardEvent['data'] });
    }
  }
}
