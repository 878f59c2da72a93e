import { describe, expect, test } from 'vitest';
import { newUnitSchema } from '../../src/model/model.ts';
import type { Store } from '../../src/store/store.ts';
import type { OpenStore } from './storeUnderTest.ts';
import { add, atAngle, loop, openMemory, say, saveOne, START } from './samples.ts';

/** Vectors of another model with eight dimensions: reversed, so that near becomes far. */
function reversed(degrees: number): Float32Array {
  return atAngle(180 - degrees).slice(0, 8);
}

/** Three units at 0, 10 and 20 degrees with model `m`. */
async function fill(store: Store): Promise<number[]> {
  const unitIds = await say(store, 'a', 'b', 'c');
  await store.indexes.vectors.upsert(
    'm',
    unitIds.map((unitId, i) => ({ unitId, vector: atAngle(10 * i) })),
  );
  return unitIds;
}

function prepare(store: Store, model: string, unitIds: readonly number[]): Promise<void> {
  return store.indexes.vectors.upsertNext(
    model,
    unitIds.map((unitId) => ({ unitId, vector: reversed(10 * unitId - 10) })),
  );
}

async function nearest(store: Store, vector: Float32Array): Promise<number[]> {
  return (await store.indexes.vectors.query(vector, {}, 9)).map((hit) => hit.unitId);
}

export function describeNextVectors(open: OpenStore): void {
  describe('vectors of the next model', () => {
    test('are prepared while the current ones serve, and then replace them', async () => {
      const { store } = await openMemory(open);
      const [a, b, c] = await fill(store);
      expect(await store.indexes.vectors.nextModel()).toBeNull();
      expect(await store.indexes.vectors.missingFromNext('n', 2)).toEqual([a, b]);
      await prepare(store, 'n', [b!]);
      expect(await store.indexes.vectors.nextModel()).toEqual({ id: 'n', dimensions: 8, count: 1 });
      expect(await store.indexes.vectors.missingFromNext('n', 9)).toEqual([a, c]);
      expect(await store.indexes.vectors.switchToNext('n')).toBe(false);
      await prepare(store, 'n', [c!, a!]);
      expect(await store.indexes.vectors.missingFromNext('n', 9)).toEqual([]);
      expect(await store.indexes.vectors.model()).toEqual({ id: 'm', dimensions: 16, count: 3 });
      expect(await nearest(store, atAngle(0))).toEqual([a, b, c]);
      expect((await store.admin.verify()).problems).toEqual([]);
      expect(await store.indexes.vectors.switchToNext('other')).toBe(false);
      expect(await store.indexes.vectors.switchToNext('n')).toBe(true);
      expect(await store.indexes.vectors.model()).toEqual({ id: 'n', dimensions: 8, count: 3 });
      expect(await store.indexes.vectors.nextModel()).toBeNull();
      expect(await nearest(store, reversed(180))).toEqual([c, b, a]);
      expect(await store.indexes.vectors.cosines(reversed(0), [a!])).toEqual(
        new Map([[a, expect.closeTo(1, 2)]]),
      );
      expect((await store.indexes.vectors.mean())?.length).toBe(8);
      await expect(store.indexes.vectors.query(atAngle(0), {}, 9)).rejects.toMatchObject({
        code: 'MODEL_MISMATCH',
      });
      expect((await store.admin.verify()).problems).toEqual([]);
      await store.indexes.vectors.upsert('n', [{ unitId: a!, vector: reversed(100) }]);
      expect(await nearest(store, reversed(180))).toEqual([a, c, b]);
    });

    test('can be prepared by several calls', async () => {
      const { store } = await openMemory(open);
      const unitIds = await fill(store);
      for (const model of ['n', 'm', 'm', 'o']) {
        await prepare(store, model, unitIds);
        expect(await store.indexes.vectors.switchToNext(model)).toBe(true);
        expect(await store.indexes.vectors.switchToNext(model)).toBe(false);
        expect(await store.indexes.vectors.model()).toMatchObject({ id: model, count: 3 });
        expect(await nearest(store, reversed(0))).toEqual(unitIds);
      }
      expect((await store.admin.verify()).problems).toEqual([]);
    });

    test('are missing for units that are added meanwhile, and for units whose text changes', async () => {
      const { store } = await openMemory(open);
      const unitIds = await fill(store);
      await prepare(store, 'n', unitIds);
      const [d] = await say(store, 'd');
      const { id: e } = await saveOne(store, add({ content: loop('e') }));
      expect(await store.indexes.vectors.missingFromNext('n', 9)).toEqual([d, e]);
      expect(await store.indexes.vectors.switchToNext('n')).toBe(false);
      await prepare(store, 'n', [d!, e]);
      const { content } = newUnitSchema.parse({ content: loop('f') });
      await saveOne(store, { type: 'update', unitId: e, set: { sensitivity: 'secret' }, reason: 'r' });
      expect(await store.indexes.vectors.missingFromNext('n', 9)).toEqual([]);
      await saveOne(store, { type: 'update', unitId: e, set: { content }, reason: 'r' });
      expect(await store.indexes.vectors.missingFromNext('n', 9)).toEqual([e]);
      expect(await store.indexes.vectors.nextModel()).toMatchObject({ count: 4 });
      await prepare(store, 'n', [e]);
      await saveOne(store, { type: 'update', unitId: d!, set: { state: 'archived' }, reason: 'r' });
      expect((await store.admin.verify()).problems).toEqual([]);
      expect(await store.indexes.vectors.switchToNext('n')).toBe(true);
      expect(await nearest(store, reversed(0))).toEqual(unitIds);
      expect(
        (await store.indexes.vectors.query(reversed(0), { maxSensitivity: 'secret', withArchived: true }, 9))
          .length,
      ).toBe(5);
      expect((await store.admin.verify()).problems).toEqual([]);
    });

    test('are rejected when they were made from text that has changed since', async () => {
      const { store } = await openMemory(open);
      const { id: a } = await saveOne(store, add({ content: loop('a') }));
      const { id: b } = await saveOne(store, add({ content: loop('b') }));
      await prepare(store, 'n', [a]);
      expect(await store.indexes.vectors.missingFromNext('n', 9)).toEqual([b]);
      const { content } = newUnitSchema.parse({ content: loop('c') });
      await saveOne(store, { type: 'update', unitId: b, set: { content }, reason: 'r' });
      await prepare(store, 'n', [b]);
      expect(await store.indexes.vectors.missingFromNext('n', 9)).toEqual([b]);
      await prepare(store, 'n', [b]);
      expect(await store.indexes.vectors.missingFromNext('n', 9)).toEqual([]);
    });

    test('count as done for units without a direction and for removed units', async () => {
      const { store } = await openMemory(open);
      const [a, b, c] = await fill(store);
      await store.indexes.vectors.upsertNext('n', [
        { unitId: a!, vector: new Float32Array(8) },
        { unitId: 99, vector: reversed(0) },
      ]);
      expect(await store.indexes.vectors.nextModel()).toEqual({ id: 'n', dimensions: 8, count: 0 });
      expect(await store.indexes.vectors.missingFromNext('n', 9)).toEqual([b, c]);
      await prepare(store, 'n', [b!, c!]);
      expect(await store.indexes.vectors.switchToNext('n')).toBe(true);
      expect(await store.indexes.vectors.model()).toMatchObject({ count: 2 });
      expect((await store.admin.verify()).problems).toEqual([]);
    });
    describeOtherPlans(open);
  });
}

function describeOtherPlans(open: OpenStore): void {
  test('are dropped when another next model is prepared', async () => {
    const { store } = await openMemory(open);
    const unitIds = await fill(store);
    await prepare(store, 'n', unitIds);
    expect(await store.indexes.vectors.missingFromNext('o', 9)).toEqual(unitIds);
    await store.indexes.vectors.upsertNext('o', [{ unitId: unitIds[0]!, vector: atAngle(5) }]);
    expect(await store.indexes.vectors.nextModel()).toEqual({ id: 'o', dimensions: 16, count: 1 });
    expect(await store.indexes.vectors.missingFromNext('o', 9)).toEqual(unitIds.slice(1));
    expect(await store.indexes.vectors.missingFromNext('n', 9)).toEqual(unitIds);
    expect(await store.indexes.vectors.switchToNext('n')).toBe(false);
    expect((await store.admin.verify()).problems).toEqual([]);
  });

  test('are dropped on request', async () => {
    const { store } = await openMemory(open);
    const unitIds = await fill(store);
    await store.indexes.vectors.dropNext();
    await prepare(store, 'n', unitIds);
    await store.indexes.vectors.dropNext();
    expect(await store.indexes.vectors.nextModel()).toBeNull();
    expect(await store.indexes.vectors.switchToNext('n')).toBe(false);
    expect(await store.indexes.vectors.missingFromNext('n', 9)).toEqual(unitIds);
    expect(await nearest(store, atAngle(0))).toEqual(unitIds);
    await say(store, 'd');
    expect((await store.admin.verify()).problems).toEqual([]);
  });

  test('are dropped together with the current ones, and rebuilt together with them', async () => {
    const { store } = await openMemory(open);
    const unitIds = await fill(store);
    const plan = { jobKinds: [], now: START, dropVectors: false };
    await prepare(store, 'n', unitIds.slice(1));
    await store.admin.rebuild('indexes', plan);
    expect(await store.indexes.vectors.nextModel()).toMatchObject({ id: 'n', count: 2 });
    expect(await store.indexes.vectors.missingFromNext('n', 9)).toEqual([unitIds[0]]);
    await store.indexes.vectors.remove([unitIds[1]!]);
    expect(await store.indexes.vectors.missingFromNext('n', 9)).toEqual(unitIds.slice(0, 2));
    await store.admin.rebuild('indexes', { ...plan, dropVectors: true });
    expect(await store.indexes.vectors.nextModel()).toBeNull();
    expect(await store.indexes.vectors.missingFromNext('n', 9)).toEqual(unitIds);
  });

  test('of an empty memory are complete', async () => {
    const { store } = await openMemory(open);
    expect(await store.indexes.vectors.missingFromNext('n', 9)).toEqual([]);
    await store.indexes.vectors.upsertNext('n', []);
    expect(await store.indexes.vectors.switchToNext('n')).toBe(true);
    expect(await store.indexes.vectors.model()).toBeNull();
    const [a] = await say(store, 'a');
    await store.indexes.vectors.upsert('n', [{ unitId: a!, vector: reversed(0) }]);
    expect(await nearest(store, reversed(0))).toEqual([a]);
  });

  test.each([
    ['INVALID_INPUT', 'of too few dimensions', [7]],
    ['INVALID_INPUT', 'of too many', [4_097]],
    ['MODEL_MISMATCH', 'of several dimensions', [8, 16]],
  ])('are rejected with %s when they are %s; nothing of them is stored', async (code, _what, dimensions) => {
    const { store } = await openMemory(open);
    const unitIds = await fill(store);
    await store.indexes.vectors.upsertNext('n', [{ unitId: unitIds[2]!, vector: reversed(0) }]);
    const entries = dimensions.map((n, i) => ({ unitId: unitIds[i]!, vector: new Float32Array(n).fill(1) }));
    await expect(store.indexes.vectors.upsertNext('o', entries)).rejects.toMatchObject({ code });
    const wide = [{ unitId: unitIds[0]!, vector: new Float32Array(16).fill(1) }];
    await expect(store.indexes.vectors.upsertNext('n', wide)).rejects.toMatchObject({
      code: 'MODEL_MISMATCH',
    });
    expect(await store.indexes.vectors.nextModel()).toEqual({ id: 'n', dimensions: 8, count: 1 });
    expect(await store.indexes.vectors.missingFromNext('n', 9)).toEqual(unitIds.slice(0, 2));
    expect((await store.admin.verify()).problems).toEqual([]);
  });

  test('are kept when the store that began them is closed', async () => {
    const { store, reopen } = await openMemory(open);
    const unitIds = await fill(store);
    await prepare(store, 'n', unitIds.slice(0, 2));
    const again = await reopen();
    expect(await again.indexes.vectors.nextModel()).toEqual({ id: 'n', dimensions: 8, count: 2 });
    expect(await again.indexes.vectors.missingFromNext('n', 9)).toEqual(unitIds.slice(2));
    expect(await nearest(again, atAngle(0))).toEqual(unitIds);
    await prepare(again, 'n', unitIds.slice(2));
    expect(await again.indexes.vectors.switchToNext('n')).toBe(true);
    expect(await nearest(await reopen(), reversed(0))).toEqual(unitIds);
  });
}

export function describeSharedSwitch(open: OpenStore): void {
  test('two stores prepare vectors together, and both search them after the switch', async () => {
    const { store: a, openAnother } = await openMemory(open);
    const b = await openAnother();
    const unitIds = await fill(a);
    expect([await nearest(a, atAngle(0)), await nearest(b, atAngle(0))]).toEqual([unitIds, unitIds]);
    await prepare(a, 'n', unitIds.slice(0, 1));
    await prepare(b, 'n', unitIds.slice(1));
    await a.indexes.vectors.upsert('m', [{ unitId: unitIds[0]!, vector: atAngle(15) }]);
    const [x, y, z] = unitIds;
    expect(await nearest(b, atAngle(0))).toEqual([y, x, z]);
    const switched = await Promise.all([a, b].map((store) => store.indexes.vectors.switchToNext('n')));
    expect(switched.toSorted()).toEqual([false, true]);
    expect([await nearest(a, reversed(0)), await nearest(b, reversed(0))]).toEqual([unitIds, unitIds]);
    await b.indexes.vectors.upsert('n', [{ unitId: x!, vector: reversed(15) }]);
    await saveOne(b, { type: 'update', unitId: z!, set: { state: 'archived' }, reason: 'r' });
    expect([await nearest(a, reversed(0)), await nearest(b, reversed(0))]).toEqual([
      [y, x],
      [y, x],
    ]);
    // The same model again, in sets with the same number of vectors: the copies must not be confused.
    await prepare(b, 'n', unitIds);
    expect(await b.indexes.vectors.switchToNext('n')).toBe(true);
    expect([await nearest(a, reversed(0)), await nearest(b, reversed(0))]).toEqual([
      [x, y],
      [x, y],
    ]);
    expect((await a.admin.verify()).problems).toEqual([]);
  });
}
