import { describe, expect, test } from 'vitest';
import { newUnitSchema } from '../../src/model/model.ts';
import { terms } from '../../src/text/text.ts';
import type { OpenStore } from './storeUnderTest.ts';
import { draft, find, openMemory, say, START } from './samples.ts';

export function describeTurns(open: OpenStore): void {
  describe('turns', () => {
    test.each([
      ['the last turn', [2], 'the last one is 1'],
      ['every turn', [1, 2], 'the last one is 0'],
    ])(
      'are not added after %s was deleted by hand, until the units are rebuilt',
      async (_, turnIds, message) => {
        const { store, damage } = await openMemory(open);
        await say(store, 'a', 'b');
        for (const turnId of turnIds) await damage({ type: 'turn gone', turnId });
        await expect(say(store, 'c')).rejects.toMatchObject({
          code: 'CHAIN_BROKEN',
          message: expect.stringContaining(message) as string,
        });
        expect(await find(store, 'c')).toEqual([]);
        await store.admin.rebuild('units', { now: START, jobKinds: [], dropVectors: false });
        await say(store, 'c');
        expect(await store.evidence.head()).toMatchObject({ turnId: 3 - turnIds.length });
      },
    );

    test('are returned as they were sent, each with its episode', async () => {
      const { store, clock } = await openMemory(open);
      clock.now = START + 5;
      const text = '👨‍👩‍👧と那須塩原へ。\n吊り橋、揺れた！ é ≠ é';
      const [appended] = await store.evidence.append([
        draft(text, {
          conversationId: '旅行',
          turnIndex: 7,
          speaker: '美咲',
          occurredAt: START - 1,
          meta: { id: 'x', nested: { list: [1, null, 'ü'] } },
          source: 'import',
          sensitivity: 'private',
          scope: 'project',
          imageSummary: '橋の写真',
        }),
      ]);
      expect(appended).toEqual({ turnId: 1, unitId: 1, turnIndex: 7, isNew: true });
      expect(await store.evidence.get([1])).toEqual([
        {
          id: 1,
          conversationId: '旅行',
          turnIndex: 7,
          speaker: '美咲',
          text,
          occurredAt: START - 1,
          meta: { id: 'x', nested: { list: [1, null, 'ü'] } },
          contentHash: expect.stringMatching(/^[0-9a-f]{64}$/),
          chainHash: expect.stringMatching(/^[0-9a-f]{64}$/),
          rawPointer: null,
          salt: expect.stringMatching(/^[\w-]{22}$/),
          isForgotten: false,
        },
      ]);
      expect(await store.units.get([1])).toEqual([
        {
          id: 1,
          kind: 'episode',
          occurredAt: START - 1,
          createdAt: START + 5,
          updatedAt: START + 5,
          source: 'import',
          state: 'raw',
          confidence: 1,
          salience: 0.5,
          sensitivity: 'private',
          pinned: false,
          topicTags: [],
          scope: 'project',
          expiresAt: null,
          reinforcement: 0,
          accessCount: 0,
          lastAccessedAt: null,
          emotion: null,
          version: 1,
          payload: {
            turnId: 1,
            conversationId: '旅行',
            turnIndex: 7,
            speaker: '美咲',
            text,
            imageSummary: '橋の写真',
            contextNote: null,
            reflection: null,
          },
        },
      ]);
    });
    describeMasks(open);
    describePlaces(open);
    describeConflicts(open);
    describeReading(open);
  });
}

function describeMasks(open: OpenStore): void {
  test('are searched without masked words, also after a rebuild and a correction', async () => {
    const { store } = await openMemory(open);
    const masks = [{ kind: 'password' as const, from: 9, to: 17 }];
    await store.evidence.append([
      draft('Password marzipan, for the lighthouse', { masks, sensitivity: 'secret' }),
      draft('The lighthouse smells of marzipan'),
    ]);
    const secret = { maxSensitivity: 'secret' } as const;
    const search = async (word: string) =>
      (await store.indexes.text.search(terms(word), secret, 10)).map(({ unitId }) => unitId).toSorted();
    for (const rebuilt of [false, true]) {
      if (rebuilt) await store.admin.rebuild('units', { jobKinds: [], now: START, dropVectors: false });
      expect(await search('marzipan')).toEqual([2]);
      expect(await search('lighthouse')).toEqual([1, 2]);
      const [unit] = await store.units.get([1]);
      expect(unit).toMatchObject({ payload: { text: 'Password marzipan, for the lighthouse', masks } });
      const [passage] = await store.units.passages([1]);
      expect(passage?.text).toBe('Password ███, for the lighthouse');
    }
    const least = { ...secret, minSensitivity: 'private' } as const;
    expect((await store.units.list(least, { limit: 9 })).map(({ id }) => id)).toEqual([1]);
    expect(await store.units.filter([2, 1], least)).toEqual([1]);
    expect(await store.evidence.get([1])).toMatchObject([{ text: 'Password marzipan, for the lighthouse' }]);
    await store.units.save([{ type: 'update', unitId: 1, set: { notes: { masks: [] } }, reason: 'none' }]);
    expect(await search('marzipan')).toEqual([1, 2]);
    expect((await store.units.get([1]))[0]?.payload).not.toHaveProperty('masks');
    await store.units.save([{ type: 'restore', unitId: 1, version: 1, reason: 'again' }]);
    expect(await search('marzipan')).toEqual([2]);
    expect((await store.admin.verify()).problems).toEqual([]);
  });

  test('keep the name of a speaker; their units have a placeholder for it', async () => {
    const { store } = await openMemory(open);
    const speaker = '+81 90-1234-5678';
    const added = { ...draft('The ferry leaves at nine'), speaker, isSpeakerMasked: true };
    await store.evidence.append([added, { ...added, text: 'See you there' }]);
    for (const rebuilt of [false, true]) {
      if (rebuilt) await store.admin.rebuild('units', { jobKinds: [], now: START, dropVectors: false });
      expect(await store.evidence.get([1])).toMatchObject([{ speaker }]);
      const units = await store.units.get([1, 2]);
      const names = units.map((unit) => (unit.kind === 'episode' ? unit.payload.speaker : ''));
      expect(names).toEqual([names[0], names[0]]);
      expect(names[0]).toMatch(/^███-[0-9a-f]{5}$/);
      expect(await store.units.passages([1])).toMatchObject([{ speaker: names[0] }]);
      const { speakers } = await store.indexes.text.statistics({ terms: [], speakers: [...names, speaker] });
      expect([...speakers.keys()]).toEqual([names[0]]);
    }
    expect((await store.admin.verify()).problems).toEqual([]);
  });

  test('units keep hidden words next to their text, where no search finds them', async () => {
    const { store } = await openMemory(open);
    const hidden = [{ kind: 'password' as const, field: 'text' as const, at: 9, text: 'marzipan' }];
    const payload = { text: 'Password ███', dueAt: null, status: 'open' as const, evidence: [], hidden };
    const unit = newUnitSchema.parse({ content: { kind: 'loop', payload } });
    const [saved] = await store.units.save([{ type: 'add', unit, reason: 'told' }]);
    expect(saved).toMatchObject({ payload });
    const search = async (word: string) => (await store.indexes.text.search(terms(word), {}, 10)).length;
    expect([await search('marzipan'), await search('password')]).toEqual([0, 1]);
    expect((await store.admin.verify()).problems).toEqual([]);
  });
}

function describePlaces(open: OpenStore): void {
  test('without a position take the next free one of their conversation', async () => {
    const { store } = await openMemory(open);
    const appended = await store.evidence.append([
      draft('a'),
      draft('b', { conversationId: 'c2', turnIndex: 4 }),
      draft('c'),
      draft('d', { conversationId: 'c2' }),
    ]);
    expect(appended.map((turn) => turn.turnIndex)).toEqual([0, 4, 1, 5]);
    const [again] = await store.evidence.append([draft('a')]);
    expect(again).toMatchObject({ turnIndex: 2, isNew: true });
    const mixed = await store.evidence.append(
      [null, 9, 5, null].map((turnIndex, i) => draft(`e${i}`, { turnIndex })),
    );
    expect(mixed.map((turn) => turn.turnIndex)).toEqual([3, 9, 5, 10]);
    const more = await store.evidence.append([
      draft('e1', { turnIndex: 9 }),
      draft('f'),
      draft('e2', { turnIndex: 5 }),
      draft('g'),
    ]);
    expect(more.map((turn) => turn.turnIndex)).toEqual([9, 11, 5, 12]);
  });

  test('sent again at the same position change nothing and keep their ids', async () => {
    const { store } = await openMemory(open);
    const turns = ['東京タワー', '上海', 'London'].map((text, turnIndex) =>
      draft(text, { turnIndex, jobKinds: ['embed'] }),
    );
    const first = await store.evidence.append(turns);
    const before = await store.admin.verify();
    const statistics = await store.indexes.text.statistics({ terms: ['london'], speakers: ['user'] });
    const second = await store.evidence.append([...turns, ...turns]);
    expect(second).toEqual([...first, ...first].map((turn) => ({ ...turn, isNew: false })));
    expect(await store.admin.verify()).toEqual(before);
    expect(await store.indexes.text.statistics({ terms: ['london'], speakers: ['user'] })).toEqual(
      statistics,
    );
    expect((await store.jobs.count()).queued).toBe(3);
  });

  test('sent twice in one call are stored once', async () => {
    const { store } = await openMemory(open);
    const turn = draft('once', { turnIndex: 0 });
    const [first, second] = await store.evidence.append([turn, turn]);
    expect(second).toEqual({ ...first, isNew: false });
    expect((await store.admin.info()).turns).toBe(1);
  });

  test('are the same turn when only clock, meta or source differ: text and speaker are compared', async () => {
    const { store } = await openMemory(open);
    await store.evidence.append([draft('hello', { turnIndex: 0 })]);
    const [again] = await store.evidence.append([
      draft('hello', { turnIndex: 0, occurredAt: 5, meta: { a: 1 } }),
    ]);
    expect(again).toMatchObject({ isNew: false, turnId: 1 });
    expect((await store.evidence.get([1]))[0]).toMatchObject({ occurredAt: START, meta: {} });
  });
}

function describeConflicts(open: OpenStore): void {
  test.each([
    ['another text', { text: '別の話' }],
    ['another speaker', { speaker: 'ai' }],
  ])(
    'with %s at a position that is taken are rejected, and nothing of the call is stored',
    async (_what, other) => {
      const { store } = await openMemory(open);
      await say(store, draft('元の話', { turnIndex: 0 }));
      const before = await store.admin.verify();
      const call = store.evidence.append([
        draft('新しい話', { turnIndex: 1, jobKinds: ['embed'] }),
        draft('元の話', { turnIndex: 0, ...other }),
        draft('次の話', { turnIndex: 2 }),
      ]);
      await expect(call).rejects.toMatchObject({
        code: 'TURN_CONFLICT',
        details: { turnId: 1, conversationId: 'c1', turnIndex: 0 },
      });
      expect(await store.admin.verify()).toEqual(before);
      expect(await find(store, '新しい話 次')).toEqual([1]);
      expect(await store.jobs.count()).toEqual({ queued: 0, running: 0, failed: 0 });
      expect(await say(store, draft('新しい話', { turnIndex: 1 }))).toEqual([2]);
    },
  );

  test('with different text at the same position in one call conflict with each other', async () => {
    const { store } = await openMemory(open);
    const call = store.evidence.append([draft('a', { turnIndex: 0 }), draft('b', { turnIndex: 0 })]);
    await expect(call).rejects.toMatchObject({ code: 'TURN_CONFLICT' });
    expect((await store.admin.info()).turns).toBe(0);
  });

  test('add their jobs in the same transaction', async () => {
    const { store } = await openMemory(open);
    const [unitId] = await say(store, draft('a', { jobKinds: ['embed', 'reflect'] }));
    expect(await store.jobs.list({ limit: 10 })).toMatchObject([
      {
        kind: 'embed',
        key: `embed:${unitId}`,
        conversationId: 'c1',
        input: { unitId },
        status: 'queued',
        attempts: 0,
      },
      {
        kind: 'reflect',
        key: `reflect:${unitId}`,
        conversationId: 'c1',
        input: { unitId },
        status: 'queued',
      },
    ]);
  });
}

function describeReading(open: OpenStore): void {
  test('are returned by id, in the order of the ids, without unknown ones', async () => {
    const { store } = await openMemory(open);
    await say(store, 'a', 'b', 'c');
    expect((await store.evidence.get([3, 99, 1, 1])).map((turn) => turn.text)).toEqual(['c', 'a', 'a']);
    expect(await store.evidence.get([])).toEqual([]);
  });

  test('are read in pages in the order in which they arrived', async () => {
    const { store } = await openMemory(open);
    await say(
      store,
      ...['a', 'b', 'c', 'd', 'e'].map((text, i) => draft(text, { conversationId: i % 2 ? 'odd' : 'even' })),
    );
    const read = async (page: { afterId: number; limit: number; conversationId?: string }) =>
      (await store.evidence.page(page)).map((turn) => turn.text).join('');
    expect(await read({ afterId: 0, limit: 2 })).toBe('ab');
    expect(await read({ afterId: 2, limit: 9 })).toBe('cde');
    expect(await read({ afterId: 1, limit: 9, conversationId: 'even' })).toBe('ce');
    expect(await read({ afterId: 5, limit: 9 })).toBe('');
    expect(await read({ afterId: 0, limit: 9, conversationId: 'none' })).toBe('');
  });

  test('are chained: the head depends on every word and on the order, not on the batches', async () => {
    const head = async (...calls: string[][]) => {
      const { store } = await openMemory(open);
      for (const texts of calls) await say(store, ...texts.map((text) => draft(text, { salt: 'salt' })));
      return (await store.admin.verify()).chainHead;
    };
    const whole = await head(['a', 'b', 'c']);
    expect(await head(['a'], ['b', 'c'])).toBe(whole);
    expect(await head(['a', 'c', 'b'])).not.toBe(whole);
    expect(await head(['a', 'b'])).not.toBe(whole);
    expect(await head()).toBe('0'.repeat(64));
  });

  test('are salted: the hash does not reveal the text', async () => {
    const { store } = await openMemory(open);
    await say(store, 'a');
    const other = await openMemory(open);
    await say(other.store, 'a');
    const [here, there] = [await store.evidence.get([1]), await other.store.evidence.get([1])];
    expect(here[0]?.contentHash).not.toBe(there[0]?.contentHash);
    expect(here[0]?.salt).not.toBe(there[0]?.salt);
  });
}
