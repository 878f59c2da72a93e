/** Stored files can be read by their owner only, whatever created them. */
import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { openMemory } from '../src/engine/engine.ts';
import { openSettings, settingsPath } from '../src/settings/settings.ts';
import { runCommand } from './cli/runCommand.ts';
import { temporaryFolder } from './temporary.ts';

const hasModes = process.platform !== 'win32';
const TURN = { conversationId: 'c', speaker: 'user', text: 'The bridge swayed.' };

async function keepTurn(dataDir: string) {
  const memory = await openMemory({ dataDir, embedder: { provider: 'hashed' }, worker: false });
  await memory.add(TURN);
  await memory.admin.checkpoint();
  return memory;
}

function modesOf(folder: string): Record<string, string> {
  const names = ['.', ...readdirSync(folder)];
  return Object.fromEntries(names.map((name) => [name, modeOf(join(folder, name))]));
}

function modeOf(path: string): string {
  return (statSync(path).mode & 0o777).toString(8);
}

test.runIf(hasModes)('files and folders made by the library are private', async () => {
  const dataDir = join(temporaryFolder(), 'a', 'data');
  const memory = await keepTurn(dataDir);
  openSettings(settingsPath(dataDir)).close();
  const { '.': folder, ...files } = modesOf(dataDir);
  expect([folder, modeOf(join(dataDir, '..'))]).toEqual(['700', '700']);
  expect(Object.keys(files)).toEqual(expect.arrayContaining(['memory_default.db-wal', 'signing.key']));
  expect(new Set(Object.values(files))).toEqual(new Set(['600']));
  await memory.close();
});

test.runIf(hasModes)('wider permissions are narrowed, and this is reported', async () => {
  const dataDir = join(temporaryFolder(), 'data');
  await (await keepTurn(dataDir)).close();
  chmodSync(dataDir, 0o755);
  chmodSync(join(dataDir, 'memory_default.db'), 0o644);
  const warnings: string[] = [];
  const listen = ({ message }: Error) => void warnings.push(message);
  process.on('warning', listen);
  await (await keepTurn(dataDir)).close();
  // Warnings are emitted in a later turn of the event loop.
  await setImmediate();
  process.off('warning', listen);
  for (const wide of ['memory_default.db', 'data']) {
    expect(warnings).toContainEqual(expect.stringMatching(`^Others could read .*${wide}\\b.*; now only`));
  }
  expect(new Set([modeOf(dataDir), modeOf(join(dataDir, 'memory_default.db'))])).toEqual(
    new Set(['700', '600']),
  );
});

test.runIf(hasModes)('keys and logs that others can read are narrowed, also in a shared folder', async () => {
  const dataDir = join(temporaryFolder(), 'project');
  mkdirSync(dataDir);
  writeFileSync(join(dataDir, 'package.json'), '{}', { mode: 0o644 });
  await (await keepTurn(dataDir)).close();
  const names = ['master.key', 'signing.key', 'witness_default.log'];
  for (const name of names) chmodSync(join(dataDir, name), 0o644);
  await (await keepTurn(dataDir)).close();
  expect(names.map((name) => modeOf(join(dataDir, name)))).toEqual(['600', '600', '600']);
  expect(modeOf(join(dataDir, 'package.json'))).toBe('644');
});

test.runIf(hasModes)('a shared folder keeps its permissions', async () => {
  const dataDir = join(temporaryFolder(), 'project');
  mkdirSync(dataDir);
  chmodSync(dataDir, 0o755);
  writeFileSync(join(dataDir, 'package.json'), '{}');
  await (await keepTurn(dataDir)).close();
  expect(modeOf(dataDir)).toBe('755');
  expect(modeOf(join(dataDir, 'memory_default.db'))).toBe('600');
});

test.runIf(hasModes)('an export is private', async () => {
  const dataDir = temporaryFolder();
  await (await keepTurn(dataDir)).close();
  const file = join(dataDir, 'export.jsonl');
  expect(await runCommand('export', '--data', dataDir, '--embedder', 'none', file)).toMatchObject({
    code: 0,
  });
  expect(modeOf(file)).toBe('600');
});

test.runIf(hasModes)('exported notes and feedback are private, with their folders', async () => {
  const dataDir = temporaryFolder();
  await (await keepTurn(dataDir)).close();
  const notes = join(dataDir, 'own');
  mkdirSync(join(notes, 'user'), { recursive: true });
  writeFileSync(join(notes, 'user', 'likes.md'), '- tea\n', { mode: 0o644 });
  const flags = ['--data', dataDir, '--embedder', 'none'];
  const copies = join(dataDir, 'copies');
  const feedback = join(dataDir, 'feedback');
  expect((await runCommand('notes', 'export', copies, '--notes', notes, ...flags)).code).toBe(0);
  expect((await runCommand('feedback', feedback, ...flags)).code).toBe(0);
  const modes = [modesOf(copies), modesOf(join(copies, 'user')), modesOf(feedback)];
  expect(modes).toEqual([
    { '.': '700', user: '700' },
    { '.': '700', 'likes.md': '600' },
    { '.': '700', 'history.jsonl': '600', 'queries.jsonl': '600' },
  ]);
});

// Here Node's recursive mkdir never returns: the folder reports that it does not exist.
test.runIf(existsSync('/proc/self'))('a folder that cannot be created is reported at once', async () => {
  const elsewhere = temporaryFolder();
  await (await keepTurn(elsewhere)).close();
  await runCommand('backup', join(elsewhere, 'copy'), '--data', elsewhere);
  for (const command of [
    ['serve', '--port', '0', '--data', '/proc/x/y'],
    ['worker', '--data', '/proc/x/y'],
    ['restore', join(elsewhere, 'copy'), '--data', '/proc/x/y'],
    ['backup', '/proc/x/y', '--data', elsewhere],
    ['feedback', '/proc/x/y', '--data', elsewhere],
    ['notes', 'export', '/proc/x/y', '--data', elsewhere],
  ]) {
    const { code, stderr } = await runCommand(...command);
    expect({ command, code, stderr }).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^error READ_ONLY: .*\/proc\/x/),
    });
  }
});
