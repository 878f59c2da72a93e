import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import type { ReorganizationPlan } from '../../src/engine/engine.ts';
import { dump } from '../organize/dump.ts';
import { setEmotions, NOON, openRig, talk, topicOf } from '../organize/rig.ts';
import { forgeTurn } from '../forgedTurns.ts';
import { temporaryFolder } from '../temporary.ts';
import { openTestServer, type TestServer } from './testServer.ts';

const MEMORY = { memoryId: 'm' };
const DAY_MS = 86_400_000;

interface Opened extends TestServer {
  readonly path: string;
  /** Topics, strongest first. */
  readonly topicIds: readonly [bridge: number, guitar: number, tax: number];
}

/** Three topics of six, four and two turns, each a day after the previous one. */
async function open(): Promise<Opened> {
  const dataDir = temporaryFolder();
  const path = `${dataDir}/memory_m.db`;
  const { store } = openRig(path);
  const ids: number[] = [];
  for (const [day, [title, turns]] of (
    [
      ['The bridge', 6],
      ['A guitar', 4],
      ['Taxes', 2],
    ] as const
  ).entries()) {
    const { id } = await topicOf(store, title, {
      theme: day,
      conversationId: `c${day}`,
      turns,
      at: NOON + day * DAY_MS,
      words: (turn) => `${title}, turn ${turn}`,
    });
    ids.push(id);
  }
  const server = openTestServer({ dataDir, modelOverrides: { embedder: null } });
  return { ...server, path, topicIds: ids as [number, number, number] };
}

/** Puts topics below a new one. */
const withParent = (title: string, ...childIds: number[]): ReorganizationPlan => ({
  at: NOON,
  by: 'rules',
  operations: [{ type: 'parent', childIds, parent: { title, summary: null }, reason: 'alike' }],
  refresh: [],
});

async function readAll<Item>(
  read: (query: { limit: number; cursor?: string }) => Promise<{ items: Item[]; nextCursor: string | null }>,
): Promise<Item[]> {
  const items: Item[] = [];
  for (let cursor: string | null | undefined; ;) {
    const page = await read({ limit: 2, ...(cursor && { cursor }) });
    expect(page.items.length).toBeLessThanOrEqual(2);
    items.push(...page.items);
    ({ nextCursor: cursor } = page);
    if (cursor === null) return items;
  }
}

describe('topics', () => {
  test('are listed strongest first, in pages and with filters', async () => {
    const { client, topicIds } = await open();
    const all = await readAll((query) => client.listTopics({ ...MEMORY, query }));
    expect(all.map(({ id }) => id)).toEqual(topicIds);
    expect(all.map(({ members }) => members)).toEqual([6, 4, 2]);
    const idsOf = async (query: NonNullable<Parameters<typeof client.listTopics>[0]['query']>) =>
      (await client.listTopics({ ...MEMORY, query })).items.map(({ id }) => id);
    const [bridge, guitar, tax] = topicIds;
    expect(await idsOf({ from: '2026-03-03', to: '2026-03-04' })).toEqual([guitar]);
    expect(await idsOf({ from: String(NOON + 2 * DAY_MS) })).toEqual([tax]);
    expect(await idsOf({ state: 'archived' })).toEqual([]);
    await client.reorganize({ ...MEMORY, body: { plan: withParent('Joys', bridge, guitar) } });
    const [parent] = (await client.readTopic({ ...MEMORY, topicId: bridge })).parentIds;
    expect(new Set(await idsOf({ parentId: parent! }))).toEqual(new Set([bridge, guitar]));
    expect(new Set(await idsOf({ isRoot: true }))).toEqual(new Set([parent, tax]));
    await expect(idsOf({ isRoot: true, parentId: parent! })).rejects.toMatchObject({
      problem: { errors: [{ in: 'query', pointer: '/isRoot' }] },
    });
    await expect(idsOf({ from: 'the day before' })).rejects.toMatchObject({ code: 'INVALID_TIME' });
  });

  test('are renamed with the version that was read, by a person', async () => {
    const { client, request, token, topicIds } = await open();
    const place = { ...MEMORY, topicId: topicIds[0] };
    const path = `/api/memories/m/topics/${place.topicId}`;
    const headers = { authorization: `Bearer ${token}` };
    const { version } = await client.readTopic(place);
    expect((await request(path, { headers })).headers.get('etag')).toBe(`"${version}"`);
    const renamed = await client.changeTopic({
      ...place,
      body: { title: '那須塩原の吊り橋', expectedVersion: version },
    });
    expect(renamed).toMatchObject({ title: '那須塩原の吊り橋', source: 'user', version: version + 1 });
    await expect(
      client.changeTopic({ ...place, body: { strength: 1, expectedVersion: version } }),
    ).rejects.toMatchObject({ status: 409, code: 'VERSION_CONFLICT' });
    const late = { headers: { 'If-Match': `"${version}"` } };
    await expect(client.changeTopic({ ...place, body: { strength: 1 } }, late)).rejects.toMatchObject({
      status: 412,
    });
    const rated = await client.changeTopic(
      { ...place, body: { strength: 0.9, summary: null } },
      { headers: { 'If-Match': `"${version + 1}"` } },
    );
    expect(rated).toMatchObject({ strength: 0.9, title: '那須塩原の吊り橋', version: version + 2 });
  });

  test('rejects empty and invalid titles, and unknown topics', async () => {
    const { client, topicIds } = await open();
    const place = { ...MEMORY, topicId: topicIds[0] };
    const before = await client.readTopic(place);
    for (const [body, problem] of [
      [{ title: ' \n' }, { code: 'EMPTY_TEXT' }],
      [{ title: 'half \ud83d' }, { code: 'INVALID_TEXT' }],
      [{ title: 'x'.repeat(301) }, { code: 'INVALID_INPUT' }],
      [{ strength: 1.5 }, { code: 'INVALID_INPUT' }],
      [{}, { code: 'INVALID_INPUT' }],
      [{ expectedVersion: 1 }, { code: 'INVALID_INPUT' }],
    ] as const) {
      await expect(client.changeTopic({ ...place, body })).rejects.toMatchObject({ status: 400, ...problem });
    }
    expect(await client.readTopic(place)).toEqual(before);
    const nowhere = { ...MEMORY, topicId: 999 };
    for (const asked of [
      client.readTopic(nowhere),
      client.changeTopic({ ...nowhere, body: { title: 'x' } }),
      client.listTopicEpisodes(nowhere),
    ]) {
      await expect(asked).rejects.toMatchObject({ status: 404, code: 'NOT_FOUND' });
    }
  });

  test('return their episodes in order of time, with those of subtopics, and secrets only on request', async () => {
    const { client, topicIds } = await open();
    const [bridge, guitar] = topicIds;
    await client.reorganize({ ...MEMORY, body: { plan: withParent('Joys', bridge, guitar) } });
    const [parent = 0] = (await client.readTopic({ ...MEMORY, topicId: bridge })).parentIds;
    const place = { ...MEMORY, topicId: parent };
    const all = await readAll((query) => client.listTopicEpisodes({ ...place, query }));
    expect(all.map(({ payload }) => 'text' in payload && payload.text)).toEqual([
      ...Array.from({ length: 6 }, (_, i) => `The bridge, turn ${i}`),
      ...Array.from({ length: 4 }, (_, i) => `A guitar, turn ${i}`),
    ]);
    expect((await client.listTopicEpisodes({ ...place, query: { withDescendants: false } })).items).toEqual(
      [],
    );

    for (const { id: unitId } of all.slice(0, 5)) {
      await client.changeUnit({ ...MEMORY, unitId, body: { sensitivity: 'secret' } });
    }
    const plain = await readAll((query) => client.listTopicEpisodes({ ...place, query }));
    expect(plain.map(({ id }) => id)).toEqual(all.slice(5).map(({ id }) => id));
    const told = await readAll((query) =>
      client.listTopicEpisodes({ ...place, query: { ...query, maxSensitivity: 'secret' } }),
    );
    expect(told.map(({ id }) => id)).toEqual(all.map(({ id }) => id));
    const units = await client.listUnits({ ...MEMORY, query: { topicId: guitar } });
    expect(units.items.map(({ id }) => id)).toEqual(
      all
        .slice(6)
        .map(({ id }) => id)
        .toReversed(),
    );
  });
});

describe('a reorganisation', () => {
  test('is planned, applied and undone, which restores the earlier state', async () => {
    const { client, request, token, path, topicIds } = await open();
    const before = dump(path);
    const proposed = await client.planReorganization(MEMORY);
    expect(proposed.lines[0]).toContain('rules');
    expect(dump(path)).toEqual(before);

    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const plan = withParent('Joys', topicIds[0], topicIds[1]);
    const response = await request('/api/memories/m/reorganizations', {
      method: 'POST',
      headers,
      body: JSON.stringify({ plan }),
    });
    expect(response.status).toBe(201);
    const entry = (await response.json()) as { id: number };
    expect(response.headers.get('location')).toBe(`/api/memories/m/journal/${entry.id}`);
    expect(await client.readJournalEntry({ ...MEMORY, entryId: entry.id })).toMatchObject({
      plan,
      key: null,
      topicsAdded: 1,
      state: 'applied',
    });
    expect(dump(path)).not.toEqual(before);
    const undone = await client.rollback({ ...MEMORY, entryId: entry.id });
    expect(undone).toMatchObject({ id: entry.id, state: 'rolled_back' });
    expect(dump(path)).toEqual(before);
  });

  test('is undone once, after later entries that depend on it, and not when it is unknown', async () => {
    const { client, topicIds } = await open();
    const [bridge, guitar, tax] = topicIds;
    const first = await client.reorganize({ ...MEMORY, body: { plan: withParent('Joys', bridge, guitar) } });
    const second = await client.reorganize({ ...MEMORY, body: { plan: withParent('Life', bridge, tax) } });
    await expect(client.rollback({ ...MEMORY, entryId: first.id })).rejects.toMatchObject({
      status: 409,
      code: 'JOURNAL_CONFLICT',
      message: expect.stringContaining(String(second.id)) as string,
    });
    await client.rollback({ ...MEMORY, entryId: second.id });
    await expect(client.rollback({ ...MEMORY, entryId: second.id })).rejects.toMatchObject({
      status: 409,
      code: 'JOURNAL_CONFLICT',
    });
    await client.rollback({ ...MEMORY, entryId: first.id });
    const entries = await readAll((query) => client.listJournal({ ...MEMORY, query }));
    expect(entries.map(({ id, state }) => [id, state])).toEqual([
      [second.id, 'rolled_back'],
      [first.id, 'rolled_back'],
    ]);
    await expect(client.rollback({ ...MEMORY, entryId: 99 })).rejects.toMatchObject({ status: 404 });
    await expect(client.readJournalEntry({ ...MEMORY, entryId: 99 })).rejects.toMatchObject({ status: 404 });
  });

  test('with an invalid plan changes nothing', async () => {
    const { client, path, topicIds } = await open();
    const [bridge, guitar, tax] = topicIds;
    const merge = (...ids: number[]): ReorganizationPlan => ({
      ...withParent('', 1),
      operations: [{ type: 'merge', topicIds: ids, intoId: bridge, rename: null, reason: 'alike' }],
    });
    await client.reorganize({ ...MEMORY, body: { plan: merge(guitar) } });
    const before = dump(path);
    const wrong: [ReorganizationPlan, string][] = [
      [merge(tax, guitar), `topic ${guitar} is archived`],
      [merge(999), 'topic 999 does not exist'],
      [merge(tax, tax), `topic ${tax} is named twice`],
      [{ ...withParent('Joys', tax), refresh: [999] }, 'refresh names topic 999'],
    ];
    for (const [plan, reason] of wrong) {
      await expect(client.reorganize({ ...MEMORY, body: { plan } })).rejects.toMatchObject({
        status: 400,
        code: 'INVALID_INPUT',
        message: expect.stringContaining(reason) as string,
      });
    }
    const broken = { ...merge(tax), operations: [{ type: 'forget', topicId: tax }] } as never;
    await expect(client.reorganize({ ...MEMORY, body: { plan: broken } })).rejects.toMatchObject({
      problem: { errors: [{ in: 'body', pointer: '/plan/operations/0/type' }] },
    });
    expect(dump(path)).toEqual(before);
    const { items } = await client.listJournal(MEMORY);
    expect(items).toHaveLength(1);
  });

  test('with the same plan is applied once, also when requested at the same time', async () => {
    const { client, topicIds } = await open();
    const [bridge, guitar] = topicIds;
    const reorganize = () =>
      client.reorganize({ ...MEMORY, body: { plan: withParent('Joys', bridge, guitar) } });
    const ended = await Promise.allSettled([reorganize(), reorganize(), reorganize()]);
    expect(ended.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected', 'rejected']);
    await expect(reorganize()).rejects.toMatchObject({ status: 409, code: 'VERSION_CONFLICT' });
    const [entry, ...others] = (await client.listJournal(MEMORY)).items;
    expect(others).toEqual([]);
    await client.rollback({ ...MEMORY, entryId: entry?.id ?? 0 });
    await reorganize();
    expect((await client.readTopic({ ...MEMORY, topicId: bridge })).parentIds).toHaveLength(1);
  });
});

describe('exploring', () => {
  test('shows a topic in order of time, page by page', async () => {
    const { client, topicIds } = await open();
    const seen: string[] = [];
    for (let cursor: string | null | undefined; cursor !== null;) {
      const found = await client.explore({
        ...MEMORY,
        body: { query: { topic: topicIds[0] }, view: 'timeline', limit: 4, ...(cursor && { cursor }) },
      });
      if (found.view !== 'timeline') throw new Error(found.view);
      seen.push(...found.groups.flatMap(({ items }) => items.map(({ quote }) => quote.text)));
      cursor = found.nextCursor;
    }
    expect(seen).toEqual(Array.from({ length: 6 }, (_, i) => `The bridge, turn ${i}`));
  });

  test('works by words in each view, and with an unknown name', async () => {
    const { client, topicIds } = await open();
    const explore = (query: object, options: object = {}) =>
      client.explore({ ...MEMORY, body: { query, ...options } });
    const quotes = await explore({ text: 'turn', keywords: ['guitar', '3'] });
    expect(quotes).toMatchObject({ view: 'quote', nothing: null });
    const [first] = quotes.view === 'quote' ? quotes.quotes : [];
    expect(first?.quote.text).toBe('A guitar, turn 3');
    const topics = await explore({ text: 'guitar' }, { view: 'topic' });
    expect(topics).toMatchObject({ view: 'topic', topics: [{ id: topicIds[1], title: 'A guitar' }] });
    expect(await explore({ topic: 'No such thing' })).toMatchObject({ nothing: { reason: 'unknown_topic' } });
    expect(await explore({ entity: 'Nobody' })).toMatchObject({ nothing: { reason: 'unknown_entity' } });
  });

  test.each([
    ['nothing', { query: {} }, 400, 'INVALID_INPUT'],
    ['an unknown topic', { query: { topic: 999 } }, 404, 'NOT_FOUND'],
    ['an unknown entity', { query: { entity: 999 } }, 404, 'NOT_FOUND'],
    ['an unknown emotion', { query: { emotion: 'hunger' } }, 400, 'INVALID_INPUT'],
    ['an unknown view', { query: { text: 'x' }, view: 'map' }, 400, 'INVALID_INPUT'],
    ['an invalid time', { query: { from: 'soon' } }, 400, 'INVALID_TIME'],
    ['an invalid cursor', { query: { text: 'turn' }, cursor: 'x' }, 400, 'INVALID_INPUT'],
  ])('for %s is rejected', async (_what, body, status, code) => {
    const { client } = await open();
    await expect(client.explore({ ...MEMORY, body: body as never })).rejects.toMatchObject({ status, code });
  });

  test('continues only for the query of the cursor', async () => {
    const { client, topicIds } = await open();
    const body = { query: { topic: topicIds[0] }, view: 'timeline', limit: 2 } as const;
    const { nextCursor } = await client.explore({ ...MEMORY, body });
    const other = { ...body, query: { topic: topicIds[1] }, cursor: nextCursor ?? '' };
    await expect(client.explore({ ...MEMORY, body: other })).rejects.toMatchObject({
      status: 400,
      code: 'INVALID_INPUT',
    });
    await expect(client.listTopics({ ...MEMORY, query: { cursor: nextCursor ?? '' } })).rejects.toMatchObject(
      { status: 400 },
    );
  });
});

test('an utterance recalls turns and their topics', async () => {
  const { client, topicIds } = await open();
  const bundle = await client.autoRecall({ ...MEMORY, body: { utterance: 'that guitar', limit: 4 } });
  expect(bundle.topics[0]).toMatchObject({ id: topicIds[1], title: 'A guitar' });
  expect(bundle.highlights[0]).toMatchObject({ conversationId: 'c1', topicIds: [topicIds[1]] });
  expect(bundle.highlights[0]?.quote.text).toMatch(/^A guitar, turn \d$/);
  expect(bundle.why.length).toBeGreaterThan(0);
  await expect(client.autoRecall({ ...MEMORY, body: { utterance: ' ' } })).rejects.toMatchObject({
    code: 'EMPTY_TEXT',
  });
});

describe('recall', () => {
  async function remembering(): Promise<TestServer & { readonly ids: readonly number[] }> {
    const dataDir = temporaryFolder();
    const { store } = openRig(`${dataDir}/memory_m.db`);
    const said = ['The harbour in the rain', 'Our harbour party with everyone'];
    const words = (turn: number) => said[turn] ?? '';
    const ids = await talk(store, { theme: 0, conversationId: 'c', turns: 2, words });
    await setEmotions(store, ids[0]!, { sadness: 1 });
    await setEmotions(store, ids[1]!, { hope: 1, joy: 1 });
    const profiles = [{ name: 'mine', base: 'associative', weights: { recency: 0, emotion: 0.9 } }] as const;
    return { ...openTestServer({ dataDir, profiles, modelOverrides: { embedder: null } }), ids };
  }

  test('takes a mood, and a custom profile by its name', async () => {
    const { client, ids } = await remembering();
    const emotion = { values: { sadness: 0.8 }, confidence: 1 };
    for (const [emotionMode, first] of [
      ['congruent', ids[0]],
      ['supportive', ids[1]],
    ] as const) {
      const body = { utterance: 'harbour', profile: 'mine', emotion, emotionMode };
      const { hits, metadata } = await client.recall({ ...MEMORY, body });
      expect(hits[0]?.unitId).toBe(first);
      expect(metadata.profile).toBe('mine');
    }
  });

  test.each([
    ['an unknown profile', { profile: 'yours' }],
    ['an unknown mode', { emotionMode: 'angry' }],
    ['an unknown emotion', { emotion: { values: { hunger: 1 }, confidence: 1 } }],
  ])('rejects %s', async (_what, options) => {
    const { client } = await remembering();
    const body = { utterance: 'harbour', ...options } as never;
    await expect(client.recall({ ...MEMORY, body })).rejects.toMatchObject({
      status: 400,
      code: 'INVALID_INPUT',
    });
  });
});

describe('history and checkpoints', () => {
  test('a fact has a history, with the turns that state it', async () => {
    const { client } = openTestServer();
    const turns = ['私は大阪に住んでいる。', '私は今、京都に住んでいる。'].map((text, i) => ({
      conversationId: 'c',
      speaker: 'user',
      text,
      occurredAt: NOON + i * DAY_MS,
    }));
    const kept = await client.ingestTurns({ ...MEMORY, body: { turns } });
    const lives = { subject: '私', predicate: '住んでいる' };
    const add = (object: string, i: number, validTo: number | null) =>
      client.createUnit({
        ...MEMORY,
        body: {
          content: {
            kind: 'fact',
            payload: {
              ...lives,
              object,
              validFrom: NOON + i * DAY_MS,
              validTo,
              evidence: [kept.turns[i]!.unitId],
            },
          },
        },
      });
    const before = await add('大阪', 0, NOON + DAY_MS);
    const now = await add('京都', 1, null);
    const { items } = await client.readFactHistory({ ...MEMORY, unitId: now.id });
    expect(items.map(({ unitId, object, validTo }) => [unitId, object, validTo])).toEqual([
      [before.id, '大阪', NOON + DAY_MS],
      [now.id, '京都', null],
    ]);
    expect(items[0]?.evidence[0]).toMatchObject({ conversationId: 'c', turnIndex: 0, text: turns[0]?.text });
    await expect(client.readFactHistory({ ...MEMORY, unitId: 999 })).rejects.toMatchObject({ status: 404 });
    const { unitId = 0 } = kept.turns[0] ?? {};
    await expect(client.readFactHistory({ ...MEMORY, unitId })).rejects.toMatchObject({
      status: 400,
      code: 'INVALID_INPUT',
    });
  });

  test('turns are signed, and a rewritten turn is named', async () => {
    const { client, path } = await open();
    const { checkpoint } = await client.createCheckpoint(MEMORY);
    expect(checkpoint).toMatchObject({ turnId: 12 });
    expect(await client.createCheckpoint(MEMORY)).toEqual({ checkpoint: null });
    expect(await client.listCheckpoints(MEMORY)).toEqual({ items: [checkpoint], total: 1 });
    expect(await client.verifyMemory(MEMORY)).toMatchObject({
      checkpoints: 1,
      firstBadTurn: null,
      problems: [],
    });
    const db = new DatabaseSync(path);
    db.exec('DROP TRIGGER turn_is_never_updated');
    for (const turnId of [8]) forgeTurn(db, turnId, { text: 'Never mind' });
    db.close();
    const { firstBadTurn, problems } = await client.verifyMemory(MEMORY);
    expect(firstBadTurn).toEqual({ turnId: 8, conversationId: 'c1', turnIndex: 1 });
    expect(problems.map(({ code }) => code)).toEqual(
      expect.arrayContaining(['SCHEMA_WRONG', 'CHAIN_BROKEN']),
    );
  });
});
