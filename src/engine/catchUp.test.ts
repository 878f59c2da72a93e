import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { CatchUp } from './catchUp.ts';
import { ForegroundPriority } from '../async/async.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function begin(catchUpNow: () => Promise<void> = async () => {}) {
  const store = { catchUp: vi.fn<() => Promise<void>>(catchUpNow) };
  const reader = { read: vi.fn<(unitIds: readonly number[]) => Promise<[]>>(async () => []) };
  const foregroundPriority = new ForegroundPriority();
  return { store, reader, foregroundPriority, catchUp: new CatchUp(store, reader, foregroundPriority) };
}

test('what is written in one go is read in one go, and episodes with it', async () => {
  const { store, reader, catchUp } = begin();
  catchUp.soon(7);
  catchUp.soon();
  catchUp.soon(8);
  expect(store.catchUp).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(store.catchUp).toHaveBeenCalledTimes(1);
  expect(reader.read.mock.calls).toEqual([[[7, 8]]]);
  catchUp.soon();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(store.catchUp).toHaveBeenCalledTimes(2);
  expect(reader.read).toHaveBeenCalledTimes(1);
});

test('is no work of those who wait', async () => {
  const { store, foregroundPriority, catchUp } = begin();
  const goOn = foregroundPriority.take();
  catchUp.soon();
  await vi.advanceTimersByTimeAsync(100);
  expect(store.catchUp).not.toHaveBeenCalled();
  goOn();
  await vi.advanceTimersByTimeAsync(0);
  expect(store.catchUp).toHaveBeenCalledTimes(1);
});

test('does not go on where the store fails, nor after it was stopped', async () => {
  const { store, reader, catchUp } = begin(async () => {
    throw new Error('The disk is gone.');
  });
  catchUp.soon(1);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(store.catchUp).toHaveBeenCalledTimes(1);
  expect(reader.read).not.toHaveBeenCalled();
  catchUp.soon();
  await catchUp.stop();
  catchUp.soon();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(store.catchUp).toHaveBeenCalledTimes(1);
});
