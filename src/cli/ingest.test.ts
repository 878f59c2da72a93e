import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../test/temporary.ts';
import { openMemory } from '../engine/engine.ts';

const CLI = fileURLToPath(new URL('cli.ts', import.meta.url));
const FIXTURES = fileURLToPath(new URL('../../test/fixtures/imports/', import.meta.url));

function ingest(dataDir: string, ...args: string[]): Promise<{ code: number | null; output: string }> {
  const env = { PATH: process.env['PATH'], OMOIDE_DATA: dataDir, OMOIDE_EMBEDDER: 'hashed' };
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [CLI, 'ingest', ...args], { env }, (_, stdout, stderr) => {
      resolve({ code: child.exitCode, output: stdout + stderr });
    });
  });
}

test('--dry-run shows what is recognised, and stores nothing', async () => {
  const dataDir = join(temporaryFolder(), 'data');
  const { code, output } = await ingest(dataDir, join(FIXTURES, 'line-ja.txt'), '--dry-run');
  expect(code).toBe(0);
  expect(output).toContain('line, 4 turns in 1 conversation');
  expect(output).toContain('ゆき: こんばんは');
  expect(output).toContain('--me NAME: ゆき, はる');
  expect(existsSync(dataDir)).toBe(false);
});

test('--me maps a name to the user; the reading of dates is reported', async () => {
  const dataDir = temporaryFolder();
  const files = ['whatsapp-android.txt', 'slack'].map((name) => join(FIXTURES, name));
  const { code, output } = await ingest(dataDir, ...files, '--me', 'ben', '--me', 'ANNA', '--no-learn');
  expect(code).toBe(0);
  expect(output).toContain('Dates are read as day, month, year');
  const memory = await openMemory({ dataDir, embedder: null });
  const turns = [
    ...(await memory.conversations.recent('whatsapp-android', 9)),
    ...(await memory.conversations.recent('general:2024-01-05', 9)),
  ];
  await memory.close();
  expect(new Set(turns.map(({ speaker }) => speaker))).toEqual(new Set(['Anna Berg', 'user']));
});

test('a journal is referred to the notes commands', async () => {
  const { code, output } = await ingest(temporaryFolder(), join(FIXTURES, '../import-journals/dayone.json'));
  expect(code).toBe(1);
  expect(output).toContain('omoide notes import');
});
