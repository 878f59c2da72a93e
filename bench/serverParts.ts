/** The server and the model for the bench of the server, each in its own process, so that neither blocks the other. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { internals, openMemory } from '../src/engine/engine.ts';
import { startServer } from '../src/serve/serve.ts';
import { openSettings } from '../src/settings/settings.ts';
import { minimalReply } from '../test/companion/minimalReply.ts';
import { startScriptedModel } from '../test/scriptedModel/scriptedModel.ts';
import { generateTurns } from './generate.ts';

export type Role =
  | { readonly role: 'model' }
  | { readonly role: 'server'; readonly dataDir: string; readonly modelUrl: string; readonly turns: number };

/** The address of a part. */
export interface Place {
  readonly url: string;
  readonly token: string;
}

export interface Part extends Place {
  /** Resolves when the process has ended in any way. */
  stop(): Promise<void>;
}

const MODEL = 'scripted';
const REPLY_PIECES = Array.from({ length: 12 }, (_, i) => `piece ${i} `);

/** Starts a part in its own process; resolves when it answers. */
export async function startPart(role: Role): Promise<Part> {
  const child: ChildProcess = fork(fileURLToPath(import.meta.url), [JSON.stringify(role)]);
  const [place] = (await once(child, 'message')) as [Place];
  return {
    ...place,
    async stop() {
      if (child.exitCode !== null) return;
      const ended = once(child, 'exit');
      child.send('stop');
      await ended;
    },
  };
}

async function run(role: Role): Promise<void> {
  const part = role.role === 'model' ? await runModel() : await runServer(role);
  process.once('message', () => {
    void part.stop().then(() => process.exit(0));
  });
  process.once('disconnect', () => process.exit(1));
  process.send?.({ url: part.url, token: part.token });
}

/** Answers at once: chats in a few pieces, structured requests with the smallest valid reply. */
async function runModel(): Promise<Part> {
  const model = await startScriptedModel();
  model.answer((body) => minimalReply(body) ?? { chunks: REPLY_PIECES });
  return { url: model.url, token: 'none', stop: () => model.close() };
}

/** A normal server, on a memory with this many generated turns and their vectors. */
async function runServer({ dataDir, modelUrl, turns }: Extract<Role, { role: 'server' }>): Promise<Part> {
  const memory = await openMemory({ dataDir, learn: false });
  await memory.add(generateTurns(turns));
  await internals(memory).settle();
  await memory.close();
  const settings = openSettings(join(dataDir, 'settings.db'));
  const { token } = settings.tokens.create({ name: 'bench' });
  const chat = { provider: 'endpoint', url: modelUrl, model: MODEL, concurrency: 64 } as const;
  const server = await startServer({
    dataDir,
    host: '127.0.0.1',
    port: 0,
    settings,
    worker: true,
    rateLimitPerMinute: 10_000_000,
    bodyLimitBytes: 1_048_576,
    corsOrigins: [],
    log: () => {},
    modelOverrides: { chat },
  });
  return {
    url: server.url,
    token,
    async stop() {
      await server.stop();
      settings.close();
    },
  };
}

if (process.send && process.argv[2]) await run(JSON.parse(process.argv[2]) as Role);
