/** What is kept can be read by its owner alone, however the files were made. */
import { chmodSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
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

test.runIf(hasModes)('files made by the library are private, and the folder, too', async () => {
  const dataDir = join(temporaryFolder(), 'a', 'data');
  const memory = await keepTurn(dataDir);
  openSettings(settingsPath(dataDir)).close();
  const { '.': folder, ...files } = modesOf(dataDir);
  expect([folder, modeOf(join(dataDir, '..'))]).toEqual(['700', '700']);
  expect(Object.keys(files)).toEqual(expect.arrayContaining(['memory_default.db-wal', 'signing.key']));
  expect(new Set(Object.values(files))).toEqual(new Set(['600']));
  await memory.close();
});

test.runIf(hasModes)('what is found wider is narrowed, and said so', async () => {
  const dataDir = join(temporaryFolder(), 'data');
  await (await keepTurn(dataDir)).close();
  chmodSync(dataDir, 0o755);
  chmodSync(join(dataDir, 'memory_default.db'), 0o644);
  const warnings: string[] = [];
  const listen = ({ message }: Error) => void warnings.push(message);
  process.on('warning', listen);
  await (await keepTurn(dataDir)).close();
  // Warnings are told in a later turn of the event loop.
  await setImmediate();
  process.off('warning', listen);
  for (const wide of ['memory_default.db', 'data']) {
    expect(warnings).toContainEqual(expect.stringMatching(`^Others could read .*${wide}\\b.*; now only`));
  }
  expect(new Set([modeOf(dataDir), modeOf(join(dataDir, 'memory_default.db'))])).toEqual(
    new Set(['700', '600']),
  );
});

test.runIf(hasModes)('a folder that others use, too, stays as it is', async () => {
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
