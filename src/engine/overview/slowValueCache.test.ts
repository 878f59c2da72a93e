import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { SlowValueCache } from './slowValueCache.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function counting(tookMs: number): SlowValueCache<number> {
  let made = 0;
  return new SlowValueCache(async () => {
    vi.advanceTimersByTime(tookMs);
    made += 1;
    return made;
  });
}

test('a fast result is computed each time', async () => {
  const kept = counting(10);
  expect([await kept.read(), await kept.read()]).toEqual([1, 2]);
});

test('a slow result is cached, and returned once more while it is computed again', async () => {
  const kept = counting(1_000);
  expect([await kept.read(), await kept.read()]).toEqual([1, 1]);
  vi.advanceTimersByTime(20_001);
  expect(await kept.read()).toBe(1);
  await vi.advanceTimersByTimeAsync(0);
  expect(await kept.read()).toBe(2);
});

test('a cleared or expired result is not returned', async () => {
  const kept = counting(1_000);
  await kept.read();
  kept.clear();
  expect(await kept.read()).toBe(2);
  vi.advanceTimersByTime(1_800_001);
  expect(await kept.read()).toBe(3);
});
