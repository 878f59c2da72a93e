import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { countTokens } from '../../src/text/text.ts';
import { temporaryFolder } from '../temporary.ts';
import { openAgent } from './rig.ts';

const FILES = { 'TASKS.md': '- [ ] one\n', 'user/preferences.md': '# Food\n\n- tea\n' };

/** A rejected call: the answer is an error and says why. */
const refusal = (message: RegExp) => ({ isError: true, text: expect.stringMatching(message) as string });

describe('remember', () => {
  test.each([
    [{ text: '紅茶より緑茶が好き。', type: 'preference' }, 'user/preferences.md'],
    [{ text: '永远用中文回答我。', type: 'instruction' }, 'user/instructions.md'],
    [{ text: 'We chose SQLite, since it needs no server.', type: 'decision' }, 'agent/decisions.md'],
    [
      { text: 'Mori from accounting is the one to ask.', type: 'entity', scope: 'project' },
      'agent/entities.md',
    ],
  ])('writes %j to %s, once', async (args, uri) => {
    const agent = await openAgent();
    const first = await agent.call('remember', args);
    expect(first.text).toMatch(new RegExp(`^Remembered in ${uri} > .* as #\\d+: 2026-06-01: `));
    expect(agent.notes.read(uri)).toContain(`- 2026-06-01: ${args.text}\n`);
    const before = agent.notes.read(uri);
    expect((await agent.call('remember', args)).text).toMatch(/^Already known, now with more certainty/);
    expect(agent.notes.read(uri)).toBe(before);
  });

  test('finds what was remembered, and forgets it by its id', async () => {
    const agent = await openAgent();
    await agent.call('remember', { text: '紅茶より緑茶が好き。', type: 'preference' });
    const recalled = await agent.call('recall', { utterance: '緑茶と紅茶、どちらにしよう' });
    expect(recalled.text).toMatch(/^\[#\d+ note user\/preferences\.md > .*\] .*緑茶が好き/);
    const unitId = Number(/#(\d+)/.exec(recalled.text)?.[1]);
    expect((await agent.call('forget', { unitId })).text).toMatch(
      /^Taken out of user\/preferences\.md .*緑茶/,
    );
    expect(agent.notes.read('user/preferences.md')).not.toContain('緑茶');
    expect((await agent.call('recall', { utterance: '緑茶と紅茶、どちらにしよう' })).text).toBe(
      'Nothing is recalled.',
    );
  });

  test('forgets the named item of a section with several', async () => {
    const agent = await openAgent({
      'user/preferences.md': '# Food\n\n- tea, green\n- tea, black\n- 寿司\n  と味噌汁\n',
    });
    const { text } = await agent.call('recall', { utterance: 'tea', kinds: ['note'] });
    const unitId = Number(/#(\d+)/.exec(text)?.[1]);
    const forget = (item?: string) => agent.call('forget', { unitId, ...(item !== undefined && { item }) });
    expect(await forget()).toMatchObject(
      refusal(/^INVALID_INPUT: .*3 items.*\n- tea, green\n- tea, black\n- 寿司/),
    );
    expect(await forget('tea')).toMatchObject(refusal(/^INVALID_INPUT: 2 items contain “tea”/));
    expect(await forget('coffee')).toMatchObject(refusal(/^NOT_FOUND: .*“coffee”/));
    expect(await forget(' ')).toMatchObject(refusal(/^NOT_FOUND: /));
    expect((await forget('寿司')).text).toMatch(/^Taken out of user\/preferences\.md .*寿司\nと味噌汁$/);
    expect((await forget('tea, black')).text).toContain('tea, black');
    expect(agent.notes.read('user/preferences.md')).toBe('# Food\n\n- tea, green\n');
    expect((await forget()).text).toMatch(/^Taken out of user\/preferences\.md .*tea, green$/);
    expect(agent.notes.read('user/preferences.md')).not.toContain('tea');
    expect((await forget()).text).toMatch(/^Forgotten before/);
    expect((await agent.call('recall', { utterance: 'tea' })).text).not.toContain('green');
  });
});

describe('note files', () => {
  test('are listed and read', async () => {
    const agent = await openAgent(FILES);
    const list = await agent.call('list_notes');
    expect(list.text).toMatch(/^user\/preferences\.md \(global, 1 sections, 14 bytes/m);
    const { text } = await agent.call('read_note', { uri: 'user/preferences.md' });
    expect(text).toMatch(/^user\/preferences\.md, 4 lines, hash \w{64}\n\n# Food\n\n- tea\n$/);
    expect((await (await openAgent()).call('list_notes')).text).toMatch(/^There are no note files yet/);
  });

  test('edit_note appends, replaces, and writes whole files', async () => {
    const agent = await openAgent(FILES);
    const edit = (args: Record<string, unknown>) =>
      agent.call('edit_note', { uri: 'user/preferences.md', ...args });
    expect((await edit({ append: '- coffee' })).text).toMatch(/^Changed .* hash is now \w{64}\.$/);
    await edit({ oldText: '- tea', newText: '- $& green tea' });
    expect(agent.notes.read('user/preferences.md')).toBe('# Food\n\n- $& green tea\n- coffee\n');
    const hash = /hash is now (\w+)/.exec((await edit({ append: '' })).text)?.[1];
    await edit({ text: '# New\n\n- 抹茶\n', expectedHash: hash });
    expect(agent.notes.read('user/preferences.md')).toBe('# New\n\n- 抹茶\n');
    expect((await agent.call('recall', { utterance: '抹茶' })).text).toContain('抹茶');
    const made = await agent.call('edit_note', { uri: 'agent/new.md', append: '- first' });
    expect(made.text).toMatch(/^Made agent\/new\.md/);
    expect(agent.notes.read('agent/new.md')).toBe('- first');
  });

  test('keeps Windows line endings', async () => {
    const agent = await openAgent({ 'a.md': '# A\r\n\r\n- one\r\n- two\r\n' });
    expect((await agent.call('read_note', { uri: 'a.md' })).text).toMatch(/\n\n# A\n\n- one\n- two\n$/);
    await agent.call('edit_note', { uri: 'a.md', oldText: '- one\n- two', newText: '- one\n- 1½\n- two' });
    await agent.call('edit_note', { uri: 'a.md', append: '- three' });
    expect(agent.notes.read('a.md')).toBe('# A\r\n\r\n- one\r\n- 1½\r\n- two\r\n- three\r\n');
  });

  test('repeats an edit when another process wrote meanwhile', async () => {
    const agent = await openAgent(FILES);
    const access = agent.memory.notes!;
    const read = access.read.bind(access);
    vi.spyOn(access, 'read').mockImplementationOnce(async (uri) => {
      const note = await read(uri);
      agent.notes.write('TASKS.md', '- [ ] one\n- [ ] theirs\n');
      return note;
    });
    await agent.call('edit_note', { uri: 'TASKS.md', append: '- [ ] ours' });
    expect(agent.notes.read('TASKS.md')).toBe('- [ ] one\n- [ ] theirs\n- [ ] ours\n');
  });

  test('does not overwrite a file that another process creates meanwhile', async () => {
    const agent = await openAgent();
    const access = agent.memory.notes!;
    const read = access.read.bind(access);
    vi.spyOn(access, 'read').mockImplementationOnce(async (uri) => {
      const note = await read(uri).catch((error: unknown) => error);
      agent.notes.write(uri, 'theirs\n');
      throw note;
    });
    const { text } = await agent.call('edit_note', { uri: 'new.md', text: 'ours\n' });
    expect(text).toMatch(/^INVALID_INPUT: .*read_note first/);
    expect(agent.notes.read('new.md')).toBe('theirs\n');
  });

  test('rejects an edit of text that another process has changed since it was read', async () => {
    const agent = await openAgent(FILES);
    const { text } = await agent.call('read_note', { uri: 'TASKS.md' });
    const expectedHash = /hash (\w+)/.exec(text)?.[1];
    agent.notes.write('TASKS.md', '- [ ] theirs\n');
    for (const edit of [
      { text: '- [ ] ours\n' },
      { append: '- [ ] ours' },
      { oldText: 'theirs', newText: '' },
    ]) {
      const late = await agent.call('edit_note', { uri: 'TASKS.md', expectedHash, ...edit });
      expect(late).toMatchObject(refusal(/^NOTE_CONFLICT: .*\n.*read_note/));
    }
    expect(agent.notes.read('TASKS.md')).toBe('- [ ] theirs\n');
  });

  test.each([
    ['read_note', { uri: 'gone.md' }, /^NOT_FOUND: /],
    ['read_note', { uri: 'notes.txt' }, /^INVALID_INPUT: .*\.md/],
    ['read_note', {}, /uri/],
    ['read_note', { uri: 'TASKS.md', fromLine: 99 }, /^INVALID_INPUT: .*99/],
    ['read_note', { uri: 'TASKS.md', fromLine: 0 }, /fromLine/],
    ['edit_note', { uri: 'TASKS.md', text: 'mine' }, /^INVALID_INPUT: .*read_note first/],
    ['edit_note', { uri: 'TASKS.md' }, /^INVALID_INPUT: Give exactly one/],
    ['edit_note', { uri: 'TASKS.md', append: 'a', text: 'b' }, /^INVALID_INPUT: Give exactly one/],
    ['edit_note', { uri: 'TASKS.md', oldText: 'one' }, /^INVALID_INPUT: .*newText/],
    ['edit_note', { uri: 'TASKS.md', oldText: 'none', newText: '' }, /does not occur/],
    ['edit_note', { uri: 'user/preferences.md', oldText: 'o', newText: '' }, /occurs 2 times/],
    ['edit_note', { uri: 'TASKS.md', append: 'x', expectedHash: 'old' }, /^NOTE_CONFLICT: /],
    ['edit_note', { uri: 'gone.md', append: 'x', expectedHash: 'old' }, /^NOTE_CONFLICT: /],
    ['list_notes', { page: 1 }, /page/],
  ])('%s rejects %j', async (name, args, message) => {
    const agent = await openAgent(FILES);
    expect(await agent.call(name, args)).toMatchObject(refusal(message));
    for (const [uri, text] of Object.entries(FILES)) expect(agent.notes.read(uri)).toBe(text);
    expect(existsSync(join(agent.notes.path, 'gone.md'))).toBe(false);
  });
});

test('rejects an edit that makes a file longer than can be read', async () => {
  const agent = await openAgent(FILES);
  const append = 'x'.repeat(1_100_000);
  expect(await agent.call('edit_note', { uri: 'TASKS.md', append })).toMatchObject(
    refusal(/^TEXT_TOO_LONG: /),
  );
  expect(agent.notes.read('TASKS.md')).toBe(FILES['TASKS.md']);
});

describe('a path outside the folder', () => {
  const NAMES = [
    '../../x.md',
    '../theirs.md',
    'user/../../theirs.md',
    '..\\theirs.md',
    '/etc/x.md',
    'C:\\x.md',
    '~/x.md',
  ];

  test.each(NAMES)('is not reached as %s', async (uri) => {
    const agent = await openAgent(FILES);
    writeFileSync(join(agent.notes.path, '../theirs.md'), 'not yours');
    expect(await agent.call('read_note', { uri })).toMatchObject(refusal(/^OUTSIDE_ROOT: .*\n.*list_notes/));
    for (const edit of [{ append: 'x' }, { text: 'x' }, { oldText: 'not', newText: '' }])
      expect(await agent.call('edit_note', { uri, ...edit })).toMatchObject(refusal(/^OUTSIDE_ROOT: /));
    expect(readdirSync(join(agent.notes.path, '..')).toSorted()).toEqual(['notes', 'theirs.md']);
  });

  test('is not reached through links, of files or folders', async () => {
    const agent = await openAgent(FILES);
    const outside = temporaryFolder();
    writeFileSync(join(outside, 'theirs.md'), 'not yours');
    mkdirSync(join(agent.notes.path, 'agent'));
    symlinkSync(join(outside, 'theirs.md'), join(agent.notes.path, 'file.md'));
    symlinkSync(join(outside, 'none.md'), join(agent.notes.path, 'nowhere.md'));
    symlinkSync(outside, join(agent.notes.path, 'agent/folder'));
    for (const uri of ['file.md', 'nowhere.md', 'agent/folder/theirs.md', 'agent/folder/new.md']) {
      expect(await agent.call('read_note', { uri })).toMatchObject(refusal(/^OUTSIDE_ROOT: /));
      expect(await agent.call('edit_note', { uri, append: 'x' })).toMatchObject(refusal(/^OUTSIDE_ROOT: /));
    }
    expect(readdirSync(outside)).toEqual(['theirs.md']);
    expect((await agent.call('list_notes')).text).not.toMatch(/file\.md|nowhere|folder/);
  });
});

describe('tasks and journal', () => {
  test('are added, listed and completed', async () => {
    const agent = await openAgent();
    expect((await agent.call('tasks', { action: 'list' })).text).toBe('There are no tasks.');
    const added = await agent.call('tasks', { action: 'add', task: '牛乳を買う', due: '2026-06-05' });
    expect(added.text).toMatch(/^Added: \[ \] \w+: 牛乳を買う \(due 2026-06-05\)$/);
    await agent.call('tasks', { action: 'add', task: 'write to Ann' });
    const list = await agent.call('tasks', { action: 'list' });
    expect(list.text).toMatch(/^\[ \] \w+: 牛乳を買う \(due 2026-06-05\)\n\[ \] \w+: write to Ann$/);
    const id = /(\w+): 牛乳/.exec(list.text)?.[1];
    expect((await agent.call('tasks', { action: 'done', task: id })).text).toMatch(/^Done: \[x\] .*牛乳/);
    expect((await agent.call('tasks', { action: 'list' })).text).toMatch(/^\[ \] \w+: write to Ann$/);
    expect((await agent.call('tasks', { action: 'list', withDone: true })).text).toContain(`[x] ${id}`);
    expect(agent.notes.read('TASKS.md')).toMatch(/- \[x\] 牛乳を買う.*\n- \[ \] write to Ann\n/);
  });

  test('the journal is written for the day, with the time', async () => {
    const agent = await openAgent();
    const { text } = await agent.call('journal', { text: 'Wrote the parser; tests are next.' });
    expect(text).toBe('Added to journal/2026-06-01.md: 10:00 Wrote the parser; tests are next.');
    expect(agent.notes.read('journal/2026-06-01.md')).toContain('- 10:00 Wrote the parser');
    expect((await agent.call('recall', { utterance: '今日は何をした？' })).text).toContain(
      'Wrote the parser',
    );
  });

  test.each([
    ['tasks', { action: 'add' }, /^INVALID_INPUT: add needs task/],
    ['tasks', { action: 'add', task: 'x', due: 'soonish' }, /^INVALID_TIME: /],
    ['tasks', { action: 'done', task: ' ' }, /^INVALID_INPUT: done needs task/],
    ['tasks', { action: 'done', task: 'nope' }, /^NOT_FOUND: /],
    ['tasks', { action: 'drop' }, /action/],
    ['journal', {}, /text/],
    ['journal', { text: '' }, /text/],
    ['journal', { text: ' ' }, /^INVALID_INPUT: /],
  ])('%s rejects %j', async (name, args, message) => {
    const agent = await openAgent();
    expect(await agent.call(name, args)).toMatchObject(refusal(message));
    expect(readdirSync(agent.notes.path).filter((file) => file.endsWith('.md'))).toEqual([]);
  });
});

describe('long answers', () => {
  const MOST = 4_000;

  test('read_note continues where it stopped, and returns the whole file', async () => {
    const lines = Array.from({ length: 3_000 }, (_, i) => `- entry ${i + 1}`);
    const agent = await openAgent({ 'a.md': lines.join('\n') });
    const seen: string[] = [];
    for (let fromLine = 1; fromLine > 0;) {
      const { text } = await agent.call('read_note', { uri: 'a.md', fromLine });
      expect(countTokens(text)).toBeLessThanOrEqual(MOST);
      seen.push(...text.split('\n').filter((line) => line.startsWith('- ')));
      fromLine = Number(/Go on with fromLine (\d+)/.exec(text)?.[1] ?? 0);
    }
    expect(seen).toEqual(lines);
  });

  test('a very long line is cut, and this is stated', async () => {
    const agent = await openAgent({ 'a.md': `${'とても長い話。'.repeat(2_000)}\nsecond` });
    const { text } = await agent.call('read_note', { uri: 'a.md' });
    expect(countTokens(text)).toBeLessThanOrEqual(MOST);
    expect(text).toMatch(/Cut here: \d+ of \d+ characters were left out\. Go on with fromLine 2\.\]$/);
  });

  test('lists as many files and tasks as fit', async () => {
    const files = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`notes/file-${i}.md`, '# A']));
    const tasks = Array.from({ length: 600 }, (_, i) => `- [ ] task number ${i}\n`).join('');
    const agent = await openAgent({ ...files, 'TASKS.md': tasks });
    for (const [name, args] of [
      ['list_notes', {}],
      ['tasks', { action: 'list' }],
    ] as const) {
      const { text } = await agent.call(name, args);
      expect(countTokens(text)).toBeLessThanOrEqual(MOST);
      expect(text).toMatch(/\[\d+ more left out\./);
    }
  });

  test('a named file too long for one answer comes in sections', async () => {
    const rules = Array.from(
      { length: 120 },
      (_, i) => `## Part ${i}\n\n- 規則その${i}：${'丁寧に書く。'.repeat(6)}\n`,
    );
    const agent = await openAgent({ 'user/instructions.md': `# Rules\n\n${rules.join('\n')}` });
    const { text, isError } = await agent.call('recall', { utterance: 'What are my standing instructions?' });
    expect(isError).toBe(false);
    expect(countTokens(text)).toBeLessThanOrEqual(MOST);
    expect(text).toMatch(/^\[#\d+ note user\/instructions\.md > Rules > Part 0\] /);
  });
});
