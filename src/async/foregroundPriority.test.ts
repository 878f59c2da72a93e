import { expect, test, vi } from 'vitest';
import { ForegroundPriority } from './foregroundPriority.ts';

test('background work may start when no foreground work is running', async () => {
  await expect(new ForegroundPriority().whenIdle()).resolves.toBeUndefined();
});

test('background work waits until all foreground work has ended; ending twice counts once', async () => {
  const way = new ForegroundPriority();
  const [first, second] = [way.begin(), way.begin()];
  const freed = vi.fn<() => void>();
  void way.whenIdle().then(freed);
  first();
  first();
  await Promise.resolve();
  expect(freed).not.toHaveBeenCalled();
  second();
  await vi.waitFor(() => expect(freed).toHaveBeenCalled(), { interval: 1, timeout: 100 });
  await way.whenIdle();
});

test('background work waits for a limited time only', async () => {
  vi.useFakeTimers();
  try {
    const way = new ForegroundPriority();
    way.begin();
    const freed = vi.fn<() => void>();
    void way.whenIdle().then(freed);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(freed).toHaveBeenCalled();
  } finally {
    vi.useRealTimers();
  }
});
