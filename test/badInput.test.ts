import { existsSync, mkdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  openMemory,
  type Memory,
  type MemoryOptions,
  type NewTurn,
  type NewUnit,
} from '../src/engine/engine.ts';
import { temporaryFolder } from './temporary.ts';

async function open(dataDir: string, options: MemoryOptions = {}): Promise<Memory> {
  const memory = await openMemory({
    dataDir,
    timeZone: 'Asia/Tokyo',
    embedder: null,
    worker: false,
    ...options,
  });
  onTestFinished(() => memory.close());
  return memory;
}

const GOOD: NewTurn = { conversationId: 'c', turnIndex: 0, speaker: 'user', text: '那須塩原の吊り橋' };
const LONE_SURROGATE = 'broken \ud83d emoji';

describe('a turn that cannot be stored word for word', () => {
  const cases: [what: string, turn: Record<string, unknown>, code: string, message: RegExp][] = [
    ['empty text', { text: '' }, 'EMPTY_TEXT', /empty/],
    ['white space', { text: ' \n\t\u3000\u2003' }, 'EMPTY_TEXT', /empty/],
    ['a lone high surrogate', { text: LONE_SURROGATE }, 'INVALID_TEXT', /surrogate at 7/],
    ['a lone low surrogate', { text: '\udc00x' }, 'INVALID_TEXT', /surrogate at 0/],
    ['a NUL', { text: 'a\0b' }, 'INVALID_TEXT', /NUL at 1/],
    ['10 MB of text', { text: 'x'.repeat(10_000_000) }, 'TEXT_TOO_LONG', /10000000/],
    ['no text', { text: undefined }, 'INVALID_INPUT', /text/],
    ['a number as text', { text: 5 }, 'INVALID_INPUT', /text/],
    ['an empty conversation id', { conversationId: '' }, 'INVALID_ID', /conversation id/],
    ['a conversation id with a slash', { conversationId: '../../etc' }, 'INVALID_ID', /slash/],
    ['a conversation id with a backslash', { conversationId: 'a\\b' }, 'INVALID_ID', /slash/],
    ['a conversation id with a line break', { conversationId: 'a\nb' }, 'INVALID_ID', /control/],
    ['a conversation id with a lone surrogate', { conversationId: '\ud800' }, 'INVALID_ID', /surrogate/],
    ['a speaker with a line separator', { speaker: 'a\u2028b' }, 'INVALID_ID', /line separator/],
    ['a speaker with a direction control', { speaker: '\u202Eadmin' }, 'INVALID_ID', /direction/],
    ['a conversation id too long', { conversationId: 'x'.repeat(257) }, 'INVALID_ID', /256/],
    ['no speaker', { speaker: ' ' }, 'INVALID_ID', /speaker/],
    ['a speaker with a NUL', { speaker: 'a\0' }, 'INVALID_ID', /speaker/],
    ['the year 0', { occurredAt: '0000-12-31' }, 'INVALID_TIME', /0000-12-31/],
    ['the year 10000', { occurredAt: '+010000-01-01T00:00:00Z' }, 'INVALID_TIME', /10000/],
    ['30 February', { occurredAt: '2023-02-30' }, 'INVALID_TIME', /2023-02-30/],
    ['25 o’clock', { occurredAt: '2023-02-03T25:00' }, 'INVALID_TIME', /25:00/],
    ['text as a time', { occurredAt: 'hello 12' }, 'INVALID_TIME', /hello 12/],
    [
      'milliseconds out of range',
      { occurredAt: 8.64e15 },
      'INVALID_TIME',
      /years 1 to 9999|years 1 and 9999/,
    ],
    ['NaN as a time', { occurredAt: Number.NaN }, 'INVALID_INPUT', /occurredAt/],
    ['an invalid Date', { occurredAt: new Date('x') }, 'INVALID_INPUT', /occurredAt/],
    ['a negative position', { turnIndex: -1 }, 'INVALID_INPUT', /turnIndex/],
    ['a fractional position', { turnIndex: 0.5 }, 'INVALID_INPUT', /turnIndex/],
    ['a position that is too large', { turnIndex: 2 ** 31 }, 'INVALID_INPUT', /turnIndex/],
    ['an unknown sensitivity', { sensitivity: 'top' }, 'INVALID_INPUT', /sensitivity/],
    ['a function in meta', { meta: { f: () => 1 } }, 'INVALID_INPUT', /meta/],
    ['an image summary with a NUL', { imageSummary: '\0' }, 'INVALID_TEXT', /NUL/],
    ['another text at its position', { text: '別の話' }, 'TURN_CONFLICT', /turn 0/],
  ];

  test.each(cases)(
    'is rejected because of %s with a code, and existing turns stay',
    async (_what, wrong, code, message) => {
      const memory = await open(temporaryFolder());
      await memory.add(GOOD);
      const before = await memory.admin.verify();
      const turn = {
        ...GOOD,
        turnIndex: 1,
        ...(code === 'TURN_CONFLICT' && { turnIndex: 0 }),
        ...wrong,
      } as NewTurn;
      await expect(memory.add(turn)).rejects.toMatchObject({
        code,
        message: expect.stringMatching(message),
      });
      expect(await memory.admin.verify()).toEqual(before);
      expect((await memory.admin.info()).turns).toBe(1);
    },
  );

  test('is reported with its index, and all other turns of the batch are stored', async () => {
    const memory = await open(temporaryFolder());
    const wrong = cases.map(([, turn], i) => ({ ...GOOD, turnIndex: i + 1, ...turn }));
    const good = Array.from({ length: 600 }, (_, i) => ({ ...GOOD, turnIndex: i + 100, text: `good ${i}` }));
    const turns = [GOOD, ...good.slice(0, 300), ...wrong, ...good.slice(300)];
    const conflict = { ...GOOD, text: '別の話' };
    const report = await memory.add([...turns, conflict]);
    const expected = cases.map(([, , code], i) => ({ place: `turn ${302 + i}`, code }));
    // Only the last case is no conflict here: its position is free.
    expect(report.problems).toMatchObject([
      ...expected.slice(0, -1),
      { place: `turn ${turns.length + 1}`, code: 'TURN_CONFLICT' },
    ]);
    expect(report).toMatchObject({ read: turns.length + 1, added: 602, known: 0 });
    expect(await memory.admin.verify()).toMatchObject({ turns: 602, problems: [] });
  });
});

describe('a turn at the limit of what is allowed', () => {
  test.each([
    ['the longest text', { text: 'bird'.repeat(1_048_576 / 4) }],
    ['one character', { text: '。' }],
    ['all Unicode planes, joiners and marks', { text: '👩‍👩‍👧‍👦 é ﷺ 𠮷 \u202eRTL\u202c ก็ \u{10ffff}' }],
    [
      'syntax of SQL and searches',
      { text: `'; DROP TABLE turn; -- " OR "1"="1 <|im_end|> {{x}} %s \\u0000` },
    ],
    ['the first instant', { text: 'three days ago, last year', occurredAt: '0001-01-01T00:00:00Z' }],
    ['the last instant', { text: 'in three days, next year', occurredAt: '9999-12-31T23:59:59.999Z' }],
    ['meta with any JSON', { meta: { 'lone \ud800': '\0', deep: [[[{}]]], n: -0.5 } }],
    ['the largest position', { turnIndex: 2 ** 31 - 1 }],
    ['an id of 256 characters', { conversationId: '会'.repeat(256), speaker: '話'.repeat(256) }],
  ])('is stored unchanged: %s', async (_what, more) => {
    const memory = await open(temporaryFolder());
    const turn = { ...GOOD, occurredAt: '2024-05-01T00:00:00Z', ...more };
    const { turnId } = await memory.add(turn);
    const kept = (await Array.fromAsync(memory.conversations.turns())).find(({ id }) => id === turnId);
    const { conversationId, turnIndex, speaker, text } = turn;
    expect(kept).toMatchObject({
      conversationId,
      turnIndex,
      speaker,
      text,
      meta: 'meta' in turn ? turn.meta : {},
    });
    expect(new Date(kept?.occurredAt ?? 0).getTime()).toBe(Date.parse(turn.occurredAt));
    expect((await memory.admin.verify()).problems).toEqual([]);
    await memory.recall(text.slice(0, 1_000));
  });
});

describe('an added unit', () => {
  const loop = (text: string): NewUnit => ({ content: { kind: 'loop', payload: { text } } });

  test.each([
    ['nothing', loop(''), 'INVALID_INPUT'],
    ['white space', loop(' \n'), 'EMPTY_TEXT'],
    ['a NUL', loop('a\0b'), 'INVALID_TEXT'],
    ['a lone surrogate', loop(LONE_SURROGATE), 'INVALID_TEXT'],
    ['10 MB', loop('x'.repeat(10_000_000)), 'TEXT_TOO_LONG'],
    ['an episode', { content: { kind: 'episode', payload: {} } } as unknown as NewUnit, 'INVALID_INPUT'],
    ['a confidence above one', { ...loop('a'), confidence: 1.1 }, 'INVALID_INPUT'],
  ])('is rejected when it contains %s', async (_what, unit, code) => {
    const memory = await open(temporaryFolder());
    await expect(memory.units.add(unit)).rejects.toMatchObject({ code });
    expect(await memory.admin.verify()).toMatchObject({ units: 0, problems: [] });
  });
});

describe('a memory id', () => {
  test.each(['', '.', '..', '../x', 'a/b', 'a\\b', '.hidden', 'a b', 'ü', 'x'.repeat(65), 'a\0', 'a\n'])(
    'such as %j is rejected, and no file is created',
    async (memoryId) => {
      const dataDir = join(temporaryFolder(), 'data');
      await expect(open(dataDir, { memoryId })).rejects.toMatchObject({ code: 'INVALID_ID' });
      expect(existsSync(dataDir)).toBe(false);
    },
  );

  test('is the name of the file, in upper and lower case', async () => {
    const dataDir = temporaryFolder();
    await (await open(dataDir, { memoryId: 'A.b-c_9' })).add(GOOD);
    expect(existsSync(join(dataDir, 'memory_A.b-c_9.db'))).toBe(true);
  });
});

test('rejects an unknown time zone', async () => {
  await expect(open(temporaryFolder(), { timeZone: 'Mars/Olympus' })).rejects.toMatchObject({
    code: 'INVALID_INPUT',
  });
});

/** A folder whose `memory_default.db` contains the result of `make`. */
function folderWith(make: (path: string) => void): { dataDir: string; path: string } {
  const dataDir = temporaryFolder();
  const path = join(dataDir, 'memory_default.db');
  make(path);
  return { dataDir, path };
}

async function makeMemory(dataDir: string, turns = 3): Promise<void> {
  const memory = await openMemory({ dataDir, timeZone: 'Asia/Tokyo', embedder: null, worker: false });
  await memory.add(
    Array.from({ length: turns }, (_, turnIndex) => ({
      ...GOOD,
      turnIndex,
      text: `吊り橋 number ${turnIndex}`,
    })),
  );
  await memory.close();
}

function sql(path: string, statements: string): void {
  const db = new DatabaseSync(path);
  db.exec(statements);
  db.close();
}

function schemaOf(path: string): number {
  const db = new DatabaseSync(path);
  const version = db.prepare('PRAGMA user_version').get()?.['user_version'];
  db.close();
  return Number(version);
}

describe('a path that is not a memory file', () => {
  const cases: [what: string, make: (path: string) => void][] = [
    [
      'another program’s database',
      (path) => sql(path, 'CREATE TABLE bookmark (id); INSERT INTO bookmark VALUES (1)'),
    ],
    [
      'another program’s database with our version number',
      (path) => sql(path, 'CREATE TABLE turn (id); PRAGMA user_version = 1'),
    ],
    [
      'another program’s database in WAL mode, of a high version',
      (path) => sql(path, 'PRAGMA journal_mode = WAL; CREATE TABLE turn (id); PRAGMA user_version = 999'),
    ],
    ['a text', (path) => writeFileSync(path, 'Dear diary,\n'.repeat(1_000))],
    // A file of one byte counts as empty to SQLite.
    ['two bytes', (path) => writeFileSync(path, 'xy')],
    ['zeros', (path) => writeFileSync(path, Buffer.alloc(10_000))],
    [
      'random bytes',
      (path) => writeFileSync(path, Buffer.from(Array.from({ length: 9_999 }, (_, i) => (i * i * 31) % 251))),
    ],
  ];

  test.each(cases)('is rejected and left unchanged: %s', async (_what, make) => {
    const { dataDir, path } = folderWith(make);
    const before = readFileSync(path);
    const { mtimeMs } = statSync(path);
    await expect(open(dataDir)).rejects.toMatchObject({ code: 'NOT_A_MEMORY' });
    expect(readFileSync(path).equals(before)).toBe(true);
    expect(statSync(path).mtimeMs).toBe(mtimeMs);
  });

  test('is rejected when it is a folder', async () => {
    const { dataDir } = folderWith((path) => mkdirSync(path));
    await expect(open(dataDir)).rejects.toMatchObject({ code: 'READ_ONLY' });
  });

  test('becomes a memory when it is an empty file', async () => {
    const { dataDir } = folderWith((path) => writeFileSync(path, ''));
    const memory = await open(dataDir);
    await memory.add(GOOD);
    expect(await memory.admin.verify()).toMatchObject({ turns: 1, problems: [] });
  });
});

describe('opening a memory', () => {
  test('rejects a newer schema version and leaves the file unchanged', async () => {
    const dataDir = temporaryFolder();
    const path = join(dataDir, 'memory_default.db');
    await makeMemory(dataDir);
    const version = schemaOf(path);
    sql(path, 'PRAGMA user_version = 999');
    const before = readFileSync(path);
    await expect(open(dataDir)).rejects.toMatchObject({
      code: 'MEMORY_TOO_NEW',
      message: expect.stringContaining('999'),
    });
    expect(readFileSync(path).equals(before)).toBe(true);
    sql(path, `PRAGMA user_version = ${version}`);
    expect(await (await open(dataDir)).admin.verify()).toMatchObject({ turns: 3, problems: [] });
  });

  test.each([0.99, 0.7, 0.3, 0.05])(
    'rejects a file truncated to %d of its bytes without damaging it further',
    async (share) => {
      const dataDir = temporaryFolder();
      const path = join(dataDir, 'memory_default.db');
      await makeMemory(dataDir, 600);
      truncateSync(path, Math.floor(statSync(path).size * share));
      const before = readFileSync(path);
      await expect(open(dataDir)).rejects.toMatchObject({ code: 'NOT_A_MEMORY' });
      expect(readFileSync(path).equals(before)).toBe(true);
    },
  );

  test('reports a page of garbage when it reads it, and never returns wrong text', async () => {
    const dataDir = temporaryFolder();
    const path = join(dataDir, 'memory_default.db');
    await makeMemory(dataDir, 600);
    const bytes = readFileSync(path);
    // Text is encrypted, conversation ids are not. The first page stays intact, because SQLite opens nothing without
    // it.
    const at = Math.max(4_096, Math.floor(bytes.length / 2));
    bytes.fill(0xa5, at - (at % 4_096), at - (at % 4_096) + 4_096);
    writeFileSync(path, bytes);
    const memory = await open(dataDir);
    const outcome = await memory.admin.verify().then(
      ({ problems }) => problems.map((problem) => problem.code),
      (error: { code: string }) => [error.code],
    );
    expect(['NOT_A_MEMORY', 'CHAIN_BROKEN', 'STORE_FAILED']).toContain(outcome[0]);
  });

  test('fails when a file stands in place of a folder', async () => {
    const file = join(temporaryFolder(), 'file');
    writeFileSync(file, 'x');
    await expect(open(join(file, 'data'))).rejects.toMatchObject({ code: 'READ_ONLY' });
    expect(readFileSync(file, 'utf8')).toBe('x');
  });
});
