import { describe, expect, test } from 'vitest';
import { newUnitSchema } from '../../src/model/model.ts';
import type { OpenStore } from './storeUnderTest.ts';
import { add, fact, find, loop, note, openMemory, say, saveOne, START } from './samples.ts';

export function describeUnits(open: OpenStore): void {
  describe('units', () => {
    test('return their feelings in the order and pages of the list', async () => {
      const { store } = await openMemory(open);
      const emotion = { values: { joy: 0.5, anger: -1 }, confidence: 0.5 };
      await store.units.save([
        add({ occurredAt: START + 2, salience: 0.75, emotion, content: fact('美咲', '住む', '大阪') }),
        add({ occurredAt: START + 1, content: note('I like tea') }),
        add({ occurredAt: START + 3, sensitivity: 'secret', content: note('A secret') }),
      ]);
      const [tea, osaka] = await store.units.feelings({}, { limit: 9, oldestFirst: true });
      expect(tea).toEqual({ unitId: 2, occurredAt: START + 1, salience: 0.5, emotion: null });
      expect(osaka).toEqual({ unitId: 1, occurredAt: START + 2, salience: 0.75, emotion });
      expect(await store.units.feelings({}, { limit: 1 })).toEqual([osaka]);
      const after = { occurredAt: START + 2, unitId: 1 };
      expect(await store.units.feelings({ kinds: ['note'] }, { limit: 9, after })).toEqual([tea]);
    });

    test('are returned as they were added, in the given order', async () => {
      const { store } = await openMemory(open);
      const units = await store.units.save([
        add({
          occurredAt: START - 10,
          source: '手で',
          state: 'consolidated',
          confidence: 0.25,
          salience: 0.75,
          sensitivity: 'secret',
          pinned: true,
          topicTags: ['旅', 'trip'],
          scope: 'project',
          expiresAt: START + 10,
          emotion: { values: { joy: 0.5, anger: -1 }, confidence: 0.5 },
          content: fact('美咲', '住む', '大阪'),
        }),
        add({ content: note('I like tea') }),
      ]);
      expect(units[0]).toEqual({
        id: 1,
        kind: 'fact',
        occurredAt: START - 10,
        createdAt: START,
        updatedAt: START,
        source: '手で',
        state: 'consolidated',
        confidence: 0.25,
        salience: 0.75,
        sensitivity: 'secret',
        pinned: true,
        topicTags: ['旅', 'trip'],
        scope: 'project',
        expiresAt: START + 10,
        reinforcement: 0,
        accessCount: 0,
        lastAccessedAt: null,
        emotion: { values: { joy: 0.5, anger: -1 }, confidence: 0.5 },
        version: 1,
        payload: {
          subject: '美咲',
          predicate: '住む',
          object: '大阪',
          objectEntityId: null,
          validFrom: null,
          validTo: null,
          evidence: [],
        },
      });
      expect(units[1]).toMatchObject({ id: 2, kind: 'note', occurredAt: START, state: 'validated' });
      expect(await store.units.get([2, 7, 1])).toEqual([units[1], units[0]]);
      expect(await store.units.passages([1, 7])).toEqual([
        {
          unitId: 1,
          kind: 'fact',
          text: '美咲 住む 大阪',
          occurredAt: units[0]!.occurredAt,
          conversationId: null,
          turnIndex: null,
          speaker: null,
          predicate: '住む',
        },
      ]);
    });

    test('from notes without a date are as recent as their last edit', async () => {
      const { store, clock } = await openMemory(open);
      const old = START - 1_000_000;
      const noteOf = (text: string, memoryType: string) => ({
        kind: 'note' as const,
        payload: { uri: 'user/preferences.md', section: 'Likes', memoryType, text, tokenCount: 4 },
      });
      const [own, day] = await store.units.save([
        add({ occurredAt: old, content: noteOf('I like tea', 'preference') }),
        add({ occurredAt: old, content: noteOf('rain', 'journal') }),
      ]);
      clock.now += 5_000;
      const edit = (unit: { id: number } | undefined, text: string, memoryType: string) => ({
        type: 'update' as const,
        unitId: unit?.id ?? 0,
        set: { content: noteOf(text, memoryType) },
        reason: 'edited',
      });
      await store.units.save([
        edit(own, 'I like green tea', 'preference'),
        edit(day, 'heavy rain', 'journal'),
      ]);
      const [ownId, dayId] = [own?.id ?? 0, day?.id ?? 0];
      const passages = await store.units.passages([ownId, dayId]);
      expect(new Map(passages.map(({ unitId, occurredAt }) => [unitId, occurredAt]))).toEqual(
        new Map([
          [ownId, clock.now],
          [dayId, old],
        ]),
      );
    });

    test('are stored with their jobs, or not at all', async () => {
      const { store } = await openMemory(open);
      const known = add({ content: loop('buy bread') });
      const [unit] = await store.units.save([known], ['embed']);
      expect(await store.jobs.list({ limit: 10 })).toMatchObject([
        { kind: 'embed', status: 'queued', conversationId: null, input: { unitId: unit!.id } },
      ]);
      const unknown = { type: 'update', unitId: 99, set: { pinned: true }, reason: 'none' } as const;
      await expect(store.units.save([known, unknown], ['embed'])).rejects.toMatchObject({
        code: 'NOT_FOUND',
      });
      expect(await store.jobs.list({ limit: 10 })).toHaveLength(1);
    });

    test('are no longer found by words they lose, and are found by words they gain', async () => {
      const { store } = await openMemory(open);
      const { id } = await saveOne(store, add({ content: loop('buy bread') }));
      await saveOne(store, {
        type: 'update',
        unitId: id,
        set: { content: newUnitSchema.parse({ content: loop('牛乳を買う') }).content },
        reason: 'again',
      });
      expect(await find(store, 'bread')).toEqual([]);
      expect(await find(store, '牛乳')).toEqual([id]);
      expect(
        (await store.indexes.text.statistics({ terms: ['bread', 'buy'], speakers: [] })).documentFrequency
          .size,
      ).toBe(0);
      expect((await store.admin.verify()).problems).toEqual([]);
    });
    describeRefusals(open);
    describeAccess(open);
  });
}

function describeRefusals(open: OpenStore): void {
  test('cannot change their kind, and nothing of such a call is stored', async () => {
    const { store } = await openMemory(open);
    const [episode] = await say(store, 'hello');
    const { content } = newUnitSchema.parse({ content: loop('bye') });
    const call = store.units.save([
      add({ content: loop('never kept') }),
      { type: 'update', unitId: episode!, set: { content }, reason: 'r' },
    ]);
    await expect(call).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    expect(await find(store, 'never kept bye')).toEqual([]);
    expect(await find(store, 'hello')).toEqual([episode]);
    expect((await store.admin.verify()).problems).toEqual([]);
  });

  test('must exist to be changed, and nothing of such a call is stored', async () => {
    const { store } = await openMemory(open);
    const call = store.units.save([
      add({ content: loop('never kept') }),
      { type: 'update', unitId: 99, set: { pinned: true }, reason: 'r' },
    ]);
    await expect(call).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect((await store.admin.info()).units.loop).toBe(0);
    expect((await store.admin.verify()).problems).toEqual([]);
  });
}

function describeAccess(open: OpenStore): void {
  test('count their accesses without a new version', async () => {
    const { store } = await openMemory(open);
    const [a, b] = await say(store, 'a', 'b');
    await store.units.countAccess([a!, b!, 99], START + 1);
    await store.units.countAccess([a!], START + 2);
    expect(await store.units.get([a!, b!])).toMatchObject([
      { accessCount: 2, lastAccessedAt: START + 2, version: 1, updatedAt: START },
      { accessCount: 1, lastAccessedAt: START + 1, version: 1, updatedAt: START },
    ]);
    expect(await store.units.versions(a!)).toHaveLength(1);
  });
}
