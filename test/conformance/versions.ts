import { describe, expect, test } from 'vitest';
import { newUnitSchema } from '../../src/model/model.ts';
import type { OpenStore } from './storeUnderTest.ts';
import { add, atAngle, draft, find, loop, openMemory, say, saveOne, START } from './samples.ts';

export function describeVersions(open: OpenStore): void {
  describe('versions', () => {
    test('of a unit change only the given fields, and each change is a version that can be restored', async () => {
      const { store, clock } = await openMemory(open);
      const first = await saveOne(store, add({ salience: 0.1, content: loop('call mother') }, 'heard'));
      clock.now = START + 100;
      const second = await saveOne(store, {
        type: 'update',
        unitId: first.id,
        set: {
          salience: 0.9,
          pinned: true,
          topicTags: ['family'],
          state: 'archived',
          expiresAt: 5,
          reinforcement: 3,
        },
        reason: 'done',
      });
      expect(second).toEqual({
        ...first,
        salience: 0.9,
        pinned: true,
        topicTags: ['family'],
        state: 'archived',
        expiresAt: 5,
        reinforcement: 3,
        updatedAt: START + 100,
        version: 2,
      });
      const versions = await store.units.versions(first.id);
      expect(versions).toMatchObject([
        { unitId: first.id, version: 1, parentVersion: null, reason: 'heard', at: START, snapshot: first },
        { unitId: first.id, version: 2, parentVersion: 1, reason: 'done', at: START + 100, snapshot: second },
      ]);
      expect(versions[0]?.payloadHash).toBe(versions[1]?.payloadHash);
      expect(await store.units.versions(99)).toEqual([]);
    });

    test('of an episode may change everything except its text, and the first version comes from its turn', async () => {
      const { store, clock } = await openMemory(open);
      const [unitId] = await say(store, draft('hello', { imageSummary: 'a bridge', sensitivity: 'private' }));
      const [first] = await store.units.get([unitId!]);
      clock.now = START + 5;
      const emotion = { values: { joy: 1 }, confidence: 1 };
      const set = { emotion, salience: 1, notes: { reflection: 'glad' } };
      const episode = await saveOne(store, { type: 'update', unitId: unitId!, set, reason: 'felt' });
      expect(episode).toMatchObject({
        emotion,
        salience: 1,
        version: 2,
        payload: { text: 'hello', imageSummary: 'a bridge', contextNote: null, reflection: 'glad' },
      });
      const versions = await store.units.versions(unitId!);
      expect(versions).toMatchObject([
        { version: 1, parentVersion: null, reason: 'ingested', at: START, snapshot: first },
        { version: 2, parentVersion: 1, reason: 'felt', at: START + 5, snapshot: episode },
      ]);
      expect(versions[0]?.payloadHash).not.toBe(versions[1]?.payloadHash);
      expect((await store.admin.verify()).problems).toEqual([]);
    });

    test('find an episode by the note on its image, which is removed with the note', async () => {
      const { store } = await openMemory(open);
      const [unitId] = await say(store, 'look!');
      await store.indexes.vectors.upsert('m', [{ unitId: unitId!, vector: atAngle(0) }]);
      const note = (imageSummary: string | null, reflection = 'r') =>
        saveOne(store, {
          type: 'update',
          unitId: unitId!,
          set: { notes: { imageSummary, reflection } },
          reason: 'r',
        });
      await note(null);
      expect((await store.indexes.vectors.get([unitId!])).size).toBe(1);
      await note('a suspension bridge');
      expect((await store.indexes.vectors.get([unitId!])).size).toBe(0);
      expect(await find(store, 'bridge')).toEqual([unitId]);
      expect(await note(null, 'other')).toMatchObject({
        payload: { imageSummary: null, reflection: 'other' },
      });
      expect(await find(store, 'bridge')).toEqual([]);
      expect(await note('', '')).toMatchObject({ payload: { imageSummary: '', reflection: '' } });
      expect(await find(store, 'look')).toEqual([unitId]);
      expect((await store.admin.verify()).problems).toEqual([]);
    });

    test('can be several in one call', async () => {
      const { store } = await openMemory(open);
      const { id } = await saveOne(store, add({ content: loop('a') }));
      const set = (salience: number) =>
        ({ type: 'update', unitId: id, set: { salience }, reason: 'r' }) as const;
      expect((await store.units.save([set(0.1), set(0.2)])).map((unit) => unit.version)).toEqual([2, 3]);
      expect((await store.units.versions(id)).map((version) => version.version)).toEqual([1, 2, 3]);
    });
    describeExpectedVersion(open);
    describeRestoring(open);
  });
}

function describeExpectedVersion(open: OpenStore): void {
  test('are checked: a change based on another version than the current one throws VERSION_CONFLICT', async () => {
    const { store } = await openMemory(open);
    const { id } = await saveOne(store, add({ content: loop('a') }));
    const pin = (expectedVersion: number, unitId = id) =>
      saveOne(store, { type: 'update', unitId, set: { pinned: true }, reason: 'r', expectedVersion });
    await pin(1);
    await expect(pin(1)).rejects.toMatchObject({
      code: 'VERSION_CONFLICT',
      details: { unitId: id, version: 2 },
    });
    await expect(pin(3)).rejects.toMatchObject({ code: 'VERSION_CONFLICT' });
    await expect(pin(1, 99)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    const back = { type: 'restore', unitId: id, version: 1, reason: 'r', expectedVersion: 1 } as const;
    await expect(store.units.save([back])).rejects.toMatchObject({ code: 'VERSION_CONFLICT' });
    expect(await pin(2)).toMatchObject({ version: 3 });
    expect(await store.units.versions(id)).toHaveLength(3);
  });
}

function describeRestoring(open: OpenStore): void {
  test('are restored as new versions, with their text and everything that is found by it', async () => {
    const { store, clock } = await openMemory(open);
    const first = await saveOne(
      store,
      add({ salience: 0.1, topicTags: ['home'], content: loop('buy bread') }, 'heard'),
    );
    const { content } = newUnitSchema.parse({ content: loop('牛乳を買う') });
    const set = { content, state: 'archived', sensitivity: 'secret', salience: 1, topicTags: [] } as const;
    await saveOne(store, {
      type: 'update',
      unitId: first.id,
      set: { ...set, topicTags: [] },
      reason: 'done',
    });
    await store.indexes.vectors.upsert('m', [{ unitId: first.id, vector: atAngle(0) }]);
    await store.units.countAccess([first.id], START + 1);
    expect(await find(store, 'bread 牛乳')).toEqual([]);
    clock.now = START + 7;
    const restore = { type: 'restore', unitId: first.id, version: 1, reason: 'not done' } as const;
    const [back] = await store.units.save([restore], ['embed']);
    expect(back).toEqual({
      ...first,
      version: 3,
      updatedAt: START + 7,
      accessCount: 1,
      lastAccessedAt: START + 1,
    });
    expect(await store.units.get([first.id])).toEqual([back]);
    expect(await find(store, 'bread')).toEqual([first.id]);
    expect(await find(store, '牛乳')).toEqual([]);
    expect((await store.indexes.vectors.get([first.id])).size).toBe(0);
    expect(await store.jobs.list({ limit: 9 })).toMatchObject([{ key: `embed:${first.id}` }]);
    expect((await store.units.versions(first.id)).at(-1)).toMatchObject({
      version: 3,
      parentVersion: 1,
      reason: 'not done',
      snapshot: back,
    });
    expect((await store.admin.verify()).problems).toEqual([]);
  });

  test('with the same text keep their vector, which finds the restored unit', async () => {
    const { store } = await openMemory(open);
    const { id } = await saveOne(store, add({ content: loop('a') }));
    await store.indexes.vectors.upsert('m', [{ unitId: id, vector: atAngle(0) }]);
    await saveOne(store, { type: 'update', unitId: id, set: { state: 'archived' }, reason: 'r' });
    expect(await store.indexes.vectors.query(atAngle(0), {}, 9)).toEqual([]);
    await saveOne(store, { type: 'restore', unitId: id, version: 1, reason: 'r' });
    expect(await store.indexes.vectors.query(atAngle(0), {}, 9)).toMatchObject([{ unitId: id }]);
    await saveOne(store, { type: 'restore', unitId: id, version: 2, reason: 'r' });
    expect(await store.indexes.vectors.query(atAngle(0), {}, 9)).toEqual([]);
    expect((await store.units.versions(id)).map((version) => version.parentVersion)).toEqual([null, 1, 1, 2]);
  });

  test('of an episode are restored back to what its turn produced', async () => {
    const { store } = await openMemory(open);
    const [unitId] = await say(store, draft('hello', { imageSummary: 'a bridge' }));
    const [first] = await store.units.get([unitId!]);
    const set = { state: 'archived', notes: { imageSummary: 'a boat', reflection: 'r' } } as const;
    await saveOne(store, { type: 'update', unitId: unitId!, set, reason: 'r' });
    const back = await saveOne(store, { type: 'restore', unitId: unitId!, version: 1, reason: 'undo' });
    expect(back).toEqual({ ...first, version: 3 });
    expect(await find(store, 'boat bridge')).toEqual([unitId]);
    expect(await find(store, 'boat')).toEqual([]);
    expect((await store.admin.verify()).problems).toEqual([]);
  });

  test('that do not exist cannot be restored', async () => {
    const { store } = await openMemory(open);
    const { id } = await saveOne(store, add({ content: loop('a') }));
    const restore = (unitId: number, version: number) =>
      saveOne(store, { type: 'restore', unitId, version, reason: 'r' });
    await expect(restore(id, 2)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(restore(id, 0)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(restore(99, 1)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await store.units.versions(id)).toHaveLength(1);
  });

  test('have notes for episodes only', async () => {
    const { store } = await openMemory(open);
    const { id } = await saveOne(store, add({ content: loop('a') }));
    const change = { type: 'update', unitId: id, set: { notes: { reflection: 'r' } }, reason: 'r' } as const;
    await expect(store.units.save([change])).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });
}
