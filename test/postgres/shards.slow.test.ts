/** Three databases, each with its own server, behind one proxy: docs/sharding.md. */
import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { openMemory } from '../../src/engine/engine.ts';
import { startKillable, TOKEN, type Killable } from '../server/killable.ts';
import { temporaryFolder } from '../temporary.ts';
import { Load } from './load.ts';
import { startWorkerProcess } from './processes.ts';
import { missingForProxy, startProxy } from './proxy.ts';
import { missingForServer, TestServer } from './server.ts';
import { withDatabase } from './shared.ts';

/** Memory ids by database. */
const MEMORIES = [
  ['a1', 'a2'],
  ['b1', 'b2'],
  ['c1', 'c2'],
] as const;
const SOON = { timeout: 180_000, interval: 100 };

interface Shard {
  readonly database: TestServer;
  readonly server: Killable;
  readonly folder: string;
}

/** A new database, and a server. */
async function startShard(dataDir: string, i: number): Promise<Shard> {
  const database = await TestServer.start('fsync = off\nwal_level = logical');
  onTestFinished(() => database.remove());
  const folder = join(dataDir, String(i));
  mkdirSync(folder);
  cpSync(join(dataDir, 'signing.key'), join(folder, 'signing.key'));
  const server = await startKillable(folder, ['--store', database.url(), '--no-worker']);
  return { database, server, folder };
}

async function onDatabase(database: TestServer, ...statements: string[]) {
  return withDatabase(database.url(), async (sql) => {
    let rows: Record<string, unknown>[] = [];
    for (const statement of statements) rows = await sql.unsafe(statement);
    return [...rows];
  });
}

const missing = missingForServer() ?? missingForProxy();
describe.skipIf(missing !== null)(`three databases ${missing ?? ''}`, () => {
  test('lose nothing acknowledged when one is killed under load and one hands over a memory', async () => {
    const dataDir = temporaryFolder();
    const first = await openMemory({ dataDir, embedder: null, worker: false });
    await first.add({ conversationId: 'first', speaker: 'user', text: 'Hello.' });
    await first.close();
    const shards: Shard[] = [];
    for (const i of MEMORIES.keys()) shards.push(await startShard(dataDir, i));
    const [a, b, c] = shards;
    if (!a || !b || !c) throw new Error('There are no three servers.');
    await startWorkerProcess(join(dataDir, 'worker'), a.database.url());
    const proxy = await startProxy(
      shards.map(({ server }) => server.url),
      new Map(MEMORIES.flatMap((names, i) => names.map((name) => [name, i] as const))),
    );
    const viaProxy = {
      request: async (method: string, path: string, body?: unknown) =>
        fetch(proxy.url + path, {
          method,
          headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
          body: JSON.stringify(body),
        }),
    };
    const loads = new Map(
      MEMORIES.flat().map(
        (name: string) => [name, new Load([viaProxy], { memoryId: name, clients: 1 })] as const,
      ),
    );
    const acknowledgedBy = (names: readonly string[]) =>
      Promise.all(names.map(async (name) => loads.get(name)?.nextAcknowledgement()));
    await acknowledgedBy(MEMORIES.flat());

    await b.database.end('SIGKILL');
    await acknowledgedBy([...MEMORIES[0], ...MEMORIES[2]]);
    await b.database.boot();
    await acknowledgedBy(MEMORIES[1]);

    // The steps of docs/sharding.md.
    await onDatabase(a.database, "SELECT omoide_publish('{a1}')");
    await onDatabase(
      c.database,
      `CREATE SUBSCRIPTION omoide_move CONNECTION 'host=127.0.0.1 port=${a.database.port} user=postgres dbname=postgres'
        PUBLICATION omoide_move`,
    );
    await vi.waitFor(async () => {
      const behind = "SELECT 1 FROM pg_subscription_rel WHERE srsubstate <> 'r'";
      expect(await onDatabase(c.database, behind)).toEqual([]);
    }, SOON);
    const before = loads.get('a1')?.acknowledged ?? 0;
    await vi.waitFor(() => expect(loads.get('a1')?.acknowledged).toBeGreaterThan(before), SOON);
    await onDatabase(a.database, "SELECT omoide_hand_over('{a1}')");
    await vi.waitFor(async () => {
      const arrived = "SELECT copying FROM memory WHERE name = 'a1'";
      expect(await onDatabase(c.database, arrived)).toEqual([{ copying: 'moved' }]);
    }, SOON);
    await onDatabase(c.database, 'DROP SUBSCRIPTION omoide_move', 'SELECT omoide_take_over()');
    await onDatabase(a.database, 'DROP PUBLICATION omoide_move');
    await proxy.route('a1', 2);
    await acknowledgedBy(MEMORIES.flat());
    await Promise.all([...loads.values()].map((load) => load.stop()));

    expect((await a.server.request('POST', '/api/memories/a1/turns', TURN)).status).toBe(503);
    // The worker continues with the remaining memories.
    await vi.waitFor(async () => {
      const { items } = await a.server.ask<{ items: unknown[] }>('GET', '/api/memories/a2/jobs?kind=embed');
      expect(items).toEqual([]);
    }, SOON);
    for (const [name, load] of loads) {
      const i = name === 'a1' ? 2 : MEMORIES.findIndex((names) => names.some((one) => one === name));
      const { folder, database } = shards[i]!;
      const place = { dataDir: folder, store: database.url(), memoryId: name };
      const memory = await openMemory({ ...place, embedder: null, worker: false });
      onTestFinished(() => memory.close());
      const { lost, doubled } = load.account(await Array.fromAsync(memory.conversations.turns()));
      expect({ name, lost, doubled }).toEqual({ name, lost: [], doubled: [] });
      expect((await memory.admin.verify()).problems).toEqual([]);
    }
  }, 600_000);
});

const TURN = { turns: [{ conversationId: 'late', speaker: 'user', text: 'Too late.' }] };
