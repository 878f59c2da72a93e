import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../../test/temporary.ts';
import { find, mention, person, say, saveOne } from '../../../test/conformance/samples.ts';
import { openSqliteStore } from './sqlite.ts';

/** As version 0.1.0 wrote it: seven turns of three conversations, a fact, seven vectors, a link and a waiting job. */
const SCHEMA_1 = fileURLToPath(new URL('../../../test/fixtures/memory_v1.omoide', import.meta.url));

function copy(): string {
  const path = join(temporaryFolder(), 'memory.db');
  copyFileSync(SCHEMA_1, path);
  return path;
}

function open(path: string) {
  const store = openSqliteStore(path, { memoryId: 'ignored', timeZone: 'UTC' });
  onTestFinished(() => store.close());
  return store;
}

test('a memory of schema 1 is migrated with all its data, and can be written', async () => {
  const store = open(copy());
  expect(await store.admin.verify()).toMatchObject({ turns: 7, units: 8, problems: [] });
  expect(await store.admin.info()).toMatchObject({
    schemaVersion: 6,
    timeZone: 'Asia/Tokyo',
    turns: 7,
    conversations: 3,
    vectorModel: { id: 'fixture', dimensions: 8, count: 7 },
    jobs: { queued: 1 },
  });
  expect(await store.evidence.conversations({ limit: 9 })).toMatchObject([
    { conversationId: 'cats', turns: 3 },
    { conversationId: '出游', turns: 2 },
    {
      conversationId: '旅行',
      turns: 2,
      firstTurnAt: Date.UTC(2024, 4, 1, 1),
      lastTurnAt: Date.UTC(2024, 4, 2, 1),
    },
  ]);
  expect((await store.evidence.recent('cats', 2)).map((turn) => turn.turnIndex)).toEqual([1, 2]);
  const vectors = await store.indexes.vectors.get([1, 7]);
  expect((await store.indexes.vectors.query(vectors.get(1)!, {}, 1))[0]).toMatchObject({
    unitId: 1,
    score: expect.closeTo(1),
  });
  expect(await store.units.versions(1)).toMatchObject([{ version: 1, snapshot: { id: 1, state: 'raw' } }]);
  await store.indexes.vectors.upsertNext('next', [{ unitId: 1, vector: new Float32Array(9).fill(1) }]);
  expect(await store.indexes.vectors.missingFromNext('next', 9)).toEqual([2, 3, 4, 5, 6, 7, 8]);
  await mention(store, 1, person('美咲'));
  await saveOne(store, { type: 'update', unitId: 7, set: { state: 'archived' }, reason: 'r' });
  await saveOne(store, { type: 'restore', unitId: 7, version: 1, reason: 'r' });
  expect(await find(store, '大阪')).toContain(7);
  await say(store, 'new');
  expect((await store.admin.verify()).problems).toEqual([]);
});

test('two stores that open a memory of schema 1 migrate it once', async () => {
  const path = copy();
  const [a, b] = [open(path), open(path)];
  expect((await a.admin.info()).schemaVersion).toBe(6);
  expect(await b.admin.verify()).toEqual(await a.admin.verify());
});

test('names that were parsed by another version are parsed again', async () => {
  const path = join(temporaryFolder(), 'memory.db');
  const before = open(path);
  const [unitId] = await say(before, 'a');
  await mention(before, unitId!, person('田中'));
  await before.close();
  const db = new DatabaseSync(path);
  db.exec(
    "UPDATE meta SET value = '0' WHERE key = 'nameKeys'; UPDATE entity_key SET key = 'old' WHERE key = 'tanaka'",
  );
  db.close();
  const store = open(path);
  expect((await store.entities.find(['tanaka', 'old'])).get('tanaka')).toMatchObject([{ name: '田中' }]);
  expect((await store.admin.verify()).problems).toEqual([]);
});
