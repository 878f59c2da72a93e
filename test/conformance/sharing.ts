import { describe, expect, test } from 'vitest';
import type { OpenStore } from './storeUnderTest.ts';
import { add, atAngle, CLAIM, draft, find, loop, openMemory, say, saveOne, START } from './samples.ts';

export function describeSharing(open: OpenStore): void {
  describe('two stores on one memory', () => {
    test('see each other’s turns, units and statistics at once, and extend one chain in order', async () => {
      const { store: a, openAnother } = await openMemory(open);
      const b = await openAnother();
      expect(b).toMatchObject({ memoryId: 'm1', timeZone: 'Asia/Tokyo' });
      await say(a, 'tea from a');
      expect(await find(b, 'tea')).toEqual([1]);
      await say(b, 'tea from b');
      await say(a, 'more');
      const { id } = await saveOne(b, add({ content: loop('tea too') }));
      expect(await find(a, 'tea')).toHaveLength(3);
      expect((await a.units.get([id]))[0]).toMatchObject({ kind: 'loop' });
      expect(await a.indexes.text.statistics({ terms: ['tea'], speakers: ['user'] })).toEqual(
        await b.indexes.text.statistics({ terms: ['tea'], speakers: ['user'] }),
      );
      expect(await a.admin.verify()).toEqual(await b.admin.verify());
      expect(await a.admin.verify()).toMatchObject({ turns: 3, units: 4, problems: [] });
    });

    test('search each other’s vectors: added, replaced, removed, and changed by other writes', async () => {
      const { store: a, openAnother } = await openMemory(open);
      const b = await openAnother();
      const [first, second, third] = await say(a, 'a', 'b', 'c');
      const seenBy = async (store: typeof a) =>
        (await store.indexes.vectors.query(atAngle(0), {}, 9)).map((hit) => hit.unitId);
      await a.indexes.vectors.upsert('m', [{ unitId: first!, vector: atAngle(50) }]);
      expect(await seenBy(b)).toEqual([first]);
      await a.indexes.vectors.upsert('m', [{ unitId: second!, vector: atAngle(60) }]);
      await b.indexes.vectors.upsert('m', [{ unitId: third!, vector: atAngle(10) }]);
      expect([await seenBy(a), await seenBy(b)]).toEqual([
        [third, first, second],
        [third, first, second],
      ]);
      await a.indexes.vectors.upsert('m', [{ unitId: third!, vector: atAngle(90) }]);
      expect(await seenBy(b)).toEqual([first, second, third]);
      await saveOne(a, { type: 'update', unitId: first!, set: { state: 'archived' }, reason: 'r' });
      await a.indexes.vectors.upsert('m', [{ unitId: first!, vector: atAngle(51) }]);
      expect(await seenBy(b)).toEqual([second, third]);
      await saveOne(a, { type: 'update', unitId: first!, set: { state: 'raw' }, reason: 'r' });
      expect([await seenBy(a), await seenBy(b)]).toEqual([
        [first, second, third],
        [first, second, third],
      ]);
      await saveOne(a, { type: 'update', unitId: first!, set: { state: 'archived' }, reason: 'r' });
      await a.indexes.vectors.remove([second!]);
      expect(await seenBy(b)).toEqual([third]);
    });

    describeNewVectors(open);

    test('run exclusive work one at a time, and different work at the same time', async () => {
      const { store: a, openAnother } = await openMemory(open);
      const b = await openAnother();
      const under: string[] = [];
      let most = 0;
      const work = async (name: string) => {
        under.push(name);
        most = Math.max(most, under.filter((other) => other === name).length);
        await new Promise((resolve) => setTimeout(resolve, 5));
        under.splice(under.indexOf(name), 1);
        return name;
      };
      const done = await Promise.all([a, b, a, b].map((store) => store.exclusively('x', () => work('x'))));
      expect([done, most]).toEqual([['x', 'x', 'x', 'x'], 1]);
      const inside = await a.exclusively('x', () => b.exclusively('y', () => work('y')));
      expect(inside).toBe('y');
      const failing = a.exclusively('x', async () => {
        throw new Error('no');
      });
      await expect(failing).rejects.toThrow('no');
      expect(await b.exclusively('x', () => work('x'))).toBe('x');
    });

    test('never claim the same job', async () => {
      const { store: a, openAnother } = await openMemory(open);
      const b = await openAnother();
      await say(
        a,
        ...Array.from({ length: 20 }, (_, i) => draft('x', { conversationId: `c${i}`, jobKinds: ['embed'] })),
      );
      const claims = await Promise.all(
        [a, b, a, b].map((store, i) => store.jobs.claim({ ...CLAIM, owner: `o${i}`, limit: 6, now: START })),
      );
      const keys = claims.flat().map((job) => job.key);
      expect(new Set(keys).size).toBe(20);
      expect(keys).toHaveLength(20);
    });
  });
}

export function describeReopening(open: OpenStore): void {
  test('a memory opened again has the same contents, id and time zone', async () => {
    const { store, reopen } = await openMemory(open);
    const unitIds = await say(store, draft('東京', { jobKinds: ['embed'] }), draft('大阪'));
    await store.units.link(unitIds[0]!, unitIds[1]!, 'quote');
    await store.indexes.vectors.upsert(
      'm',
      unitIds.map((unitId) => ({ unitId, vector: atAngle(unitId) })),
    );
    const look = async (from: typeof store) => ({
      info: { ...(await from.admin.info()), sizeBytes: 0 },
      units: await from.units.list({}, { limit: 9 }),
      neighbours: await from.units.neighbours(unitIds, { before: 1, after: 1 }),
      near: await from.indexes.vectors.query(atAngle(0), {}, 9),
      found: await find(from, '東京'),
      verification: await from.admin.verify(),
      mean: await from.indexes.vectors.mean(),
    });
    const before = await look(store);
    const again = await reopen();
    expect(await look(again)).toEqual(before);
    expect(again).toMatchObject({ memoryId: 'm1', timeZone: 'Asia/Tokyo' });
  });
}

function describeNewVectors(open: OpenStore): void {
  test('see that the vectors were dropped and rebuilt with another model', async () => {
    const { store: a, openAnother } = await openMemory(open);
    const b = await openAnother();
    const unitIds = await say(a, 'a', 'b', 'c');
    const all = (angle: number) => unitIds.map((unitId, i) => ({ unitId, vector: atAngle(angle + 10 * i) }));
    await a.indexes.vectors.upsert('m', all(0));
    await b.indexes.vectors.query(atAngle(0), {}, 9);
    await a.admin.rebuild('indexes', { jobKinds: [], now: START, dropVectors: true });
    expect(await b.indexes.vectors.query(atAngle(0), {}, 9)).toEqual([]);
    await a.indexes.vectors.upsert('m', all(0).slice(1));
    expect((await b.indexes.vectors.query(atAngle(0), {}, 9)).map((hit) => hit.unitId)).toEqual(
      unitIds.slice(1),
    );
    await a.admin.rebuild('indexes', { jobKinds: [], now: START, dropVectors: true });
    await a.indexes.vectors.upsert(
      'n',
      all(180).map(({ unitId, vector }) => ({ unitId, vector: vector.slice(0, 8) })),
    );
    expect((await b.indexes.vectors.query(atAngle(180).slice(0, 8), {}, 9)).map((hit) => hit.unitId)).toEqual(
      unitIds,
    );
  });
}
