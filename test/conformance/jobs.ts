import { describe, expect, test } from 'vitest';
import type { NewJob } from '../../src/model/model.ts';
import type { OpenStore } from './storeUnderTest.ts';
import { CLAIM, openMemory, START } from './samples.ts';

function job(key: string, more: Partial<NewJob> = {}): NewJob {
  return { kind: 'embed', key, conversationId: null, input: { unitId: 1 }, ...more };
}

const NONE = { queued: 0, running: 0, failed: 0 };

export function describeJobs(open: OpenStore): void {
  describe('jobs', () => {
    test('are added once for each key, until they are done', async () => {
      const { store } = await openMemory(open);
      expect(await store.jobs.enqueue([job('a'), job('b'), job('a', { kind: 'other' })], START)).toBe(2);
      expect(await store.jobs.enqueue([job('a'), job('c')], START)).toBe(1);
      const [a] = await store.jobs.claim({ ...CLAIM, limit: 1, now: START });
      expect(a).toEqual({
        id: 1,
        kind: 'embed',
        key: 'a',
        conversationId: null,
        input: { unitId: 1 },
        status: 'running',
        attempts: 1,
        runAfter: START,
        leaseOwner: 'a',
        leaseUntil: START + 1_000,
        lastError: null,
        createdAt: START,
      });
      await store.jobs.settle('a', [{ jobId: a!.id, result: 'done' }]);
      expect(await store.jobs.enqueue([job('a')], START)).toBe(1);
      expect(await store.jobs.count()).toEqual({ ...NONE, queued: 3 });
    });

    test('are claimed oldest first, by kind, and by one owner only', async () => {
      const { store } = await openMemory(open);
      await store.jobs.enqueue([job('x', { kind: 'x' }), job('a'), job('y', { kind: 'y' }), job('b')], START);
      const claim = async (kinds: string[], limit = 10) =>
        (await store.jobs.claim({ ...CLAIM, kinds, limit, now: START })).map((claimed) => claimed.key);
      expect(await claim(['none'])).toEqual([]);
      expect(await claim([])).toEqual([]);
      expect(await claim(['embed', 'y'])).toEqual(['a', 'b']);
      expect(await claim(['embed', 'y', 'x'], 1)).toEqual(['x']);
      expect(await claim(['embed', 'y', 'x'])).toEqual(['y']);
      expect(await claim(['embed', 'y', 'x'])).toEqual([]);
      expect(await store.jobs.count()).toEqual({ ...NONE, running: 4 });
    });

    test('are held while their owner renews the lease', async () => {
      const { store } = await openMemory(open);
      await store.jobs.enqueue([job('a'), job('b')], START);
      const [a, b] = await store.jobs.claim({ ...CLAIM, now: START });
      expect(await store.jobs.renew('b', [a!.id], START + 5_000)).toBe(0);
      expect(await store.jobs.renew('a', [a!.id, 99], START + 5_000)).toBe(1);
      const claimedAt = async (now: number) =>
        (await store.jobs.claim({ ...CLAIM, owner: 'b', leaseMs: 9_000, now })).map((claimed) => claimed.id);
      expect(await claimedAt(START + 1_000)).toEqual([b!.id]);
      expect(await claimedAt(START + 5_000)).toEqual([a!.id]);
      expect(await store.jobs.renew('a', [a!.id], START + 9_000)).toBe(0);
    });

    test('of a worker that died can be claimed again when the lease ends, and its result is ignored', async () => {
      const { store } = await openMemory(open);
      await store.jobs.enqueue([job('a')], START);
      await store.jobs.claim({ ...CLAIM, now: START });
      expect(await store.jobs.nextDue(['embed'])).toBe(START + 1_000);
      expect(await store.jobs.claim({ ...CLAIM, owner: 'b', now: START + 999 })).toEqual([]);
      const again = await store.jobs.claim({ ...CLAIM, owner: 'b', now: START + 1_000 });
      expect(again).toMatchObject([{ key: 'a', attempts: 2, leaseOwner: 'b', leaseUntil: START + 2_000 }]);
      await store.jobs.settle('a', [{ jobId: 1, result: 'done' }]);
      await store.jobs.settle('a', [{ jobId: 1, result: 'failed', error: 'late' }]);
      expect(await store.jobs.list({ limit: 9 })).toMatchObject([
        { status: 'running', leaseOwner: 'b', lastError: null },
      ]);
      await store.jobs.settle('b', [{ jobId: 1, result: 'done' }]);
      expect(await store.jobs.count()).toEqual(NONE);
    });

    test('end as done, waiting for a retry, failed or released', async () => {
      const { store } = await openMemory(open);
      await store.jobs.enqueue(
        ['a', 'b', 'c', 'd'].map((key) => job(key)),
        START,
      );
      await store.jobs.claim({ ...CLAIM, now: START });
      await store.jobs.settle('a', [
        { jobId: 1, result: 'done' },
        { jobId: 2, result: 'retry', runAfter: START + 500, error: '後で' },
        { jobId: 3, result: 'failed', error: 'never' },
        { jobId: 4, result: 'released' },
        { jobId: 99, result: 'done' },
      ]);
      const free = { leaseOwner: null, leaseUntil: null };
      expect(await store.jobs.list({ limit: 9 })).toMatchObject([
        { key: 'b', status: 'queued', attempts: 1, runAfter: START + 500, lastError: '後で', ...free },
        { key: 'c', status: 'failed', attempts: 1, lastError: 'never', ...free },
        { key: 'd', status: 'queued', attempts: 0, runAfter: START, lastError: null, ...free },
      ]);
      expect(await store.jobs.list({ status: 'failed', limit: 9 })).toMatchObject([{ key: 'c' }]);
      expect(await store.jobs.list({ kind: 'other', limit: 9 })).toEqual([]);
      expect(await store.jobs.list({ kind: 'embed', limit: 1 })).toMatchObject([{ key: 'b' }]);
      expect(await store.jobs.claim({ ...CLAIM, now: START + 499 })).toMatchObject([
        { key: 'd', attempts: 1 },
      ]);
      expect(await store.jobs.claim({ ...CLAIM, now: START + 500 })).toMatchObject([
        { key: 'b', attempts: 2 },
      ]);
    });
    describeRetryFailed(open);
    describeAskedAgain(open);
    describeLater(open);
  });
}

function describeRetryFailed(open: OpenStore): void {
  test('that failed can be reset, all or some, with no attempts counted', async () => {
    const { store } = await openMemory(open);
    await store.jobs.enqueue([job('a'), job('b'), job('c'), job('d')], START);
    await store.jobs.claim({ ...CLAIM, limit: 3, now: START });
    await store.jobs.settle(
      'a',
      [1, 2, 3].map((jobId) => ({ jobId, result: 'failed', error: 'e' })),
    );
    expect(await store.jobs.enqueue([job('a')], START)).toBe(0);
    expect(await store.jobs.retryFailed(START + 7, [])).toBe(0);
    expect(await store.jobs.retryFailed(START + 7, [2, 2, 4, 99])).toBe(1);
    expect(await store.jobs.list({ limit: 9 })).toMatchObject([
      { key: 'a', status: 'failed' },
      { key: 'b', status: 'queued', attempts: 0, runAfter: START + 7, lastError: 'e' },
      { key: 'c', status: 'failed' },
      { key: 'd', status: 'queued', runAfter: START },
    ]);
    expect(await store.jobs.retryFailed(START + 8)).toBe(2);
    expect(await store.jobs.retryFailed(START + 8)).toBe(0);
    expect((await store.jobs.list({ status: 'queued', limit: 9 })).map((found) => found.runAfter)).toEqual(
      [8, 7, 8, 0].map((ms) => START + ms),
    );
  });

  test('are listed page by page', async () => {
    const { store } = await openMemory(open);
    await store.jobs.enqueue([job('a'), job('b', { kind: 'x' }), job('c'), job('d')], START);
    const list = async (query: Parameters<typeof store.jobs.list>[0]) =>
      (await store.jobs.list(query)).map((found) => found.key).join('');
    expect(await list({ limit: 2 })).toBe('ab');
    expect(await list({ limit: 2, afterId: 2 })).toBe('cd');
    expect(await list({ limit: 9, afterId: 1, kind: 'embed' })).toBe('cd');
    expect(await list({ limit: 9, afterId: 4 })).toBe('');
    expect(await list({ limit: 9, afterId: 1, status: 'running' })).toBe('');
  });
}

/** A job's input may change while it runs. */
function describeAskedAgain(open: OpenStore): void {
  test.each(['done', 'failed'] as const)(
    'that are added again while they run, and are then %s, run once more',
    async (result) => {
      const { store } = await openMemory(open);
      await store.jobs.enqueue([job('a')], START);
      await store.jobs.claim({ ...CLAIM, now: START });
      expect(await store.jobs.enqueue([job('a', { runAfter: START + 5 })], START)).toBe(1);
      expect(await store.jobs.enqueue([job('a')], START + 1)).toBe(0);
      expect(await store.jobs.list({ limit: 9 })).toMatchObject([{ key: 'a', status: 'running' }]);
      await store.jobs.settle('b', [{ jobId: 1, result: 'done' }]);
      await store.jobs.settle('a', [
        result === 'done' ? { jobId: 1, result } : { jobId: 1, result, error: 'e' },
      ]);
      expect(await store.jobs.list({ limit: 9 })).toMatchObject([
        {
          id: 1,
          key: 'a',
          status: 'queued',
          attempts: 0,
          runAfter: START + 5,
          leaseOwner: null,
          leaseUntil: null,
          lastError: null,
        },
      ]);
      expect(await store.jobs.claim({ ...CLAIM, now: START + 4 })).toEqual([]);
      expect(await store.jobs.claim({ ...CLAIM, now: START + 5 })).toMatchObject([{ key: 'a', attempts: 1 }]);
      await store.jobs.settle('a', [{ jobId: 1, result: 'done' }]);
      expect(await store.jobs.count()).toEqual(NONE);
    },
  );

  test('that are added again while they run, and have run again, do not run a third time', async () => {
    const { store } = await openMemory(open);
    await store.jobs.enqueue([job('a'), job('b'), job('c')], START);
    await store.jobs.claim({ ...CLAIM, now: START });
    await store.jobs.enqueue([job('a'), job('b'), job('c')], START);
    await store.jobs.settle('a', [
      { jobId: 1, result: 'retry', runAfter: START + 2_000, error: 'e' },
      { jobId: 2, result: 'released' },
    ]);
    expect(await store.jobs.claim({ ...CLAIM, owner: 'b', now: START + 1_000 })).toMatchObject([
      { key: 'b', attempts: 1 },
      { key: 'c', attempts: 2 },
    ]);
    expect(await store.jobs.claim({ ...CLAIM, owner: 'b', now: START + 2_000 })).toMatchObject(
      [
        { key: 'b', attempts: 2 },
        { key: 'c', attempts: 3 },
        { key: 'a', attempts: 2 },
      ].toSorted((a, b) => (a.key < b.key ? -1 : 1)),
    );
    await store.jobs.settle(
      'b',
      [1, 2, 3].map((jobId) => ({ jobId, result: 'done' })),
    );
    expect(await store.jobs.count()).toEqual(NONE);
  });
}

function describeLater(open: OpenStore): void {
  test('that are scheduled for later hold back the others of their conversation', async () => {
    const { store } = await openMemory(open);
    const later = { runAfter: START + 500, conversationId: 'c' };
    await store.jobs.enqueue([job('a', later), job('b', { conversationId: 'c' }), job('d')], START);
    expect(await store.jobs.list({ limit: 9 })).toMatchObject([
      { key: 'a', runAfter: START + 500, createdAt: START },
      { key: 'b', runAfter: START },
      { key: 'd', runAfter: START },
    ]);
    expect(await store.jobs.claim({ ...CLAIM, now: START + 499 })).toMatchObject([{ key: 'd' }]);
    expect(await store.jobs.nextDue(['embed'])).toBe(START + 500);
    expect(await store.jobs.claim({ ...CLAIM, now: START + 500 })).toMatchObject([
      { key: 'a' },
      { key: 'b' },
    ]);
  });

  test('that are scheduled for later run at once when requested; other jobs are unchanged', async () => {
    const { store } = await openMemory(open);
    const keys = ['a', 'b', 'c', 'd'];
    await store.jobs.enqueue(
      keys.map((key) => job(key, { runAfter: START + 500 })),
      START,
    );
    await store.jobs.enqueue([job('e'), job('f')], START - 5);
    const claimed = await store.jobs.claim({ ...CLAIM, limit: 1, now: START });
    expect(claimed).toMatchObject([{ key: 'e' }]);
    await store.jobs.settle('a', [{ jobId: 5, result: 'failed', error: 'e' }]);
    expect(await store.jobs.runNow(START + 9, [])).toBe(0);
    expect(await store.jobs.runNow(START + 9, [3, 1, 3, 5, 6, 99])).toBe(3);
    expect(
      (await store.jobs.list({ limit: 9 })).map((found) => [found.key, found.status, found.runAfter - START]),
    ).toEqual([
      ['a', 'queued', 9],
      ['b', 'queued', 500],
      ['c', 'queued', 9],
      ['d', 'queued', 500],
      ['e', 'failed', -5],
      ['f', 'queued', -5],
    ]);
    expect(await store.jobs.nextDue(['embed'])).toBe(START - 5);
    expect((await store.jobs.claim({ ...CLAIM, now: START + 9 })).map((found) => found.key)).toEqual([
      'a',
      'c',
      'f',
    ]);
  });
}

export function describeJobOrder(open: OpenStore): void {
  describe('jobs of one kind and conversation', () => {
    const inOrder = [
      job('1', { conversationId: 'c' }),
      job('2', { conversationId: 'c' }),
      job('3', { conversationId: 'd' }),
    ];

    test('can be claimed together, in order', async () => {
      const { store } = await openMemory(open);
      await store.jobs.enqueue(inOrder, START);
      expect((await store.jobs.claim({ ...CLAIM, now: START })).map((claimed) => claimed.key)).toEqual([
        '1',
        '2',
        '3',
      ]);
    });

    test('wait while an earlier one is held', async () => {
      const { store } = await openMemory(open);
      await store.jobs.enqueue(inOrder, START);
      await store.jobs.claim({ ...CLAIM, limit: 1, now: START });
      expect(await store.jobs.claim({ ...CLAIM, owner: 'b', now: START })).toMatchObject([{ key: '3' }]);
      await store.jobs.settle('a', [{ jobId: 1, result: 'done' }]);
      expect(await store.jobs.claim({ ...CLAIM, owner: 'b', now: START })).toMatchObject([{ key: '2' }]);
    });

    test('wait while an earlier one waits for a retry; nothing is due until then', async () => {
      const { store } = await openMemory(open);
      await store.jobs.enqueue(
        [...inOrder.slice(0, 2), job('other', { kind: 'x', conversationId: 'c' })],
        START,
      );
      await store.jobs.claim({ ...CLAIM, limit: 1, now: START });
      await store.jobs.settle('a', [{ jobId: 1, result: 'retry', runAfter: START + 500, error: 'e' }]);
      expect(await store.jobs.claim({ ...CLAIM, now: START + 1 })).toEqual([]);
      expect(await store.jobs.nextDue(['embed'])).toBe(START + 500);
      expect(await store.jobs.nextDue(['embed', 'x'])).toBe(START);
      expect((await store.jobs.claim({ ...CLAIM, now: START + 500 })).map((claimed) => claimed.key)).toEqual([
        '1',
        '2',
      ]);
    });

    test('do not wait for one that has failed', async () => {
      const { store } = await openMemory(open);
      await store.jobs.enqueue(inOrder.slice(0, 2), START);
      await store.jobs.claim({ ...CLAIM, limit: 1, now: START });
      await store.jobs.settle('a', [{ jobId: 1, result: 'failed', error: 'e' }]);
      expect(await store.jobs.nextDue(['embed'])).toBe(START);
      expect(await store.jobs.claim({ ...CLAIM, now: START })).toMatchObject([{ key: '2' }]);
    });
  });

  test('the next due time is that of the first waiting job or of the first lease that ends', async () => {
    const { store } = await openMemory(open);
    expect(await store.jobs.nextDue(['embed'])).toBeNull();
    await store.jobs.enqueue([job('a')], START + 50);
    await store.jobs.enqueue([job('b')], START + 20);
    expect(await store.jobs.nextDue(['embed'])).toBe(START + 20);
    expect(await store.jobs.nextDue(['other'])).toBeNull();
    await store.jobs.claim({ ...CLAIM, leaseMs: 10, now: START + 20 });
    expect(await store.jobs.nextDue(['embed'])).toBe(START + 30);
    await store.jobs.settle('a', [{ jobId: 2, result: 'failed', error: 'e' }]);
    expect(await store.jobs.nextDue(['embed'])).toBe(START + 50);
  });
}
