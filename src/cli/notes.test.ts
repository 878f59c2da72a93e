import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { openMemory } from '../engine/engine.ts';
import { temporaryFolder } from '../../test/temporary.ts';
import { runCommand, type Ended } from '../../test/cli/runCommand.ts';

let folder: string;
const noted = (uri: string) => readFileSync(join(folder, 'notes', uri), 'utf8');

beforeEach(() => {
  folder = temporaryFolder();
  vi.stubEnv('OMOIDE_DATA', folder);
  vi.stubEnv('OMOIDE_EMBEDDER', 'none');
});

afterEach(() => {
  vi.unstubAllEnvs();
});

/** Runs `omoide notes …`. */
const notes = (...args: string[]): Promise<Ended> => runCommand('notes', ...args);

async function json(...args: string[]): Promise<Record<string, unknown>> {
  return JSON.parse((await notes(...args, '--json')).stdout) as Record<string, unknown>;
}

describe('remember', () => {
  test('writes into the file of its type, once, and the line is found', async () => {
    expect((await notes()).stdout).toContain('There are no notes yet');
    expect((await notes('remember', '甘いものは苦手')).stdout).toContain('Remembered in user/preferences.md');
    expect((await notes('remember', '甘いものは苦手です')).stdout).toContain('Already known');
    expect(noted('user/preferences.md').match(/甘いもの/g)).toHaveLength(1);
    expect(await json('remember', 'tabs, not spaces', '--type', 'instruction')).toMatchObject({
      uri: 'user/instructions.md',
      outcome: 'added',
    });
    expect((await notes('find', '私の好みは？')).stdout).toMatch(/甘いものは苦手[^]*The requested file/);
    expect((await notes('list')).stdout).toMatch(/^user\/instructions\.md\s+global, 1 section/);
  });

  test('writes tasks and the journal', async () => {
    await notes('add', '牛乳を買う', '--due', '2026-12-01');
    expect((await notes('tasks')).stdout).toMatch(/^\[ \] \w+ {2}牛乳を買う {2}due 2026-12-01\n$/);
    expect((await notes('done', '牛乳を買う')).stdout).toContain('Done: [x]');
    expect((await notes('tasks')).stdout).toBe('There are no tasks.\n');
    expect((await json('tasks', '--all'))['tasks']).toHaveLength(1);
    const { uri } = await json('journal', 'wrote the importer');
    expect(noted(String(uri))).toContain('wrote the importer');
  });
});

describe('import and export', () => {
  test('rules and notes are imported once, and everything is exported', async () => {
    const project = temporaryFolder();
    writeFileSync(join(project, 'CLAUDE.md'), '- 用 pnpm\n');
    writeFileSync(join(project, 'README.md'), 'for people\n');
    const taken = await notes('import', project);
    expect(taken).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('not rules for agents, were left out: 1.'),
    });
    expect(taken.stdout).toContain('agent/imported/CLAUDE.md');
    expect((await notes('import', project)).stdout).toContain('0 files written, 1 already known.');
    const all = await json('import', project, '--from', 'markdown', '--scope', 'global');
    expect(all['files']).toMatchObject([{ uri: 'user/CLAUDE.md' }, { uri: 'user/README.md' }]);
    const out = join(temporaryFolder(), 'out');
    expect((await notes('export', out)).stdout).toBe(`3 files written to ${out}.\n`);
    expect(readFileSync(join(out, 'agent/imported/CLAUDE.md'), 'utf8')).toContain('- 用 pnpm\n');
    expect(await notes('export', out)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('not empty'),
    });
  });

  test('derived data is exported on request', async () => {
    const memory = await openMemory({ dataDir: folder, embedder: null, learn: false, worker: false });
    const payload = { subject: 'はな', predicate: 'lives_in', object: '札幌' };
    await memory.units.add({ content: { kind: 'fact', payload } });
    await memory.close();
    const out = join(temporaryFolder(), 'out');
    await notes('export', out, '--learnt');
    expect(readFileSync(join(out, 'learnt/facts.md'), 'utf8')).toBe(
      '# Facts\n\n## はな\n\n- lives_in: 札幌\n',
    );
  });

  test('unreadable files are reported, and the others are imported', async () => {
    const mixed = temporaryFolder();
    mkdirSync(join(mixed, 'a'));
    writeFileSync(join(mixed, 'a/good.md'), 'good\n');
    writeFileSync(join(mixed, 'bad.md'), new Uint8Array([0]));
    const { code, stdout, stderr } = await notes('import', mixed);
    expect(code).toBe(3);
    expect(stdout).toContain('added     a/good.md');
    expect(stderr).toMatch(/left out: .*bad\.md: .*UTF-8/);
  });
});

test.each([
  [['find'], 2, 'needs QUERY'],
  [['list', 'x'], 2, 'takes no further argument'],
  [['remember', 'x', '--due', 'tomorrow'], 2, '--due is not an option of “remember”'],
  [['fly'], 2, 'Allowed choices'],
  [['import', '/nowhere/at/all'], 1, 'FILE_UNREADABLE'],
  [['done', 'never added'], 1, 'NOT_FOUND'],
  [['add', 'x', '--due', 'whenever'], 1, 'INVALID_TIME'],
])('rejects %j', async (args, code, words) => {
  expect(await notes(...args)).toMatchObject({ code, stderr: expect.stringContaining(words) });
});
