import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { openNotesAccess } from '../../../test/notesAccess.ts';
import { temporaryFolder } from '../../../test/temporary.ts';
import { MemoryError } from '../../model/model.ts';
import type { NotesAccess } from '../access.ts';
import { exportNotes, importNotes, type NotesImport, type TransferredNotes } from './transfer.ts';

const textOf = async (notes: NotesAccess, uri: string) => (await notes.read(uri)).text;

/** Notes that are texts alone. */
function notesIn(files: Map<string, string>): TransferredNotes {
  const read = (uri: string) => {
    const text = files.get(uri);
    if (text === undefined) throw new MemoryError('NOT_FOUND');
    return { uri, text, hash: text, sections: [] };
  };
  return {
    list: async () =>
      [...files.keys()].map((uri) => {
        return { uri, scope: 'project', sections: 0, sizeBytes: 0, modifiedAt: 0 };
      }),
    read: async (uri) => read(uri),
    async write(uri, text, { expectedHash } = {}) {
      if (expectedHash !== undefined && expectedHash !== (files.get(uri) ?? null)) {
        throw new MemoryError('NOTE_CONFLICT');
      }
      files.set(uri, text);
      return read(uri);
    },
  };
}

/** A new folder with these files. */
function folderOf(files: Readonly<Record<string, string | Uint8Array>>): string {
  const folder = temporaryFolder();
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  return folder;
}

/** Every file under a folder, by its path. */
function filesIn(folder: string): Map<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).toSorted();
  const files = names.filter((name) => statSync(join(folder, name)).isFile());
  return new Map(files.map((name) => [name.replaceAll('\\', '/'), readFileSync(join(folder, name), 'utf8')]));
}

const outcomes = ({ files }: NotesImport) => files.map(({ uri, outcome }) => [uri, outcome]);
const reasons = ({ skipped }: NotesImport) => skipped.map(({ reason }) => reason);
const linesOf = (text: string) => text.split(/\r?\n/).flatMap((line) => line.trim() || []);

async function exported(notes: TransferredNotes): Promise<Map<string, string>> {
  const folder = join(temporaryFolder(), 'out');
  await exportNotes(notes, folder);
  return filesIn(folder);
}

describe('Markdown', () => {
  test('keeps its path, every word and line ending; importing it again adds nothing', async () => {
    const notes = await openNotesAccess();
    const files = {
      'TASKS.md': '# やること\n\n- [ ] 牛乳\n',
      'journal/2026-03-01.md': '- 散歩した\r\n- 下雨了\r\n',
      'recipes/ramen.md': '---\ntags: [soup]\n---\n# Ramen\n\n```\nboil\n```\n\nno final line end',
      'user/preferences.md': '- no coriander\n',
      '.obsidian/hidden.md': 'settings',
      'node_modules/x/README.md': 'not mine',
      'picture.png': 'no text',
    };
    const folder = folderOf(files);
    const expected = ['TASKS.md', 'journal/2026-03-01.md', 'recipes/ramen.md', 'user/preferences.md'];
    expect(outcomes(await importNotes(notes, folder))).toEqual(expected.map((uri) => [uri, 'added']));
    expect(outcomes(await importNotes(notes, folder))).toEqual(expected.map((uri) => [uri, 'known']));
    expect(await exported(notes)).toEqual(
      new Map(expected.map((uri) => [uri, files[uri as keyof typeof files]])),
    );
    expect((await notes.list()).map(({ uri, scope }) => [uri, scope])).toContainEqual([
      'user/preferences.md',
      'global',
    ]);
  });

  test('of the user is stored under user/', async () => {
    const notes = await openNotesAccess();
    const folder = folderOf({ 'trips/nara.md': '鹿\n', 'user/entities.md': '- 美咲\n' });
    const report = await importNotes(notes, folder, { scope: 'global' });
    expect(outcomes(report)).toEqual([
      ['user/trips/nara.md', 'added'],
      ['user/entities.md', 'added'],
    ]);
  });

  test('changes no existing file: different text is stored next to it, and later additions stay', async () => {
    const notes = await openNotesAccess();
    await notes.write('a.md', 'mine\n');
    const folder = folderOf({ 'a.md': 'theirs\n', 'b.md': 'one\ntwo\n' });
    expect(outcomes(await importNotes(notes, folder))).toEqual([
      ['a-2.md', 'added'],
      ['b.md', 'added'],
    ]);
    await notes.write('b.md', 'zero\none\ntwo\nthree\n');
    expect(outcomes(await importNotes(notes, folder))).toEqual([
      ['a-2.md', 'known'],
      ['b.md', 'known'],
    ]);
    expect(await textOf(notes, 'a.md')).toBe('mine\n');
    expect(await textOf(notes, 'b.md')).toBe('zero\none\ntwo\nthree\n');
  });

  test('in any tree, with any text: every line is exported again, and importing twice equals once', async () => {
    const name = fc.constantFrom('a', 'メモ', '笔记', 'B c', 'CON-x', 'a.b');
    const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((parts) => `${parts.join('/')}.md`);
    const line = fc.oneof(
      fc.constantFrom('# 見出し', '- item', '---', 'type: x', '```', '', '  indented', '> @import'),
      fc
        .string({ unit: 'grapheme' })
        .map((text) => text.replaceAll(/[\p{Cc}\u2028\u2029\ufeff]/gu, '').toWellFormed()),
    );
    const text = fc.array(line, { maxLength: 8 }).map((lines) => lines.join('\n'));
    const tree = fc.dictionary(path, text, { maxKeys: 5 });
    const property = fc.asyncProperty(tree, tree, async (theirs, mine) => {
      const files = new Map(Object.entries(mine));
      const notes = notesIn(files);
      const folder = folderOf(theirs);
      const first = await importNotes(notes, folder);
      expect(first.skipped).toEqual([]);
      const after = await exported(notes);
      expect(after).toEqual(files);
      for (const [uri, words] of Object.entries(mine)) expect(after.get(uri)).toBe(words);
      for (const { from, uri } of first.files) {
        const lines = new Set(linesOf(after.get(uri) ?? ''));
        expect(linesOf(readFileSync(from, 'utf8')).filter((one) => !lines.has(one))).toEqual([]);
      }
      expect(first.files).toHaveLength(Object.keys(theirs).length);
      await importNotes(notes, folder);
      expect(await exported(notes)).toEqual(after);
    });
    await fc.assert(property, { numRuns: 60 });
  });
});

describe('instructions of agents', () => {
  const project = {
    'CLAUDE.md': '# Project\n\n- 用 pnpm\n',
    'packages/api/CLAUDE.md': '- テストは vitest\n',
    'AGENTS.md': '- be brief\n',
    '.claude/rules/tests.md': '---\npaths: "**/*.test.ts"\n---\n\n- no mocks\n',
    '.cursor/rules/style.mdc':
      '---\ndescription: How code looks\nglobs: **/*.ts, *.tsx\nalwaysApply: false\n---\n# Style\n\n- tabs\n',
    '.cursorrules': 'Use strict types.',
    '.github/copilot-instructions.md': '- en français\n',
    '.github/instructions/py.instructions.md': "---\napplyTo: '**/*.py'\n---\n- type hints\n",
    '.windsurf/rules/a.md': '---\ntrigger: always_on\n---\n- small commits\n',
    '.windsurfrules': '- old rules\n',
    'README.md': 'for people',
    'docs/notes.md': 'for people, too',
    '.git/AGENTS.md': 'no rules',
    'node_modules/x/AGENTS.md': 'the rules of others',
  };
  const expected = [
    'agent/imported/AGENTS.md',
    'agent/imported/CLAUDE.md',
    'agent/imported/claude/rules/tests.md',
    'agent/imported/cursor/rules/style.md',
    'agent/imported/cursorrules.md',
    'agent/imported/github/copilot-instructions.md',
    'agent/imported/github/instructions/py.instructions.md',
    'agent/imported/packages/api/CLAUDE.md',
    'agent/imported/windsurf/rules/a.md',
    'agent/imported/windsurfrules.md',
  ];

  test('become notes of instructions, with every line; the condition for applying them is searchable', async () => {
    const notes = await openNotesAccess();
    const folder = folderOf(project);
    const report = await importNotes(notes, folder);
    expect(report.files.map(({ uri }) => uri).toSorted()).toEqual(expected);
    expect(report.skipped).toEqual([]);
    expect(report.remarks).toEqual([
      'Other Markdown files, which are not rules for agents, were left out: 2.',
    ]);
    const after = await exported(notes);
    for (const { from, uri } of report.files) {
      const lines = linesOf(after.get(uri) ?? '').map((line) => line.replace(/^> /, ''));
      expect(lines).toEqual(expect.arrayContaining(linesOf(readFileSync(from, 'utf8'))));
    }
    const { text, sections } = await notes.read('agent/imported/cursor/rules/style.md');
    expect(sections.map((one) => [one.memoryType, one.section, text.slice(one.from, one.to)])).toEqual([
      ['instruction', '', '> description: How code looks\n> globs: **/*.ts, *.tsx\n> alwaysApply: false'],
      ['instruction', 'Style', '- tabs'],
    ]);
    const again = await importNotes(notes, folder);
    expect(again.files.every(({ outcome }) => outcome === 'known')).toBe(true);
    expect(await exported(notes)).toEqual(after);
    // Exported notes are imported as notes.
    const out = join(temporaryFolder(), 'out');
    await exportNotes(notes, out);
    const other = await openNotesAccess();
    await importNotes(other, out);
    expect(await exported(other)).toEqual(after);
  });

  test.each([
    ['.cursor/rules', ['agent/imported/cursor/rules/style.md']],
    ['.cursor/rules/style.mdc', ['agent/imported/cursor/rules/style.md']],
    ['packages/api/CLAUDE.md', ['agent/imported/CLAUDE.md']],
    ['.cursorrules', ['agent/imported/cursorrules.md']],
  ])('can be named individually: %s', async (path, uris) => {
    const report = await importNotes(await openNotesAccess(), join(folderOf(project), path));
    expect(report.files.map(({ uri }) => uri)).toEqual(uris);
  });

  test('may be the user’s, and everything else can be chosen', async () => {
    const folder = folderOf(project);
    const rules = await importNotes(await openNotesAccess(), join(folder, 'CLAUDE.md'), { scope: 'global' });
    expect(outcomes(rules)).toEqual([['user/imported/CLAUDE.md', 'added']]);
    const notes = await importNotes(await openNotesAccess(), folder, { source: 'markdown' });
    expect(notes.files.map(({ uri }) => uri)).toEqual(expect.arrayContaining(['README.md', 'docs/notes.md']));
  });

  test('follow references to other files within the folder only', async () => {
    const notes = await openNotesAccess();
    const outside = folderOf({ 'secret.md': 'not yours\n' });
    const folder = folderOf({
      'CLAUDE.md': [
        'See @docs/style.md, and @README.md。',
        'Not @~/.claude/own.md, @/etc/hosts.md or @../secret.md.',
        'Not `@docs/code.md`, me@docs/code.md, @docs/gone.md or @somebody.',
        '```',
        '@docs/code.md',
        '```',
        'Nor @docs/linked.md or @package.json.',
      ].join('\n'),
      'README.md': 'read me\n',
      'docs/style.md': 'back to @../CLAUDE.md and on to @deep/more.md\n',
      'docs/deep/more.md': 'the end\n',
      'docs/code.md': 'only shown\n',
      'package.json': '{}',
    });
    symlinkSync(join(outside, 'secret.md'), join(folder, 'docs/linked.md'));
    const report = await importNotes(notes, join(folder, 'CLAUDE.md'));
    expect(report.files.map(({ uri }) => uri)).toEqual([
      'agent/imported/CLAUDE.md',
      'agent/imported/docs/style.md',
      'agent/imported/docs/deep/more.md',
      'agent/imported/README.md',
    ]);
    expect(report.skipped.map(({ from, reason }) => [from.split(' ')[0], reason])).toEqual([
      ['@~/.claude/own.md', 'it leads out of the folder'],
      ['@/etc/hosts.md', 'it leads out of the folder'],
      ['@../secret.md', 'it leads out of the folder'],
      ['@docs/linked.md', 'it leads out of the folder'],
      ['@package.json', 'it is not Markdown'],
    ]);
    expect([...(await exported(notes)).values()].join('')).not.toContain('not yours');
  });

  test('and files that Claude Code wrote itself have their own path', async () => {
    const notes = await openNotesAccess();
    const home = folderOf({
      '.claude/projects/-home-me-app/memory/MEMORY.md': '- [Debugging](debugging.md)\n',
      '.claude/projects/-home-me-app/memory/debugging.md': '# Debugging\n\n- ポート 3000\n',
    });
    const report = await importNotes(notes, join(home, '.claude/projects/-home-me-app/memory'));
    expect(outcomes(report)).toEqual([
      ['agent/imported/claude-memory/MEMORY.md', 'added'],
      ['agent/imported/claude-memory/debugging.md', 'added'],
    ]);
  });
});

describe('memories of other tools', () => {
  const mem0 = {
    count: 3,
    results: [
      { id: '1', memory: 'はなは甘いものが苦手', created_at: '2024-07-20T01:30:36Z', categories: ['food'] },
      { id: '2', memory: 'Works at TechCorp\nas an engineer', metadata: {}, categories: null },
      { id: '3', memory: '喜欢爬山', categories: ['hobbies', 'food'] },
    ],
  };

  test('of mem0 become a list, to which new ones are added', async () => {
    const notes = await openNotesAccess();
    const path = join(folderOf({ 'all.json': JSON.stringify(mem0) }), 'all.json');
    const file = { from: path, uri: 'user/imported/mem0.md' };
    expect((await importNotes(notes, path)).files).toEqual([{ ...file, outcome: 'added', items: 3 }]);
    const text =
      '# mem0\n\n- Works at TechCorp\n  as an engineer\n\n## food\n\n- 2024-07-20: はなは甘いものが苦手\n\n## hobbies\n\n- 喜欢爬山\n';
    expect(await textOf(notes, file.uri)).toBe(text);
    expect((await importNotes(notes, path)).files).toEqual([{ ...file, outcome: 'known', items: 0 }]);
    expect(await textOf(notes, file.uri)).toBe(text);
    // In the format of the older API.
    writeFileSync(path, JSON.stringify([...mem0.results, { memory: 'Has a cat' }, { memory: 'Has a cat' }]));
    expect((await importNotes(notes, path)).files).toEqual([{ ...file, outcome: 'extended', items: 1 }]);
    expect(await textOf(notes, file.uri)).toBe(`${text}\n- Has a cat\n`);
  });

  test('are divided into as many files as necessary', async () => {
    const notes = await openNotesAccess();
    const results = Array.from({ length: 7_000 }, (_, i) => ({
      memory: `${i} ${'言葉 and words '.repeat(7)}`.trim(),
    }));
    results.push({ memory: '言'.repeat(300_000) });
    const path = join(folderOf({ 'a.json': JSON.stringify(results) }), 'a.json');
    const report = await importNotes(notes, path);
    const name = 'user/imported/mem0';
    expect(report.files.map(({ uri }) => uri)).toEqual([`${name}.md`, `${name}-2.md`, `${name}-3.md`]);
    const counts = report.files.map(({ items }) => items ?? 0);
    expect(counts.reduce((sum, count) => sum + count)).toBe(7_000);
    expect(reasons(report)).toEqual(['memories too long for a note: 1']);
    expect((await importNotes(notes, path)).files).toMatchObject([{ outcome: 'known' }]);
  });

  test.each([
    [
      'OpenMemory',
      'memories.json',
      {
        memories: [
          {
            content: 'likes tea',
            state: 'active',
            category_ids: ['c1'],
            created_at: '2025-02-03T00:00:00+00:00',
          },
          { content: 'gone', state: 'deleted', category_ids: [] },
        ],
        categories: [{ id: 'c1', name: 'drinks' }],
      },
      { 'user/imported/openmemory.md': '# openmemory\n\n## drinks\n\n- 2025-02-03: likes tea\n' },
      ['Archived or deleted memories were left out: 1.'],
    ],
    [
      'Letta',
      'agent.af',
      {
        agents: [{ messages: [{ role: 'user' }, { role: 'assistant' }] }],
        blocks: [
          { label: 'human', value: '\n名前: はな\n', description: 'About the person.\nKeep it short.' },
          { label: 'persona', value: 'I am Sora.' },
          { label: 'empty', value: '' },
        ],
      },
      {
        'user/imported/letta/human.md': '# human\n\n> About the person.\n> Keep it short.\n\n名前: はな\n',
        'user/imported/letta/persona.md': '# persona\n\nI am Sora.\n',
      },
      ['Messages of its agents were left out: 2.'],
    ],
    [
      'Zep',
      'edges.json',
      {
        edges: [
          {
            fact: 'Kendra likes Puma shoes',
            name: 'LIKES',
            valid_at: '2025-03-01T10:00:00Z',
            invalid_at: null,
          },
          {
            fact: 'Kendra loves Adidas shoes',
            valid_at: '2024-01-05T00:00:00Z',
            invalid_at: '2025-03-01T10:00:00Z',
          },
        ],
      },
      {
        'user/imported/zep.md':
          '# zep\n\n- 2025-03-01: Kendra likes Puma shoes\n\n## No longer so\n\n- 2024-01-05: Kendra loves Adidas shoes (until 2025-03-01)\n',
      },
      [],
    ],
  ])('of %s', async (_tool, name, value, files, remarks) => {
    const notes = await openNotesAccess();
    const path = join(folderOf({ [name]: JSON.stringify(value) }), name);
    expect((await importNotes(notes, path)).remarks).toEqual(remarks);
    expect(await exported(notes)).toEqual(new Map(Object.entries(files)));
    await importNotes(notes, path);
    expect(await exported(notes)).toEqual(new Map(Object.entries(files)));
  });

  test('of OpenMemory are read line by line', async () => {
    const notes = await openNotesAccess();
    const lines = [
      { id: '1', content: 'likes tea', metadata: {}, state: 'active', app: 'x', categories: ['drinks'] },
      { id: '2', content: 'left', state: 'archived', categories: [] },
    ].map((line) => JSON.stringify(line));
    const path = join(folderOf({ 'memories.jsonl': `${lines.join('\n')}\n` }), 'memories.jsonl');
    await importNotes(notes, path);
    expect(await textOf(notes, 'user/imported/openmemory.md')).toBe(
      '# openmemory\n\n## drinks\n\n- likes tea\n',
    );
  });
});

test('a file that is created meanwhile is not overwritten', async () => {
  const files = new Map<string, string>();
  const notes = notesIn(files);
  const late: TransferredNotes = {
    ...notes,
    write(uri, text, options) {
      // An editor creates the file first.
      if (!files.has('a.md')) files.set('a.md', 'mine\n');
      return notes.write(uri, text, options);
    },
  };
  const folder = folderOf({ 'a.md': 'theirs\n', 'b.json': '[{"memory":"x"}]' });
  await importNotes(late, folder);
  expect(Object.fromEntries(files)).toEqual({ 'a.md': 'mine\n', 'a-2.md': 'theirs\n' });
  const once = {
    ...notes,
    write: async (...given: Parameters<TransferredNotes['write']>) => {
      const [uri] = given;
      if (!files.has(uri)) files.set(uri, '# mem0\n\n- mine\n');
      return notes.write(...given);
    },
  };
  await importNotes(once, join(folder, 'b.json'));
  expect(files.get('user/imported/mem0.md')).toBe('# mem0\n\n- mine\n\n- x\n');
});

describe('invalid input', () => {
  test.each([
    ['nothing there', 'gone.md', {}, 'FILE_UNREADABLE'],
    ['an unknown format', 'a.json', { 'a.json': '{"a":1}' }, 'UNKNOWN_FORMAT'],
    ['broken JSON', 'a.json', { 'a.json': '{"results": [' }, 'UNKNOWN_FORMAT'],
    ['another kind of file', 'a.txt', { 'a.txt': 'text' }, 'UNKNOWN_FORMAT'],
  ])('%s', async (_what, name, files, code) => {
    await expect(importNotes(await openNotesAccess(), join(folderOf(files), name))).rejects.toMatchObject({
      code,
    });
  });

  test('a folder is not a memory of another tool', async () => {
    const folder = folderOf({});
    await expect(importNotes(await openNotesAccess(), folder, { source: 'mem0' })).rejects.toMatchObject({
      code: 'INVALID_INPUT',
    });
  });

  test('one unreadable file does not prevent importing the others', async () => {
    const notes = await openNotesAccess();
    const outside = folderOf({ 'secret.md': 'not yours' });
    const folder = folderOf({
      'big.md': 'x'.repeat(1_048_577),
      'binary.md': new Uint8Array([1, 0, 2]),
      'latin.md': new Uint8Array([0x63, 0xe9]),
      'good.md': 'good\n',
      'broken.md': '---\n: : [\n---\ntext\n',
    });
    symlinkSync(join(outside, 'secret.md'), join(folder, 'linked.md'));
    symlinkSync(outside, join(folder, 'folder'));
    const report = await importNotes(notes, folder);
    expect(outcomes(report)).toEqual([
      ['broken.md', 'added'],
      ['good.md', 'added'],
    ]);
    expect(report.skipped.map(({ from }) => from.slice(folder.length + 1)).toSorted()).toEqual([
      'big.md',
      'binary.md',
      'folder',
      'latin.md',
      'linked.md',
    ]);
  });

  test('an export overwrites no files', async () => {
    const notes = await openNotesAccess();
    await notes.write('a.md', 'a\n');
    const folder = folderOf({ 'own.txt': 'own' });
    await expect(exportNotes(notes, folder)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    await expect(exportNotes(notes, join(folder, 'own.txt'))).rejects.toMatchObject({ code: 'READ_ONLY' });
    expect(filesIn(folder)).toEqual(new Map([['own.txt', 'own']]));
  });
});

test('further texts are exported with the notes, and imported as notes', async () => {
  const notes = await openNotesAccess();
  await notes.write('user/preferences.md', '- tea\n');
  const folder = join(temporaryFolder(), 'out');
  const more = new Map([['learnt/facts.md', '# Facts\n\n- x\n']]);
  expect((await exportNotes(notes, folder, more)).files).toEqual(['user/preferences.md', 'learnt/facts.md']);
  const other = await openNotesAccess();
  await importNotes(other, folder);
  expect(await textOf(other, 'learnt/facts.md')).toBe('# Facts\n\n- x\n');
});
