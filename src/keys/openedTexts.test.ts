import { setImmediate } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../test/temporary.ts';
import { KeyFile } from './keys.ts';
import { OpenedTexts } from './openedTexts.ts';

const bytes = (text: string) => Buffer.from(text);

test('the same bytes are decrypted once, other bytes separately', () => {
  const texts = new OpenedTexts();
  let opened = 0;
  const open = () => `text ${(opened += 1)}`;
  expect([texts.get(bytes('a'), open), texts.get(bytes('a'), open)]).toEqual(['text 1', 'text 1']);
  expect(texts.get(bytes('b'), open)).toBe('text 2');
  texts.clear();
  expect(texts.get(bytes('a'), open)).toBe('text 3');
});

test('null is not cached', () => {
  const texts = new OpenedTexts();
  expect(texts.get(bytes('a'), () => null)).toBeNull();
  expect(texts.get(bytes('a'), () => 'text')).toBe('text');
});

test('texts that were not read recently are dropped, so that the cache has a limit', () => {
  const texts = new OpenedTexts(100);
  texts.get(bytes('old'), () => 'x'.repeat(20));
  texts.get(bytes('used'), () => 'y'.repeat(20));
  for (let i = 0; i < 8; i++) {
    texts.get(bytes(`new ${i}`), () => 'z'.repeat(20));
    expect(texts.get(bytes('used'), () => 'again')).toBe('y'.repeat(20));
  }
  expect(texts.get(bytes('old'), () => 'again')).toBe('again');
});

test('a cached text cannot be read after its key is destroyed, by this or another process', async () => {
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
