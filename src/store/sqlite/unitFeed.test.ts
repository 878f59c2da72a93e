import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../../test/temporary.ts';
import { add, draft, loop, START } from '../../../test/conformance/samples.ts';
import { Database } from './database.ts';
import { openSqliteStore } from './sqlite.ts';
import { fewFollowed, UnitFeed, type UnitChanges } from './unitFeed.ts';

/** A store that writes, and a feed as another process would have it, with what its follower was told. */
function begin() {
  const path = join(temporaryFolder(), 'memory_m1.db');
  const store = openSqliteStore(path, { memoryId: 'm1', timeZone: 'UTC', now: () => START });
  const db = new Database(path);
  onTestFinished(async () => {
    db.close();
    await store.close();
  });
  const told: UnitChanges[] = [];
  const feed = new UnitFeed(db);
  feed.add({ follow: (changes) => told.push(changes) });
  return { store, feed, told };
}

test('tells once of what has come and changed', async () => {
  const { store, feed, told } = begin();
  const [unit] = await store.units.save([add({ content: loop('tea') })]);
  await store.evidence.append([draft('rain')]);
  feed.look();
  feed.look();
  const nothingLost = { isAllNew: false };
  expect(told).toEqual([{ knownUnitId: 0, lastUnitId: 2, changed: [], ...nothingLost, few: [1, 2] }]);
  const set = { state: 'archived' as const };
  await store.units.save([{ type: 'update', unitId: unit!.id, set, reason: 'test' }]);
  feed.look();
  expect(told[1]).toEqual({
    knownUnitId: 2,
    lastUnitId: 2,
    changed: [unit!.id],
    ...nothingLost,
    few: [unit!.id],
  });
  await store.admin.rebuild('indexes', { jobKinds: [], now: START, dropVectors: false });
  feed.look();
  expect(told[2]).toMatchObject({ knownUnitId: 0, isAllNew: true, few: null });
  expect(told).toHaveLength(3);
});

test('the few are those that came or changed, each once', () => {
  const changes = { knownUnitId: 3, lastUnitId: 5, changed: [2, 5], isAllNew: false };
  expect(fewFollowed(changes, 4)?.toSorted()).toEqual([2, 4, 5]);
  expect(fewFollowed(changes, 3)).toBeNull();
  expect(fewFollowed({ ...changes, isAllNew: true }, 100)).toBeNull();
});
