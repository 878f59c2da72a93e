import { tmpdir } from 'node:os';
import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { openMemory } from '../../src/engine/engine.ts';
import { openPostgresStore } from '../../src/store/postgres/postgres.ts';
import { describeSharing } from '../conformance/sharing.ts';
import type { OpenStore } from '../conformance/storeUnderTest.ts';
import { describeTurns } from '../conformance/turns.ts';
import { describeVectorSearch } from '../conformance/vectors.ts';
import { startKillable } from '../server/killable.ts';
import { temporaryFolder } from '../temporary.ts';
import { dumpMemory, freeName, applyDamage } from './memories.ts';
import { missingForPgBouncer, PgBouncer, POOL_SIZE } from './pgbouncer.ts';
import { listenTo, newDatabase } from './processes.ts';
import { missingForServer } from './server.ts';
import { sharedServer, withDatabase } from './shared.ts';

const KEYS = { folder: tmpdir() };
const SERVERS = 2;
let pooler: PgBouncer;

const open: OpenStore = async (options) => {
  const direct = (await sharedServer()).url();
  await freeName(direct, options.memoryId);
  const make = () => openPostgresStore(`${pooler.url()}&max_connections=3`, { ...options, keys: KEYS });
  const stores = [await make()];
  onTestFinished(async () => {
    for (const store of stores) await store.close();
  });
  const openAnother = async () => {
    const store = await make();
    stores.push(store);
    return store;
  };
  return {
    store: stores[0]!,
    openAnother,
    async reopen() {
      for (const store of stores) await store.close();
      return openAnother();
    },
    dump: () => dumpMemory(direct, options.memoryId),
    damage: (damage) => applyDamage(direct, options.memoryId, damage),
  };
};

const missing = missingForServer() ?? missingForPgBouncer();
describe.skipIf(missing !== null)(`PgBouncer in transaction mode ${missing ?? ''}`, () => {
  beforeAll(async () => {
    pooler = await PgBouncer.start(await sharedServer());
    return () => pooler.stop();
  }, 300_000);

  describe('conformance', () => {
    describeTurns(open);
    describeVectorSearch(open);
    describeSharing(open);
  });

  test('two servers share its few connections, and receive notifications outside it', async () => {
    const direct = await newDatabase(await sharedServer());
    const store = pooler.url(new URL(direct).pathname.slice(1));
    const dataDir = temporaryFolder();
    const [first, second] = [join(dataDir, 'a'), join(dataDir, 'b')];
    const memory = await openMemory({ dataDir: first, store, embedder: null, worker: false });
    await memory.add({ conversationId: 'first', speaker: 'user', text: '初めまして。' });
    await memory.close();
    mkdirSync(second);
    cpSync(join(first, 'signing.key'), join(second, 'signing.key'));
    const args = ['--store', store, '--no-worker'];
    const [a, b] = await Promise.all([first, second].map((folder) => startKillable(folder, args)));
    if (!a || !b) throw new Error('There are no two servers.');
    const heard = await listenTo(b, '/api/memories/default/changes');
    const count = 20;
    // All turns go to one server: the other learns of them from the database only.
    await Promise.all(
      Array.from({ length: count }, (_, i) =>
        a.ask('POST', '/api/memories/default/turns', {
          turns: [{ conversationId: `c${i}`, speaker: 'user', text: `Turn ${i}.` }],
        }),
      ),
    );
    await vi.waitFor(() => expect(heard.length).toBeGreaterThan(0), { timeout: 60_000 });
    const { items } = await b.ask<{ items: unknown[] }>(
      'GET',
      '/api/memories/default/conversations?limit=100',
    );
    expect(items).toHaveLength(count + 1);
    const [{ n } = { n: 0 }] = await withDatabase(direct, (sql) =>
      sql.unsafe<{ n: number }[]>(
        'SELECT count(*) AS n FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
      ),
    );
    expect(n).toBeGreaterThan(SERVERS);
    expect(n).toBeLessThanOrEqual(POOL_SIZE + SERVERS);
  });
});
