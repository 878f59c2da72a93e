import { setImmediate } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../test/temporary.ts';
import { KeyFile } from './keys.ts';

test('a text that was read cannot be read after its key is destroyed, by this or another process', async () => {
  const folder = temporaryFolder();
  const [here, there] = [new KeyFile(folder), new KeyFile(folder)];
  onTestFinished(() => [here, there].forEach((file) => file.close()));
  const [ours, theirs] = [here.of('m'), there.of('m')];
  const sealed = ['one', 'two', 'three'].map((words) => ours.sealTurn(words));
  const read = (keys: typeof ours) => sealed.map((one) => keys.openTurn(one));
  expect([read(ours), read(theirs)]).toEqual([
    ['one', 'two', 'three'],
    ['one', 'two', 'three'],
  ]);
  ours.destroyTurnKeys(sealed.slice(0, 1));
  expect(read(ours)).toEqual([null, 'two', 'three']);
  // Other caches check once for all synchronous reads.
  await setImmediate();
  expect(read(theirs)).toEqual([null, 'two', 'three']);
  theirs.destroyTurnKeys(sealed.slice(1, 2));
  await setImmediate();
  expect(read(ours)).toEqual([null, null, 'three']);
});

test('changed bytes cannot be read, although the text was read before', () => {
  const file = new KeyFile(temporaryFolder());
  onTestFinished(() => file.close());
  const keys = file.of('m');
  const sealed = keys.sealTurn('words');
  expect(keys.openTurn(sealed)).toBe('words');
  for (let at = 10; at < sealed.length; at++) {
    const broken = Uint8Array.from(sealed);
    broken[at] = (broken[at] ?? 0) ^ 1;
    expect(keys.openTurn(broken)).toBeNull();
  }
});
