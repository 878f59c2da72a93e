import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createSemaphore } from './semaphore.ts';

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

test('admits up to its limit, then the others in order of arrival', async () => {
  const semaphore = createSemaphore(2);
  const entered: string[] = [];
  const leaves: (() => void)[] = [];
  const enter = async (name: string) => {
    leaves.push(await semaphore.acquire());
    entered.push(name);
  };
  for (const name of ['a', 'b', 'c', 'd']) void enter(name);
  await turn();
  expect(entered).toEqual(['a', 'b']);
  leaves[1]?.();
  leaves[1]?.();
  await turn();
  expect(entered).toEqual(['a', 'b', 'c']);
  leaves[0]?.();
  await turn();
  expect(entered).toEqual(['a', 'b', 'c', 'd']);
});

test('an aborted waiter leaves the queue and rejects with the reason of its signal', async () => {
  const semaphore = createSemaphore(1);
  const leave = await semaphore.acquire();
  const stop = new AbortController();
  const reason = new Error('no longer');
  const waiting = semaphore.acquire(stop.signal);
  const next = semaphore.acquire();
  stop.abort(reason);
  await expect(waiting).rejects.toBe(reason);
  await expect(semaphore.acquire(stop.signal)).rejects.toBe(reason);
  leave();
  await expect(next).resolves.toBeTypeOf('function');
});

test('never exceeds its limit, and loses no place when waiters are aborted', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 4 }),
      fc.array(fc.constantFrom('work', 'stop', 'late'), { maxLength: 20 }),
      async (places, visitors) => {
        const semaphore = createSemaphore(places);
        let inside = 0;
        let max = 0;
        const visits = visitors.map(async (kind) => {
          const stop = new AbortController();
          if (kind !== 'work') setImmediate(() => stop.abort(new Error('left')));
          const leave = await semaphore.acquire(stop.signal).catch(() => null);
          if (!leave) return;
          max = Math.max(max, ++inside);
          await turn();
          inside -= 1;
          leave();
        });
        await Promise.all(visits);
        expect(max).toBeLessThanOrEqual(places);
        const all = await Promise.all(Array.from({ length: places }, () => semaphore.acquire()));
        expect(all).toHaveLength(places);
      },
    ),
    { numRuns: 50 },
  );
});
