/** Windows paths, and settings of agents that other programs hold open; see also `windows.test.ts`. */
import fs, { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { writeConfigFile } from '../src/cli/mcp/configFile.ts';
import { openMemory } from '../src/engine/engine.ts';
import { runCommand } from './cli/runCommand.ts';
import { temporaryFolder } from './temporary.ts';

/** Another program has the file open, so that it cannot be replaced. */
function holdOpen(): void {
  const { renameSync } = fs;
  fs.renameSync = (_, to) => {
    throw Object.assign(new Error(`operation not permitted, rename '${String(to)}'`), { code: 'EPERM' });
  };
  syncBuiltinESMExports();
  onTestFinished(() => {
    fs.renameSync = renameSync;
    syncBuiltinESMExports();
  });
}

test('the settings of a client that holds them open stay unchanged, and the error says what to do', () => {
  const folder = temporaryFolder();
  const path = join(folder, 'settings.json');
  writeFileSync(path, '{}');
  holdOpen();
  expect(() => writeConfigFile(path, '{}', '{"a":1}')).toThrow(/close the programs that have it open/);
  expect(readFileSync(path, 'utf8')).toBe('{}');
  expect(readdirSync(folder).filter((name) => name.endsWith('.tmp'))).toEqual([]);
});

describe('a data folder with a Windows path', () => {
  test.each(['C:\\Users\\はな', 'Program Files (x86)', 'a#b?c%20d&e', '思い出 📁'])('%s', async (name) => {
    const dataDir = join(temporaryFolder(), name);
    const add = await openMemory({ dataDir, embedder: { provider: 'hashed' }, worker: false });
    await add.add({ conversationId: 'c', speaker: 'user', text: 'The bridge swayed.' });
    await add.close();
    expect(existsSync(join(dataDir, 'memory_default.db'))).toBe(true);
    const { code, stdout } = await runCommand(
      'recall',
      'the bridge',
      '--data',
      dataDir,
      '--embedder',
      'hashed',
      '--json',
    );
    expect(code).toBe(0);
    expect(stdout).toContain('The bridge swayed.');
    const copy = join(dataDir, 'a copy.zip');
    expect((await runCommand('backup', copy, '--data', dataDir)).code).toBe(0);
    const restored = join(dataDir, 'restored');
    mkdirSync(restored);
    expect((await runCommand('restore', copy, '--data', restored)).code).toBe(0);
    expect(existsSync(join(restored, 'memory_default.db'))).toBe(true);
  });
});

test('no source takes a path from URL.pathname, which is wrong for drive letters', () => {
  const folder = new URL('../src/', import.meta.url);
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  );
  const wrong = files.filter((name) =>
    /import\.meta\.url\)\s*\.pathname/.test(
      readFileSync(new URL(name.replaceAll('\\', '/'), folder), 'utf8'),
    ),
  );
  expect(files.length).toBeGreaterThan(300);
  expect(wrong).toEqual([]);
});
