/** Agents for tests: the official client, in this process and over the command line. */
import { Client, InMemoryTransport, type ClientOptions } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { fileURLToPath } from 'node:url';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { openMemory, type Memory } from '../../src/engine/engine.ts';
import { createMcpServer } from '../../src/serve/mcp/server.ts';
import { temporaryFolder } from '../temporary.ts';

export const CLI = fileURLToPath(new URL('../../src/cli/cli.ts', import.meta.url));
const INFO = { name: 'test', version: '1' };

export interface Agent {
  readonly client: Client;
  readonly log: readonly string[];
  /** Calls a tool; returns whether it is an error, and its text. */
  call(name: string, args?: Record<string, unknown>): Promise<Called>;
}

export interface Called {
  readonly isError: boolean;
  readonly text: string;
  readonly structured: unknown;
}

export function agentOf(client: Client, log: readonly string[] = []): Agent {
  return {
    client,
    log,
    async call(name, args = {}) {
      const result = await client.callTool({ name, arguments: args });
      const content = result.content as { type: string; text: string }[];
      return {
        isError: result.isError === true,
        text: content.map(({ text }) => text).join('\n'),
        structured: result.structuredContent,
      };
    },
  };
}

/** Ten in the morning in Tokyo. */
const NOW = Date.UTC(2026, 5, 1, 1);

/** @param folder of notes; none: the memory is opened without notes */
export async function openTestMemory(folder?: NotesFolder): Promise<Memory> {
  const memory = await openMemory({
    dataDir: temporaryFolder(),
    ...(folder && { notes: { global: folder.path } }),
    now: () => NOW,
    embedder: { provider: 'hashed' },
    worker: false,
    timeZone: 'Asia/Tokyo',
  });
  onTestFinished(() => memory.close());
  return memory;
}

/** A folder of notes on the disk, as a user sees it. */
export interface NotesFolder {
  readonly path: string;
  read(uri: string): string;
  write(uri: string, text: string): void;
}

export function notesFolder(
  files: Readonly<Record<string, string>> = {},
  path = join(temporaryFolder(), 'notes'),
): NotesFolder {
  const pathOf = (uri: string) => join(path, ...uri.split('/'));
  const write = (uri: string, text: string) => {
    mkdirSync(dirname(pathOf(uri)), { recursive: true });
    writeFileSync(pathOf(uri), text);
  };
  mkdirSync(path, { recursive: true });
  for (const [uri, text] of Object.entries(files)) write(uri, text);
  return { path, read: (uri) => readFileSync(pathOf(uri), 'utf8'), write };
}

/** An agent of a memory with notes, in this process. */
export async function openAgent(
  files: Readonly<Record<string, string>> = {},
): Promise<Agent & { memory: Memory; notes: NotesFolder }> {
  const notes = notesFolder(files);
  const memory = await openTestMemory(notes);
  return { ...(await connect(memory)), memory, notes };
}

/** An agent of a memory in this process. */
export async function connect(memory: Memory): Promise<Agent> {
  const log: string[] = [];
  const server = createMcpServer({
    memory,
    scope: 'operate',
    version: '1.2.3',
    log: (line) => void log.push(line),
  });
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await server.connect(ours);
  const client = new Client(INFO);
  await client.connect(theirs);
  onTestFinished(() => client.close());
  return agentOf(client, log);
}

/** An agent that starts `omoide mcp`; `close` behaves like a client's. */
export async function spawnAgent(
  args: readonly string[],
  options: ClientOptions & { cwd?: string; env?: Record<string, string> } = {},
): Promise<Agent & { stderr: () => string; close: () => Promise<void> }> {
  const { cwd, env, ...clientOptions } = options;
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [CLI, 'mcp', '--embedder', 'hashed', ...args],
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stderr: 'pipe',
    ...(cwd !== undefined && { cwd }),
  });
  let stderr = '';
  transport.stderr?.on('data', (part: Buffer) => (stderr += part.toString()));
  const client = new Client(INFO, clientOptions);
  await client.connect(transport);
  const close = () => client.close();
  onTestFinished(close);
  return { ...agentOf(client), stderr: () => stderr, close };
}
