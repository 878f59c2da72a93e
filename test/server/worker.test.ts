import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { startWorker } from '../../src/serve/worker.ts';
import { temporaryFolder } from '../temporary.ts';
import { openTestServer, openTestSettings, type TestServer } from './testServer.ts';

const OVERRIDES = { embedder: { provider: 'hashed' } } as const;

async function ingest({ client }: TestServer, memoryId: string): Promise<void> {
  const turn = { conversationId: 'c', speaker: 'user', text: '吊り橋が揺れた' };
  await client.ingestTurns({ memoryId, body: { turns: [turn] } });
}

/** Whether a vector exists; derived units may have more. */
async function hasVectors({ client }: TestServer, memoryId: string): Promise<boolean> {
  return ((await client.readStats({ memoryId })).vectorModel?.count ?? 0) > 0;
}

describe('a worker next to a server that has none', () => {
  test('does the work of existing memories and of new ones', async () => {
    const server = openTestServer();
    await ingest(server, 'first');
    const log: string[] = [];
    const worker = await startWorker({
      dataDir: server.dataDir,
      settings: server.settings,
      modelOverrides: OVERRIDES,
      log: (line) => void log.push(line),
    });
    await ingest(server, 'second');
    await vi.waitFor(
      async () =>
        expect([await hasVectors(server, 'first'), await hasVectors(server, 'second')]).toEqual([true, true]),
      { timeout: 15_000 },
    );
    await worker.stop();
    expect(log).toEqual([]);
    await ingest(server, 'third');
    expect(await hasVectors(server, 'third')).toBe(false);
  });

  test('does the work of one memory when it is named', async () => {
    const server = openTestServer();
    await ingest(server, 'mine');
    await ingest(server, 'other');
    const { dataDir, settings } = server;
    const options = { dataDir, settings, modelOverrides: OVERRIDES, log: () => {} };
    const worker = await startWorker({ ...options, memoryId: 'mine' });
    await vi.waitFor(async () => expect(await hasVectors(server, 'mine')).toBe(true), { timeout: 10_000 });
    expect(await hasVectors(server, 'other')).toBe(false);
    await worker.stop();
  });

  test('uses another embedder that is set meanwhile, and so does the server', async () => {
    const server = openTestServer({ modelOverrides: {} });
    const { dataDir, settings, client } = server;
    const embedding = [{ id: 'h', name: 'h', settings: { provider: 'hashed' } as const }];
    await ingest(server, 'm');
    const worker = await startWorker({ dataDir, settings, log: () => {} });
    await vi.waitFor(async () => expect(await hasVectors(server, 'm')).toBe(true), { timeout: 10_000 });
    await client.changeSettings({ body: { presets: { embedding }, active: { embedding: 'h' } } });
    await vi.waitFor(
      async () => expect((await client.readStats({ memoryId: 'm' })).embedder).toBe('omoide-hashed-v1'),
      { timeout: 15_000 },
    );
    await worker.stop();
  });
});

test('creates its folder, and stops when there is nothing to do', async () => {
  const dataDir = join(temporaryFolder(), 'not', 'there');
  const settings = openTestSettings(temporaryFolder());
  const worker = await startWorker({ dataDir, settings, modelOverrides: OVERRIDES, log: () => {} });
  await worker.stop();
  expect(await openTestServer({ dataDir, settings }).parts.memories.list()).toEqual([]);
});
