import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { temporaryFolder } from '../../test/temporary.ts';
import { makeTemporaryFolder, sweepTemporary, temporaryPath, writeNewFile } from './temporary.ts';

const MODULE = new URL('temporary.ts', import.meta.url).href;

/** A process that is writing a file in the folder, and a folder in the system's temporary folder. */
async function startWriter(folder: string) {
  const body = `
    import { mkdirSync, writeFileSync } from 'node:fs';
    import { makeTemporaryFolder, temporaryPath } from ${JSON.stringify(MODULE)};
    const paths = [temporaryPath(${JSON.stringify(join(folder, 'a'))}), makeTemporaryFolder('test')];
    writeFileSync(paths[0], 'half');
    writeFileSync(paths[1] + '/b', 'half');
    console.log(JSON.stringify(paths));
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', body], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, TMPDIR: folder },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [output] = (await once(child.stdout, 'data')) as [Buffer];
  const [file = '', below = ''] = JSON.parse(output.toString()) as string[];
  return {
    file,
    below,
    kill: async () => {
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

/** As if nothing had been written there for an hour. */
function age(...paths: string[]): void {
  const anHourAgo = new Date(Date.now() - 3_600_000);
  for (const path of paths) utimesSync(path, anHourAgo, anHourAgo);
}

test('files of killed processes are removed; files that a running process writes stay, however slowly it writes', async () => {
  const folder = temporaryFolder();
  vi.stubEnv('TMPDIR', folder);
  const { file, below, kill } = await startWriter(folder);
  const sweep = () => {
    sweepTemporary(folder);
    makeTemporaryFolder('test');
  };
  age(file, join(below, 'b'), below);
  sweep();
  expect([file, below].filter((path) => existsSync(path))).toEqual([file, below]);
  await kill();
  sweep();
  expect([file, below].filter((path) => existsSync(path))).toEqual([]);
});

test('recently written files stay, since a process in another container cannot be seen', async () => {
  const folder = temporaryFolder();
  const { file, below, kill } = await startWriter(folder);
  await kill();
  age(below);
  sweepTemporary(folder);
  vi.stubEnv('TMPDIR', folder);
  makeTemporaryFolder('test');
  expect([file, below].filter((path) => existsSync(path))).toEqual([file, below]);
});

test('files of an earlier process with our id and of earlier versions are removed, other files stay', () => {
  const folder = temporaryFolder();
  const names = {
    'of before': basename(temporaryPath(join(folder, 'a'))),
    'of an earlier version': '.omoide-0123456789ab.tmp',
    'of others': '.omoide-a.lock',
    'of nobody': 'a.123.tmp',
  };
  for (const name of Object.values(names)) writeFileSync(join(folder, name), 'x');
  // Before this process began.
  for (const name of Object.values(names)) utimesSync(join(folder, name), new Date(0), new Date(0));
  const ours = temporaryPath(join(folder, 'b'));
  writeFileSync(ours, 'x');
  sweepTemporary(folder);
  expect(readdirSync(folder).toSorted()).toEqual(
    [names['of others'], names['of nobody'], basename(ours)].toSorted(),
  );
});

test('a new file does not replace an existing one, and leaves no temporary file', () => {
  const folder = temporaryFolder();
  const path = join(folder, 'key');
  expect([writeNewFile(path, 'first'), writeNewFile(path, 'second')]).toEqual([true, false]);
  expect(readdirSync(folder)).toEqual(['key']);
});

test('a missing folder is skipped', () => {
  expect(() => sweepTemporary(join(temporaryFolder(), 'missing'))).not.toThrow();
});
