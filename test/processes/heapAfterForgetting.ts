/**
 * A process that learns turns with made-up words and recalls them, until they are forgotten for good. It prints which of
 * the words are in its heap before and after, as JSON.
 *
 *     node heapAfterForgetting.ts '{"role":"library","dataDir":"…","words":["…"]}'
 *
 * The words are given backwards, so that only a memory can contain them.
 */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { getHeapSnapshot, setFlagsFromString } from 'node:v8';
import { internals, openMemory, type Memory } from '../../src/engine/engine.ts';
import { createClient } from '../../src/serve/client.ts';
import { startServer } from '../../src/serve/server.ts';
import { startWorker } from '../../src/serve/worker.ts';
import { openSettings } from '../../src/settings/settings.ts';

export interface HeapRequest {
  /**
   * What the process is: a program that uses the library and forgets; a server that forgets on request; a program, a
   * server or a worker, while the command line forgets.
   */
  readonly role: 'library' | 'server' | 'other library' | 'other server' | 'worker';
  readonly dataDir: string;
  /** The database of the memory; none: it is a file in the folder. */
  readonly store?: string;
  /** Of a cat, its giver and a place; each backwards. */
  readonly words: readonly [string, string, string];
}

const CLI = fileURLToPath(new URL('../../src/cli/cli.ts', import.meta.url));
const OVERRIDES = { embedder: { provider: 'hashed' } } as const;
const PAUSE_MS = 100;

const { role, dataDir, store, words } = JSON.parse(process.argv[2] ?? '') as HeapRequest;

const backwards = (word: string) => Array.from(word).toReversed().join('');

function turns() {
  const [cat = '', giver = '', place = ''] = words.map(backwards);
  const texts = [
    `I adopted a cat called ${cat} last week. ${giver} of ${place} gave it to me. I must call ${giver} tomorrow.`,
    `What a lovely name, ${cat}! How is the cat, ${giver}?`,
    'I went to the harbour with Mia yesterday and we had tea.',
  ];
  return texts.map((text, i) => ({ conversationId: `c${i}`, speaker: i === 0 ? giver : 'user', text }));
}

function questions(): string[] {
  const [cat = '', giver = '', place = ''] = words.map(backwards);
  return [cat, `who is ${giver}?`, place];
}

/** The words, backwards, that any string of the heap contains. */
async function wordsInHeap(): Promise<string[]> {
  const found = new Set<string>();
  let rest = '';
  const snapshot = getHeapSnapshot();
  snapshot.on('data', (part: Buffer) => {
    // Compared backwards: otherwise this very search would make strings with the words.
    const text = backwards(rest + part.toString('latin1').toLowerCase());
    for (const word of words) if (text.includes(word)) found.add(word);
    rest = backwards(text.slice(0, 100));
  });
  await once(snapshot, 'end');
  return [...found];
}

async function runCommand(...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [
    CLI,
    ...args,
    '--data',
    dataDir,
    ...(store === undefined ? [] : ['--store', store]),
  ]);
  return stdout;
}

async function forgetElsewhere(): Promise<void> {
  for (const conversation of ['c0', 'c1'])
    await runCommand('forget', '--conversation', conversation, '--yes');
}

/** What a process does: until `before`, it learns and recalls; then `forget` erases. */
interface Running {
  forget(): Promise<void>;
  stop(): Promise<void>;
}

async function open(): Promise<Memory> {
  return openMemory({
    dataDir,
    ...(store !== undefined && { store }),
    timeZone: 'UTC',
    embedder: OVERRIDES.embedder,
    worker: false,
  });
}

async function useLibrary(): Promise<Running> {
  const memory = await open();
  for (const turn of turns()) await memory.add(turn);
  await internals(memory).settle();
  for (const query of questions()) {
    await memory.recall(query, { view: 'bundle' });
    await memory.pack(query);
    await memory.explore({ text: query });
  }
  await internals(memory).overview.warmUp();
  return {
    async forget() {
      if (role === 'other library') return forgetElsewhere();
      await memory.forget({ conversation: 'c0' });
      await memory.forget({ conversation: 'c1' });
      await memory.pack('Was Mia at the harbour?');
    },
    stop: () => memory.close(),
  };
}

interface Jobs {
  readonly jobs: readonly { readonly runAfter: string }[];
}

/** Waits until no job is due. */
async function learnt(): Promise<void> {
  const isDue = ({ runAfter }: Jobs['jobs'][number]) => Date.parse(runAfter) <= Date.now();
  while ((JSON.parse(await runCommand('jobs', '--json')) as Jobs).jobs.some(isDue)) await pause(PAUSE_MS);
}

async function useServer(): Promise<Running> {
  const settings = openSettings(join(dataDir, 'settings.db'));
  const { token } = settings.tokens.create({ name: 'test' });
  const server = await startServer({
    dataDir,
    ...(store !== undefined && { store }),
    settings,
    host: '127.0.0.1',
    port: 0,
    worker: true,
    rateLimitPerMinute: 100_000,
    bodyLimitBytes: 1_048_576,
    corsOrigins: [],
    timeZone: 'UTC',
    modelOverrides: OVERRIDES,
    log: () => {},
  });
  // Connections do not survive a snapshot, which blocks the process.
  const again: typeof fetch = (...given) => fetch(...given).catch(() => fetch(...given));
  const client = createClient({ baseUrl: server.url, token, fetch: again });
  const memoryId = 'default';
  await client.ingestTurns({ memoryId, body: { turns: turns() } });
  await learnt();
  for (const utterance of questions()) {
    await client.recall({ memoryId, body: { utterance } });
    await client.pack({ memoryId, body: { utterance } });
    await client.explore({ memoryId, body: { query: { text: utterance } } });
  }
  return {
    async forget() {
      if (role === 'other server') return forgetElsewhere();
      await client.forget({ memoryId, body: { conversation: 'c0' } });
      await client.forget({ memoryId, body: { conversation: 'c1' } });
    },
    async stop() {
      await server.stop();
      settings.close();
    },
  };
}

async function useWorker(): Promise<Running> {
  const memory = await open();
  for (const turn of turns()) await memory.add(turn);
  await memory.close();
  const settings = openSettings(join(dataDir, 'settings.db'));
  const worker = await startWorker({
    dataDir,
    ...(store !== undefined && { store }),
    settings,
    modelOverrides: OVERRIDES,
    log: () => {},
  });
  await learnt();
  return {
    forget: forgetElsewhere,
    async stop() {
      await worker.stop();
      settings.close();
    },
  };
}

setFlagsFromString('--heap-snapshot-string-limit=1000000');
const start = {
  library: useLibrary,
  server: useServer,
  'other library': useLibrary,
  'other server': useServer,
  worker: useWorker,
}[role];
const running = await start();
const before = await wordsInHeap();
await running.forget();
// What another process erased is noticed a little later. A word that stays is found until the test runs out of time.
let after = await wordsInHeap();
if (role !== 'library') for (; after.length > 0; after = await wordsInHeap()) await pause(PAUSE_MS);
await running.stop();
console.log(JSON.stringify({ before, after }));
