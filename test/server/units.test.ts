import { describe, expect, test } from 'vitest';
import { openTestServer, type TestServer } from './testServer.ts';

const MEMORY = { memoryId: 'default' };
const LOOP = { kind: 'loop', payload: { text: '吊り橋の写真を送る' } } as const;

async function open(): Promise<TestServer & { readonly unitId: number }> {
  const server = openTestServer();
  const { id } = await server.client.createUnit({ ...MEMORY, body: { content: LOOP } });
  return { ...server, unitId: id };
}

describe('a change', () => {
  test('names the version that was read, and fails when it is not current', async () => {
    const { client, unitId } = await open();
    const place = { ...MEMORY, unitId };
    await client.changeUnit({ ...place, body: { salience: 0.9, expectedVersion: 1 } });
    await expect(
      client.changeUnit({ ...place, body: { salience: 0.1, expectedVersion: 1 } }),
    ).rejects.toMatchObject({
      status: 409,
      code: 'VERSION_CONFLICT',
    });
    const late = { headers: { 'If-Match': '"1"' } };
    await expect(client.changeUnit({ ...place, body: { salience: 0.1 } }, late)).rejects.toMatchObject({
      status: 412,
      code: 'PRECONDITION_FAILED',
    });
    await expect(client.archiveUnit(place, late)).rejects.toMatchObject({ status: 412 });
    await expect(client.restoreUnit({ ...place, body: { version: 1 } }, late)).rejects.toMatchObject({
      status: 412,
    });
    expect(await client.readUnit(place)).toMatchObject({ salience: 0.9, version: 2, state: 'validated' });
    const inTime = await client.changeUnit(
      { ...place, body: { pinned: true } },
      { headers: { 'If-Match': '"2"' } },
    );
    expect(inTime).toMatchObject({ pinned: true, version: 3 });
    await client.changeUnit({ ...place, body: { pinned: false } }, { headers: { 'If-Match': '*' } });
  });

  test('is rejected with an invalid version', async () => {
    const { client, unitId } = await open();
    for (const header of ['1', 'W/"1"', '"one"', '"1", "2"']) {
      await expect(
        client.changeUnit({ ...MEMORY, unitId, body: { pinned: true } }, { headers: { 'If-Match': header } }),
      ).rejects.toMatchObject({ status: 400, problem: { errors: [{ in: 'header', pointer: '/If-Match' }] } });
    }
  });

  test('of text is found by the new words; the earlier text is kept as a version', async () => {
    const { client, unitId } = await open();
    const place = { ...MEMORY, unitId };
    const content = { kind: 'loop', payload: { text: '歯医者を予約する', status: 'done' } } as const;
    await client.changeUnit({ ...place, body: { content, reason: 'it was the dentist' } });
    const recalled = await client.recall({ ...MEMORY, body: { utterance: '歯医者', kinds: ['loop'] } });
    expect(recalled.hits.map((hit) => hit.unitId)).toEqual([unitId]);
    const { items } = await client.listUnitVersions(place);
    expect(items.map(({ reason }) => reason)).toEqual(['remembered', 'it was the dentist']);
    expect(items[0]?.snapshot).toMatchObject({ payload: { text: '吊り橋の写真を送る' } });
    expect((await client.restoreUnit({ ...place, body: { version: 1 } })).payload).toMatchObject(
      LOOP.payload,
    );
  });

  test('that is empty, or of another kind, is rejected and changes nothing', async () => {
    const { client, unitId } = await open();
    const place = { ...MEMORY, unitId };
    await expect(client.changeUnit({ ...place, body: { reason: 'why not' } })).rejects.toMatchObject({
      status: 400,
    });
    const content = { kind: 'capsule', payload: { text: 'tired' } } as const;
    await expect(client.changeUnit({ ...place, body: { content } })).rejects.toMatchObject({
      code: 'INVALID_INPUT',
    });
    await expect(client.restoreUnit({ ...place, body: { version: 9 } })).rejects.toMatchObject({
      status: 404,
    });
    await expect(client.changeUnit({ ...MEMORY, unitId: 99, body: { pinned: true } })).rejects.toMatchObject({
      status: 404,
    });
    expect((await client.readUnit(place)).version).toBe(1);
  });

  test('of an episode does not change its text', async () => {
    const { client } = openTestServer();
    const turn = { conversationId: 'c', speaker: 'user', text: '山に登った' };
    const { turns } = await client.ingestTurns({ ...MEMORY, body: { turns: [turn] } });
    const place = { ...MEMORY, unitId: turns[0]?.unitId ?? 0 };
    const noted = await client.changeUnit({ ...place, body: { notes: { contextNote: '八ヶ岳' } } });
    expect(noted.payload).toMatchObject({ text: '山に登った', contextNote: '八ヶ岳' });
    expect((await client.verifyMemory(MEMORY)).problems).toEqual([]);
  });

  test('returns the version in the header ETag, as does reading', async () => {
    const { request, token, unitId } = await open();
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const path = `/api/memories/default/units/${unitId}`;
    expect((await request(path, { headers })).headers.get('etag')).toBe('"1"');
    const changed = await request(path, { method: 'PATCH', headers, body: '{"pinned":true}' });
    expect(changed.headers.get('etag')).toBe('"2"');
    const made = await request('/api/memories/default/units', {
      method: 'POST',
      headers,
      body: JSON.stringify({ content: LOOP }),
    });
    expect(made.status).toBe(201);
    expect(made.headers.get('location')).toBe(`/api/memories/default/units/${unitId + 1}`);
  });
});

describe('lists', () => {
  async function openMany(): Promise<TestServer> {
    const server = openTestServer();
    const turns = Array.from({ length: 25 }, (_, i) => ({
      conversationId: `c${i % 3}`,
      speaker: 'user',
      text: `山の話 ${i}`,
      occurredAt: new Date(Date.UTC(2026, 0, 1 + i)).toISOString(),
    }));
    await server.client.ingestTurns({ ...MEMORY, body: { turns } });
    return server;
  }

  /** Every item, page by page. */
  async function readAll<Item>(
    read: (query: {
      limit: number;
      cursor?: string;
    }) => Promise<{ items: Item[]; nextCursor: string | null }>,
  ): Promise<{ items: Item[]; pages: number }> {
    const items: Item[] = [];
    for (let cursor: string | null | undefined, pages = 1; ; pages += 1) {
      const page = await read({ limit: 7, ...(cursor && { cursor }) });
      expect(page.items.length).toBeLessThanOrEqual(7);
      items.push(...page.items);
      ({ nextCursor: cursor } = page);
      if (cursor === null) return { items, pages };
    }
  }

  test('return everything once in pages, also while the memory grows', async () => {
    const { client } = await openMany();
    let grown = false;
    const { items, pages } = await readAll(async (query) => {
      const page = await client.listUnits({ ...MEMORY, query });
      const turn = { conversationId: 'c0', speaker: 'user', text: '新しい話' };
      if (!grown) await client.ingestTurns({ ...MEMORY, body: { turns: [turn] } });
      grown = true;
      return page;
    });
    expect(pages).toBe(4);
    expect(new Set(items.map(({ id }) => id)).size).toBe(25);
    expect(items.map(({ occurredAt }) => occurredAt)).toEqual(
      items.map(({ occurredAt }) => occurredAt).toSorted((a, b) => b - a),
    );
  });

  test('of conversations, turns and jobs have pages, too', async () => {
    const { client } = await openMany();
    expect((await readAll((query) => client.listConversations({ ...MEMORY, query }))).items).toHaveLength(3);
    const turns = await readAll((query) => client.listTurns({ ...MEMORY, conversationId: 'c1', query }));
    expect(turns.items.map(({ turnIndex }) => turnIndex)).toEqual([7, 6, 5, 4, 3, 2, 1, 0]);
    const { jobs } = await client.readStats(MEMORY);
    const queued = await readAll((query) => client.listJobs({ ...MEMORY, query }));
    expect(new Set(queued.items.map(({ id }) => id)).size).toBe(jobs.queued);
  });

  test('are filtered', async () => {
    const { client } = await openMany();
    const count = async (query: Parameters<typeof client.listUnits>[0]['query']) =>
      (await client.listUnits({ ...MEMORY, query: { limit: 200, ...query } })).items.length;
    expect(await count({ conversationId: 'c1' })).toBe(8);
    expect(await count({ from: '2026-01-20T00:00:00Z' })).toBe(6);
    expect(await count({ to: '2026-01-03T00:00:00Z' })).toBe(2);
    expect(await count({ from: String(Date.UTC(2026, 0, 20)) })).toBe(6);
    expect(await count({ kinds: ['fact', 'loop'] })).toBe(0);
    expect(await count({ source: 'import' })).toBe(0);
    await client.changeUnit({ ...MEMORY, unitId: 3, body: { pinned: true, topicTags: ['山'] } });
    expect(await count({ pinned: true })).toBe(1);
    expect(await count({ topicTag: '山' })).toBe(1);
    await client.archiveUnit({ ...MEMORY, unitId: 4 });
    expect(await count({})).toBe(24);
    expect(await count({ archived: true })).toBe(25);
    expect(await count({ states: ['archived'] })).toBe(1);
    await client.changeUnit({ ...MEMORY, unitId: 5, body: { sensitivity: 'secret' } });
    expect(await count({})).toBe(23);
    expect(await count({ maxSensitivity: 'secret' })).toBe(24);
  });

  test('of derived units are filtered by text, page by page', async () => {
    const { client } = openTestServer();
    for (let i = 0; i < 20; i += 1) {
      const status = i % 4 === 0 ? 'open' : 'done';
      const loop = { kind: 'loop', payload: { text: `loop ${i}`, status } } as const;
      await client.createUnit({ ...MEMORY, body: { content: loop, occurredAt: i + 1 } });
      const payload = {
        subject: i % 2 ? 'user' : '田中',
        predicate: 'said',
        object: String(i),
        validTo: i < 6 ? 5 : null,
      };
      await client.createUnit({ ...MEMORY, body: { content: { kind: 'fact', payload }, occurredAt: i + 1 } });
    }
    const loops = await readAll((query) =>
      client.listLoops({ ...MEMORY, query: { ...query, status: 'open' } }),
    );
    expect(loops.items.map(({ payload }) => payload.text)).toEqual([
      'loop 16',
      'loop 12',
      'loop 8',
      'loop 4',
      'loop 0',
    ]);
    const facts = await readAll((query) =>
      client.listFacts({ ...MEMORY, query: { ...query, subject: '田中', current: true } }),
    );
    expect(facts.items.map(({ payload }) => payload.object)).toEqual([
      '18',
      '16',
      '14',
      '12',
      '10',
      '8',
      '6',
    ]);
    expect((await client.listFacts({ ...MEMORY, query: { current: false } })).items).toHaveLength(6);
  });

  test('reject the cursor of another list', async () => {
    const { client } = await openMany();
    const { nextCursor } = await client.listUnits({ ...MEMORY, query: { limit: 2 } });
    await expect(
      client.listConversations({ ...MEMORY, query: { cursor: nextCursor ?? '' } }),
    ).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });
});

test('unknown jobs are rejected, and listed jobs omit their images', async () => {
  const { client } = await open();
  await expect(client.runJob({ ...MEMORY, jobId: 999 })).rejects.toMatchObject({ status: 404 });
  await expect(client.retryJob({ ...MEMORY, jobId: 999 })).rejects.toMatchObject({ status: 404 });
  const images = [`data:image/png;base64,${'A'.repeat(4_000)}`];
  await client.notify({ body: { from: 'camera', message: '写真です', images } });
  const { items } = await client.listJobs({ ...MEMORY, query: { kind: 'respond' } });
  expect(JSON.stringify(items).length).toBeLessThan(1_000);
});

test('an entity cannot be merged into itself, and an unknown one is not found', async () => {
  const { client } = await open();
  await expect(client.readEntity({ ...MEMORY, entityId: 5 })).rejects.toMatchObject({ status: 404 });
  await expect(client.changeEntity({ ...MEMORY, entityId: 5, body: { name: 'x' } })).rejects.toMatchObject({
    status: 404,
  });
  await expect(client.mergeEntity({ ...MEMORY, entityId: 5, body: { into: 5 } })).rejects.toMatchObject({
    problem: { errors: [{ pointer: '/into' }] },
  });
});

describe('forgetting several units', () => {
  test('erases turns and derived units together, with one receipt', async () => {
    const { client, unitId } = await open();
    const turns = ['The first secret.', 'Something else.'].map((text) => ({
      conversationId: 'c',
      speaker: 'user',
      text,
    }));
    const kept = await client.ingestTurns({ ...MEMORY, body: { turns } });
    const [first, second] = kept.turns.map((turn) => turn.unitId);
    const units = [unitId, first ?? 0, unitId];
    const planned = await client.forget({ ...MEMORY, body: { units, dryRun: true } });
    expect(planned).toMatchObject({ counts: { episode: 1, loop: 1 }, receipt: null });
    const { receipt } = await client.forget({ ...MEMORY, body: { units } });
    expect(receipt).toMatchObject({ what: 'unit', turns: [[1, 1]], counts: { episode: 1, loop: 1 } });
    const left = await client.listUnits({ ...MEMORY, query: { kinds: ['episode', 'loop'] } });
    expect(left.items.map(({ id }) => id)).toEqual([second]);
    expect(await client.verifyMemory(MEMORY)).toMatchObject({ problems: [], forgotten: 1 });
  });

  test('erases nothing when one of them is missing or a note', async () => {
    const { client, unitId } = await open();
    const payload = { uri: 'a.md', section: 'A', memoryType: 'fact', text: 'Tea.', tokenCount: 1 } as const;
    const note = await client.createUnit({ ...MEMORY, body: { content: { kind: 'note', payload } } });
    for (const [other, status] of [
      [9_999, 404],
      [note.id, 400],
    ] as const)
      await expect(client.forget({ ...MEMORY, body: { units: [unitId, other] } })).rejects.toMatchObject({
        status,
      });
    expect((await client.readUnit({ ...MEMORY, unitId })).version).toBe(1);
  });
});
