/** Agents for tests: the official client, in this process and over the command line. */
import { Client, InMemoryTransport, type ClientOptions } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { openMemory, type Memory } from '../../src/engine/engine.ts';
import type { NotesAccess } from '../../src/serve/mcp/access.ts';
import { createMcpServer } from '../../src/serve/mcp/server.ts';
import { temporaryFolder } from '../temporary.ts';

export const CLI = fileURLToPath(new URL('../../src/cli/cli.ts', import.meta.url));
const INFO = { name: 'test', version: '1' };

export interface Agent {
  readonly client: Client;
  readonly log: readonly string[];
  /** Calls a tool; whether it is an error and what it says. */
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

export async function openTestMemory(): Promise<Memory> {
  const memory = await openMemory({
    dataDir: temporaryFolder(),
    embedder: { provider: 'hashed' },
    worker: false,
    timeZone: 'Asia/Tokyo',
  });
  onTestFinished(() => memory.close());
  return memory;
}

/** An agent of a memory in this process. */
export async function connect(memory: Memory, notes: NotesAccess | null = null): Promise<Agent> {
  const log: string[] = [];
  const server = createMcpServer({ memory, notes, version: '1.2.3', log: (line) => void log.push(line) });
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await server.connect(ours);
  const client = new Client(INFO);
  await client.connect(theirs);
  onTestFinished(() => client.close());
  return agentOf(client, log);
}

/** An agent that starts `omoide mcp`; `close` as a client does. */
export async function spawnAgent(
  args: readonly string[],
  options: ClientOptions & { cwd?: string } = {},
): Promise<Agent & { stderr: () => string; close: () => Promise<void> }> {
  const { cwd, ...clientOptions } = options;
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [CLI, 'mcp', '--embedder', 'hashed', ...args],
    env: { PATH: process.env['PATH'] ?? '' },
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
