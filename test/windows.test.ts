/** Simulates what differs on Windows: file names, their case, and files that other programs hold open. */
import fs, { linkSync, readdirSync, readFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openMemory } from '../src/index.ts';
import { temporaryFolder } from './temporary.ts';

async function open(options: { dataDir: string; memoryId?: string; notes?: { global: string } }) {
  const memory = await openMemory({ embedder: null, ...options });
  onTestFinished(() => memory.close());
  return memory;
}

function simulateWindows(): void {
  const own = Object.getOwnPropertyDescriptor(process, 'platform')!;
  Object.defineProperty(process, 'platform', { ...own, value: 'win32' });
  onTestFinished(() => void Object.defineProperty(process, 'platform', own));
}

test('a memory whose name differs only in case is not mixed up with another', async () => {
  const dataDir = temporaryFolder();
  await (await openMemory({ dataDir, memoryId: 'Bot', embedder: null })).close();
  // The two names denote one file, as on a case-insensitive file system.
  linkSync(join(dataDir, 'memory_Bot.db'), join(dataDir, 'memory_bot.db'));
  await expect(openMemory({ dataDir, memoryId: 'bot', embedder: null })).rejects.toThrow(
    /There is a memory Bot, and this file system does not distinguish its name from bot/,
  );
  const there = await open({ dataDir, memoryId: 'other' });
  expect(there.memoryId).toBe('other');
});

test.each(['con.md', 'aux.notes.md', 'ab:c.md', 'what?.md', 'folder./a.md', 'a|b.md'])(
  'a note is not named %s on Windows',
  async (uri) => {
    simulateWindows();
    const notes = temporaryFolder();
    const memory = await open({ dataDir: temporaryFolder(), notes: { global: notes } });
    await expect(memory.notes!.write(uri, 'text')).rejects.toThrow('Windows does not allow such file names');
    expect(readdirSync(notes)).toEqual([]);
  },
);

/** Simulates that another program, such as a virus scanner, has the file open: then it cannot be replaced. */
function refuseReplacing(times: number): void {
  const { renameSync } = fs;
  let left = times;
  fs.renameSync = (from, to) => {
    if (String(to).endsWith('.md') && left-- > 0)
      throw Object.assign(new Error('operation not permitted, rename'), { code: 'EPERM' });
    renameSync(from, to);
  };
  syncBuiltinESMExports();
  onTestFinished(() => {
    fs.renameSync = renameSync;
    syncBuiltinESMExports();
  });
}

test('a note that another program holds open for a moment is written after it is closed', async () => {
  const global = temporaryFolder();
  const memory = await open({ dataDir: temporaryFolder(), notes: { global } });
  await memory.notes!.write('user/tea.md', 'green\n');
  refuseReplacing(3);
  await memory.notes!.write('user/tea.md', 'black\n');
  expect(readFileSync(join(global, 'user/tea.md'), 'utf8')).toBe('black\n');
  expect(readdirSync(join(global, 'user'))).toEqual(['tea.md']);
});

test('a note that stays open in another program is kept: our version is next to it', async () => {
  const global = temporaryFolder();
  const memory = await open({ dataDir: temporaryFolder(), notes: { global } });
  await memory.notes!.write('user/tea.md', 'green\n');
  refuseReplacing(Infinity);
  const outcome = await memory.notes!.write('user/tea.md', 'black\n').catch((error: unknown) => error);
  const files = readdirSync(join(global, 'user'));
  const texts = files.map((name) => readFileSync(join(global, 'user', name), 'utf8'));
  expect({ outcome, texts }).toMatchObject({
    outcome: { code: 'NOTE_CONFLICT' },
    texts: expect.arrayContaining(['green\n', 'black\n']),
  });
});
