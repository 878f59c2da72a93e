import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MAX_TEXT_LENGTH, type NewTurn } from '../model/model.ts';
import { openSqliteStore } from '../store/sqlite/sqlite.ts';
import type { Store } from '../store/store.ts';
import { ingestAll, ingestTurn, type IncomingItem, type IngestDependencies } from './ingest.ts';

const NOW = Date.parse('2026-03-11T12:00:00Z');
const TURN: NewTurn = { conversationId: 'c', turnIndex: 0, speaker: 'user', text: 'We crossed the bridge.' };

let store: Store;
let dependencies: IngestDependencies;

beforeEach(() => {
  store = openSqliteStore(':memory:', { memoryId: 'ingest', timeZone: 'Asia/Tokyo' });
  dependencies = { store, now: () => NOW, jobKinds: ['embed'] };
});
afterEach(async () => {
  await store.close();
});

const turns = () => store.evidence.page({ afterId: 0, limit: 10_000 });

describe('ingestTurn', () => {
  it('stores the turn word for word, with its episode and its job', async () => {
    const meta = { channel: 'app', tags: ['trip', null], nested: { n: 1 } };
    const text = '　那須塩原の吊り橋、\r\nすごく揺れたね。👩‍👩‍👧 ';
    const appended = await ingestTurn(dependencies, {
      ...TURN,
      text,
      meta,
      turnIndex: 7,
      occurredAt: '2024-05-01T10:00',
      source: 'notification',
      sensitivity: 'private',
      scope: 'project',
      imageSummary: 'a bridge',
    });
    expect(appended).toMatchObject({ turnIndex: 7, isNew: true });
    const [turn] = await store.evidence.get([appended.turnId]);
    const occurredAt = Date.parse('2024-05-01T10:00+09:00');
    expect(turn).toMatchObject({ conversationId: 'c', speaker: 'user', text, meta, occurredAt });
    const [unit] = await store.units.get([appended.unitId]);
    expect(unit).toMatchObject({
      kind: 'episode',
      source: 'notification',
      sensitivity: 'private',
      scope: 'project',
      occurredAt,
      payload: { turnId: appended.turnId, imageSummary: 'a bridge' },
    });
    expect(await store.jobs.list({ limit: 10 })).toMatchObject([{ kind: 'embed', conversationId: 'c' }]);
  });

  it('sets defaults for missing fields', async () => {
    const { turnId, unitId, turnIndex } = await ingestTurn(dependencies, {
      conversationId: 'c',
      speaker: 'ai',
      text: 'Hello.',
    });
    expect(turnIndex).toBe(0);
    expect(await store.evidence.get([turnId])).toMatchObject([{ occurredAt: NOW, meta: {} }]);
    expect(await store.units.get([unitId])).toMatchObject([
      { source: 'chat', sensitivity: 'normal', scope: 'global', payload: { imageSummary: null } },
    ]);
  });

  it('takes the next free index in the conversation', async () => {
    const place = async (turn: Partial<NewTurn>) =>
      (await ingestTurn(dependencies, { conversationId: 'c', speaker: 'user', text: 'Again.', ...turn }))
        .turnIndex;
    expect([await place({}), await place({}), await place({ turnIndex: 9 }), await place({})]).toEqual([
      0, 1, 9, 10,
    ]);
    expect(await place({ conversationId: 'd' })).toBe(0);
  });

  it.each([
    new Date('2024-05-01T01:00:00Z'),
    Date.parse('2024-05-01T01:00:00Z'),
    '2024-05-01T10:00',
    '2024-05-01T03:00+02:00',
  ])('parses the time %s', async (occurredAt) => {
    const { turnId } = await ingestTurn(dependencies, { ...TURN, occurredAt });
    expect((await store.evidence.get([turnId]))[0]?.occurredAt).toBe(Date.parse('2024-05-01T01:00:00Z'));
  });

  it('does nothing the second time, and returns the same ids', async () => {
    const first = await ingestTurn(dependencies, TURN);
    const again = await ingestTurn(dependencies, { ...TURN, occurredAt: '2030-01-01' });
    expect(again).toEqual({ ...first, isNew: false });
    expect(await turns()).toHaveLength(1);
    expect(await store.jobs.count()).toMatchObject({ queued: 1 });
  });

  it.each([
    ['text', { text: 'We crossed another bridge.' }],
    ['speaker', { speaker: 'ai' }],
  ])('rejects another %s with the same index, and keeps the first', async (_what, other) => {
    await ingestTurn(dependencies, TURN);
    await expect(ingestTurn(dependencies, { ...TURN, ...other })).rejects.toMatchObject({
      code: 'TURN_CONFLICT',
    });
    expect(await turns()).toMatchObject([TURN]);
  });

  it.each([
    ['EMPTY_TEXT', 'no text', { text: '' }],
    ['EMPTY_TEXT', 'white space', { text: ' \n\u3000\t' }],
    ['TEXT_TOO_LONG', 'a text one unit too long', { text: 'x'.repeat(MAX_TEXT_LENGTH + 1) }],
    ['INVALID_TEXT', 'a NUL', { text: 'a\0b' }],
    ['INVALID_TEXT', 'a high surrogate alone', { text: 'half an emoji \ud83d' }],
    ['INVALID_TEXT', 'a low surrogate alone', { text: '\udc4d half an emoji' }],
    ['INVALID_TEXT', 'a NUL in the image', { imageSummary: 'a\0b' }],
    ['INVALID_ID', 'no conversation', { conversationId: '' }],
    ['INVALID_ID', 'a conversation with a slash', { conversationId: 'a/b' }],
    ['INVALID_ID', 'a conversation with a backslash', { conversationId: String.raw`..\up` }],
    ['INVALID_ID', 'a conversation too long', { conversationId: 'x'.repeat(257) }],
    ['INVALID_ID', 'a conversation with half an emoji', { conversationId: '\ud83d' }],
    ['INVALID_ID', 'a nameless speaker', { speaker: ' ' }],
    ['INVALID_ID', 'a speaker on two lines', { speaker: 'line\nbreak' }],
    ['INVALID_TIME', 'a time in words', { occurredAt: 'yesterday' }],
    ['INVALID_TIME', 'a day that is not', { occurredAt: '2024-02-30T10:00' }],
    ['INVALID_TIME', 'a year too late', { occurredAt: '+012024-01-01T00:00:00Z' }],
    ['INVALID_TIME', 'an instant too late', { occurredAt: Number.MAX_SAFE_INTEGER }],
    ['INVALID_INPUT', 'an instant that is no number', { occurredAt: Number.NaN }],
    ['INVALID_INPUT', 'a Date that is none', { occurredAt: new Date(Number.NaN) }],
    ['INVALID_INPUT', 'a negative index', { turnIndex: -1 }],
    ['INVALID_INPUT', 'half an index', { turnIndex: 1.5 }],
    ['INVALID_INPUT', 'an index too large', { turnIndex: 2 ** 31 }],
    ['INVALID_INPUT', 'a text left out', { text: undefined }],
    ['INVALID_INPUT', 'a number for a speaker', { speaker: 7 }],
    ['INVALID_INPUT', 'a function in the meta', { meta: { f: () => 1 } }],
    ['INVALID_INPUT', 'a list for the meta', { meta: [] }],
    ['INVALID_INPUT', 'an unknown sensitivity', { sensitivity: 'public' }],
    ['INVALID_INPUT', 'an unknown source', { source: 'telepathy' }],
  ])('rejects with %s: %s', async (code, _what, wrong) => {
    const given = { ...TURN, ...wrong } as unknown as NewTurn;
    await expect(ingestTurn(dependencies, given)).rejects.toMatchObject({ name: 'MemoryError', code });
    expect(await turns()).toEqual([]);
    expect(await store.jobs.count()).toMatchObject({ queued: 0 });
  });

  it('explains the error', async () => {
    const refusal = ingestTurn(dependencies, { ...TURN, turnIndex: -1, source: 'x' as 'chat' });
    await expect(refusal).rejects.toThrow(/turnIndex: .*; source: /u);
    await expect(ingestTurn(dependencies, null as unknown as NewTurn)).rejects.toMatchObject({
      code: 'INVALID_INPUT',
    });
  });

  it('accepts a text of the maximum length', async () => {
    const { turnId } = await ingestTurn(dependencies, { ...TURN, text: '猫'.repeat(MAX_TEXT_LENGTH) });
    expect((await store.evidence.get([turnId]))[0]?.text.length).toBe(MAX_TEXT_LENGTH);
  });
});

describe('ingestAll', () => {
  const item = (line: number, turn: Partial<NewTurn>): Extract<IncomingItem, { type: 'turn' }> => ({
    type: 'turn',
    place: `line ${line}`,
    turn: { conversationId: 'c', speaker: 'user', text: `Said on line ${line}.`, ...turn },
  });
  const many = (count: number) => Array.from({ length: count }, (_, i) => item(i + 1, { turnIndex: i }));

  it('stores everything in batches, and reports each batch when it is stored', async () => {
    const progress: { read: number; added: number; kept: number }[] = [];
    let pulled = 0;
    const report = await ingestAll(
      dependencies,
      (function* () {
        for (const each of many(600)) {
          pulled += 1;
          yield each;
        }
      })(),
      { onProgress: (at) => progress.push({ ...at, kept: pulled }) },
    );
    expect(report).toMatchObject({ read: 600, added: 600, known: 0, problems: [] });
    expect(progress.at(-1)).toMatchObject({ read: 600, added: 600 });
    expect(progress.length).toBeGreaterThan(2);
    // Every batch is written before more items are read, which limits memory use.
    for (const { read, added, kept } of progress) expect([added, kept]).toEqual([read, read]);
    expect(await turns()).toHaveLength(600);
  });

  it('assigns indexes in order to turns without one', async () => {
    const given = Array.from({ length: 300 }, (_, i) => item(i + 1, { conversationId: `c${i % 2}` }));
    await ingestAll(dependencies, given);
    const kept = (await turns()).filter((turn) => turn.conversationId === 'c1');
    expect(kept.map((turn) => turn.turnIndex)).toEqual(kept.map((_, i) => i));
    expect(kept.map((turn) => turn.text)).toEqual(kept.map((_, i) => `Said on line ${2 * i + 2}.`));
  });

  it('reports invalid turns by line and reason, and stores the others', async () => {
    await ingestTurn(dependencies, { ...TURN, conversationId: 'known', turnIndex: 3 });
    const report = await ingestAll(dependencies, [
      item(1, { turnIndex: 0 }),
      item(2, { text: '' }),
      { type: 'problem', place: 'line 3', line: 3, code: 'UNKNOWN_FORMAT', reason: 'Not JSON.' },
      item(4, { conversationId: 'known', turnIndex: 3 }),
      item(5, { turnIndex: 0, text: 'Said on line 1?' }),
      { ...item(6, { speaker: 'a/b' }), place: 'turn 6' },
      item(7, { turnIndex: 1 }),
      item(8, { turnIndex: 1, text: 'Said on line 7.' }),
    ]);
    expect(report).toMatchObject({ read: 8, added: 2, known: 1 });
    expect(report.problems.map(({ place, line, code }) => [place, line, code])).toEqual([
      ['line 2', 2, 'EMPTY_TEXT'],
      ['line 3', 3, 'UNKNOWN_FORMAT'],
      ['turn 6', null, 'INVALID_ID'],
      ['line 4', 4, 'TURN_CONFLICT'],
      ['line 5', 5, 'TURN_CONFLICT'],
    ]);
    expect(report.problems.every(({ reason }) => reason.length > 10 || reason === 'Not JSON.')).toBe(true);
    const said = (await turns()).map((turn) => turn.text);
    expect(said).toEqual([TURN.text, 'Said on line 1.', 'Said on line 7.']);
  });

  it('keeps the order around a conflict in the middle of a batch', async () => {
    const items = many(200).map((each) => ({ ...each, turn: { ...each.turn } }));
    for (const each of items) delete each.turn.turnIndex;
    await ingestTurn(dependencies, { ...TURN, conversationId: 'other' });
    items.splice(100, 0, item(0, { conversationId: 'other', turnIndex: 0 }));
    const report = await ingestAll(dependencies, items);
    expect(report).toMatchObject({ added: 200, problems: [{ code: 'TURN_CONFLICT' }] });
    const kept = (await turns()).filter((turn) => turn.conversationId === 'c');
    expect(kept.map((turn) => [turn.turnIndex, turn.text])).toEqual(
      kept.map((_, i) => [i, `Said on line ${i + 1}.`]),
    );
  });

  it('completes an interrupted import without duplicates', async () => {
    await ingestAll(dependencies, many(100));
    const report = await ingestAll(dependencies, many(300));
    expect(report).toMatchObject({ read: 300, added: 200, known: 100, problems: [] });
    expect(await turns()).toHaveLength(300);
    expect(await store.jobs.count()).toMatchObject({ queued: 300 });
  });

  it('stops between batches when it is aborted, and keeps what it reported', async () => {
    const stop = new AbortController();
    let reported = 0;
    const report = await ingestAll(dependencies, many(1_000), {
      signal: stop.signal,
      onProgress: ({ added }) => {
        reported = added;
        stop.abort();
      },
    });
    expect(report.added).toBe(reported);
    expect(report.read).toBe(reported);
    expect(reported).toBeGreaterThan(0);
    expect(reported).toBeLessThan(1_000);
    expect(await turns()).toHaveLength(reported);
    const none = await ingestAll(dependencies, many(10), { signal: stop.signal });
    expect(none).toMatchObject({ read: 0, added: 0 });
  });

  it('reads items as they arrive, and rethrows an error of their source', async () => {
    async function* source() {
      yield* many(300);
      throw new Error('the cable was pulled');
    }
    await expect(ingestAll(dependencies, source())).rejects.toThrow('the cable was pulled');
    const kept = await turns();
    expect(kept.length).toBeGreaterThan(0);
    expect(kept.map((turn) => turn.turnIndex)).toEqual(kept.map((_, i) => i));
  });

  it('stores nothing from an empty source', async () => {
    expect(await ingestAll(dependencies, [])).toMatchObject({ read: 0, added: 0, known: 0, problems: [] });
  });
});
