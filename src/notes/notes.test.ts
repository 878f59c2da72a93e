import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { temporaryFolder } from '../../test/temporary.ts';
import { openSqliteStore } from '../store/sqlite/sqlite.ts';
import type { Store } from '../store/store.ts';
import { openNotes, type Notes, type NotesParts, type NoteUnit, type ScanReport } from './notes.ts';

const NOW = Date.parse('2026-03-11T12:00:00Z');

interface Opened {
  readonly notes: Notes;
  readonly store: Store;
  readonly root: string;
  readonly reports: ScanReport[];
  /** Writes a file like an editor that saved it some time ago. */
  readonly put: (uri: string, text: string | Uint8Array) => void;
  readonly reopen: () => Promise<Notes>;
}

async function open(roots?: (folder: string) => NotesParts['roots']): Promise<Opened> {
  const folder = temporaryFolder();
  const store = openSqliteStore(':memory:', { memoryId: 'm1', timeZone: 'Asia/Tokyo', now: () => NOW });
  const reports: ScanReport[] = [];
  const root = join(folder, 'notes');
  const parts: NotesParts = {
    store,
    roots: roots?.(folder) ?? { global: root, project: null },
    now: () => NOW,
    unitJobKinds: ['embed'],
    onChange: (report) => reports.push(report),
    onError: (error) => expect.unreachable(String(error)),
  };
  const opened: Notes[] = [];
  const reopen = async () => {
    const notes = await openNotes(parts);
    opened.push(notes);
    return notes;
  };
  onTestFinished(async () => {
    for (const notes of opened) await notes.close();
    await store.close();
  });
  let age = 100_000;
  const put = (uri: string, text: string | Uint8Array) => {
    const path = join(root, uri);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    // One second later for each file, and long ago.
    const at = NOW / 1_000 - (age -= 1);
    utimesSync(path, at, at);
  };
  return { notes: await reopen(), store, root, reports, put, reopen };
}

const told = (units: readonly NoteUnit[]) => units.map(({ payload }) => [payload.section, payload.text]);
const ids = (units: readonly NoteUnit[]) => units.map(({ id }) => id);

async function activeNotes(store: Store): Promise<[uri: string, section: string, text: string][]> {
  const units = await store.units.list({ kinds: ['note'], maxSensitivity: 'secret' }, { limit: 10_000 });
  return units
    .flatMap((unit) => (unit.kind === 'note' ? [unit.payload] : []))
    .map(({ uri, section, text }): [string, string, string] => [uri, section, text])
    .toSorted();
}

const PREFERENCES = '# 好み\n\n## 飲み物\n\n- 朝はコーヒー、砂糖なし\n\n## Food\n\n- no coriander\n';

describe('a scan', () => {
  test('creates one unit for every section', async () => {
    const { notes, store, put } = await open();
    put('user/preferences.md', PREFERENCES);
    put('journal/2026-03-01.md', '- 10:00 散歩\n');
    put('TASKS.md', '---\nsensitivity: private\n---\n# Tasks\n\n- [ ] 牛乳\n');
    expect(await notes.scan()).toMatchObject({ files: 3, sections: 4, added: 4, skipped: [], warnings: [] });
    const [drinks, food] = await notes.sections('user/preferences.md');
    expect(drinks).toMatchObject({
      kind: 'note',
      source: 'note',
      state: 'validated',
      scope: 'global',
      payload: { section: '好み > 飲み物', memoryType: 'preference', text: '- 朝はコーヒー、砂糖なし' },
    });
    expect(drinks?.payload.tokenCount).toBeGreaterThan(5);
    expect(food?.payload.section).toBe('好み > Food');
    expect(await notes.sections('TASKS.md')).toMatchObject([{ sensitivity: 'private', scope: 'project' }]);
    expect(await notes.sections('journal/2026-03-01.md')).toMatchObject([
      {
        occurredAt: Date.parse('2026-03-01T00:00:00+09:00'),
        payload: { memoryType: 'journal', section: '' },
      },
    ]);
    expect(await store.jobs.count()).toMatchObject({ queued: 4 });
    expect(await notes.scan()).toMatchObject({ files: 3, sections: 4, added: 0, edited: 0, changed: [] });
    expect(await notes.list()).toMatchObject([
      { uri: 'TASKS.md', scope: 'project', memoryType: 'task', sections: 1 },
      { uri: 'journal/2026-03-01.md', memoryType: 'journal' },
      { uri: 'user/preferences.md', scope: 'global', sections: 2 },
    ]);
  });

  test('does not touch the units of unchanged sections', async () => {
    const { notes, store, put } = await open();
    put('user/preferences.md', PREFERENCES);
    await notes.scan();
    const before = await notes.sections('user/preferences.md');
    put(
      'user/preferences.md',
      `${PREFERENCES.replace('# 好み\n', '# 好み\n\nwritten by hand\n')}- no celery\n`,
    );
    expect(await notes.scan()).toMatchObject({
      added: 1,
      edited: 1,
      archived: 0,
      changed: ['user/preferences.md'],
    });
    const after = await notes.sections('user/preferences.md');
    expect(told(after)[0]).toEqual(['好み', 'written by hand']);
    expect(ids(after).slice(1)).toEqual(ids(before));
    expect(after.map(({ version }) => version)).toEqual([1, 1, 2]);
    const versions = await store.units.versions(after[2]?.id ?? 0);
    expect(versions.map(({ reason }) => reason)).toEqual(['noted', 'edited']);
  });

  test('reads a rewritten file with the same content again, and changes nothing', async () => {
    const { notes, put } = await open();
    put('a.md', 'text\n');
    await notes.scan();
    put('a.md', 'text\n');
    expect(await notes.scan()).toMatchObject({ edited: 0, changed: [] });
    put('a.md', 'tex2\n');
    expect(await notes.scan()).toMatchObject({ edited: 1 });
  });

  test('archives units of removed sections, and restores them when the sections return', async () => {
    const { notes, store, put, root } = await open();
    put('user/preferences.md', PREFERENCES);
    await notes.scan();
    const before = await notes.sections('user/preferences.md');
    put('user/preferences.md', PREFERENCES.replace(/## Food[^]*/, ''));
    expect(await notes.scan()).toMatchObject({ archived: 1, sections: 1 });
    rmSync(join(root, 'user'), { recursive: true });
    expect(await notes.scan()).toMatchObject({ archived: 1, files: 0, sections: 0 });
    expect(await activeNotes(store)).toEqual([]);
    put('user/preferences.md', PREFERENCES);
    expect(await notes.scan()).toMatchObject({ returned: 2, added: 0 });
    expect(ids(await notes.sections('user/preferences.md'))).toEqual(ids(before));
  });

  test('follows renamed files, and sections moved to another file', async () => {
    const { notes, store, put, root } = await open();
    put(
      'agent/decisions.md',
      '# Decisions\n\n## Store\n\nSQLite, since it is one file.\n\n## Server\n\nHono.\n',
    );
    put('agent/patterns.md', '# Patterns\n\nNothing yet.\n');
    await notes.scan();
    const before = await notes.sections('agent/decisions.md');
    mkdirSync(join(root, 'archive'));
    renameSync(join(root, 'agent/decisions.md'), join(root, 'archive/old.md'));
    expect(await notes.scan()).toMatchObject({ added: 0, archived: 0, edited: 2 });
    expect(ids(await notes.sections('archive/old.md'))).toEqual(ids(before));
    expect(await notes.sections('archive/old.md')).toMatchObject([{ payload: { memoryType: 'note' } }, {}]);
    put('archive/old.md', '# Decisions\n\n## Server\n\nHono.\n');
    put('agent/patterns.md', '# Patterns\n\nNothing yet.\n\n## Store\n\nSQLite, since it is one file.\n');
    expect(await notes.scan()).toMatchObject({ added: 0, archived: 0 });
    expect(ids(await notes.sections('agent/patterns.md'))[1]).toBe(before[0]?.id);
    expect(await activeNotes(store)).toHaveLength(3);
  });

  test('restores the same units after the index was lost', async () => {
    const { notes, store, put, root } = await open();
    put('user/preferences.md', PREFERENCES);
    put('b.md', 'two\n');
    put('c.md', 'three\n');
    await notes.scan();
    const before = await activeNotes(store);
    const lose = async () => {
      const removals = (await notes.list()).map(({ uri }) => uri);
      await store.noteFiles.apply({ upserts: [], removals, changes: [], unitJobKinds: [] });
    };
    await lose();
    expect(await notes.scan()).toMatchObject({ files: 3, sections: 4, added: 0, edited: 0, archived: 0 });
    expect(await activeNotes(store)).toEqual(before);
    await lose();
    rmSync(join(root, 'c.md'));
    expect(await notes.scan()).toMatchObject({ files: 2, archived: 1 });
    const units = await store.units.list({ kinds: ['note'] }, { limit: 100 });
    await store.units.save(
      units.map(({ id }) => ({ type: 'update', unitId: id, set: { state: 'archived' }, reason: 'test' })),
    );
    await lose();
    expect(await notes.scan()).toMatchObject({ files: 2, returned: 3 });
    expect(await activeNotes(store)).toEqual(before.filter(([uri]) => uri !== 'c.md'));
  });

  test('in two processes at once adds nothing twice', async () => {
    const { notes, store, put, reopen } = await open();
    const other = await reopen();
    for (let i = 0; i < 30; i++) put(`f${i}.md`, `# File ${i}\n\ntext ${i}\n`);
    const reports = await Promise.all([notes.scan(), other.scan()]);
    expect(reports.map(({ sections }) => sections)).toEqual([30, 30]);
    expect(await activeNotes(store)).toHaveLength(30);
  });

  test('raises the sensitivity as the front matter says, and lowers it only on request', async () => {
    const { notes, put } = await open();
    put('a.md', '---\nsensitivity: secret\n---\ntext\n');
    await notes.scan();
    put('a.md', 'text\n');
    await notes.scan();
    expect(await notes.sections('a.md')).toMatchObject([{ sensitivity: 'secret' }]);
    put('a.md', '---\nsensitivity: normal\nscope: global\n---\ntext\n');
    await notes.scan();
    expect(await notes.sections('a.md')).toMatchObject([{ scope: 'global', sensitivity: 'normal' }]);
  });
});

describe('what is not a note', () => {
  test('is skipped with a reason', async () => {
    const { notes, store, put, root } = await open();
    const outside = join(dirname(root), 'outside');
    mkdirSync(outside);
    writeFileSync(join(outside, 'secret.md'), 'secret\n');
    put('large.md', Buffer.alloc(10 * 1_048_576, 'x'));
    put('binary.md', Buffer.from('a\0b'));
    put('latin.md', Buffer.from([0x63, 0x61, 0x66, 0xe9]));
    put('broken.md', '---\na: [\n---\nbroken front matter\n');
    put('.git/notes.md', 'hidden\n');
    put('node_modules/pkg/README.md', 'a package\n');
    put('picture.png', 'no note');
    put('TASKS.conflict-20260301T093000.123Z.md', '- [ ] a\n');
    put('real.md', 'real\n');
    symlinkSync(join(outside, 'secret.md'), join(root, 'leak.md'));
    symlinkSync(outside, join(root, 'leaks'));
    symlinkSync(join(root, 'real.md'), join(root, 'alias.md'));
    symlinkSync(root, join(root, 'loop'));
    const report = await notes.scan();
    expect(report.skipped.map(({ uri, reason }) => [uri, reason]).toSorted()).toEqual([
      ['TASKS.conflict-20260301T093000.123Z.md', 'conflict copy'],
      ['binary.md', 'not text'],
      ['large.md', 'too large'],
      ['latin.md', 'not text'],
      ['leak.md', 'leads out'],
      ['leaks', 'leads out'],
    ]);
    expect(report.skipped.every(({ message, uri }) => message.includes(uri))).toBe(true);
    expect(report.warnings).toEqual([{ uri: 'broken.md', message: expect.stringContaining('not YAML') }]);
    expect((await activeNotes(store)).map(([uri]) => uri)).toEqual(['broken.md', 'real.md']);
  });

  test('is removed from the index when it was a note before', async () => {
    const { notes, put } = await open();
    put('a.md', 'text\n');
    await notes.scan();
    put('a.md', Buffer.from('te\0xt'));
    expect(await notes.scan()).toMatchObject({ files: 0, archived: 1, skipped: [{ reason: 'not text' }] });
    put('a.md', 'text\n');
    expect(await notes.scan()).toMatchObject({ files: 1, returned: 1 });
  });

  test.each([
    ['../../x.md', 'OUTSIDE_ROOT'],
    ['a/../../x.md', 'OUTSIDE_ROOT'],
    ['a\\..\\..\\x.md', 'OUTSIDE_ROOT'],
    ['/etc/x.md', 'OUTSIDE_ROOT'],
    ['C:\\x.md', 'OUTSIDE_ROOT'],
    ['c:x.md', 'OUTSIDE_ROOT'],
    ['\\\\host\\x.md', 'OUTSIDE_ROOT'],
    ['~/x.md', 'OUTSIDE_ROOT'],
    ['leak.md', 'OUTSIDE_ROOT'],
    ['leaks/new.md', 'OUTSIDE_ROOT'],
    ['dangling.md', 'OUTSIDE_ROOT'],
    ['a\0.md', 'INVALID_INPUT'],
    ['a\nb.md', 'INVALID_INPUT'],
    ['a//b.md', 'INVALID_INPUT'],
    ['./a.md', 'INVALID_INPUT'],
    ['a\\b.md', 'INVALID_INPUT'],
    ['.git/config.md', 'INVALID_INPUT'],
    ['node_modules/a.md', 'INVALID_INPUT'],
    ['script.sh', 'INVALID_INPUT'],
    ['', 'INVALID_INPUT'],
    [`${'a'.repeat(2_000)}.md`, 'INVALID_INPUT'],
  ])('is not accessible: %j', async (uri, code) => {
    const { notes, root } = await open();
    const outside = join(dirname(root), 'outside');
    mkdirSync(outside);
    mkdirSync(root);
    writeFileSync(join(outside, 'secret.md'), 'secret\n');
    symlinkSync(join(outside, 'secret.md'), join(root, 'leak.md'));
    symlinkSync(outside, join(root, 'leaks'));
    symlinkSync(join(outside, 'nowhere.md'), join(root, 'dangling.md'));
    await expect(notes.read(uri)).rejects.toMatchObject({ code });
    await expect(notes.edit(uri, () => 'x')).rejects.toMatchObject({ code });
    expect(readdirSync(outside)).toEqual(['secret.md']);
    expect(readFileSync(join(outside, 'secret.md'), 'utf8')).toBe('secret\n');
  });
});

describe('two roots', () => {
  test('store user/ in the global folder and everything else in the project’s', async () => {
    const { notes, store, put, root } = await open((folder) => ({
      global: join(folder, 'notes/global'),
      project: join(folder, 'notes/project'),
    }));
    put('global/user/preferences.md', 'global preference\n');
    put('global/TASKS.md', 'of no project\n');
    put('project/TASKS.md', 'project task\n');
    put('project/user/preferences.md', 'misplaced\n');
    const report = await notes.scan();
    expect(report.skipped).toMatchObject([{ uri: 'user', reason: 'belongs elsewhere' }]);
    expect(await activeNotes(store)).toEqual([
      ['TASKS.md', '', 'project task'],
      ['user/preferences.md', '', 'global preference'],
    ]);
    await notes.edit('user/entities.md', () => '- Mio\n');
    await notes.edit('journal/2026-03-11.md', () => '- wrote\n');
    expect(readFileSync(join(root, 'global/user/entities.md'), 'utf8')).toBe('- Mio\n');
    expect(readFileSync(join(root, 'project/journal/2026-03-11.md'), 'utf8')).toBe('- wrote\n');
  });

  test('must be folders', async () => {
    const file = join(temporaryFolder(), 'file');
    writeFileSync(file, '');
    await expect(open(() => ({ global: file, project: null }))).rejects.toMatchObject({
      code: 'INVALID_INPUT',
    });
  });
});

describe('an edit', () => {
  test('changes the file and the index', async () => {
    const { notes, root } = await open();
    const unit = await notes.append('user/preferences.md', {
      headings: ['Preferences', 'Food'],
      text: '辛いものが好き',
    });
    expect(unit).toMatchObject({ payload: { section: 'Preferences > Food', text: '- 辛いものが好き' } });
    const again = await notes.append('user/preferences.md', {
      headings: ['Preferences', 'Food'],
      text: 'no coriander',
    });
    expect(again?.id).toBe(unit?.id);
    expect(readFileSync(join(root, 'user/preferences.md'), 'utf8')).toBe(
      '# Preferences\n\n## Food\n\n- 辛いものが好き\n- no coriander\n',
    );
    expect(await notes.read('user/preferences.md')).toContain('no coriander');
    expect(await notes.read('user/nothing.md')).toBeNull();
    await notes.remove('user/preferences.md', { section: 'Preferences > Food', text: 'no coriander' });
    expect(told(await notes.sections('user/preferences.md'))).toEqual([
      ['Preferences > Food', '- 辛いものが好き'],
    ]);
  });

  test('ticks a task', async () => {
    const { notes, put } = await open();
    put('TASKS.md', '# Tasks\n\n- [ ] 买牛奶\n');
    await notes.scan();
    await notes.change('TASKS.md', { section: 'Tasks', text: '买牛奶' }, { isDone: true });
    expect(await notes.read('TASKS.md')).toBe('# Tasks\n\n- [x] 买牛奶\n');
  });

  test('rewrites a section by its unit, unless the section has changed', async () => {
    const { notes, put } = await open();
    put('a.md', '# A\n\none\n\n## B\n\ntwo\n');
    await notes.scan();
    const [one, two] = await notes.sections('a.md');
    await notes.rewrite(one?.id ?? 0, '一', 'one');
    expect(await notes.read('a.md')).toBe('# A\n\n一\n\n## B\n\ntwo\n');
    expect(await notes.sections('a.md')).toMatchObject([
      { id: one?.id, payload: { text: '一' } },
      { id: two?.id },
    ]);
    await expect(notes.rewrite(one?.id ?? 0, 'x', 'one')).rejects.toMatchObject({ code: 'VERSION_CONFLICT' });
    put('a.md', '# A\n\n一\n\n## B\n\nedited by hand\n');
    await expect(notes.rewrite(two?.id ?? 0, null, 'two')).rejects.toMatchObject({
      code: 'VERSION_CONFLICT',
    });
    await notes.scan();
    await notes.rewrite(two?.id ?? 0, null);
    expect(await notes.read('a.md')).toBe('# A\n\n一\n');
    await expect(notes.rewrite(two?.id ?? 0, 'x')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(notes.rewrite(99, 'x')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  test('removes a file', async () => {
    const { notes } = await open();
    await notes.edit('a.md', () => 'x\n');
    expect(await notes.edit('a.md', () => null)).toBeNull();
    expect(await notes.list()).toEqual([]);
  });

  test('is rejected after the notes were closed', async () => {
    const { notes } = await open();
    await notes.close();
    await expect(notes.edit('a.md', () => 'x')).rejects.toMatchObject({ code: 'CLOSED' });
  });

  test('that another program reverted, and that was repeated, is in the index too', async () => {
    const { notes, store, put, root } = await open();
    put('a.md', '- first\n');
    await notes.scan();
    const read = readFileSync(join(root, 'a.md'), 'utf8');
    await notes.edit('a.md', (text) => `${text}- agent\n`);
    writeFileSync(join(root, 'a.md'), `${read}- editor\n`);
    await notes.close();
    expect((await activeNotes(store)).map(([, , text]) => text.split('\n').toSorted())).toEqual([
      ['- agent', '- editor', '- first'],
    ]);
  });
});

describe('while watching', () => {
  const until = async (check: () => Promise<void>) => vi.waitFor(check, { timeout: 20_000, interval: 20 });
  const expectNotes = (store: Store, wanted: readonly string[]) =>
    until(async () => {
      expect((await activeNotes(store)).map(([uri, , text]) => `${uri}: ${text}`)).toEqual(wanted);
    });

  test('the index follows editors, renames, checkouts and deletions', async () => {
    const { notes, store, put, root } = await open();
    notes.watch();
    await notes.scan();
    put('a.md', 'written in a folder that was not there\n');
    await expectNotes(store, ['a.md: written in a folder that was not there']);
    put('a.md', 'one\n');
    await expectNotes(store, ['a.md: one']);
    const before = await notes.sections('a.md');
    writeFileSync(join(root, '.a.md.swp'), 'two\n');
    renameSync(join(root, '.a.md.swp'), join(root, 'a.md'));
    await expectNotes(store, ['a.md: two']);
    mkdirSync(join(root, 'sub/deep'), { recursive: true });
    renameSync(join(root, 'a.md'), join(root, 'sub/deep/b.md'));
    await expectNotes(store, ['sub/deep/b.md: two']);
    renameSync(join(root, 'sub'), join(root, 'other'));
    await expectNotes(store, ['other/deep/b.md: two']);
    expect(ids(await notes.sections('other/deep/b.md'))).toEqual(ids(before));
    for (let i = 0; i < 50; i++) put(`checkout/f${i}.md`, `file ${i}\n`);
    await until(async () => expect(await activeNotes(store)).toHaveLength(51));
    rmSync(join(root, 'checkout'), { recursive: true });
    await expectNotes(store, ['other/deep/b.md: two']);
    rmSync(join(root, 'other'), { recursive: true });
    put('other/new.md', 'in a folder of the same name\n');
    await expectNotes(store, ['other/new.md: in a folder of the same name']);
    put('other/new.md', 'and followed\n');
    await expectNotes(store, ['other/new.md: and followed']);
    rmSync(root, { recursive: true });
    await expectNotes(store, []);
    put('back.md', 'again\n');
    await expectNotes(store, ['back.md: again']);
  });

  test('every save in quick succession is noticed', async () => {
    const { notes, store, put, root } = await open();
    put('a.md', 'one\n');
    await notes.scan();
    notes.watch();
    for (let i = 0; i < 20; i++) {
      writeFileSync(join(root, 'a.md.tmp'), `save ${i}\n`);
      renameSync(join(root, 'a.md.tmp'), join(root, 'a.md'));
      await expectNotes(store, [`a.md: save ${i}`]);
    }
    expect(await notes.sections('a.md')).toMatchObject([{ version: 21 }]);
  });

  test('earlier changes are indexed', async () => {
    const { notes, store, put, reopen } = await open();
    put('a.md', 'one\n');
    await notes.scan();
    await notes.close();
    put('a.md', 'two\n');
    put('b.md', 'new\n');
    const later = await reopen();
    later.watch();
    expect(await later.list()).toHaveLength(1);
    await expectNotes(store, ['a.md: two', 'b.md: new']);
  });

  test('nothing is indexed after closing', async () => {
    const { notes, store, put, root } = await open();
    const other = await open(() => ({ global: root, project: null }));
    put('a.md', 'one\n');
    notes.watch();
    other.notes.watch();
    await expectNotes(store, ['a.md: one']);
    await expectNotes(other.store, ['a.md: one']);
    await notes.close();
    put('a.md', 'two\n');
    await expectNotes(other.store, ['a.md: two']);
    expect(await activeNotes(store)).toEqual([['a.md', '', 'one']]);
  });

  test('changes are reported', async () => {
    const { notes, put, reports } = await open();
    put('a.md', 'one\n');
    await notes.scan();
    notes.watch();
    put('a.md', 'two\n');
    await until(async () => expect(reports.map(({ changed }) => changed)).toEqual([['a.md'], ['a.md']]));
    expect(reports[1]).toMatchObject({ edited: 1, files: 1, sections: 1 });
  });
});
