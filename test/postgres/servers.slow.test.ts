import { beforeAll, describe, expect, test, vi } from 'vitest';
import { openMemory } from '../../src/engine/engine.ts';
import type { Killable } from '../server/killable.ts';
import { listenTo, newDatabase, startTwoServers, type TwoServers } from './processes.ts';
import { missingForServer } from './server.ts';
import { sharedServer, withDatabase } from './shared.ts';

const MEMORY = '/api/memories/default';
const EVENTS = '/api/events/stream';
/** Processes start slowly on a busy machine. */
const SOON = { timeout: 60_000, interval: 50 };

async function startTwo(workers: 'no worker' | 'worker' = 'no worker'): Promise<TwoServers> {
  return startTwoServers(await newDatabase(await sharedServer()), workers);
}

async function add(server: Killable, conversationId: string, ...texts: string[]): Promise<void> {
  const turns = texts.map((text) => ({ conversationId, speaker: 'user', text }));
  await server.ask('POST', `${MEMORY}/turns`, { turns });
}

async function speakersIn(server: Killable, conversationId: string): Promise<string[]> {
  const { items } = await server.ask<{ items: { speaker: string }[] }>(
    'GET',
    `${MEMORY}/conversations/${conversationId}/turns?limit=200`,
  );
  return items.map(({ speaker }) => speaker).toReversed();
}

const notify = (server: Killable, message: string) =>
  server.ask('POST', '/api/v1/notification', { from: 'mail', message });

const missing = missingForServer();
describe.skipIf(missing !== null)(`two servers in front of one database ${missing ?? ''}`, () => {
  beforeAll(() => sharedServer(), 300_000);

  test('send every event to the listeners of both, once and in order, and create each message once', async () => {
    const { a, b } = await startTwo();
    const heard = await Promise.all([a, b].map((server) => listenTo(server, EVENTS)));
    const count = 8;
    for (let i = 0; i < count; i += 1) await notify(i % 2 === 0 ? a : b, `message ${i}`);
    await vi.waitFor(
      () => expect(heard.map((events) => events.length)).toEqual([2 * count, 2 * count]),
      SOON,
    );
    const [atA = [], atB = []] = heard.map((events) => events.map(({ data }) => data));
    expect(atA).toEqual(atB);
    const ids = atA.map(({ id }) => id ?? 0);
    expect(ids).toEqual(ids.toSorted((x, y) => x - y));
    const answered = atA.filter(({ data }) => data.message !== null).map(({ data }) => data.causeUnitId);
    expect(new Set(answered).size).toBe(count);
  });

  test('deliver events that were sent while their connections were broken', async () => {
    const { store, a, b } = await startTwo();
    const heard = await listenTo(b, EVENTS);
    await notify(a, 'before');
    await vi.waitFor(() => expect(heard).toHaveLength(2), SOON);
    // All connections are broken repeatedly while notifications are stored.
    for (let i = 0; i < 5; i += 1) {
      await withDatabase(store, (sql) =>
        sql.unsafe(
          'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
        ),
      );
      await notify(a, `broken ${i}`);
    }
    await vi.waitFor(() => expect(heard).toHaveLength(12), SOON);
    expect(new Set(heard.map(({ data }) => data.id)).size).toBe(12);
  });

  test('deliver a failure that is not stored to listeners of both', async () => {
    const { a, b, model } = await startTwo();
    model.answer(() => ({ status: 400, body: { error: { message: 'no' } } }));
    const heard = await Promise.all([a, b].map((server) => listenTo(server, EVENTS)));
    await a.ask('POST', '/api/v1/meta_request', { prompt: '挨拶して' });
    await vi.waitFor(() => expect(heard.map((events) => events.length)).toEqual([1, 1]), SOON);
    expect(heard[1]?.[0]?.data).toMatchObject({ id: null, type: 'meta_request' });
  });

  test('see at once what the other and the worker did, and send change events', async () => {
    const { a, b } = await startTwo('worker');
    const changes = await listenTo(b, `${MEMORY}/changes`);
    await add(a, 'c', '那須塩原の吊り橋、すごく揺れたね。');
    await vi.waitFor(() => expect(changes.map(({ event }) => event)).toContain('changed'), SOON);
    const vectors = async () =>
      (await b.ask<{ vectorModel: { count: number } | null }>('GET', MEMORY)).vectorModel?.count;
    await vi.waitFor(async () => expect(await vectors()).toBe(2), SOON);
    const { hits } = await b.ask<{ hits: { text: string }[] }>('POST', `${MEMORY}/recall`, {
      utterance: '吊り橋',
    });
    expect(hits[0]?.text).toContain('吊り橋');
  });

  test('answer one after the other in a conversation, also when one of them is killed meanwhile', async () => {
    const { a, b, model } = await startTwo();
    model.answer(() => ({ chunks: ['うん', '、', 'そう', 'だね'], chunkDelayMs: 50 }));
    const chat = async (server: Killable, text: string) => {
      const response = await server.request('POST', '/api/chat', { text, conversationId: 'talk' });
      return response.text();
    };
    const replies = await Promise.all(
      Array.from({ length: 6 }, (_, i) => chat(i % 2 === 0 ? a : b, `${i} 回目`)),
    );
    for (const reply of replies) expect(reply).toContain('event: done');
    const pairs = Array.from({ length: 6 }, () => ['user', 'ai']).flat();
    expect(await speakersIn(b, 'talk')).toEqual(pairs);
    model.answer(() => ({ chunks: ['待', 'って'], chunkDelayMs: 600_000 }));
    const cut = chat(a, 'ずっと話して').catch(() => 'cut');
    await vi.waitFor(async () => expect(await speakersIn(b, 'talk')).toHaveLength(13), SOON);
    model.answer(() => 'はい');
    const waiting = chat(b, '次は私');
    await a.kill();
    await cut;
    expect(await waiting).toContain('event: done');
    expect((await speakersIn(b, 'talk')).slice(12)).toEqual(['user', 'user', 'ai']);
  });

  test('forget at the same time, and both verify the memory', async () => {
    const { a, b, store, folders } = await startTwo();
    await add(a, 'secret', 'うちの犬はポチ太郎という名前だよ。');
    await add(a, 'other', 'りんごが好き。');
    const recall = async () =>
      (
        await b.ask<{ hits: { text: string; turnId: number }[] }>('POST', `${MEMORY}/recall`, {
          utterance: 'うちの犬の名前',
        })
      ).hits;
    expect((await recall())[0]?.text).toContain('ポチ太郎');
    await a.ask('POST', `${MEMORY}/forget`, { conversation: 'secret' });
    expect(JSON.stringify(await recall())).not.toContain('ポチ太郎');
    expect([await a.stop(), await b.stop()]).toEqual([0, 0]);
    for (const dataDir of folders.slice(0, 2)) {
      const memory = await openMemory({ dataDir, store, embedder: null, worker: false });
      expect((await memory.admin.verify()).problems).toEqual([]);
      await memory.close();
    }
  });
});
