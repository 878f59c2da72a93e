import { describe, expect, onTestFinished, test } from 'vitest';
import { openMemory } from '../../src/engine/engine.ts';
import { temporaryFolder } from '../temporary.ts';
import { missingForPatroni, PatroniCluster } from './patroni.ts';
import { missingForServer, setMasterKey } from './server.ts';

const missing = missingForServer() ?? missingForPatroni();
describe.skipIf(missing !== null)(`Patroni ${missing ?? ''}`, () => {
  test('promotes the standby when the leader is killed, and a memory recovers by itself', async () => {
    setMasterKey();
    const cluster = await PatroniCluster.start();
    onTestFinished(() => cluster.discard());
    const dataDir = temporaryFolder();
    const memory = await openMemory({ dataDir, store: cluster.url(), embedder: null, worker: false });
    onTestFinished(() => memory.close());
    const stopping = new AbortController();
    const acknowledged: number[] = [];
    let last = 0;
    const talking = (async () => {
      for (let i = 0; !stopping.signal.aborted; i += 1) {
        const turn = { conversationId: 'c', turnIndex: i, speaker: 'user', text: `Turn ${i}.` };
        // A turn that failed, or may have been stored, is sent again.
        while (
          !(await memory.add(turn).then(
            () => true,
            () => false,
          ))
        );
        acknowledged.push(i);
        last = i;
      }
    })();
    await expect.poll(() => last, { timeout: 30_000 }).toBeGreaterThan(20);
    await cluster.killLeader();
    const before = last;
    await expect.poll(() => last, { timeout: 60_000 }).toBeGreaterThan(before + 20);
    stopping.abort();
    await talking;
    const turns = await Array.fromAsync(memory.conversations.turns());
    expect(turns.map(({ turnIndex }) => turnIndex)).toEqual(acknowledged);
    expect((await memory.admin.verify()).problems).toEqual([]);
  });
});
