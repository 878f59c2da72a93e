import { expect, test } from 'vitest';
import { StoreProbe } from './storeProbe.ts';

test('asks a database again after a while, and not before', async () => {
  let now = 0;
  let isDown = true;
  let asked = 0;
  const ask = async () => {
    asked += 1;
    if (isDown) throw new Error('down');
  };
  const probe = new StoreProbe(ask, () => now);
  expect(await probe.isReachable()).toBe(false);
  isDown = false;
  now = 4_000;
  expect(await probe.isReachable()).toBe(false);
  expect(asked).toBe(1);
  now = 6_000;
  expect(await probe.isReachable()).toBe(true);
});

test('files need no question', async () => {
  expect(await new StoreProbe(null, () => 0).isReachable()).toBe(true);
});

test('a database that never answers is unreachable after two seconds', async () => {
  const probe = new StoreProbe(
    () => new Promise(() => {}),
    () => 0,
  );
  expect(await probe.isReachable()).toBe(false);
});
