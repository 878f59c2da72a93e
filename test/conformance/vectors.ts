import { describe, expect, test } from 'vitest';
import { newUnitSchema } from '../../src/model/model.ts';
import type { Store } from '../../src/store/store.ts';
import type { OpenStore } from './storeUnderTest.ts';
import { add, atAngle, draft, loop, openMemory, say, saveOne, START } from './samples.ts';

/** Stores may keep vectors in fewer bits: the error of int8 relative to the float32 cosine is below this. */
const PRECISION = 0.02;

async function withVectors(store: Store, degrees: readonly number[]): Promise<number[]> {
  const unitIds = await say(store, ...degrees.map((angle) => `at ${angle}`));
  await store.indexes.vectors.upsert(
    'm',
    unitIds.map((unitId, i) => ({ unitId, vector: atAngle(degrees[i]!) })),
  );
  return unitIds;
}

export function describeVectors(open: OpenStore): void {
  describe('vectors', () => {
    test('are stored as directions, at unit length', async () => {
      const { store } = await openMemory(open);
      const [a, b] = await say(store, 'a', 'b');
      await store.indexes.vectors.upsert('m', [
        { unitId: a!, vector: atAngle(30, 5) },
        { unitId: b!, vector: atAngle(120, 1e-6) },
      ]);
      const kept = await store.indexes.vectors.get([b!, 99, a!]);
      expect(new Set(kept.keys())).toEqual(new Set([a, b]));
      for (const [unitId, degrees] of [
        [a!, 30],
        [b!, 120],
      ] as const) {
        const vector = kept.get(unitId)!;
        expect(Math.hypot(...vector)).toBeCloseTo(1, 5);
        expect(vector[0]).toBeCloseTo(Math.cos((degrees * Math.PI) / 180), 1.7);
      }
    });

    test('replace the previous vector of a unit, and are deleted when they are removed', async () => {
      const { store } = await openMemory(open);
      const [a, b] = await withVectors(store, [0, 90]);
      await store.indexes.vectors.upsert('m', [{ unitId: a!, vector: atAngle(80) }]);
      expect(await store.indexes.vectors.model()).toEqual({ id: 'm', dimensions: 16, count: 2 });
      expect((await store.indexes.vectors.query(atAngle(0), {}, 9)).map((hit) => hit.unitId)).toEqual([a, b]);
      await store.indexes.vectors.remove([a!, 99]);
      await store.indexes.vectors.remove([a!]);
      expect(await store.indexes.vectors.model()).toMatchObject({ count: 1 });
      expect(await store.indexes.vectors.query(atAngle(0), {}, 9)).toMatchObject([{ unitId: b }]);
      expect((await store.indexes.vectors.get([a!])).size).toBe(0);
      expect((await store.admin.verify()).problems).toEqual([]);
    });

    test('report which of the newest units have none', async () => {
      const { store } = await openMemory(open);
      const without = (model: string, limit: number) => store.indexes.vectors.newestWithout(model, { limit });
      expect(await without('m', 9)).toEqual([]);
      const [a, b, c, d] = await say(store, 'a', 'b', 'c', 'd');
      expect(await without('m', 2)).toEqual([d, c]);
      await store.indexes.vectors.upsert('m', [
        { unitId: a!, vector: atAngle(0) },
        { unitId: c!, vector: atAngle(0) },
      ]);
      expect(await without('m', 2)).toEqual([d]);
      expect(await without('m', 9)).toEqual([d, b]);
      expect(await store.indexes.vectors.newestWithout('m', { kinds: ['fact'], limit: 9 })).toEqual([]);
      expect(await without('another', 9)).toEqual([]);
      const set = { state: 'archived' } as const;
      await store.units.save([{ type: 'update', unitId: d!, set, reason: 'off the record' }]);
      expect(await without('m', 9)).toEqual([b]);
    });

    test('of unknown units, and vectors without a direction, are skipped', async () => {
      const { store } = await openMemory(open);
      const [a, b] = await say(store, 'a', 'b');
      await store.indexes.vectors.upsert('m', [
        { unitId: 99, vector: atAngle(0) },
        { unitId: a!, vector: new Float32Array(16) },
        { unitId: b!, vector: atAngle(0) },
      ]);
      expect(await store.indexes.vectors.model()).toMatchObject({ count: 1 });
      expect([...(await store.indexes.vectors.get([a!, b!, 99])).keys()]).toEqual([b]);
    });

    test('have an exact mean, in whatever order they were added and removed', async () => {
      const { store } = await openMemory(open);
      expect(await store.indexes.vectors.mean()).toBeNull();
      const unitIds = await withVectors(store, [0, 90, 180, 45, 10]);
      await store.indexes.vectors.upsert('m', [{ unitId: unitIds[0]!, vector: atAngle(77) }]);
      await store.indexes.vectors.remove(unitIds.slice(2));
      const mean = await store.indexes.vectors.mean();
      const kept = await store.indexes.vectors.get(unitIds);
      for (let i = 0; i < 16; i += 1) {
        const expected = [...kept.values()].reduce((sum, vector) => sum + vector[i]!, 0) / kept.size;
        expect(mean?.[i]).toBeCloseTo(expected, 5);
      }
      const other = await openMemory(open);
      await say(other.store, ...unitIds.map(() => 'x'));
      await other.store.indexes.vectors.upsert('m', [{ unitId: 2, vector: atAngle(90) }]);
      await other.store.indexes.vectors.upsert('m', [{ unitId: 1, vector: atAngle(77) }]);
      expect(await other.store.indexes.vectors.mean()).toEqual(mean);
    });

    test('are deleted when a unit’s text changes, and kept when only other fields do', async () => {
      const { store } = await openMemory(open);
      const { id } = await saveOne(store, add({ content: loop('a') }));
      await store.indexes.vectors.upsert('m', [{ unitId: id, vector: atAngle(0) }]);
      await saveOne(store, { type: 'update', unitId: id, set: { sensitivity: 'secret' }, reason: 'r' });
      expect(await store.indexes.vectors.query(atAngle(0), {}, 9)).toEqual([]);
      expect(await store.indexes.vectors.query(atAngle(0), { maxSensitivity: 'secret' }, 9)).toHaveLength(1);
      const { content } = newUnitSchema.parse({ content: loop('b') });
      await saveOne(store, { type: 'update', unitId: id, set: { content }, reason: 'r' });
      expect((await store.indexes.vectors.get([id])).size).toBe(0);
      expect((await store.admin.verify()).problems).toEqual([]);
    });
  });
}

export function describeVectorModel(open: OpenStore): void {
  describe('the model of the vectors', () => {
    test('is set by the first vectors that are stored, and others are rejected', async () => {
      const { store } = await openMemory(open);
      expect(await store.indexes.vectors.model()).toBeNull();
      const [a, b] = await say(store, 'a', 'b');
      await store.indexes.vectors.upsert('m', [{ unitId: a!, vector: atAngle(0) }]);
      const upsert = (modelId: string, vector: Float32Array) =>
        store.indexes.vectors.upsert(modelId, [{ unitId: b!, vector }]);
      await expect(upsert('other', atAngle(0))).rejects.toMatchObject({ code: 'MODEL_MISMATCH' });
      await expect(upsert('m', new Float32Array(8).fill(1))).rejects.toMatchObject({
        code: 'MODEL_MISMATCH',
      });
      await expect(store.indexes.vectors.query(new Float32Array(8).fill(1), {}, 9)).rejects.toMatchObject({
        code: 'MODEL_MISMATCH',
      });
      await expect(store.indexes.vectors.cosines(new Float32Array(8).fill(1), [a!])).rejects.toMatchObject({
        code: 'MODEL_MISMATCH',
      });
      expect(await store.indexes.vectors.model()).toEqual({ id: 'm', dimensions: 16, count: 1 });
    });

    test('rejects the whole call when one vector has other dimensions', async () => {
      const { store } = await openMemory(open);
      const [a, b] = await say(store, 'a', 'b');
      const call = store.indexes.vectors.upsert('m', [
        { unitId: a!, vector: atAngle(0) },
        { unitId: b!, vector: new Float32Array(8).fill(1) },
      ]);
      await expect(call).rejects.toMatchObject({ code: 'MODEL_MISMATCH' });
      expect(await store.indexes.vectors.model()).toBeNull();
      expect((await store.indexes.vectors.get([a!])).size).toBe(0);
    });

    test('may change once no vectors are left', async () => {
      const { store } = await openMemory(open);
      const [a] = await withVectors(store, [0]);
      await store.indexes.vectors.query(atAngle(0), {}, 1);
      await store.indexes.vectors.remove([a!]);
      expect(await store.indexes.vectors.model()).toBeNull();
      expect(await store.indexes.vectors.mean()).toBeNull();
      expect(await store.indexes.vectors.query(new Float32Array(8).fill(1), {}, 9)).toEqual([]);
      await store.indexes.vectors.upsert('m', [{ unitId: a!, vector: new Float32Array(8).fill(1) }]);
      expect(await store.indexes.vectors.model()).toEqual({ id: 'm', dimensions: 8, count: 1 });
      expect(await store.indexes.vectors.query(new Float32Array(8).fill(1), {}, 9)).toMatchObject([
        { unitId: a },
      ]);
      await store.indexes.vectors.remove([a!]);
      await store.indexes.vectors.upsert('other', [{ unitId: a!, vector: atAngle(0) }]);
      expect(await store.indexes.vectors.model()).toEqual({ id: 'other', dimensions: 16, count: 1 });
    });

    test.each([0, 1, 7, 4_097])('cannot have %i dimensions', async (dimensions) => {
      const { store } = await openMemory(open);
      const [a] = await say(store, 'a');
      const call = store.indexes.vectors.upsert('m', [
        { unitId: a!, vector: new Float32Array(dimensions).fill(1) },
      ]);
      await expect(call).rejects.toMatchObject({ code: 'INVALID_INPUT' });
      expect(await store.indexes.vectors.model()).toBeNull();
    });
  });
}

export function describeVectorSearch(open: OpenStore): void {
  describe('vector search', () => {
    test('returns the nearest by cosine, opposite vectors last', async () => {
      const { store } = await openMemory(open);
      const degrees = [170, 20, 90, 0, 45];
      const unitIds = await withVectors(store, degrees);
      const hits = await store.indexes.vectors.query(atAngle(0, 3), {}, 9);
      expect(hits.map((hit) => hit.unitId)).toEqual([3, 1, 4, 2, 0].map((i) => unitIds[i]));
      const cosines = await store.indexes.vectors.cosines(atAngle(0, 3), [...unitIds, 99]);
      expect(cosines.size).toBe(5);
      for (const { unitId, score } of hits) {
        const cosine = Math.cos((degrees[unitIds.indexOf(unitId)]! * Math.PI) / 180);
        expect(Math.abs(score - cosine)).toBeLessThan(PRECISION);
        expect(cosines.get(unitId)).toBeCloseTo(score, 5);
      }
      expect(await store.indexes.vectors.query(atAngle(0), {}, 2)).toEqual(hits.slice(0, 2));
      expect(await store.indexes.vectors.query(atAngle(0), {}, 0)).toEqual([]);
    });

    test('leaves stored vectors readable: added, removed, replaced', async () => {
      const { store } = await openMemory(open);
      const unitIds = await withVectors(store, [0, 30, 60]);
      const [a, b, c] = unitIds as [number, number, number];
      const before = await store.indexes.vectors.get(unitIds);
      await store.indexes.vectors.query(atAngle(0), {}, 3);
      expect(await store.indexes.vectors.get(unitIds)).toEqual(before);
      await store.indexes.vectors.remove([b]);
      await store.indexes.vectors.upsert('m', [{ unitId: c, vector: atAngle(30) }]);
      expect(await store.indexes.vectors.get([c, b, a])).toEqual(
        new Map([
          [c, before.get(b)],
          [a, before.get(a)],
        ]),
      );
    });

    test('returns nothing for an empty memory or for a vector without direction', async () => {
      const { store } = await openMemory(open);
      expect(await store.indexes.vectors.query(atAngle(0), {}, 9)).toEqual([]);
      expect(await store.indexes.vectors.cosines(atAngle(0), [1])).toEqual(new Map());
      const unitIds = await withVectors(store, [10, 20]);
      expect(await store.indexes.vectors.cosines(new Float32Array(16), unitIds)).toEqual(
        new Map(unitIds.map((id) => [id, 0])),
      );
    });

    test('sorts ties by id', async () => {
      const { store } = await openMemory(open);
      const unitIds = await withVectors(
        store,
        Array.from({ length: 60 }, () => 30),
      );
      const { id } = await saveOne(store, add({ content: loop('also at 30') }));
      await store.indexes.vectors.upsert('m', [{ unitId: id, vector: atAngle(30) }]);
      const ids = (await store.indexes.vectors.query(atAngle(30), {}, 100)).map((hit) => hit.unitId);
      expect(ids).toEqual([...unitIds, id]);
    });

    test('finds units that pass a filter even when many nearer ones do not', async () => {
      const { store } = await openMemory(open);
      const far = Array.from({ length: 3 }, (_, i) =>
        draft('far', { conversationId: 'far', occurredAt: START + i }),
      );
      const near = Array.from({ length: 400 }, () => draft('near', { conversationId: 'near' }));
      const unitIds = await say(store, ...near, ...far);
      await store.indexes.vectors.upsert(
        'm',
        unitIds.map((unitId, i) => ({ unitId, vector: atAngle(i < 400 ? i / 10 : 100 + i) })),
      );
      const found = await store.indexes.vectors.query(atAngle(0), { conversationId: 'far' }, 2);
      expect(found.map((hit) => hit.unitId)).toEqual(unitIds.slice(400, 402));
    });
  });
}
