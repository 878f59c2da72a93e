import { describe, expect, test } from 'vitest';
import type { NewJob } from '../../model/model.ts';
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
      expect(await store.jobs.enqueue([job('a')], START)).toBe(0);
      await store.jobs.settle('a', [{ jobId: a!.id, result: 'done' }]);
      expect(await store.jobs.enqueue([job('a')], START)).toBe(1);
      expect(await store.jobs.count()).toEqual({ ...NONE, queued: 3 });
    });

    test('are claimed oldest first, of one kind, of the kinds asked for, and by one owner only', async () => {
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

    test('of a worker that died are claimed anew when its lease is over, and its outcome no longer counts', async () => {
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

    test('end as done, to be tried again, failed or given back', async () => {
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
  });
}

function describeRetryFailed(open: OpenStore): void {
  test('that failed are due again when asked, their attempts forgotten', async () => {
    const { store } = await openMemory(open);
    await store.jobs.enqueue([job('a'), job('b')], START);
    await store.jobs.claim({ ...CLAIM, now: START });
    await store.jobs.settle('a', [{ jobId: 1, result: 'failed', error: 'e' }]);
    expect(await store.jobs.enqueue([job('a')], START)).toBe(0);
    expect(await store.jobs.retryFailed(START + 7)).toBe(1);
    expect(await store.jobs.retryFailed(START + 7)).toBe(0);
    expect(await store.jobs.list({ status: 'queued', limit: 9 })).toMatchObject([
      { key: 'a', attempts: 0, runAfter: START + 7 },
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

    test('may be claimed together, in order', async () => {
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

    test('wait while an earlier one waits for its next try, and until then nothing is due', async () => {
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

  test('the next job is due when the first waiting one is, or the first lease ends', async () => {
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
