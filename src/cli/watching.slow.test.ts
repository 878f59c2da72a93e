import { spawn } from 'node:child_process';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../test/temporary.ts';

const CLI = fileURLToPath(new URL('cli.ts', import.meta.url));
const FIXTURES = fileURLToPath(new URL('../../test/fixtures/imports/', import.meta.url));

test('ingests new files of a watched folder, and continues after a file of unknown format', async () => {
  const folder = temporaryFolder();
  const chats = join(folder, 'chats');
  mkdirSync(chats);
  copyFileSync(join(FIXTURES, 'line-ja.txt'), join(chats, 'line.txt'));
  const env = { PATH: process.env['PATH'], OMOIDE_DATA: join(folder, 'data'), OMOIDE_EMBEDDER: 'none' };
  const args = ['ingest', chats, '--watch', '--no-learn', '--me', 'はる'];
  const child = spawn(process.execPath, [CLI, ...args], { env });
  onTestFinished(() => void child.kill('SIGKILL'));
  let output = '';
  const waiting: { text: RegExp; resolve: () => void }[] = [];
  const read = (chunk: unknown) => {
    output += String(chunk);
    for (const { text, resolve } of waiting) if (text.test(output)) resolve();
  };
  child.stdout.on('data', read);
  child.stderr.on('data', read);
  const printed = (text: RegExp) => {
    if (text.test(output)) return Promise.resolve();
    return new Promise<void>((resolve) => waiting.push({ text, resolve }));
  };

  await printed(/watching/);
  writeFileSync(join(chats, 'nothing.bin'), Buffer.from([0, 1, 2, 3]));
  copyFileSync(join(FIXTURES, 'chatgpt-voice.json'), join(chats, 'chatgpt.json'));
  await printed(/watching[^]*[1-9]\d* new/);
  child.kill('SIGTERM');
  expect(await new Promise((resolve) => child.once('exit', resolve))).toBe(0);
});
