import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../test/temporary.ts';
import { openSqliteStore } from '../store/sqlite/sqlite.ts';
import type { Store } from '../store/store.ts';
import { createNotesAccess, type AccessParts, type NotesAccess } from './access.ts';
import { openNotes } from './notes.ts';

/** A Friday, noon in Tokyo. */
const NOW = Date.parse('2026-11-20T12:00+09:00');

interface Opened {
  readonly access: NotesAccess;
  readonly store: Store;
  /** The content of a file. */
  readonly text: (uri: string) => string;
  /** Writes files and indexes them. */
  readonly put: (files: Readonly<Record<string, string>>) => Promise<void>;
  /** Queries that were searched, with their budgets. */
  readonly searched: [query: string, budgetTokens: number][];
}

async function open(changed: Partial<AccessParts> = {}): Promise<Opened> {
  const root = join(temporaryFolder(), 'notes');
  const store = openSqliteStore(':memory:', { memoryId: 'm', timeZone: 'Asia/Tokyo', now: () => NOW });
  const now = () => NOW;
  const notes = await openNotes({ store, roots: { global: root, project: null }, now, unitJobKinds: [] });
  onTestFinished(async () => {
    await notes.close();
    await store.close();
  });
  const searched: Opened['searched'] = [];
  const access = createNotesAccess({
    files: notes,
    store,
    now,
    embed: null,
    destinationOf: () => null,
    search: async (query, { budgetTokens, scope }) => {
      searched.push([query, budgetTokens]);
      const units = await store.units.list({ kinds: ['note'], ...(scope && { scope }) }, { limit: 100 });
      return units.map(({ id }, i) => ({ unitId: id, score: 1 / (i + 1) }));
    },
    ...changed,
  });
  return {
    access,
    store,
    searched,
    text: (uri) => readFileSync(join(root, uri), 'utf8'),
    put: async (files) => {
      for (const [uri, text] of Object.entries(files)) {
        mkdirSync(dirname(join(root, uri)), { recursive: true });
        writeFileSync(join(root, uri), text);
      }
      await notes.scan();
    },
  };
}

const reinforcementOf = async (store: Store, unitId: number | null) =>
  (await store.units.get([unitId ?? 0]))[0]?.reinforcement;

describe('remember', () => {
  test('creates the file of the type, with a title in the language of the statement', async () => {
    const { access, text } = await open();
    const first = await access.remember('コーヒーはブラックが好き');
    expect(first).toMatchObject({ uri: 'user/preferences.md', section: '好み', outcome: 'added' });
    expect(first.unitId).not.toBeNull();
    await access.remember('We decided to use SQLite', { now: '2026-11-19' });
    await access.remember('Reply briefly', { type: 'instruction', scope: 'project' });
    expect(text('user/preferences.md')).toBe('# 好み\n\n- 2026-11-20: コーヒーはブラックが好き\n');
    expect(text('agent/decisions.md')).toBe('# Decisions\n\n- 2026-11-19: We decided to use SQLite\n');
    expect(text('agent/instructions.md')).toBe(
      '---\ntype: instruction\n---\n\n# Instructions\n\n- 2026-11-20: Reply briefly\n',
    );
    const units = await access.read('agent/instructions.md');
    expect(units.sections).toMatchObject([{ memoryType: 'instruction', section: 'Instructions' }]);
  });

  test('keeps the formatting of a person’s file, and chooses the section', async () => {
    const { access, text, put } = await open();
    const before =
      '# My likings\r\n\r\n* tea, at any time\r\n\r\n## Food\r\n\r\n* no coriander\r\n\r\n\r\n## 飲み物\r\n1. 朝はコーヒー\r\n';
    await put({ 'user/preferences.md': before });
    const added = await access.remember('夜のコーヒーは苦手');
    expect(added.section).toBe('My likings > 飲み物');
    expect(await access.remember('I like long walks')).toMatchObject({ section: 'My likings' });
    expect(await access.remember('I hate coriander seeds')).toMatchObject({ section: 'My likings > Food' });
    expect(text('user/preferences.md')).toBe(
      before
        .replace('any time\r\n', 'any time\r\n* 2026-11-20: I like long walks\r\n')
        .replace('no coriander\r\n', 'no coriander\r\n* 2026-11-20: I hate coriander seeds\r\n')
        .concat('2. 2026-11-20: 夜のコーヒーは苦手\r\n'),
    );
  });

  test('adds a heading for what fits no section of a file without a title', async () => {
    const { access, text, put } = await open();
    await put({ 'user/preferences.md': '## Food\n\n- no coriander\n\n## Drinks\n\n- tea\n' });
    await access.remember('I like long walks');
    await access.remember('I love trains');
    expect(text('user/preferences.md')).toBe(
      '## Food\n\n- no coriander\n\n## Drinks\n\n- tea\n\n## Other\n\n- 2026-11-20: I like long walks\n- 2026-11-20: I love trains\n',
    );
  });

  test('reinforces an existing statement in other words, without changing its text', async () => {
    const { access, text, store, put } = await open();
    await put({ 'user/preferences.md': '# Preferences\n\n- Prefers dark mode.\n' });
    const first = await access.remember('I like dark mode');
    expect(first).toMatchObject({
      outcome: 'reinforced',
      text: 'Prefers dark mode.',
      section: 'Preferences',
    });
    expect(await access.remember('The user prefers dark mode')).toMatchObject({ outcome: 'reinforced' });
    expect(text('user/preferences.md')).toBe('# Preferences\n\n- Prefers dark mode.\n');
    expect(await reinforcementOf(store, first.unitId)).toBe(2);
    expect(await access.remember('I prefer light mode')).toMatchObject({ outcome: 'added' });
    expect(await access.remember("I don't like dark mode")).toMatchObject({ outcome: 'added' });
    expect(await reinforcementOf(store, first.unitId)).toBe(2);
  });

  test('adds a statement with more detail, and reinforces it when it is repeated', async () => {
    const { access, text, store } = await open();
    const { unitId } = await access.remember('I like green tea with honey');
    const more = await access.remember('I like green tea with honey in the morning');
    expect(more).toMatchObject({ outcome: 'added', unitId });
    expect(await reinforcementOf(store, unitId)).toBe(1);
    expect(text('user/preferences.md')).toContain('- 2026-11-20: I like green tea with honey\n');
    expect(text('user/preferences.md')).toContain('honey in the morning\n');
  });

  test('finds the same statement in another file, but not among tasks or in journals', async () => {
    const { access, store, put } = await open();
    await put({
      'people.md': '# People\n\nMia is my sister. She paints.\n',
      'journal/2026-11-01.md': '- 10:00 The printer is on the second floor\n',
    });
    const known = await access.remember('Mia is my sister');
    expect(known).toMatchObject({ uri: 'people.md', section: 'People', outcome: 'reinforced' });
    expect(await reinforcementOf(store, known.unitId)).toBe(1);
    expect(await access.remember('The printer is on the second floor')).toMatchObject({ outcome: 'added' });
  });

  test('requests vectors only when they decide, and works without them', async () => {
    const asked: string[][] = [];
    let answer = (): Promise<Float32Array[]> => Promise.reject(new Error('no model'));
    const { access, put } = await open({
      embed: (texts) => {
        asked.push([...texts]);
        return answer();
      },
    });
    const line = 'Blue deploys';
    const longer = 'Deploys go out on Tuesday evening from the blue pipeline';
    await put({
      'agent/patterns.md': `# Patterns\n\n- ${line}\n- Lunch is at noon\n\n## Green deploys\n\n- slow\n`,
    });
    await access.remember(longer, { type: 'pattern' });
    expect(asked).toEqual([[longer, line]]);
    answer = () => Promise.resolve([Float32Array.of(1, 0), Float32Array.of(1, 0.1)]);
    const again = await access.remember(longer.replace('Tuesday', 'Wednesday'), { type: 'pattern' });
    expect(again).toMatchObject({ outcome: 'added', section: 'Patterns' });
  });

  test('concurrent calls neither lose nor repeat statements', async () => {
    const { access, text, store } = await open();
    const words = Array.from({ length: 20 }, (_, i) => `The user likes tea number ${i}`);
    await Promise.all([...words, ...words].map((one) => access.remember(one)));
    const lines = text('user/preferences.md')
      .split('\n')
      .filter((line) => line.startsWith('- '));
    expect(lines.toSorted()).toEqual(words.map((one) => `- 2026-11-20: ${one}`).toSorted());
    const [unit] = await store.units.list({ kinds: ['note'] }, { limit: 1 });
    expect(unit?.reinforcement).toBe(20);
  });

  test('stores several lines as one item, and tasks as tasks', async () => {
    const { access, text } = await open();
    await access.remember('The release:\n\nfirst tag,\n# then publish', { type: 'note', scope: 'project' });
    expect(text('agent/notes.md')).toBe(
      '# Notes\n\n- 2026-11-20: The release:\n  first tag,\n  # then publish\n',
    );
    expect(await access.remember('TODO: renew the certificate')).toMatchObject({
      uri: 'TASKS.md',
      outcome: 'added',
      text: 'renew the certificate',
    });
    expect(await access.remember('todo: Renew the certificate')).toMatchObject({ outcome: 'reinforced' });
    expect(text('TASKS.md')).toBe('# Tasks\n\n- [ ] renew the certificate\n');
  });

  test.each([[''], [' \n'], ['x'.repeat(10_001)]])('rejects %j', async (words) => {
    const { access } = await open();
    await expect(access.remember(words)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    await expect(access.journal(words)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });
});

describe('the journal', () => {
  test('has a file for each day of the memory’s time zone, and a line for each entry', async () => {
    const { access, text } = await open();
    const first = await access.journal('散歩した');
    expect(first).toMatchObject({
      uri: 'journal/2026-11-20.md',
      section: '2026-11-20',
      text: '12:00 散歩した',
    });
    await access.journal('Slept badly', { at: '2026-11-19T15:30:00Z' });
    await access.journal('Late', { at: '2026-11-21T00:05' });
    expect(text('journal/2026-11-20.md')).toBe('# 2026-11-20\n\n- 12:00 散歩した\n- 00:30 Slept badly\n');
    expect(text('journal/2026-11-21.md')).toBe('# 2026-11-21\n\n- 00:05 Late\n');
    await access.journal('散歩した');
    expect(text('journal/2026-11-20.md').match(/散歩した/g)).toHaveLength(2);
    await expect(access.journal('x', { at: 'someday' })).rejects.toMatchObject({ code: 'INVALID_TIME' });
  });
});

describe('tasks', () => {
  test('are added, listed and completed', async () => {
    const { access, text } = await open();
    const milk = await access.tasks.add('牛乳を買う', { due: '2026-11-25' });
    expect(milk).toMatchObject({
      text: '牛乳を買う',
      done: false,
      due: '2026-11-25',
      uri: 'TASKS.md',
      line: 3,
    });
    const call = await access.tasks.add('Call Mia');
    expect(await access.tasks.add('- [ ] call mia')).toEqual(call);
    const done = await access.tasks.done(milk.id);
    expect(done).toMatchObject({ id: milk.id, done: true, due: '2026-11-25', text: '牛乳を買う' });
    expect(text('TASKS.md')).toBe(
      '# タスク\n\n- [x] 牛乳を買う (due 2026-11-25) (done 2026-11-20)\n- [ ] Call Mia\n',
    );
    expect(await access.tasks.done('mia')).toMatchObject({ id: call.id, done: true });
    expect(await access.tasks.done(call.id)).toMatchObject({ done: true });
    expect(text('TASKS.md').match(/done/g)).toHaveLength(2);
    expect(await access.tasks.list({ done: false })).toEqual([]);
    expect((await access.tasks.list()).map(({ id }) => id)).toEqual([milk.id, call.id]);
  });

  test('keep their ids when other lines change, and are added to the open ones', async () => {
    const { access, text, put } = await open();
    await put({
      'TASKS.md':
        '# Plan\n\n## Open\n\n* [ ] one\n    * [ ] part of one\n\n## Done\n\n* [x] zero ✅ 2026-11-01\n',
    });
    const before = await access.tasks.list();
    expect(before.map((task) => [task.text, task.done, task.line])).toEqual([
      ['one', false, 5],
      ['part of one', false, 6],
      ['zero', true, 10],
    ]);
    const two = await access.tasks.add('two');
    expect(text('TASKS.md')).toContain('* [ ] one\n    * [ ] part of one\n* [ ] two\n\n## Done');
    await put({
      'TASKS.md': `# Plan\n\nSome words.\n\n- plain item\n- [ ] zero point five\n${text('TASKS.md')}`,
    });
    const after = await access.tasks.list();
    for (const { id } of [...before, two]) expect(after.map((task) => task.id)).toContain(id);
    expect((await access.tasks.done('part of one')).text).toBe('part of one');
    expect(text('TASKS.md')).toContain('* [ ] one\n    * [x] part of one (done 2026-11-20)\n* [ ] two');
  });

  test('are completed only when the text identifies one', async () => {
    const { access } = await open();
    await access.tasks.add('Water the plants', { due: '2026-11-21' });
    const later = await access.tasks.add('Water the plants', { due: '2026-11-28' });
    await access.tasks.add('Water the lawn');
    await expect(access.tasks.done('water')).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    await expect(access.tasks.done('water the plants')).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    await expect(access.tasks.done('feed the cat')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(access.tasks.done(' ')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await access.tasks.done(later.id)).toMatchObject({ due: '2026-11-28', done: true });
    expect(await access.tasks.done('lawn')).toMatchObject({ text: 'Water the lawn' });
    expect(await access.tasks.list({ done: false })).toMatchObject([{ due: '2026-11-21' }]);
    await expect(access.tasks.add(' ')).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    await expect(access.tasks.add('x', { due: 'soon' })).rejects.toMatchObject({ code: 'INVALID_TIME' });
  });

  test('are empty without a file', async () => {
    const { access } = await open();
    expect(await access.tasks.list()).toEqual([]);
    await expect(access.tasks.done('x')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});

describe('files', () => {
  test('are listed, read and written under a condition on their earlier text', async () => {
    const { access, put } = await open();
    await put({ 'a.md': '# A\n\nfirst\n\n## B\n\nsecond\n' });
    const read = await access.read('a.md');
    expect(read.sections.map(({ from, to, section }) => [section, read.text.slice(from, to)])).toEqual([
      ['A', 'first'],
      ['A > B', 'second'],
    ]);
    expect(read.sections.every(({ unitId }) => unitId !== null)).toBe(true);
    expect(await access.list()).toMatchObject([{ uri: 'a.md', scope: 'project', sections: 2 }]);
    const written = await access.write('a.md', `${read.text}\nthird\n`, { expectedHash: read.hash });
    expect(written.sections.map(({ unitId }) => unitId)).toEqual(read.sections.map(({ unitId }) => unitId));
    const late = access.write('a.md', 'gone', { expectedHash: read.hash });
    await expect(late).rejects.toMatchObject({ code: 'NOTE_CONFLICT', details: { hash: written.hash } });
    const other = access.write('a.md', 'gone', { expectedHash: null });
    await expect(other).rejects.toMatchObject({ code: 'NOTE_CONFLICT' });
    expect((await access.read('a.md')).text).toContain('third');
    expect(await access.write('new.md', 'x\n', { expectedHash: null })).toMatchObject({ text: 'x\n' });
    await expect(access.read('none.md')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(access.write('../x.md', 'x')).rejects.toMatchObject({ code: 'OUTSIDE_ROOT' });
  });

  test('lose a forgotten section or item', async () => {
    const { access, store, text } = await open();
    const tea = await access.remember('I like tea');
    const cats = await access.remember('I like cats');
    const { unitId } = await access.remember('We decided to use SQLite');
    await access.forget(tea.unitId ?? 0, { item: tea.text });
    expect(text('user/preferences.md')).toBe(`# Preferences\n\n- ${cats.text}\n`);
    await access.forget(unitId ?? 0);
    expect(text('agent/decisions.md')).not.toContain('SQLite');
    const [unit] = await store.units.get([unitId ?? 0]);
    expect(unit).toMatchObject({ state: 'archived', payload: { text: expect.stringContaining('SQLite') } });
    await expect(access.forget(unitId ?? 0)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(access.forget(unitId ?? 0, { item: 'x' })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    const wrong = access.forget(cats.unitId ?? 0, { item: 'I like dogs' });
    await expect(wrong).rejects.toMatchObject({ code: 'VERSION_CONFLICT' });
  });
});

describe('find', () => {
  const file = (uri: string): Partial<AccessParts> => ({ destinationOf: () => ({ path: 'file', uri }) });
  const accesses = async (store: Store) =>
    (await store.units.list({ kinds: ['note'] }, { limit: 100 })).map(({ accessCount }) => accessCount);

  test('returns a requested file completely, and counts accesses to its sections', async () => {
    const { access, store, put, searched } = await open(file('TASKS.md'));
    await put({ 'TASKS.md': '# Tasks\n\n- [ ] one\n\n## Later\n\n- [ ] two\n', 'other.md': 'other\n' });
    const found = await access.find('my tasks');
    expect(found).toMatchObject({
      path: 'file',
      hits: [
        {
          unitId: null,
          uri: 'TASKS.md',
          text: '# Tasks\n\n- [ ] one\n\n## Later\n\n- [ ] two',
          score: 1,
          memoryType: 'task',
          section: '',
          reinforcement: 0,
        },
      ],
    });
    expect(found.totalTokens).toBe(found.hits[0]?.tokens);
    expect(found.totalTokens + found.budgetRemaining).toBe(1_500);
    expect((await accesses(store)).toSorted()).toEqual([0, 1, 1]);
    expect(searched).toEqual([]);
  });

  test('returns the sections of a longer file in order, as long as they fit', async () => {
    const { access, put } = await open(file('TASKS.md'));
    const tasks = ['one', 'two', 'three'].map(
      (name) => `## ${name}\n\n- [ ] the task that is called ${name}\n`,
    );
    await put({ 'TASKS.md': tasks.join('\n') });
    const all = await access.find('my tasks', { budgetTokens: 25 });
    expect(all.hits.map(({ section }) => section)).toEqual(['one', 'two']);
    expect(all.hits.every(({ unitId }) => unitId !== null)).toBe(true);
    expect(all.totalTokens).toBeLessThanOrEqual(25);
    expect((await access.find('my tasks', { budgetTokens: 0 })).hits).toEqual([]);
  });

  test('returns both files of a type, without secrets', async () => {
    const { access, put } = await open(file('user/preferences.md'));
    await put({
      'user/preferences.md': '# Preferences\n\n- tea\n',
      'agent/preferences.md': '---\ntype: preference\n---\n# Preferences\n\n- tabs\n',
    });
    const both = await access.find('my preferences');
    expect(both.hits.map(({ uri, memoryType }) => [uri, memoryType])).toEqual([
      ['user/preferences.md', 'preference'],
      ['agent/preferences.md', 'preference'],
    ]);
    const own = await access.find('my preferences', { scope: 'project' });
    expect(own.hits.map(({ uri }) => uri)).toEqual(['agent/preferences.md']);
    await put({ 'user/preferences.md': '---\nsensitivity: secret\n---\n# Preferences\n\n- tea\n' });
    const visible = await access.find('my preferences');
    expect(visible.hits.map(({ uri }) => uri)).toEqual(['agent/preferences.md']);
  });

  test('returns the journal of the requested days, newest first, without a search', async () => {
    const day = (date: string) => Date.parse(`${date}T00:00+09:00`);
    const { access, store, put, searched } = await open({
      destinationOf: () => ({ path: 'timeline', from: day('2026-11-18'), to: day('2026-11-20') }),
    });
    await put({
      'journal/2026-11-17.md': '- 09:00 too early\n',
      'journal/2026-11-18.md': '# 2026-11-18\n\n- 09:00 first day\n',
      'journal/2026-11-19.md': '# Morning\n\n- 09:00 second day\n\n# Evening\n\n- 19:00 its evening\n',
      'journal/2026-11-20.md': '- 09:00 too late\n',
      'user/preferences.md': '- tea\n',
    });
    const found = await access.find('the last two days');
    expect(found.path).toBe('timeline');
    expect(found.hits.map(({ text }) => text)).toEqual([
      '- 19:00 its evening',
      '- 09:00 second day',
      '- 09:00 first day',
    ]);
    const budget = (found.hits[0]?.tokens ?? 0) + (found.hits[1]?.tokens ?? 0);
    const cut = await access.find('the last two days', { budgetTokens: budget });
    expect(cut).toMatchObject({ totalTokens: budget, budgetRemaining: 0, hits: [{}, {}] });
    expect((await accesses(store)).toSorted()).toEqual([0, 0, 0, 1, 2, 2]);
    expect(searched).toEqual([]);
  });

  test.each([
    ['the file does not exist', file('TASKS.md')],
    [
      'there is no journal of those days',
      { destinationOf: () => ({ path: 'timeline', from: 0, to: 1 }) as const },
    ],
    ['the query names neither file nor days', {}],
  ])('searches when %s', async (_, parts) => {
    const { access, put, searched } = await open(parts);
    await put({ 'user/preferences.md': '# Tea\n\n- green\n\n# Coffee\n\n- black\n' });
    const found = await access.find('something hot', { budgetTokens: 200, scope: 'global' });
    expect(searched).toEqual([['something hot', 200]]);
    expect(found).toMatchObject({ path: 'hybrid', hits: [{ score: 1 }, { score: 0.5 }] });
    expect(found.hits.map(({ section, memoryType }) => [section, memoryType])).toEqual([
      ['Coffee', 'preference'],
      ['Tea', 'preference'],
    ]);
    expect(found.totalTokens + found.budgetRemaining).toBe(200);
  });

  test('rejects an invalid query', async () => {
    const { access } = await open();
    await expect(access.find(' ')).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    await expect(access.find('x', { budgetTokens: -1 })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    await expect(access.find('x', { now: 'never' })).rejects.toMatchObject({ code: 'INVALID_TIME' });
  });
});
