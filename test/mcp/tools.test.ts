import { describe, expect, test } from 'vitest';
import { countTokens } from '../../src/text/text.ts';
import { holdNotes } from './heldNotes.ts';
import { connect, openTestMemory, type Agent } from './rig.ts';

const TURNS = [
  { speaker: 'user', text: '那須の吊り橋、すごく揺れて怖かったね。', occurredAt: '2026-03-28T10:00:00Z' },
  { speaker: 'user', text: '我把吉他送到上海去了。', occurredAt: '2026-04-02T10:00:00Z' },
  { speaker: 'user', text: 'Hana is allergic to peanuts.', occurredAt: '2026-05-02T10:00:00Z' },
];

async function openAgent(notes = holdNotes()): Promise<Agent & { notes: typeof notes }> {
  return { ...(await connect(await openTestMemory(), notes)), notes };
}

const withoutNotes = async () => connect(await openTestMemory());

test('the whole list of tools costs a model less than 3,000 tokens', async () => {
  const { client } = await openAgent();
  const list = await client.listTools();
  expect(list.tools).toHaveLength(11);
  expect(countTokens(JSON.stringify(list))).toBeLessThan(3_000);
  for (const { description, inputSchema } of list.tools) {
    expect(description).toMatch(/\S/);
    expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
  }
});

test('the hints say which tools only read', async () => {
  const { tools } = await (await openAgent()).client.listTools();
  const reading = tools
    .filter(({ annotations }) => annotations?.readOnlyHint === true)
    .map(({ name }) => name);
  expect(reading).toEqual(['recall', 'pack', 'explore', 'list_notes', 'read_note']);
  const destructive = tools
    .filter(({ annotations }) => annotations?.readOnlyHint !== true && annotations?.destructiveHint !== false)
    .map(({ name }) => name);
  expect(destructive).toEqual(['forget', 'edit_note']);
});

test('says who it is and what it is for', async () => {
  const { client } = await openAgent();
  expect(client.getServerVersion()).toMatchObject({ name: 'omoide', version: '1.2.3' });
  expect(client.getInstructions()).toContain('memory');
});

describe('ingest_turns, then recall', () => {
  test.each([
    ['あの吊り橋、怖かったよね', '吊り橋'],
    ['吉他在哪里？', '吉他'],
    ['Can Hana eat peanuts?', 'peanuts'],
  ])('%s', async (question, word) => {
    const agent = await openAgent();
    const kept = await agent.call('ingest_turns', { conversationId: 'c1', turns: TURNS });
    expect(kept).toMatchObject({ isError: false, text: '3 kept, 0 known already, 0 not kept.' });
    const { isError, text, structured } = await agent.call('recall', { utterance: question });
    expect(isError).toBe(false);
    expect(text.split('\n')[0]).toContain(word);
    expect(text).toMatch(/^\[#\d+ episode 2026-\d\d-\d\d user\] /);
    const { found } = structured as { found: { kind: string; text: string }[] };
    expect(found[0]).toMatchObject({ kind: 'episode', text: expect.stringContaining(word) as string });
    expect(found).toHaveLength(text.split('\n').length);
  });

  test('a repeated call with places in the conversation keeps nothing twice', async () => {
    const agent = await openAgent();
    const turns = TURNS.map((turn, turnIndex) => ({ ...turn, turnIndex }));
    await agent.call('ingest_turns', { conversationId: 'c1', turns });
    const again = await agent.call('ingest_turns', { conversationId: 'c1', turns });
    expect(again.text).toBe('0 kept, 3 known already, 0 not kept.');
  });

  test('what cannot be kept is told of, and the rest goes in', async () => {
    const agent = await openAgent();
    const turns = [{ speaker: 'user', text: ' ' }, ...TURNS];
    const mixed = await agent.call('ingest_turns', { conversationId: 'c1', turns });
    expect(mixed.isError).toBe(false);
    expect(mixed.text).toMatch(/^3 kept, .*1 not kept\.\n.*EMPTY_TEXT/);
    const none = await agent.call('ingest_turns', { conversationId: 'c2', turns: turns.slice(0, 1) });
    expect(none).toMatchObject({ isError: true });
  });

  test('recall keeps to times and kinds', async () => {
    const agent = await openAgent();
    await agent.call('ingest_turns', { conversationId: 'c1', turns: TURNS });
    const utterance = 'Hana peanuts 吉他 吊り橋';
    const april = await agent.call('recall', { utterance, from: '2026-04-01', to: '2026-04-30' });
    expect(april.text).toContain('吉他');
    expect(april.text).not.toContain('peanuts');
    const facts = await agent.call('recall', { utterance, kinds: ['summary'] });
    expect(facts).toMatchObject({ isError: false, structured: { found: [] } });
    const wrong = await agent.call('recall', { utterance, from: 'last week' });
    expect(wrong).toMatchObject({ isError: true, text: expect.stringMatching(/^INVALID_TIME: /) as string });
  });

  test('notes are found beside what was said', async () => {
    const agent = await openAgent(holdNotes({ 'user/preferences.md': 'Hana prefers tea.' }));
    await agent.call('ingest_turns', { conversationId: 'c1', turns: TURNS });
    const { text } = await agent.call('recall', { utterance: 'Hana' });
    expect(text).toContain('[#9000 note user/preferences.md] Hana prefers tea.');
    expect(text).toContain('peanuts');
    const noted = await agent.call('recall', { utterance: 'Hana', kinds: ['note'] });
    expect(noted.text).not.toContain('peanuts');
  });
});

describe('pack', () => {
  test('gives a block within its budget', async () => {
    const agent = await openAgent();
    await agent.call('ingest_turns', { conversationId: 'c1', turns: TURNS });
    const { text, isError } = await agent.call('pack', { utterance: 'What about Hana?', budgetTokens: 300 });
    expect(isError).toBe(false);
    expect(text).toContain('peanuts');
    expect(countTokens(text)).toBeLessThanOrEqual(300);
  });

  test('refuses what is no message, and what is too much', async () => {
    const agent = await openAgent();
    expect((await agent.call('pack', { utterance: ' ' })).text).toMatch(/^EMPTY_TEXT: /);
    expect((await agent.call('pack', { utterance: 'x', budgetTokens: 1_000_000 })).isError).toBe(true);
  });
});

describe('explore', () => {
  test('goes through a period page by page', async () => {
    const agent = await openAgent();
    const turns = Array.from({ length: 30 }, (_, i) => ({
      speaker: 'user',
      text: `Walk number ${i + 1} along the river.`,
      occurredAt: `2026-03-${String((i % 28) + 1).padStart(2, '0')}T10:00:00Z`,
    }));
    await agent.call('ingest_turns', { conversationId: 'c1', turns });
    const query = { from: '2026-03-01', to: '2026-04-01', limit: 20 };
    const first = await agent.call('explore', query);
    const cursor = /\[There is more: cursor (\S+)\]/.exec(first.text)?.[1];
    expect(cursor).toBeDefined();
    const second = await agent.call('explore', { ...query, cursor });
    const walks = (first.text + second.text).match(/Walk number \d+/g) ?? [];
    expect(new Set(walks).size).toBe(30);
  });

  test('says why there is nothing, and refuses what is no question', async () => {
    const agent = await openAgent();
    expect(await agent.call('explore', { entity: 'Nobody' })).toMatchObject({ isError: false });
    expect((await agent.call('explore', {})).text).toMatch(/^INVALID_INPUT: /);
    expect((await agent.call('explore', { text: 'x', cursor: 'broken' })).text).toMatch(/^INVALID_INPUT: /);
    expect((await agent.call('explore', { emotion: 'boredom' })).isError).toBe(true);
  });
});

describe('remember', () => {
  test('writes into a file, and says where', async () => {
    const agent = await openAgent();
    const args = { text: '紅茶より緑茶が好き。', type: 'preference' };
    expect((await agent.call('remember', args)).text).toContain('Remembered in user/preferences.md');
    expect((await agent.call('remember', args)).text).toContain('Known already');
    expect(agent.notes.files.get('user/preferences.md')).toBe('- 紅茶より緑茶が好き。\n');
  });

  test('without files it keeps a unit, which recall finds and forget archives', async () => {
    const agent = await withoutNotes();
    const text = '他的生日是七月九日。';
    const kept = await agent.call('remember', { text, type: 'entity' });
    const id = Number(/#(\d+)/.exec(kept.text)?.[1]);
    expect((await agent.call('remember', { text })).text).toBe(`Known already, as #${id}.`);
    const recalled = await agent.call('recall', { utterance: '他的生日是什么时候？' });
    expect(recalled.text).toContain(`[#${id} note remembered/entity] ${text}`);
    expect((await agent.call('forget', { unitId: id })).text).toMatch(/^Archived: .*七月九日/);
    expect((await agent.call('recall', { utterance: '他的生日是什么时候？' })).text).toBe(
      'Nothing comes to mind.',
    );
    expect((await agent.call('forget', { unitId: id })).text).toMatch(/^Forgotten before/);
  });

  test.each([
    [{ text: '  ' }, /^EMPTY_TEXT: /],
    [{ text: 'x', type: 'secret' }, /type/],
    [{ text: 'x'.repeat(4_001) }, /text/],
    [{}, /text/],
    [{ text: 'x', extra: 1 }, /extra/],
  ])('refuses %j', async (args, message) => {
    for (const agent of [await openAgent(), await withoutNotes()]) {
      expect(await agent.call('remember', args)).toMatchObject({
        isError: true,
        text: expect.stringMatching(message) as string,
      });
    }
  });
});

test('forget says so when there is nothing to forget', async () => {
  const agent = await openAgent();
  expect(await agent.call('forget', { unitId: 999 })).toMatchObject({
    isError: true,
    text: expect.stringMatching(/^NOT_FOUND: Nothing has the id 999\.\n.*recall/) as string,
  });
  for (const unitId of [0, -1, 1.5, '1']) expect((await agent.call('forget', { unitId })).isError).toBe(true);
});

describe('note files', () => {
  const files = { 'user/preferences.md': '# Food\n\n- tea\n', 'TASKS.md': '- [ ] one\n' };

  test('are listed and read', async () => {
    const agent = await openAgent(holdNotes(files));
    expect((await agent.call('list_notes')).text).toContain('user/preferences.md (global, 1 sections, ');
    const { text } = await agent.call('read_note', { uri: 'user/preferences.md' });
    expect(text).toMatch(/^user\/preferences\.md, 4 lines, hash \w{16}\n\n# Food\n\n- tea\n$/);
  });

  test('edit_note appends, replaces, and writes whole files', async () => {
    const agent = await openAgent(holdNotes(files));
    const edit = (args: Record<string, unknown>) =>
      agent.call('edit_note', { uri: 'user/preferences.md', ...args });
    expect((await edit({ append: '- coffee' })).text).toMatch(/^Changed .* hash is now \w{16}\.$/);
    await edit({ oldText: '- tea', newText: '- $& green tea' });
    expect(agent.notes.files.get('user/preferences.md')).toBe('# Food\n\n- $& green tea\n- coffee\n');
    await edit({ text: '# New\n' });
    expect(agent.notes.files.get('user/preferences.md')).toBe('# New\n');
    const made = await agent.call('edit_note', { uri: 'agent/new.md', append: '- first' });
    expect(made.text).toMatch(/^Made agent\/new\.md/);
  });

  test('an edit is made anew when somebody else wrote meanwhile, and refused for an old hash', async () => {
    const agent = await openAgent(holdNotes(files));
    agent.notes.beforeWrite = () => {
      agent.notes.beforeWrite = () => {};
      agent.notes.files.set('TASKS.md', '- [ ] one\n- [ ] theirs\n');
    };
    await agent.call('edit_note', { uri: 'TASKS.md', append: '- [ ] ours' });
    expect(agent.notes.files.get('TASKS.md')).toBe('- [ ] one\n- [ ] theirs\n- [ ] ours\n');
    const late = await agent.call('edit_note', { uri: 'TASKS.md', text: 'x', expectedHash: 'old' });
    expect(late).toMatchObject({
      isError: true,
      text: expect.stringMatching(/^NOTE_CONFLICT: .*\n.*read_note/) as string,
    });
    expect(agent.notes.files.get('TASKS.md')).toContain('theirs');
  });

  test.each([
    ['read_note', { uri: 'gone.md' }, /^NOT_FOUND: /],
    ['read_note', { uri: '../../x.md' }, /^OUTSIDE_ROOT: /],
    ['read_note', { uri: 'TASKS.md', fromLine: 99 }, /^INVALID_INPUT: .*99/],
    ['edit_note', { uri: 'TASKS.md' }, /^INVALID_INPUT: Give exactly one/],
    ['edit_note', { uri: 'TASKS.md', append: 'a', text: 'b' }, /^INVALID_INPUT: Give exactly one/],
    ['edit_note', { uri: 'TASKS.md', oldText: 'one' }, /^INVALID_INPUT: .*newText/],
    ['edit_note', { uri: 'TASKS.md', oldText: 'none', newText: '' }, /does not occur/],
    ['edit_note', { uri: 'user/preferences.md', oldText: 'o', newText: '' }, /occurs 2 times/],
    ['list_notes', { page: 1 }, /page/],
  ])('%s refuses %j', async (name, args, message) => {
    const agent = await openAgent(holdNotes(files));
    expect(await agent.call(name, args)).toMatchObject({
      isError: true,
      text: expect.stringMatching(message) as string,
    });
    expect(Object.fromEntries(agent.notes.files)).toEqual(files);
  });
});

describe('tasks and journal', () => {
  test('are added, listed and done', async () => {
    const agent = await openAgent();
    await agent.call('tasks', { action: 'add', task: '牛乳を買う', due: '2026-03-05' });
    await agent.call('tasks', { action: 'add', task: 'write to Ann' });
    expect((await agent.call('tasks', { action: 'list' })).text).toBe(
      '[ ] t1: 牛乳を買う (due 2026-03-05)\n[ ] t2: write to Ann',
    );
    expect((await agent.call('tasks', { action: 'done', task: 't1' })).text).toContain('[x] t1');
    expect((await agent.call('tasks', { action: 'list' })).text).toBe('[ ] t2: write to Ann');
    expect((await agent.call('tasks', { action: 'list', withDone: true })).text).toContain('[x] t1');
    await agent.call('journal', { text: 'Wrote the parser; tests are next.' });
    expect(agent.notes.files.get('journal/2026-03-01.md')).toContain('Wrote the parser');
  });

  test.each([
    ['tasks', { action: 'add' }, /^INVALID_INPUT: add needs task/],
    ['tasks', { action: 'done', task: ' ' }, /^INVALID_INPUT: done needs task/],
    ['tasks', { action: 'done', task: 'nope' }, /^NOT_FOUND: /],
    ['tasks', { action: 'drop' }, /action/],
    ['journal', {}, /text/],
    ['journal', { text: '' }, /text/],
  ])('%s refuses %j', async (name, args, message) => {
    expect(await (await openAgent()).call(name, args)).toMatchObject({
      isError: true,
      text: expect.stringMatching(message) as string,
    });
  });
});

test('tools on notes say so plainly when there are none', async () => {
  const agent = await withoutNotes();
  const calls: [string, Record<string, unknown>][] = [
    ['list_notes', {}],
    ['read_note', { uri: 'a.md' }],
    ['edit_note', { uri: 'a.md', append: 'x' }],
    ['tasks', { action: 'list' }],
    ['journal', { text: 'x' }],
  ];
  for (const [name, args] of calls) {
    const { isError, text } = await agent.call(name, args);
    expect([name, isError, text]).toEqual([name, true, expect.stringContaining('has no folder of notes')]);
  }
});

describe('long answers', () => {
  const MOST = 4_000;
  const long = 'とても長い話。'.repeat(2_000);

  test('recall and explore stay within the budget, in text and structure', async () => {
    const agent = await openAgent();
    const turns = Array.from({ length: 30 }, (_, i) => ({ speaker: 'user', text: `橋の話 ${i}。${long}` }));
    await agent.call('ingest_turns', { conversationId: 'c1', turns });
    for (const [name, args] of [
      ['recall', { utterance: '橋の話', limit: 30 }],
      ['explore', { keywords: ['橋'], limit: 50 }],
    ] as const) {
      const { text, structured, isError } = await agent.call(name, args);
      expect(isError).toBe(false);
      expect(countTokens(text)).toBeLessThanOrEqual(MOST);
      expect(countTokens(JSON.stringify(structured ?? {}))).toBeLessThanOrEqual(MOST);
      expect(text).toContain('橋の話');
    }
  });

  test('read_note goes on where it stopped, and all of the file comes', async () => {
    const lines = Array.from({ length: 3_000 }, (_, i) => `- entry ${i + 1}`);
    const agent = await openAgent(holdNotes({ 'a.md': lines.join('\n') }));
    const seen: string[] = [];
    for (let fromLine = 1; fromLine > 0;) {
      const { text } = await agent.call('read_note', { uri: 'a.md', fromLine });
      expect(countTokens(text)).toBeLessThanOrEqual(MOST);
      seen.push(...text.split('\n').filter((line) => line.startsWith('- ')));
      fromLine = Number(/Go on with fromLine (\d+)/.exec(text)?.[1] ?? 0);
    }
    expect(seen).toEqual(lines);
  });

  test('one endless line is cut, and says so', async () => {
    const agent = await openAgent(holdNotes({ 'a.md': `${long}\nsecond` }));
    const { text } = await agent.call('read_note', { uri: 'a.md' });
    expect(countTokens(text)).toBeLessThanOrEqual(MOST);
    expect(text).toMatch(/Cut here: \d+ of \d+ characters were left out\. Go on with fromLine 2\.\]$/);
  });

  test('many files and tasks are listed as far as they fit', async () => {
    const files = Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`notes/file-${i}.md`, '# A']));
    const agent = await openAgent(holdNotes(files));
    const { text } = await agent.call('list_notes');
    expect(countTokens(text)).toBeLessThanOrEqual(MOST);
    expect(text).toMatch(/\[\d+ more left out\./);
  });
});

describe('what goes wrong', () => {
  test('a tool that there is not is an error of the protocol', async () => {
    const { client } = await openAgent();
    await expect(client.callTool({ name: 'nope', arguments: {} })).rejects.toMatchObject({ code: -32_602 });
  });

  test('what nobody expected is told without its insides, and logged', async () => {
    const notes = holdNotes();
    notes.list = () => Promise.reject(new Error('secret /home/somebody'));
    const agent = await openAgent(notes);
    const { isError, text } = await agent.call('list_notes');
    expect(isError).toBe(true);
    expect(text).toMatch(/^INTERNAL: /);
    expect(text).not.toMatch(/secret|somebody| at /);
    expect(agent.log.join('\n')).toContain('secret');
  });
});
