import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { openTestSettings } from '../../test/server/testServer.ts';
import { temporaryFolder } from '../../test/temporary.ts';
import type { Memory } from '../engine/engine.ts';
import { Models } from './models.ts';
import { listMemories, memoryExists } from '../engine/engine.ts';
import { openWithModels } from './opening.ts';

let dataDir: string;
let log: string[];

beforeEach(() => {
  dataDir = temporaryFolder();
  log = [];
});

async function open(memoryId: string): Promise<Memory> {
  const models = new Models({
    settings: openTestSettings(dataDir),
    overrides: { embedder: { provider: 'hashed' } },
    onCall: () => {},
    traceFile: join(dataDir, 'trace.jsonl'),
    log: () => {},
  });
  onTestFinished(() => models.stop());
  const options = {
    dataDir,
    worker: false,
    models,
    log: (line: string) => void log.push(line),
    now: Date.now,
  };
  const memory = await openWithModels(options, memoryId, 'Asia/Tokyo');
  onTestFinished(() => memory.close());
  return memory;
}

function writeNote(folder: string, name: string, text: string | Buffer): void {
  mkdirSync(join(dataDir, folder), { recursive: true });
  writeFileSync(join(dataDir, folder, name), text);
}

describe('notes', () => {
  test('of a memory are in the folder of the same name', async () => {
    writeNote('notes', 'a.md', 'The key is under the mat.\n');
    writeNote('notes_hana', 'b.md', 'Hana has a red bicycle.\n');
    const urisOf = async (memory: Memory) => (await memory.notes?.list())?.map(({ uri }) => uri);
    expect(await urisOf(await open('default'))).toEqual(['a.md']);
    expect(await urisOf(await open('hana'))).toEqual(['b.md']);
    expect((await open('ben')).notes).toBeNull();
    expect(log).toEqual([]);
  });

  test('are found, stored and written, and found again after reopening', async () => {
    writeNote('notes', 'a.md', '合言葉は山と川。\n');
    const first = await open('default');
    await first.notes?.remember('The attic key is with Mori.', { type: 'note', scope: 'project' });
    await first.close();
    expect(readFileSync(join(dataDir, 'notes/agent/notes.md'), 'utf8')).toContain('with Mori');
    const again = await open('default');
    const texts = (await again.recall('合言葉 attic key Mori')).hits.map(({ text }) => text).join('\n');
    expect(texts).toContain('山と川');
    expect(texts).toContain('with Mori');
  });

  test('with an unreadable file are reported, and the others are read', async () => {
    writeNote('notes', 'a.md', 'Readable.\n');
    writeNote('notes', 'binary.md', Buffer.from([0, 255]));
    const memory = await open('default');
    expect((await memory.notes?.list())?.map(({ uri }) => uri)).toEqual(['a.md']);
    expect(log).toContainEqual(expect.stringMatching(/^binary\.md: \S/));
  });

  test('are rejected when a file has the name of the folder', async () => {
    writeFileSync(join(dataDir, 'notes'), '');
    await expect(open('default')).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });
});

test('memories are listed by their files, without those whose creation was interrupted', async () => {
  await (await open('hana')).close();
  await (await open('default')).close();
  writeFileSync(join(dataDir, 'memory_empty.db'), '');
  expect(await listMemories({ dataDir })).toEqual([
    { memoryId: 'default', sizeBytes: expect.any(Number) as number },
    { memoryId: 'hana', sizeBytes: expect.any(Number) as number },
  ]);
  expect(await memoryExists({ dataDir }, 'hana')).toBe(true);
  expect(await memoryExists({ dataDir }, 'empty')).toBe(false);
});
