/** Searches with more vectors than are compared exhaustively. */
import { tmpdir } from 'node:os';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openPostgresStore } from '../../src/store/postgres/postgres.ts';
import { draft } from '../conformance/samples.ts';
import { newDatabase } from './processes.ts';
import { missingForServer } from './server.ts';
import { sharedServer, withDatabase } from './shared.ts';

const UNITS = 4_500;
const DIMENSIONS = 24;
/** So few that an index, which examines some hundreds, finds none of them. */
const RARE = 12;

function vectorOf(i: number): Float32Array {
  return new Float32Array(DIMENSIONS).map((_, j) => Math.sin((i + 1) * (j + 1) * 0.37));
}

function cosine(a: Float32Array, b: Float32Array): number {
  const product = (x: Float32Array, y: Float32Array) =>
    x.reduce((sum, value, i) => sum + value * (y[i] ?? 0), 0);
  return product(a, b) / Math.sqrt(product(a, a) * product(b, b));
}

const missing = missingForServer();
describe.skipIf(missing !== null)(`many vectors ${missing ?? ''}`, () => {
  test('are searched by an index of their own dimensions, and filters that few units pass return all of these', async () => {
    const url = await newDatabase(await sharedServer());
    const keys = { folder: tmpdir() };
    const store = await openPostgresStore(url, { memoryId: 'm', timeZone: 'UTC', partitions: 2, keys });
    try {
      const turns = Array.from({ length: UNITS }, (_, i) =>
        draft(`unit ${i}`, { conversationId: i % (UNITS / RARE) === 1 ? 'rare' : 'common' }),
      );
      const added = await store.evidence.append(turns);
      const entries = added.map(({ unitId }, i) => ({ unitId, vector: vectorOf(i) }));
      await store.indexes.vectors.upsert('m', entries);
      const query = vectorOf(7);
      const ranked = entries
        .map(({ unitId, vector }, i) => ({ unitId, i, score: cosine(query, vector) }))
        .sort((a, b) => b.score - a.score);
      const found = await store.indexes.vectors.query(query, {}, 20);
      const best = new Set(ranked.slice(0, 20).map(({ unitId }) => unitId));
      expect(found.filter(({ unitId }) => best.has(unitId)).length).toBeGreaterThanOrEqual(18);
      const rare = ranked.filter(({ i }) => turns[i]?.conversationId === 'rare').map(({ unitId }) => unitId);
      expect(rare).toHaveLength(RARE);
      const few = await store.indexes.vectors.query(query, { conversationId: 'rare' }, 20);
      expect(few.map(({ unitId }) => unitId).toSorted()).toEqual(rare.toSorted());
    } finally {
      await store.close();
    }
    await withDatabase(url, async (sql) => {
      const indexes =
        await sql`SELECT 1 FROM pg_indexes WHERE indexname = ${`unit_vector_near_${DIMENSIONS}`}`;
      expect(indexes).toHaveLength(1);
    });
  });

  test('of several memories can be the first of their dimensions at the same time', async () => {
    const url = `${await newDatabase(await sharedServer())}?max_connections=3`;
    const keys = { folder: tmpdir() };
    const stores = [];
    for (const memoryId of ['one', 'two', 'three', 'four']) {
      const store = await openPostgresStore(url, { memoryId, timeZone: 'UTC', partitions: 2, keys });
      onTestFinished(() => store.close());
      const [added] = await store.evidence.append([draft('a heron', { conversationId: 'walk' })]);
      stores.push({ store, unitId: added?.unitId ?? 0 });
    }
    const vector = new Float32Array(32).fill(1);
    await Promise.all(
      stores.map(async ({ store, unitId }) => {
        await store.indexes.vectors.upsert('m', [{ unitId, vector }]);
        expect(await store.indexes.vectors.query(vector, {}, 1)).toMatchObject([{ unitId }]);
      }),
    );
  });
});
