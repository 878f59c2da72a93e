/** A test server, with or without a port. Every answer is checked against the operations table. */
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { z } from 'zod';
import { createApp } from '../../src/serve/app.ts';
import { createClient, type Client } from '../../src/serve/client.ts';
import type { Operation } from '../../src/serve/operation.ts';
import { OPERATIONS } from '../../src/serve/operations/operations.ts';
import type { ServerParts } from '../../src/serve/parts.ts';
import type { ModelOverrides } from '../../src/serve/models.ts';
import type { OperationName } from '../../src/serve/routes.ts';
import { assemble, startServer, type RunningServer, type ServerOptions } from '../../src/serve/server.ts';
import { openSettings, type Settings } from '../../src/settings/settings.ts';
import { temporaryFolder } from '../temporary.ts';

export interface TestServer {
  readonly dataDir: string;
  readonly settings: Settings;
  /** Of the operator. */
  readonly token: string;
  /** All lines that the server has logged. */
  readonly log: readonly string[];
  /** Operations that have answered successfully. */
  readonly answered: ReadonlySet<OperationName>;
  /** With the operator's token; every answer is checked against the table. */
  readonly client: Client;
  readonly clientOf: (token: string) => Client;
  /** A raw request, without a token unless one is given. */
  readonly request: (path: string, init?: RequestInit) => Promise<Response>;
}

/** Vectors without a model to load. */
const OVERRIDES: ModelOverrides = { embedder: { provider: 'hashed' } };

type Given = Partial<Omit<ServerOptions, 'settings'>> & {
  readonly settings?: Settings;
  /** Of a server without a port: its public address. */
  readonly baseUrl?: string;
};

function prepare(given: Given): { options: ServerOptions; token: string; log: string[] } {
  const dataDir = given.dataDir ?? temporaryFolder();
  const settings = given.settings ?? openTestSettings(dataDir);
  const { token } = settings.tokens.create({ name: 'test' });
  const log: string[] = [];
  const options: ServerOptions = {
    host: '127.0.0.1',
    port: 0,
    worker: false,
    rateLimitPerMinute: 100_000,
    bodyLimitBytes: 1_048_576,
    corsOrigins: [],
    timeZone: 'Asia/Tokyo',
    modelOverrides: OVERRIDES,
    graceMs: 1_000,
    log: (line) => void log.push(line),
    ...given,
    dataDir,
    settings,
  };
  return { options, token, log };
}

export function openTestSettings(dataDir: string): Settings {
  const settings = openSettings(join(dataDir, 'settings.db'));
  onTestFinished(() => settings.close());
  return settings;
}

function toTestServer(
  { options, token, log }: ReturnType<typeof prepare>,
  baseUrl: string,
  send: typeof fetch,
): TestServer {
  const answered = new Set<OperationName>();
  const watched = async (address: unknown, init?: RequestInit) => {
    const response = await send(address as string, init);
    const operation = findOperation(init?.method ?? 'GET', address as string);
    if (operation && response.ok) {
      answered.add(operation.name);
      await checkAnswer(operation, response);
    }
    return response;
  };
  const clientOf = (token: string) => createClient({ baseUrl, token, fetch: watched });
  return {
    dataDir: options.dataDir,
    settings: options.settings,
    token,
    log,
    answered,
    client: clientOf(token),
    clientOf,
    request: async (path, init) => send(baseUrl + path, init),
  };
}

/** The remote address of requests without a connection. */
const FROM_HERE = { incoming: { socket: { remoteAddress: '127.0.0.9' } } };

/** A server without a port. */
export function openTestServer(given: Given = {}): TestServer & { readonly parts: ServerParts } {
  const prepared = prepare(given);
  const { parts, cutOff } = assemble(prepared.options);
  const app = createApp(parts.server, { ...prepared.options, cutOff: cutOff.signal });
  onTestFinished(async () => {
    cutOff.abort();
    await parts.stop(1_000);
  });
  const send = async (input: unknown, init?: RequestInit) => app.request(input as string, init, FROM_HERE);
  return { ...toTestServer(prepared, given.baseUrl ?? 'http://localhost', send), parts: parts.server };
}

export async function startTestServer(
  given: Given = {},
): Promise<TestServer & { readonly running: RunningServer }> {
  const prepared = prepare(given);
  const running = await startServer(prepared.options);
  onTestFinished(() => running.stop());
  return { ...toTestServer(prepared, running.url, fetch), running };
}

/** The operation of a request. */
function findOperation(method: string, address: string): Operation | undefined {
  const { pathname } = new URL(address);
  return Object.values<Operation>(OPERATIONS).find(
    (operation) =>
      operation.method === method &&
      new RegExp(`^${operation.path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(pathname),
  );
}

/** Checks that the answer matches the table's schema and contains no other fields. */
async function checkAnswer(operation: Operation, response: Response): Promise<void> {
  if (response.status !== operation.status) throw new Error(`${operation.name} answered ${response.status}.`);
  if (!(operation.answer instanceof z.ZodType)) return;
  const value: unknown = await response.clone().json();
  const parsed = operation.answer.safeParse(value);
  if (!parsed.success)
    throw new Error(`${operation.name} answered what it should not: ${parsed.error.message}`);
  if (JSON.stringify(sorted(parsed.data)) !== JSON.stringify(sorted(value))) {
    throw new Error(`${operation.name} answered more than the table says: ${JSON.stringify(value)}`);
  }
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, part]) => [key, sorted(part)]));
}
