/** `omoide serve` in a separate process that a test may kill. */
import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { masterKeyVariables } from '../masterKeyVariables.ts';

const CLI = fileURLToPath(new URL('../../src/cli/cli.ts', import.meta.url));
/** The token of every server, known before it starts. */
export const TOKEN = 'a-token-for-tests-and-nothing-else';

export interface Killable {
  readonly url: string;
  readonly child: ChildProcess;
  /** Its output on standard error. */
  readonly said: () => string;
  /** A request with the token; a body is sent as JSON. */
  request(method: string, path: string, body?: unknown): Promise<Response>;
  /** The answer as JSON. Throws for an error response. */
  ask<T>(method: string, path: string, body?: unknown): Promise<T>;
  /** Resolves when the process has ended. */
  kill(): Promise<void>;
  /** Asks it to stop; resolves with its exit code. */
  stop(): Promise<number | null>;
}

/** Resolves when it answers. It listens on a free port and is killed at the end of the test if it still runs. */
export async function startKillable(dataDir: string, args: readonly string[] = []): Promise<Killable> {
  const words = ['serve', '--json', '--port', '0', '--data', dataDir, '--embedder', 'hashed', ...args];
  const child = spawn(process.execPath, [CLI, ...words], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env['PATH'],
      ...masterKeyVariables(),
      OMOIDE_TOKEN: TOKEN,
      OMOIDE_RATE_LIMIT_PER_MINUTE: '1000000',
    },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = new Promise<number | null>((resolve) => {
    child.on('close', resolve);
  });
  let said = '';
  child.stderr.on('data', (part: Buffer) => (said += part.toString()));
  const url = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).once('line', (line) =>
      resolve((JSON.parse(line) as { url: string }).url),
    );
    void ended.then((code) => reject(new Error(`The server ended with ${code}: ${said}`)));
  });
  const request = async (method: string, path: string, body?: unknown) => {
    try {
      return await fetch(url + path, {
        method,
        headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
    } catch (cause) {
      const state = `exit code ${child.exitCode}, signal ${child.signalCode}`;
      throw new Error(`${method} ${path}: no answer (${state}): ${said}`, { cause });
    }
  };
  return {
    url,
    child,
    said: () => said,
    request,
    async ask<T>(method: string, path: string, body?: unknown): Promise<T> {
      const response = await request(method, path, body);
      const text = await response.text();
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
      return (text === '' ? null : JSON.parse(text)) as T;
    },
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
    async stop() {
      child.kill('SIGTERM');
      return ended;
    },
  };
}
