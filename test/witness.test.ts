/** Witnesses: chain heads stored outside the folder, also with several signing processes. */
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { openMemory } from '../src/engine/engine.ts';
import { temporaryFolder } from './temporary.ts';

const open = (dataDir: string, witness?: string) =>
  openMemory({
    dataDir,
    embedder: null,
    worker: false,
    learn: false,
    ...(witness !== undefined && { witness }),
  });
const turn = (said: string) => ({ conversationId: 'c', speaker: 'user', text: said });

/** Stores lines received by POST, and returns them to clients with the password. */
async function startWitness() {
  const state = { lines: '', isDown: false };
  const server = createServer((request, response) => {
    void (async () => {
      const isKnown = request.headers.authorization === `Basic ${btoa('me:pass word')}`;
      if (state.isDown || !isKnown) return void response.writeHead(isKnown ? 503 : 401).end();
      if (request.method === 'POST') state.lines += await text(request);
      response.end(request.method === 'GET' ? state.lines : '');
    })();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return { state, url: `http://me:pass%20word@127.0.0.1:${port}/log` };
}

test('a witness behind a URL receives every head, also of those made while it was away', async () => {
  const dataDir = temporaryFolder();
  const { state, url } = await startWitness();
  const memory = await open(dataDir, url);
  const sign = async (said: string) => {
    await memory.add(turn(said));
    return memory.admin.checkpoint();
  };
  await sign('first');
  state.isDown = true;
  await expect(sign('second')).rejects.toMatchObject({
    code: 'FILE_UNREADABLE',
    message: expect.not.stringContaining('pass') as unknown,
  });
  await expect(sign('third')).rejects.toThrow('503');
  // In the folder, all signatures are valid.
  expect(readFileSync(join(dataDir, 'witness_default.log'), 'utf8').trim().split('\n')).toHaveLength(3);
  state.isDown = false;
  await sign('fourth');
  expect(state.lines.trim().split('\n')).toHaveLength(4);
  expect((await memory.admin.verify()).problems).toEqual([]);
  await memory.close();
});

test('reports a folder that was rewritten with its log', async () => {
  const dataDir = temporaryFolder();
  const { state, url } = await startWitness();
  const memory = await open(dataDir, url);
  await memory.add([turn('first'), turn('second')]);
  await memory.close();
  const line = state.lines;
  state.lines = line.replace(/"links":"(.)/, (_, digit: string) => `"links":"${digit === '0' ? '1' : '0'}`);
  const again = await open(dataDir, url);
  expect((await again.admin.verify()).problems).toMatchObject([{ code: 'CHAIN_BROKEN' }]);
  state.lines = line;
  expect((await again.admin.verify()).problems).toEqual([]);
  await again.close();
});

test('a writer that was killed before it wrote the line leaves no gap; the next writer adds it', async () => {
  const dataDir = temporaryFolder();
  const memory = await open(dataDir);
  const log = join(dataDir, 'witness_default.log');
  await memory.add(turn('first'));
  await memory.admin.checkpoint();
  const first = readFileSync(log, 'utf8');
  await memory.add(turn('second'));
  await memory.admin.checkpoint();
  await memory.close();
  writeFileSync(log, first);
  const again = await open(dataDir);
  expect((await again.admin.verify()).problems).toEqual([]);
  await again.add(turn('third'));
  await again.admin.checkpoint();
  expect((await again.admin.verify()).problems).toEqual([]);
  expect(readFileSync(log, 'utf8').trim().split('\n')).toHaveLength(3);
  await again.close();
});

test('several processes that sign at the same time leave no gap, also for a concurrent reader', async () => {
  const dataDir = temporaryFolder();
  const memories = await Promise.all([open(dataDir), open(dataDir), open(dataDir)]);
  const [reader] = memories;
  for (let round = 0; round < 8; round += 1) {
    const work = memories.map(async (memory, index) => {
      await memory.add(turn(`${round}.${index}`));
      await memory.admin.checkpoint();
    });
    expect((await reader.admin.verify()).problems).toEqual([]);
    await Promise.all(work);
  }
  expect((await reader.admin.verify()).problems).toEqual([]);
  const db = new DatabaseSync(join(dataDir, 'memory_default.db'));
  const signed = db.prepare('SELECT max(turn_id) AS id FROM checkpoint').get();
  expect(signed).toEqual({ id: 24 });
  db.close();
  await Promise.all(memories.map((memory) => memory.close()));
});
