/** Which memories of a database a server without a worker keeps open. */
import { describe, expect, test } from 'vitest';
import { openTestServer } from '../server/testServer.ts';
import { newDatabase } from './processes.ts';
import { missingForServer } from './server.ts';
import { sharedServer } from './shared.ts';

const OPENED = 20;
const HOUR_MS = 3_600_000;

async function openInServer(openMemoriesBytes: number): Promise<number> {
  let now = Date.parse('2026-03-02T03:00:00Z');
  const store = await newDatabase(await sharedServer());
  const { parts } = openTestServer({ store, worker: false, openMemoriesBytes, now: () => now });
  for (let i = 0; i < OPENED; i += 1) (await parts.memories.acquire(`m${i}`, {})).release();
  now += HOUR_MS;
  await parts.memories.closeUnused();
  return (await parts.memories.opened()).length;
}

const missing = missingForServer();
describe.skipIf(missing !== null)(`memories of a database ${missing ?? ''}`, () => {
  test('stay open while they fit into the size that is set', async () => {
    expect(await openInServer(1e9)).toBe(OPENED);
  });

  test('are closed when they take more, except the 16 that were used last', async () => {
    expect(await openInServer(1)).toBe(16);
  });
});
