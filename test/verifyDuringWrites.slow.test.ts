/** Writes during `verify` are not reported as damage. */
import { expect, onTestFinished, test, vi } from 'vitest';
import { openMemory } from '../src/engine/engine.ts';
import { KeyPages } from '../src/keys/keyPages.ts';
import { temporaryFolder } from './temporary.ts';

/** The number of event-loop steps of `verify` before each write. */
const MOMENTS = 25;

async function open(dataDir: string) {
  const memory = await openMemory({ dataDir, embedder: null, worker: false, learn: false });
  onTestFinished(() => memory.close());
  return memory;
}

const turn = (i: number) => ({ conversationId: 'c1', speaker: 'user', text: `I saw ${i} herons.` });

test.each(['forgetting', 'adding and signing'])('verify finds nothing wrong while %s', async (what) => {
  const dataDir = temporaryFolder();
  const [memory, another] = [await open(dataDir), await open(dataDir)];
  await memory.add(Array.from({ length: MOMENTS }, (_, i) => turn(i)));
  await memory.admin.checkpoint();
  for (let moment = 0; moment < MOMENTS; moment++) {
    const verifying = memory.admin.verify();
    for (let step = 0; step < moment; step++) await Promise.resolve();
    if (what === 'forgetting') await another.forget({ turn: moment + 1 });
    else {
      await another.add(turn(MOMENTS + moment));
      await another.admin.checkpoint();
    }
    expect((await verifying).problems).toEqual([]);
  }
});

test('verify finds nothing wrong after another process has erased rows, and not yet their keys', async () => {
  const dataDir = temporaryFolder();
  const [memory, another] = [await open(dataDir), await open(dataDir)];
  await memory.add([turn(1), turn(2)]);
  const erasing = vi.spyOn(KeyPages.prototype, 'erase');
  onTestFinished(() => erasing.mockRestore());
  erasing.mockImplementationOnce(function (this: KeyPages, ...given) {
    setTimeout(() => this.erase(...given), 60);
  });
  await another.forget({ turn: 1 });
  expect((await memory.admin.verify()).problems).toEqual([]);
});
