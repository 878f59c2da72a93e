import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { openMemory, type Unit } from '../../src/engine/engine.ts';
import type { Killable } from '../server/killable.ts';
import { Load } from './load.ts';
import { Pair } from './pair.ts';
import { listenTo, startTwoServers } from './processes.ts';
import { missingForServer } from './server.ts';

const FAILOVERS = Number(process.env['OMOIDE_FAILOVERS'] ?? 2);
/** Half of the time is for learning from all turns. */
const LIMIT_MS = 240_000 + FAILOVERS * 120_000;
const MEMORY = '/api/memories/default';
const CLIENTS = 4;
/** For work that must be finished before the results are counted. */
const DONE = { timeout: 120_000, interval: 500 };

async function startPair(): Promise<Pair> {
  const pair = await Pair.start();
  process.once('exit', () => pair.discard());
  onTestFinished(() => pair.remove());
  return pair;
}

/** Sends notifications until the test stops it; returns the number of acknowledged ones. */
async function notifyOn(servers: readonly Killable[], signal: AbortSignal): Promise<number> {
  let acknowledged = 0;
  for (let i = 0; !signal.aborted; i += 1) {
    const body = { from: 'mail', message: `message ${i}` };
    const response = await servers[i % 2]?.request('POST', '/api/v1/notification', body).catch(() => null);
    if (response?.ok) acknowledged += 1;
    await pause(500);
  }
  return acknowledged;
}

async function jobsDue(server: Killable): Promise<number> {
  const { items } = await server.ask<{ items: { status: string; runAfter: number }[] }>(
    'GET',
    `${MEMORY}/jobs?limit=200`,
  );
  return items.filter(({ status, runAfter }) => status === 'running' || runAfter <= Date.now() + 60_000)
    .length;
}

const missing = missingForServer();
describe.skipIf(missing !== null)(`a synchronous standby ${missing ?? ''}`, () => {
  test(
    `replaces a primary that is killed under load, ${FAILOVERS} times, and nothing acknowledged is lost or done twice`,
    async () => {
      const pair = await startPair();
      const { store, folders, a, b } = await startTwoServers(pair.url(), 'worker');
      const servers = [a, b];
      const heard = await listenTo(servers[1]!, '/api/events/stream');
      const load = new Load(servers, { memoryId: 'default', clients: CLIENTS });
      const notifying = new AbortController();
      const notified = notifyOn(servers, notifying.signal);
      const outages: number[] = [];
      for (let i = 0; i < FAILOVERS; i += 1) {
        const before = load.acknowledged;
        await vi.waitFor(() => expect(load.acknowledged).toBeGreaterThan(before + 20), DONE);
        const back = load.nextAcknowledgement();
        await pair.failOver();
        outages.push(Math.round(await back));
        await pair.repair();
      }
      await load.stop();
      notifying.abort();
      const acknowledged = await notified;
      console.log(`acknowledged again after ${outages.join(', ')} ms; ${load.resent} requests sent again`);

      const memory = await openMemory({ dataDir: folders[0], store, embedder: null, worker: false });
      onTestFinished(() => memory.close());
      const turns = await Array.fromAsync(memory.conversations.turns());
      const { lost, doubled, acknowledged: told } = load.account(turns);
      expect(told).toBeGreaterThan(20 * FAILOVERS);
      expect({ lost, doubled }).toEqual({ lost: [], doubled: [] });
      await vi.waitFor(async () => expect(await jobsDue(servers[0]!)).toBe(0), {
        ...DONE,
        timeout: LIMIT_MS / 2,
      });

      // Every notification that was acknowledged, or may have been stored, has exactly one message.
      const units = await memory.units.list(
        { kinds: ['episode'], source: 'notification' },
        { limit: 10_000 },
      );
      const { causes, messages } = spokenOf(units);
      expect(causes.length).toBeGreaterThanOrEqual(acknowledged);
      expect(messages.toSorted()).toEqual(causes.toSorted());
      // … which a listener that stayed connected received.
      const ids = heard.map(({ data }) => data.id);
      expect(new Set(ids).size).toBe(ids.length);
      expect(ids.length).toBe(units.length);

      // Every episode was processed once: it has one vector, and no fact or entity exists twice.
      const info = await memory.admin.info();
      expect(info.jobs.failed).toBe(0);
      expect(info.vectorModel?.count).toBeGreaterThanOrEqual(turns.length);
      const names = (await memory.entities.list({}, { limit: 1_000 })).map(
        ({ type, name }) => `${type} ${name}`,
      );
      expect(names).toEqual([...new Set(names)]);
      expect((await memory.admin.verify()).problems).toEqual([]);
    },
    LIMIT_MS,
  );

  test(
    'replaces a primary that stops answering while its connections stay open',
    async () => {
      const pair = await startPair();
      const { store, folders, a, b } = await startTwoServers(pair.url(), 'no worker');
      const load = new Load([a, b], { memoryId: 'default', clients: CLIENTS });
      await vi.waitFor(() => expect(load.acknowledged).toBeGreaterThan(20), DONE);
      const back = load.nextAcknowledgement();
      await pair.failOver('freeze');
      console.log(
        `acknowledged again after ${Math.round(await back)} ms; ${load.resent} requests sent again`,
      );
      await vi.waitFor(() => expect(load.acknowledged).toBeGreaterThan(60), DONE);
      await load.stop();
      const memory = await openMemory({ dataDir: folders[0], store, embedder: null, worker: false });
      onTestFinished(() => memory.close());
      const { lost, doubled } = load.account(await Array.fromAsync(memory.conversations.turns()));
      expect({ lost, doubled }).toEqual({ lost: [], doubled: [] });
      expect((await memory.admin.verify()).problems).toEqual([]);
    },
    LIMIT_MS,
  );
});

/** The conversations of notifications and their messages. */
function spokenOf(units: readonly Unit[]): { causes: string[]; messages: string[] } {
  const of = (isCause: boolean) =>
    units.flatMap((unit) =>
      unit.kind === 'episode' && (unit.payload.speaker === 'notification') === isCause
        ? [unit.payload.conversationId]
        : [],
    );
  return { causes: of(true), messages: of(false) };
}
