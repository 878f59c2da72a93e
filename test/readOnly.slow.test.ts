/**
 * Memories without write permission. For root no permissions apply: tests then run as `nobody`, which needs a separate
 * file, because each file has its own process.
 */
import { chmodSync, cpSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { exportMemory, internals, openMemory, writeBackup, type Memory } from '../src/engine/engine.ts';
import { openSettings, settingsPath } from '../src/settings/settings.ts';
import { temporaryFolder } from './temporary.ts';

const NOBODY = 65_534;
const FILE = 'memory_default.db';

beforeAll(() => {
  if (process.getuid?.() !== 0) return;
  process.setgid?.(NOBODY);
  process.setuid?.(NOBODY);
});

async function open(dataDir: string, notes?: { global: string }): Promise<Memory> {
  const memory = await openMemory({ dataDir, embedder: { provider: 'static' }, ...(notes && { notes }) });
  onTestFinished(() => memory.close());
  return memory;
}

async function fill(dataDir: string): Promise<Memory> {
  const memory = await open(dataDir);
  await memory.add([
    { conversationId: 'c1', speaker: 'user', text: 'My sister lives in Nasushiobara.' },
    { conversationId: 'c1', speaker: 'user', text: 'The suspension bridge there swayed a lot.' },
  ]);
  await internals(memory).settle();
  return memory;
}

/** Removes all write permissions until the test ends. */
function forbidWriting(folder: string): void {
  const paths = () => readdirSync(folder).map((name) => join(folder, name));
  for (const path of paths()) chmodSync(path, 0o400);
  chmodSync(folder, 0o500);
  onTestFinished(() => chmodSync(folder, 0o700));
}

const contents = (folder: string) =>
  new Map(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'base64')]));

test('recalls, verifies, exports and backs up without changing the folder', async () => {
  const dataDir = temporaryFolder();
  await (await fill(dataDir)).close();
  openSettings(settingsPath(dataDir)).close();
  const before = contents(dataDir);
  forbidWriting(dataDir);
  const memory = await open(dataDir, { global: join(temporaryFolder(), 'notes') });
  const { hits } = await memory.recall('How was the suspension bridge?');
  expect(hits.map(({ text }) => text)).toContain('The suspension bridge there swayed a lot.');
  expect(await memory.admin.verify()).toMatchObject({ turns: 2, problems: [] });
  const lines = (await Array.fromAsync(exportMemory(memory))).join('');
  expect(lines).toContain('My sister lives in Nasushiobara.');
  const backup = join(temporaryFolder(), 'backup');
  expect((await writeBackup({ dataDir, to: backup })).memories).toMatchObject([{ turns: 2 }]);
  const settings = openSettings(settingsPath(dataDir));
  expect(settings.get()).toBeTruthy();
  settings.close();
  await memory.close();
  expect(contents(dataDir)).toEqual(before);
});

test('rejects every write, and says why', async () => {
  const dataDir = temporaryFolder();
  await (await fill(dataDir)).close();
  forbidWriting(dataDir);
  const memory = await open(dataDir);
  const refused = {
    code: 'READ_ONLY',
    message: expect.stringContaining('is on a read-only medium') as string,
  };
  const turn = { conversationId: 'c1', speaker: 'user', text: 'Another one.' };
  await expect(memory.add(turn)).rejects.toMatchObject(refused);
  await expect(memory.add([turn])).rejects.toMatchObject(refused);
  await expect(memory.forget({ turn: 1 })).rejects.toMatchObject(refused);
  await expect(memory.admin.rebuild('indexes')).rejects.toMatchObject(refused);
  expect((await memory.recall('the suspension bridge')).hits).not.toEqual([]);
});

test('reads from the log what another process is writing, or was killed writing', async () => {
  const dataDir = temporaryFolder();
  const writer = await fill(dataDir);
  const copy = temporaryFolder();
  cpSync(dataDir, copy, { recursive: true });
  await writer.close();
  forbidWriting(copy);
  expect(readdirSync(copy)).toContain(`${FILE}-wal`);
  const memory = await open(copy);
  expect((await memory.recall('the suspension bridge')).hits).not.toEqual([]);
  await memory.close();
  chmodSync(copy, 0o700);
  rmSync(join(copy, `${FILE}-shm`));
  chmodSync(copy, 0o500);
  await expect(open(copy)).rejects.toMatchObject({
    code: 'READ_ONLY',
    message: expect.stringContaining('Copy the folder') as string,
  });
});
