import { describe, expect, test } from 'vitest';
import { background, MINUTE_MS, NOON, openRig, topicOf } from '../../test/organize/rig.ts';
import { createWorker } from '../derive/derive.ts';
import type { LanguageModel } from '../llm/llm.ts';
import { DAY_MS, MemoryError } from '../model/model.ts';
import type { Store } from '../store/store.ts';
import { createReorganizeDerivation, scheduleReorganization } from './organize.ts';
import { nextRunTime } from './schedule.ts';

const utc = (at: number) => new Date(at).toISOString();

describe('the next run', () => {
  test.each([
    ['nightly', '2026-03-02T00:00:00Z', 'Asia/Tokyo', '2026-03-02T18:30:00.000Z'],
    ['nightly', '2026-03-02T18:29:59Z', 'Asia/Tokyo', '2026-03-02T18:30:00.000Z'],
    ['nightly', '2026-03-02T18:30:00Z', 'Asia/Tokyo', '2026-03-03T18:30:00.000Z'],
    ['nightly', '2026-02-28T12:00:00Z', 'UTC', '2026-03-01T03:30:00.000Z'],
    // The night of Sunday to Monday.
    ['weekly', '2026-03-02T00:00:00Z', 'Asia/Tokyo', '2026-03-08T18:30:00.000Z'],
    ['weekly', '2026-03-08T18:29:00Z', 'Asia/Tokyo', '2026-03-08T18:30:00.000Z'],
    ['weekly', '2026-03-08T12:00:00Z', 'America/New_York', '2026-03-09T07:30:00.000Z'],
    // Where the clocks skip 02:00 to 03:00, and 03:00 to 04:00.
    ['nightly', '2026-03-08T06:00:00Z', 'America/New_York', '2026-03-08T07:30:00.000Z'],
    ['nightly', '2026-03-28T23:00:00Z', 'Europe/Athens', '2026-03-29T01:30:00.000Z'],
  ] as const)('%s after %s in %s is %s', (schedule, after, timeZone, expected) => {
    expect(utc(nextRunTime(schedule, Date.parse(after), timeZone))).toBe(expected);
  });
});

async function crowded(store: Store, name: string) {
  await background(store);
  const talks = Array.from({ length: 24 }, (_, i) => ({
    theme: i % 2,
    conversationId: `${name}${i}`,
    turns: 8,
    at: NOON - i * DAY_MS,
  }));
  return topicOf(store, name, ...talks);
}

const jobsOf = (store: Store) => store.jobs.list({ kind: 'reorganize', limit: 9 });

describe('scheduled reorganisation', () => {
  test('runs once at each time, and schedules the next', async () => {
    const { store, parts, clock } = openRig();
    await crowded(store, 'Everything');
    const worker = createWorker({
      store,
      derivations: [createReorganizeDerivation(parts, 'nightly')],
      now: () => clock.now,
    });
    await scheduleReorganization(store, 'nightly', clock.now);
    await scheduleReorganization(store, 'nightly', clock.now);
    expect((await jobsOf(store)).map(({ runAfter }) => utc(runAfter))).toEqual(['2026-03-02T18:30:00.000Z']);
    await worker.drain();
    expect(await store.journal.list({ limit: 9 })).toEqual([]);

    clock.now = Date.parse('2026-03-02T18:31:00Z');
    await worker.drain();
    expect(await store.journal.list({ limit: 9 })).toMatchObject([
      { key: 'nightly/2026-03-03', topicsAdded: 2 },
    ]);
    expect((await jobsOf(store)).map(({ runAfter }) => utc(runAfter))).toEqual(['2026-03-03T18:30:00.000Z']);

    // A night without changes creates no entry.
    clock.now += DAY_MS;
    await worker.drain();
    expect(await store.journal.list({ limit: 9 })).toHaveLength(1);
    expect(await jobsOf(store)).toHaveLength(1);
  });

  test('asks the model on Sunday nights only', async () => {
    const { store, parts, clock } = openRig();
    await crowded(store, 'Everything');
    const asked: string[] = [];
    const model = {
      id: 'm',
      generateObject: () => {
        asked.push(utc(clock.now));
        throw new MemoryError('MODEL_FAILED', 'no');
      },
    } as unknown as LanguageModel;
    const derivation = createReorganizeDerivation({ ...parts, model: () => model }, 'nightly');
    const worker = createWorker({ store, derivations: [derivation], now: () => clock.now });
    await scheduleReorganization(store, 'nightly', clock.now);
    for (let night = 0; night < 8; night += 1) {
      clock.now += DAY_MS;
      await worker.drain();
    }
    expect(asked).toHaveLength(1);
    expect(new Date(asked[0]!).getUTCDay()).toBe(1);
  });

  test('continues on another night after a failure', async () => {
    const { store, parts, clock } = openRig();
    await crowded(store, 'Everything');
    const failing = { ...parts, nameTopic: () => Promise.reject(new Error('no words')) };
    const worker = createWorker({
      store,
      derivations: [createReorganizeDerivation(failing, 'weekly')],
      now: () => clock.now,
    });
    await scheduleReorganization(store, 'weekly', clock.now);
    clock.now = Date.parse('2026-03-08T18:31:00Z');
    for (let tries = 0; tries < 9; tries++) {
      await worker.drain();
      clock.now += 15 * MINUTE_MS;
    }
    expect(await jobsOf(store)).toMatchObject([
      { status: 'queued', runAfter: Date.parse('2026-03-15T18:30:00Z') },
    ]);
    expect(await store.journal.list({ limit: 9 })).toEqual([]);
  });

  test('does nothing for a time that was applied before, although it runs again', async () => {
    const { store, parts, clock } = openRig();
    await crowded(store, 'Everything');
    await scheduleReorganization(store, 'nightly', clock.now);
    clock.now = Date.parse('2026-03-02T18:31:00Z');
    const [job] = await store.jobs.claim({
      kinds: ['reorganize'],
      owner: 'a',
      leaseMs: 1_000,
      limit: 1,
      now: clock.now,
    });
    const derivation = createReorganizeDerivation(parts, 'nightly');
    await derivation.run([job!], new AbortController().signal);
    await crowded(store, 'Anything');
    await derivation.run([job!], new AbortController().signal);
    expect(await store.journal.list({ limit: 9 })).toHaveLength(1);
  });

  test('stops when the caller has aborted', async () => {
    const { store, parts } = openRig();
    await crowded(store, 'Everything');
    const [job] = [{ runAfter: NOON }] as never[];
    const run = createReorganizeDerivation(parts, 'nightly').run(
      [job!],
      AbortSignal.abort(new Error('stopped')),
    );
    await expect(run).rejects.toThrow('stopped');
    expect(await store.journal.list({ limit: 9 })).toEqual([]);
  });
});
