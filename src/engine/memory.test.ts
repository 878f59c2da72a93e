import { readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../test/temporary.ts';
import * as entry from '../index.ts';
import { internals, openMemory, type Memory, type MemoryOptions, type NewTurn } from './engine.ts';

const open = async (options: MemoryOptions = {}): Promise<Memory> => {
  const memory = await openMemory({
    dataDir: temporaryFolder(),
    embedder: null,
    worker: false,
    learn: false,
    ...options,
  });
  onTestFinished(() => memory.close().catch(() => {}));
  return memory;
};

const turn = (text: string): NewTurn => ({ conversationId: 'c', speaker: 'user', text });

/** Files in a folder that this process holds open. */
function openFiles(folder: string): string[] {
  return readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      const path = readlinkSync(`/proc/self/fd/${fd}`);
      return path.startsWith(folder) ? [path] : [];
    } catch {
      return [];
    }
  });
}

test('default recall options are checked at opening, and apply to packs', async () => {
  await expect(open({ recall: { maxAgeDays: -1 } })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  await expect(open({ recall: { profile: 'nobody' } })).rejects.toThrow(/no profile "nobody"/);
  const memory = await open({ recall: { profile: 'fast', maxAgeDays: 30 } });
  await memory.add({ ...turn('The zebra is striped.'), occurredAt: '2020-01-01' });
  expect((await memory.recall('zebra')).hits).toEqual([]);
  expect((await memory.recall('zebra', { maxAgeDays: 10_000 })).hits).toHaveLength(1);
  expect((await memory.pack('zebra')).recall.metadata.profile).toBe('fast');
});

describe('an unknown option', () => {
  test.each<[string, (memory: Memory) => Promise<unknown>, string]>([
    ['recall', (memory) => memory.recall('x', { limt: 1 } as never), 'did you mean “limit”'],
    ['a bundle', (memory) => memory.recall('x', { view: 'bundle', kind: 1 } as never), '“kind”'],
    ['a view', (memory) => memory.recall('x', { view: 'list' } as never), 'hits or bundle'],
    ['pack', (memory) => memory.pack('x', { budget: 100 } as never), '“budget”'],
    ['explore', (memory) => memory.explore({ keyword: ['x'] } as never), 'did you mean “keywords”'],
    ['explore, options', (memory) => memory.explore({ text: 'x' }, { veiw: 'quote' } as never), '“view”'],
    ['a turn', (memory) => memory.add({ ...turn('x'), occuredAt: 0 } as never), '“occurredAt”'],
    ['add', (memory) => memory.add([], { onprogress: () => {} } as never), 'did you mean “onProgress”'],
    ['remember', (memory) => memory.remember('x', { kind: 'note' } as never), 'type, scope, now'],
    ['forget', (memory) => memory.forget(1, { items: 'x' } as never), 'did you mean “item”'],
    ['a filter', (memory) => memory.units.list({ kind: ['fact'] } as never), 'did you mean “kinds”'],
    ['a page', (memory) => memory.units.list({}, { limits: 1 } as never), 'did you mean “limit”'],
    ['an update', (memory) => memory.units.update({ unitId: 1, set: { pined: true } } as never), '“pinned”'],
    ['a unit', (memory) => memory.units.add({ pined: true } as never), 'did you mean “pinned”'],
    ['rebuild', (memory) => memory.admin.rebuild('indexes', { vector: true } as never), '“vectors”'],
    ['import', (memory) => memory.admin.importFile('x', { fromat: 'csv' } as never), '“format”'],
  ])('of %s is rejected by name', async (_of, call, hint) => {
    const memory = await open();
    const error = await call(memory).then(
      () => null,
      (reason: unknown) => reason,
    );
    expect(error).toMatchObject({ code: 'INVALID_INPUT', message: expect.stringContaining(hint) });
    expect(await memory.admin.info()).toMatchObject({ turns: 0 });
  });

  test('of openMemory opens nothing, in particular not the default folder', async () => {
    const folder = temporaryFolder();
    const misspelt = { dataDir: folder, memoryID: 'x' } as MemoryOptions;
    await expect(openMemory(misspelt)).rejects.toThrow('unknown option “memoryID”; did you mean “memoryId”?');
    await expect(openMemory({ datadir: folder } as MemoryOptions)).rejects.toThrow('“dataDir”');
    const wrongPart = { embedder: 'none' } as unknown as MemoryOptions;
    await expect(openMemory(wrongPart)).rejects.toThrow('The option embedder of openMemory must be settings');
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('opened resources are closed', () => {
  test('when opening fails', async () => {
    const dataDir = temporaryFolder();
    const notes = { global: join(dataDir, 'no-folder') };
    writeFileSync(notes.global, '');
    await expect(open({ dataDir, notes })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    expect(openFiles(dataDir)).toEqual([]);
  });

  test('when closing another one fails', async () => {
    const dataDir = temporaryFolder();
    let isBroken = false;
    const now = () => {
      if (isBroken) throw new Error('The clock stopped.');
      return 0;
    };
    const memory = await open({ dataDir, now });
    await memory.add(turn('Hello.'));
    expect(openFiles(dataDir)).not.toEqual([]);
    isBroken = true;
    await expect(memory.close()).rejects.toThrow('The clock stopped.');
    expect(openFiles(dataDir)).toEqual([]);
    await expect(memory.admin.info()).rejects.toMatchObject({ code: 'CLOSED' });
  });
});

describe('add', () => {
  test('returns the ids of one turn, and of each of several', async () => {
    const memory = await open();
    const one = await memory.add({ ...turn('First.'), turnIndex: 0 });
    expect(one).toEqual({ turnId: 1, unitId: 1, turnIndex: 0, isNew: true });
    const many = await memory.add([{ ...turn('First.'), turnIndex: 0 }, turn(' '), turn('Second.')]);
    expect(many).toMatchObject({ read: 3, added: 1, known: 1, problems: [{ place: 'turn 2' }] });
    expect(many.turns).toEqual([
      { ...one, isNew: false },
      { turnId: 2, unitId: 2, turnIndex: 1, isNew: true },
    ]);
  });
});

describe('a backup', () => {
  test('taken during writes is a consistent memory', async () => {
    const dataDir = temporaryFolder();
    const memory = await open({ dataDir });
    await memory.add(Array.from({ length: 500 }, (_, i) => turn(`Turn ${i} of the bridge`)));
    const path = join(temporaryFolder(), 'copies', 'today');
    const [backup] = await Promise.all([memory.admin.backup(path), memory.add(turn('Meanwhile.'))]);
    expect(backup).toMatchObject({ path, memories: [{ memoryId: 'default' }] });
    const copy = await open({ dataDir: path });
    const { turns, problems } = await copy.admin.verify();
    expect(problems).toEqual([]);
    expect(turns).toBeGreaterThanOrEqual(500);
    expect((await copy.recall('the bridge')).hits).not.toEqual([]);
    expect(readdirSync(join(path, '..'))).toEqual(['today']);
  });

  test('never overwrites a file', async () => {
    const path = join(temporaryFolder(), 'copy.zip');
    writeFileSync(path, 'mine');
    const memory = await open();
    await expect(memory.admin.backup(path)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    expect(readFileSync(path, 'utf8')).toBe('mine');
  });
});

describe('remember and forget', () => {
  test('store a statement once, archive it, and restore it', async () => {
    const memory = await open();
    const kept = await memory.remember('I am allergic to peanuts.');
    expect(kept).toMatchObject({ outcome: 'added', uri: null });
    const unitId = kept.unitId ?? 0;
    expect(await memory.remember(' I am allergic to peanuts. ')).toMatchObject({
      outcome: 'reinforced',
      unitId,
    });
    expect(await memory.units.get([unitId])).toMatchObject([
      { reinforcement: 1, payload: { memoryType: 'preference' } },
    ]);
    expect(await memory.forget(unitId)).toMatchObject({ outcome: 'archived', text: kept.text });
    expect(await memory.forget(unitId)).toMatchObject({ outcome: 'unchanged' });
    expect((await memory.recall('peanuts')).hits).toEqual([]);
    await memory.units.restore({ unitId, version: 2 });
    expect((await memory.recall('peanuts')).hits).toMatchObject([{ unitId }]);
  });

  test.each([' ', ''])('reject %j', async (text) => {
    await expect((await open()).remember(text)).rejects.toMatchObject({ code: 'EMPTY_TEXT' });
  });
});

describe('the package’s entry', () => {
  test('exports few names, and no internals', async () => {
    expect(Object.keys(entry).toSorted()).toEqual([
      'ERROR_CODES',
      'MemoryError',
      'defaultDataDir',
      'exportMemory',
      'findSensitive',
      'isMemoryError',
      'openExport',
      'openMemory',
    ]);
    const { exports } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
    expect(Object.keys(exports)).toEqual(['.', './client', './ai-sdk']);
    expect(exports['.'].default).toBe('./dist/index.js');
  });

  test('the internals of a memory are reached through their own module only', async () => {
    const memory = await open();
    expect(Object.keys(memory)).not.toContain('core');
    expect('settle' in memory).toBe(false);
    await expect(internals(memory).settle()).resolves.toBeUndefined();
    expect(() => internals({ ...memory })).toThrow(TypeError);
  });
});
