/** Opening a memory as a user other than root, for whom permissions apply. */
import { spawnSync } from 'node:child_process';
import { chmodSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { openMemory } from '../src/engine/engine.ts';
import { temporaryFolder } from './temporary.ts';

const open = (dataDir: string) => openMemory({ dataDir, embedder: null, worker: false });

describe('in a folder without write permission', () => {
  const engine = fileURLToPath(new URL('../src/engine/engine.ts', import.meta.url));
  const script = `
    const { openMemory } = await import(${JSON.stringify(engine)});
    try {
      const memory = await openMemory({ dataDir: process.argv[1], embedder: null, worker: false });
      await memory.add({ conversationId: 'c', speaker: 'user', text: 'more' });
      console.log('written');
    } catch (error) { console.log(error.code); }`;
  /** The result of adding one turn as a user other than root, for whom permissions apply. */
  function writeAsAnybody(dataDir: string): string {
    const isRoot = process.getuid?.() === 0;
    const result = spawnSync(process.execPath, ['--input-type=module', '--eval', script, dataDir], {
      ...(isRoot && { uid: 65_534, gid: 65_534 }),
      encoding: 'utf8',
    });
    return result.stdout.trim() || result.stderr;
  }

  test('opening an existing memory throws READ_ONLY and leaves it unchanged', async () => {
    const dataDir = temporaryFolder();
    const path = join(dataDir, 'memory_default.db');
    const memory = await open(dataDir);
    await memory.add({ conversationId: 'c', speaker: 'user', text: '那須塩原の吊り橋' });
    await memory.close();
    const before = readFileSync(path);
    chmodSync(path, 0o444);
    chmodSync(dataDir, 0o555);
    expect(writeAsAnybody(dataDir)).toBe('READ_ONLY');
    expect(readFileSync(path).equals(before)).toBe(true);
    chmodSync(dataDir, 0o755);
    chmodSync(path, 0o644);
    const again = await open(dataDir);
    expect(await again.admin.verify()).toMatchObject({ turns: 1, problems: [] });
    await again.close();
  });

  test('creating a memory throws READ_ONLY', () => {
    const dataDir = temporaryFolder();
    chmodSync(dataDir, 0o555);
    expect(writeAsAnybody(dataDir)).toBe('READ_ONLY');
    expect(writeAsAnybody(join(dataDir, 'new'))).toBe('READ_ONLY');
    chmodSync(dataDir, 0o755);
  });
});
