/** A disk that fails while in use: no acknowledged turn is lost, and the memory is intact on a working disk. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { seededRandom } from '../seededRandom.ts';
import { temporaryFolder } from '../temporary.ts';
import { contents, copyOf, fill, open, run } from './rig.ts';

const SOURCE = fileURLToPath(new URL('brokenDisk.c', import.meta.url));
const TRIES = 2;

/** Null without a C compiler. */
function compile(): string | null {
  const library = join(temporaryFolder(), 'brokenDisk.so');
  try {
    const build = 'gcc -shared -fPIC -O1 -o "$0" "$1" -ldl';
    execFileSync('sh', ['-c', build, library, SOURCE], { stdio: 'pipe' });
    return library;
  } catch (error) {
    if (process.platform === 'linux' && process.env['CI'] !== undefined) throw error;
    return null;
  }
}

test.each([
  ['fails with an I/O error', 'error'],
  ['is full', 'full'],
  ['writes half and fails', 'torn'],
  ['writes less than it is given', 'short'],
  ['cannot flush', 'sync'],
])('a disk that %s', async (_what, kind) => {
  const library = compile();
  if (library === null) return;
  const random = seededRandom();
  const template = temporaryFolder();
  await fill(template);
  const ends: string[] = [];
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const dataDir = copyOf(template, temporaryFolder());
    const env = {
      LD_PRELOAD: library,
      FAULT_DIR: dataDir,
      FAULT_KIND: kind,
      FAULT_AFTER: `${1 + Math.floor(random() * 300)}`,
    };
    const { lines } = await run({ dataDir, what: 'add' }, { env });
    const acknowledged = lines.filter((line) => line.startsWith('kept ')).length;
    const memory = await open(dataDir);
    expect((await memory.admin.verify()).problems).toEqual([]);
    const added = await memory.conversations.recent('added', 1_000);
    expect(added.length).toBeGreaterThanOrEqual(acknowledged);
    expect(added.map(({ text }) => text)).toEqual(added.map((_turn, i) => `Added ${i}.`));
    expect((await contents(memory)).turns).toBe(added.length + 26);
    ends.push(lines.at(-1) ?? '');
    await memory.add({ conversationId: 'after', speaker: 'user', text: 'On a good disk.' });
    await memory.close();
  }
  // Short writes are continued; other failures end the work with an error code.
  const expected = kind === 'short' ? /^done$/ : /^error [A-Z_]+$/;
  expect(ends.filter((end) => !expected.test(end))).toEqual([]);
});

test('a clock that jumps back and forth changes no order and breaks no chain', async () => {
  const dataDir = temporaryFolder();
  const memory = await open(dataDir);
  await memory.close();
  const random = seededRandom();
  const said: string[] = [];
  for (let sitting = 0; sitting < 5; sitting += 1) {
    // A random time from 1970 to 2100 at each call.
    const jumping = await open(dataDir, undefined, () => Math.floor(random() * 4_102_444_800_000));
    for (let i = 0; i < 6; i += 1) {
      const text = `Sitting ${sitting}, sentence ${i}: I like tea.`;
      await jumping.add({ conversationId: 'c', speaker: 'user', text });
      said.push(text);
    }
    await jumping.recall('tea');
    await jumping.pack('What do I like?');
    await jumping.admin.checkpoint();
    await jumping.close();
  }
  const again = await open(dataDir);
  expect((await again.admin.verify()).problems).toEqual([]);
  expect((await again.conversations.recent('c', 100)).map(({ text }) => text)).toEqual(said);
});
