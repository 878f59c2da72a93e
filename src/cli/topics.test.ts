import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { dump } from '../../test/organize/dump.ts';
import { keep, NOON, openRig, topicOf } from '../../test/organize/rig.ts';
import { forgeTurn } from '../../test/forgedTurns.ts';
import { temporaryFolder } from '../../test/temporary.ts';
import { runCommand as omoide } from '../../test/cli/runCommand.ts';

const DAY_MS = 86_400_000;

let folder: string;
let path: string;
let topics: Record<'bridge' | 'guitar', number>;

/** Two topics of five and three turns, a day apart. */
beforeEach(async () => {
  folder = temporaryFolder();
  path = join(folder, 'memory_default.db');
  vi.stubEnv('OMOIDE_DATA', folder);
  vi.stubEnv('OMOIDE_EMBEDDER', 'none');
  const { store } = openRig(path);
  const add = async (title: string, theme: number, turns: number, said: string) =>
    (
      await topicOf(store, title, {
        theme,
        conversationId: `c${theme}`,
        turns,
        at: NOON + theme * DAY_MS,
        words: (turn) => `${said} ${turn + 1}`,
      })
    ).id;
  topics = {
    bridge: await add('那須塩原', 0, 5, '吊り橋が揺れた'),
    guitar: await add('A guitar', 1, 3, 'The guitar has a new string, number'),
  };
  await store.close();
});

afterEach(() => {
  vi.unstubAllEnvs();
});

async function json<T>(...args: string[]): Promise<T> {
  const { stdout } = await omoide(...args, '--json');
  return JSON.parse(stdout) as T;
}

function write(name: string, value: unknown): string {
  const file = join(folder, name);
  writeFileSync(file, typeof value === 'string' ? value : JSON.stringify(value));
  return file;
}

/** A plan that puts both topics below a new one. */
const plan = () => ({
  at: NOON,
  by: 'rules',
  operations: [
    {
      type: 'parent',
      childIds: [topics.bridge, topics.guitar],
      parent: { title: '春休み', summary: null },
      reason: '時期が近い',
    },
  ],
  refresh: [],
});

describe('topics', () => {
  test('are listed, shown with their turns, and renamed', async () => {
    const listed = await omoide('topics');
    expect(listed).toMatchObject({ code: 0, stderr: '' });
    expect(listed.stdout).toMatch(/^#1 +那須塩原 .*5 turns · 2026-03-02\n#2 +A guitar .*3 turns/);
    const shown = await omoide('topics', 'show', '#2', '--limit', '2');
    expect(shown.stdout).toContain('2026-03-03  c1\n     user  The guitar has a new string, number 1\n');
    const [, cursor = ''] = /--cursor (\S+)/.exec(shown.stdout) ?? [];
    const rest = await omoide('explore', '--topic', '2', '--view', 'timeline', '--cursor', cursor);
    expect(rest.stdout).toContain('number 3');
    expect(rest.stdout).not.toContain('number 2');

    expect((await omoide('topics', 'rename', '1', '那須塩原への旅行')).stdout).toBe(
      'Topic #1 “那須塩原” is now called “那須塩原への旅行”.\n',
    );
    expect(await json('topics')).toMatchObject({
      count: 2,
      topics: [{ id: 1, title: '那須塩原への旅行', source: 'user' }, { id: 2 }],
    });
  });

  test.each([
    [['show', '99'], 1, 'error NOT_FOUND: There is no topic 99.'],
    [['rename', '99', 'x'], 1, 'error NOT_FOUND: There is no topic 99.'],
    [['rename', '1', '  '], 1, 'error EMPTY_TEXT: '],
    [['rename', '1'], 2, 'and which title?'],
    [['show'], 2, 'which topic?'],
    [['show', 'first'], 2, 'It must be a number'],
    [['forget', '1'], 2, 'list, show, rename'],
  ])('“topics %j” reports the error', async (args, code, message) => {
    const ended = await omoide('topics', ...args);
    expect(ended.code).toBe(code);
    expect(ended.stderr).toContain(message);
  });
});

describe('explore', () => {
  test('combines several conditions, in each view', async () => {
    const quotes = await omoide('explore', '吊り橋', '--topic', '那須塩原', '--limit', '1');
    expect(quotes.stdout).toMatch(
      / {2}1 {2}2026-03-02 {2}(user|ai) {2}c0, turn \d\n {5}吊り橋が揺れた \d\n {5}→ /,
    );
    const days = await omoide('explore', '--from', '2026-03-03', '--to', '2026-03-04');
    expect(days.stdout).toContain('2026-03-03  c1\n');
    expect(days.stdout).not.toContain('吊り橋');
    const found = await omoide('explore', 'guitar', '--view', 'topic');
    expect(found.stdout).toMatch(/#2 +A guitar +strength 0\.\d\d · 3 turns · 2026-03-03\n/);
    expect(await json('explore', '--topic', 'Nowhere')).toMatchObject({
      nothing: { reason: 'unknown_topic' },
      nextCursor: null,
    });
  });

  test('continues at the cursor of the previous page, for the same query only', async () => {
    const { nextCursor } = await json<{ nextCursor: string }>('explore', '--topic', '1', '--limit', '3');
    const next = await json('explore', '--topic', '1', '--cursor', nextCursor);
    expect(next).toMatchObject({
      groups: [{ items: [{ turnIndex: 3 }, { turnIndex: 4 }] }],
      nextCursor: null,
    });
    const other = await omoide('explore', '--topic', '2', '--cursor', nextCursor);
    expect(other).toMatchObject({ code: 1, stdout: '' });
    expect(other.stderr).toBe('error INVALID_INPUT: The cursor belongs to another question.\n');
  });

  test.each([
    [[], 1, 'There is nothing to look for'],
    [['--topic', '99'], 1, 'NOT_FOUND'],
    [['--entity', '99'], 1, 'NOT_FOUND'],
    [['x', '--cursor', 'nonsense'], 1, 'The cursor is invalid'],
    [['x', '--from', 'soon'], 1, 'INVALID_TIME'],
    [['x', '--view', 'map'], 2, 'topic, timeline, quote'],
    [['--emotion', 'hunger'], 2, 'sadness'],
  ])('%j reports the error', async (args, code, message) => {
    const ended = await omoide('explore', ...args);
    expect(ended.code).toBe(code);
    expect(ended.stderr).toContain(message);
  });

  test('remind shows turns that fit an utterance, with their topic', async () => {
    const { code, stdout } = await omoide('remind', 'the guitar', '--limit', '3');
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^#2 {2}A guitar {2}2026-03-03\n {5}2026-03-03 {2}\w+ {2}c1, turn \d\n {7}The guitar/,
    );
    expect(await json('remind', 'the guitar')).toMatchObject({ topics: [{ id: 2 }] });
    const nothing = await omoide('remind', ' ');
    expect(nothing).toMatchObject({ code: 1, stdout: '' });
  });
});

describe('reorganize', () => {
  test('shows the plan and changes nothing when it cannot ask for confirmation', async () => {
    const before = dump(path);
    const file = write('plan.json', plan());
    const { code, stdout, stderr } = await omoide('reorganize', '--apply', file);
    expect(code).toBe(1);
    expect(stdout).toContain('「春休み」');
    expect(stdout).toContain('理由：時期が近い');
    expect(stderr).toContain('--yes');
    expect((await omoide('reorganize', '--plan')).code).toBe(0);
    expect(dump(path)).toEqual(before);
  });

  test('applies a plan from a file, lists it in the journal, and undoes it', async () => {
    const written = join(folder, 'written.json');
    expect(await omoide('reorganize', '--output', written)).toMatchObject({ code: 0 });
    expect(JSON.parse(readFileSync(written, 'utf8'))).toMatchObject({ by: 'rules' });

    const before = dump(path);
    const file = write('plan.json', plan());
    const applied = await omoide('reorganize', '--apply', file, '--yes');
    expect(applied).toMatchObject({ code: 0, stderr: '' });
    expect(applied.stdout).toContain('“omoide rollback 1” undoes it.');
    expect((await omoide('topics')).stdout).toContain('part of 春休み (#3)');
    const twice = await omoide('reorganize', '--apply', file, '--yes');
    expect(twice.code).toBe(1);
    expect(twice.stderr).toBe(
      'error VERSION_CONFLICT: Entry 1 of the journal has already applied this plan.\n',
    );

    expect((await omoide('journal')).stdout).toMatch(
      /^ +1 {2}\S+Z {2}applied {2}1 topic created, .* by rules\n$/,
    );
    expect((await omoide('journal', '1')).stdout).toContain('「春休み」');
    expect((await omoide('rollback', '1')).stdout).toMatch(/^Undone: 1 topic created/);
    expect(dump(path)).toEqual(before);
    const again = await omoide('rollback', '1');
    expect(again).toMatchObject({ code: 1, stdout: '' });
    expect(again.stderr).toBe('error JOURNAL_CONFLICT: Entry 1 was already rolled back.\n');
    const entry = write('entry.json', await json('journal', '1'));
    expect((await omoide('reorganize', '--apply', entry, '--yes')).code).toBe(0);
  });

  test('rejects a file without a valid plan, and changes nothing', async () => {
    const before = dump(path);
    const unknown = { ...plan(), refresh: [99] };
    for (const [file, message] of [
      [join(folder, 'gone.json'), 'FILE_UNREADABLE'],
      [write('text.json', 'to do: tidy'), 'INVALID_INPUT: ' + join(folder, 'text.json') + ' is not JSON'],
      [write('null.json', 'null'), 'INVALID_INPUT: Not a plan'],
      [write('within.json', { plan: null }), 'INVALID_INPUT: Not a plan'],
      [write('half.json', { at: 1 }), 'INVALID_INPUT: Not a plan: by: '],
      [write('unknown.json', unknown), 'INVALID_INPUT: refresh names topic 99'],
    ] as const) {
      const { code, stderr } = await omoide('reorganize', '--apply', file, '--yes');
      expect([code, stderr]).toEqual([1, expect.stringContaining(message)]);
    }
    expect((await omoide('reorganize', '--apply', 'x', '--plan')).code).toBe(2);
    for (const command of ['journal', 'rollback']) {
      expect(await omoide(command, '9')).toMatchObject({
        code: 1,
        stderr: 'error NOT_FOUND: There is no entry 9 in the journal.\n',
      });
    }
    expect(dump(path)).toEqual(before);
  });
});

test('facts lists current facts, and shows the history of one', async () => {
  const { store } = openRig(path);
  const lives = (object: string, day: number, validTo: number | null) =>
    keep(store, {
      content: {
        kind: 'fact',
        payload: {
          subject: '私',
          predicate: '住んでいる',
          object,
          validFrom: NOON + day * DAY_MS,
          validTo,
          evidence: [1],
        },
      },
      occurredAt: NOON + day * DAY_MS,
      source: 'user',
    });
  const osaka = await lives('大阪', 0, NOON + 3 * DAY_MS);
  const kyoto = await lives('京都', 3, null);
  await store.close();
  const { stdout } = await omoide('facts');
  expect(stdout).toContain(`${kyoto.id}  私 — 住んでいる — 京都  2026-03-05`);
  expect(stdout).not.toContain('大阪');
  const history = await omoide('facts', String(kyoto.id));
  expect(history.stdout).toMatch(/大阪 +2026-03-02 until 2026-03-05\n[^]*京都 +2026-03-05 on\n/);
  expect(history.stdout).toContain('2026-03-02 user: 吊り橋が揺れた 1');
  expect(await json('facts', String(osaka.id))).toMatchObject([
    { object: '大阪', validTo: '2026-03-05T03:00:00Z' },
    { object: '京都', validTo: null },
  ]);
  expect((await omoide('facts', '1')).stderr).toContain('is no fact; its kind is episode');
  expect((await omoide('facts', '99')).stderr).toContain('NOT_FOUND');
});

test('verify counts checkpoints and names the first turn that does not match', async () => {
  const well = await omoide('verify');
  expect(well).toMatchObject({ code: 0, stderr: '' });
  expect(well.stdout).toMatch(/^All is well: 8 turns, 8 units, 0 signed checkpoints compared, chain head /);
  const db = new DatabaseSync(path);
  db.exec('DROP TRIGGER turn_is_never_updated');
  for (const turnId of [4, 7]) forgeTurn(db, turnId, { text: 'Never mind' });
  db.close();
  const broken = await omoide('verify');
  expect(broken.code).toBe(1);
  expect(broken.stdout).toContain('The first turn that does not match: #4, turn 3 of conversation c0.\n');
  expect(await json('verify')).toMatchObject({ firstBadTurn: { turnId: 4 } });
});

test('recall loads a profile from a file, and reports an invalid one', async () => {
  const mine = write('mine.json', { name: 'mine', base: 'fast', weights: { recency: 0 } });
  const found = await json(
    'recall',
    'guitar',
    '--profile',
    mine,
    '--emotion',
    'joy',
    '--emotion-mode',
    'none',
  );
  expect(found).toMatchObject({ metadata: { profile: 'mine' } });
  const bad = write('bad.json', { name: 'bad', base: 'fast', weights: { luck: 1 } });
  for (const [profile, message] of [
    [bad, 'fast has no feature "luck"'],
    ['nobody', 'nobody is not a shipped profile'],
  ] as const) {
    const ended = await omoide('pack', 'guitar', '--profile', profile);
    expect(ended.code).toBe(1);
    expect(ended.stderr).toContain(message);
  }
});
