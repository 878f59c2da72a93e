import { isDeepStrictEqual as isEqual } from 'node:util';
import { describe, expect, test } from 'vitest';
import { terms } from '../../src/text/text.ts';
import type { Store, TopicChange, UnitChange } from '../../src/store/store.ts';
import type { OpenStore } from './storeUnderTest.ts';
import {
  apply,
  fill,
  expectValid,
  JOY,
  readVisible,
  membersOf,
  MERGE,
  named,
  PARENT,
  SPLIT,
  UNITS,
} from './journalSamples.ts';
import { add, assign, atAngle, CLAIM, derived, loop, person, say, saveOne, START } from './samples.ts';

export function describeRollback(open: OpenStore): void {
  describe('a rollback', () => {
    describeExactness(open);
    describeLaterChanges(open);
    describeDependence(open);
  });
}

function describeExactness(open: OpenStore): void {
  test.each<[string, TopicChange[], UnitChange[]]>([
    ['a split', SPLIT, []],
    ['a merge', MERGE, []],
    ['parents', PARENT, []],
    [
      'new figures',
      [{ type: 'refresh', topicId: 1, strength: 0, centroid: null, centroidEmotion: null }],
      [],
    ],
    ['units', [], UNITS],
    ['all of it', [...SPLIT, ...MERGE], UNITS],
    ['nothing', [], []],
  ])('restores the state before %s', async (_, topics, units) => {
    const { store, dump, clock, openAnother } = await fill(open);
    const other = await openAnother();
    const before = await dump();
    const seen = await readVisible(store);
    await readVisible(other);
    const { id } = await apply(store, topics, units);
    expect(isEqual(await readVisible(other), seen)).toBe(topics.length + units.length === 0);
    clock.now += 5;
    const entry = await other.journal.rollback(id);
    expect(entry).toMatchObject({ id, state: 'rolled_back', rolledBackAt: clock.now });
    expect(await store.journal.get(id)).toEqual(entry);
    expect(await dump()).toBe(before);
    expect([await readVisible(store), await readVisible(other)]).toEqual([seen, seen]);
    await expectValid(store);
  });

  test('restores the state before each entry, last entry first', async () => {
    const { store, dump } = await fill(open);
    const states = [await dump()];
    const changes: TopicChange[][] = [
      SPLIT,
      MERGE,
      [{ type: 'setParents', topicId: 4, parentIds: [1, 2] }],
      [{ type: 'refresh', topicId: 4, strength: 0.1, centroid: atAngle(9), centroidEmotion: null }],
    ];
    for (const change of changes) {
      await apply(store, change);
      states.push(await dump());
    }
    for (const id of [4, 3, 2, 1]) {
      states.pop();
      await store.journal.rollback(id);
      expect(await dump()).toBe(states.at(-1));
    }
    await expectValid(store);
  });

  test('removes everything that was made from a removed unit', async () => {
    const { store, dump } = await fill(open);
    await store.units.applyDerivation(derived(1, { mentions: [person('美咲'), person('健')] }));
    const before = await dump();
    const { id } = await apply(store, [], [add({ content: loop('meet 美咲') })]);
    await store.units.applyDerivation(
      derived(13, {
        mentions: [person('美咲'), person('健')],
        relations: [{ from: 0, to: 1, relation: 'knows', weight: 1 }],
      }),
    );
    await store.units.link(1, 13, 'contextual');
    await store.indexes.vectors.upsert('m', [{ unitId: 13, vector: atAngle(5) }]);
    await store.jobs.claim({ ...CLAIM, now: START });
    await store.journal.rollback(id);
    expect(await dump()).toBe(before);
    expect(await store.units.get([13])).toEqual([]);
    await expectValid(store);
  });

  test('is rejected a second time, and for an unknown entry', async () => {
    const { store } = await fill(open);
    const { id } = await apply(store, SPLIT);
    await store.journal.rollback(id);
    await expect(store.journal.rollback(id)).rejects.toMatchObject({
      code: 'JOURNAL_CONFLICT',
      details: { entryIds: [id] },
    });
    await expect(store.journal.rollback(9)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  test('is rejected when what it changed was removed by age; units keep their last version', async () => {
    const { store, clock } = await fill(open);
    const old = await apply(store, SPLIT);
    const said = (await store.units.versions(10)).length;
    for (const salience of [0.2, 0.3]) {
      clock.now += 1_000;
      await store.units.save([{ type: 'update', unitId: 10, set: { salience }, reason: 'corrected' }]);
    }
    const { id } = await apply(store, MERGE);
    expect(await store.units.versions(10)).toHaveLength(said + 2);
    await store.forgetting.removeHistory({ journalBefore: null, versionsBefore: null });
    expect(await store.units.versions(10)).toHaveLength(said + 2);
    await store.forgetting.removeHistory({ journalBefore: clock.now, versionsBefore: clock.now + 1 });
    expect((await store.units.versions(10)).map(({ snapshot }) => snapshot['salience'])).toEqual([0.3]);
    await store.journal.rollback(id);
    await expect(store.journal.rollback(old.id)).rejects.toMatchObject({
      code: 'JOURNAL_CONFLICT',
      message: expect.stringContaining('no longer kept') as string,
    });
    await expectValid(store);
  });

  test('never reuses the number of a removed topic or unit', async () => {
    const { store } = await fill(open);
    const first = await apply(store, SPLIT, UNITS);
    await store.journal.rollback(first.id);
    await apply(store, [named('new')], [add({ content: loop('new') })]);
    expect(await store.topics.get([4, 5, 6])).toMatchObject([{ id: 6, title: 'new' }]);
    expect(await store.units.get([13, 14])).toMatchObject([{ id: 14 }]);
  });
}

/** Adds turns that become episodes 10 and later. */
async function addTurns(store: Store, ...topicIds: number[]): Promise<number[]> {
  const unitIds = await say(store, ...topicIds.map((id) => `more of ${id}`));
  await store.topics.assign(unitIds.map((unitId, i) => assign(unitId, { id: topicIds[i]! })));
  return unitIds;
}

function describeLaterChanges(open: OpenStore): void {
  test('returns episodes of a removed topic to the topic its members came from', async () => {
    const { store } = await fill(open);
    const { id } = await apply(store, SPLIT);
    const [a, b, c, d] = await addTurns(store, 4, 1, 2, 5);
    await store.journal.rollback(id);
    expect(await store.topics.get([4, 5])).toEqual([]);
    expect(await membersOf(store, 1, 2)).toEqual([
      [a, b, d, 1, 2, 3, 4, 5, 6].sort(byTime),
      [c, 7, 8].sort(byTime),
    ]);
    expect(await store.topics.get([1])).toMatchObject([{ title: 'trip', members: 9, childIds: [] }]);
    await expectValid(store);
  });

  test('leaves episodes that joined a merged topic there', async () => {
    const { store } = await fill(open);
    const { id } = await apply(store, MERGE);
    const [more] = await addTurns(store, 2);
    await store.journal.rollback(id);
    expect(await membersOf(store, 2, 3)).toEqual([[more, 7, 8].sort(byTime), [9]]);
    expect(await store.topics.get([2, 3])).toMatchObject([
      { title: 'cat', members: 3, state: 'active' },
      { title: 'bridge', members: 1, state: 'active', successorId: null },
    ]);
    expect((await store.topics.search(terms('bridge'), 9)).map((hit) => hit.topicId)).toEqual([3]);
    await expectValid(store);
  });

  test('moves episodes that joined a new parent to the strongest topic below it', async () => {
    const { store } = await fill(open);
    const { id } = await apply(store, PARENT);
    const [more] = await addTurns(store, 4);
    await store.journal.rollback(id);
    expect(await membersOf(store, 2, 3)).toEqual([[more, 7, 8].sort(byTime), [9]]);
    await expectValid(store);
  });

  test('is rejected when an episode would have no topic left', async () => {
    const { store, dump } = await fill(open);
    const { id } = await apply(store, [named('lonely')]);
    await addTurns(store, 4);
    const before = await dump();
    await expect(store.journal.rollback(id)).rejects.toMatchObject({
      code: 'JOURNAL_CONFLICT',
      details: { topicIds: [4] },
    });
    expect(await dump()).toBe(before);
  });

  test('leaves an episode that was moved to another topic since where it is', async () => {
    const { store } = await fill(open);
    const { id } = await apply(store, SPLIT);
    const anew = (unitId: number, topicId: number) => ({
      ...assign(unitId, { id: topicId }),
      mark: { unitId, kind: 'assign_topic', fingerprint: '2' },
    });
    await store.topics.assign([anew(1, 2), anew(3, 4)]);
    await store.journal.rollback(id);
    expect(await membersOf(store, 1, 2)).toEqual([
      [2, 3, 4, 5, 6],
      [1, 7, 8],
    ]);
    await expectValid(store);
  });

  test('keeps accesses that were counted since', async () => {
    const { store } = await fill(open);
    const { id } = await apply(store, [], UNITS);
    await store.units.countAccess([10, 2], START + 77);
    await store.journal.rollback(id);
    expect(await store.units.get([10, 2])).toMatchObject([
      { version: 1, accessCount: 2, lastAccessedAt: START + 77 },
      { version: 2, accessCount: 2, lastAccessedAt: START + 77 },
    ]);
    await expectValid(store);
  });

  test('keeps figures that were recomputed since, unless the members differ', async () => {
    const { store } = await fill(open);
    const refresh = (topicId: number): TopicChange => ({
      type: 'refresh',
      topicId,
      strength: 0.5,
      centroid: atAngle(5),
      centroidEmotion: JOY,
    });
    await apply(store, [refresh(1), { type: 'setParents', topicId: 2, parentIds: [3] }]);
    await store.topics.update(1, { strength: 0.9 });
    await store.topics.update(2, { strength: 0.8 });
    await store.journal.rollback(1);
    expect(await store.topics.get([1, 2])).toMatchObject([
      { strength: 0.9, centroidEmotion: JOY },
      { strength: 0.8, parentIds: [] },
    ]);
    await expectValid(store);
  });

  test('does not restore a centroid of another model', async () => {
    const { store } = await fill(open);
    const { id } = await apply(store, MERGE);
    await store.indexes.vectors.upsertNext(
      'n',
      Array.from({ length: 12 }, (_, i) => ({ unitId: i + 1, vector: atAngle(i * 20).slice(0, 8) })),
    );
    expect(await store.indexes.vectors.switchToNext('n')).toBe(true);
    await store.journal.rollback(id);
    expect((await store.topics.nearest(atAngle(160).slice(0, 8), 1))[0]).toEqual({
      topicId: 3,
      score: expect.closeTo(1, 5),
    });
    await expectValid(store);
  });

  test('restores the text of a unit together with its vector', async () => {
    const { store } = await fill(open);
    const before = await store.indexes.vectors.get([2]);
    const { id } = await apply(store, [], UNITS);
    expect(await store.indexes.vectors.get([2])).toEqual(new Map());
    await store.indexes.vectors.upsert('m', [{ unitId: 2, vector: atAngle(170) }]);
    await store.journal.rollback(id);
    expect(await store.indexes.vectors.get([2])).toEqual(before);
    await expectValid(store);
  });
}

/** The first episodes are one millisecond apart; later ones have the time of the first. */
function byTime(a = 0, b = 0): number {
  const time = (unitId: number) => (unitId <= 9 ? unitId - 1 : 0);
  return time(a) - time(b) || a - b;
}

function describeDependence(open: OpenStore): void {
  test('rolls back one entry among several when nothing later depends on it', async () => {
    const { store, dump } = await fill(open);
    await apply(store, MERGE);
    const merged = await dump();
    await store.journal.rollback(1);
    await apply(store, SPLIT);
    await apply(store, MERGE, UNITS.slice(0, 2));
    await apply(store, [], UNITS.slice(2));
    await store.journal.rollback(2);
    expect(await store.topics.get([1, 4, 5])).toMatchObject([{ members: 6, childIds: [] }]);
    await store.journal.rollback(4);
    expect((await store.journal.list({ limit: 9 })).map((entry) => entry.state)).toEqual([
      'rolled_back',
      'applied',
      'rolled_back',
      'rolled_back',
    ]);
    await expectValid(store);
    await store.units.save([]);
    await store.journal.rollback(3);
    await apply(store, MERGE);
    expect(await dump()).toBe(merged);
  });

  test.each<[string, TopicChange[], TopicChange[]]>([
    ['members', SPLIT, [{ type: 'move', unitIds: [5], from: 1, to: 2 }]],
    ['members of a topic that it added', SPLIT, [{ type: 'move', unitIds: [7], from: 2, to: 4 }]],
    ['words', MERGE, [{ type: 'update', topicId: 2, set: { title: 'x' } }]],
    ['parents', PARENT, [{ type: 'setParents', topicId: 3, parentIds: [] }]],
    ['children', PARENT, [{ type: 'setParents', topicId: 1, parentIds: [4] }]],
    [
      'state',
      [{ type: 'update', topicId: 3, set: { title: 'x' } }],
      [
        { type: 'move', unitIds: [9], from: 3, to: 2 },
        { type: 'archive', topicId: 3, successorId: 2 },
      ],
    ],
  ])('is rejected while a later entry exists that changed the %s', async (_, first, second) => {
    const { store, dump } = await fill(open);
    const before = await dump();
    await apply(store, first);
    await apply(store, [
      { type: 'refresh', topicId: 1, strength: 0.5, centroid: null, centroidEmotion: null },
    ]);
    await apply(store, second);
    const now = await dump();
    await expect(store.journal.rollback(1)).rejects.toMatchObject({
      code: 'JOURNAL_CONFLICT',
      details: { entryIds: [3] },
    });
    expect(await dump()).toBe(now);
    for (const id of [3, 2, 1]) await store.journal.rollback(id);
    expect(await dump()).toBe(before);
  });

  test('is rejected while a later entry exists that changed the same unit', async () => {
    const { store } = await fill(open);
    await apply(store, [], UNITS);
    await apply(store, SPLIT);
    await apply(store, [], [{ type: 'update', unitId: 11, set: { pinned: true }, reason: 'r' }]);
    await expect(store.journal.rollback(1)).rejects.toMatchObject({
      code: 'JOURNAL_CONFLICT',
      details: { entryIds: [3] },
    });
  });

  test('is rejected when a unit was changed since', async () => {
    const { store, dump } = await fill(open);
    await apply(store, SPLIT, UNITS);
    await saveOne(store, { type: 'update', unitId: 10, set: { pinned: true }, reason: 'by hand' });
    await saveOne(store, { type: 'update', unitId: 13, set: { pinned: true }, reason: 'by hand' });
    const now = await dump();
    await expect(store.journal.rollback(1)).rejects.toMatchObject({
      code: 'JOURNAL_CONFLICT',
      details: { unitIds: [10, 13] },
    });
    expect(await dump()).toBe(now);
  });

  test('is rejected when it would remove words that a person gave a topic since', async () => {
    const { store } = await fill(open);
    await apply(store, [...SPLIT, ...MERGE]);
    await store.topics.update(1, { title: 'our trip', source: 'user' });
    await store.topics.update(2, { title: 'Pebble', source: 'user' });
    await store.topics.update(5, { summary: 'the way back', source: 'user' });
    await expect(store.journal.rollback(1)).rejects.toMatchObject({
      code: 'JOURNAL_CONFLICT',
      details: { topicIds: [2, 5] },
    });
  });

  test('restores the words of topics that a derivation rewrote since, and keeps words that the entry had not changed', async () => {
    const { store } = await fill(open);
    await apply(store, [...SPLIT, ...MERGE]);
    await store.topics.update(1, { summary: 'a long way' });
    await store.topics.update(2, { title: 'cats, bridges', source: 'assign_topic' });
    await store.journal.rollback(1);
    expect(await store.topics.get([1, 2])).toMatchObject([
      { title: 'trip', summary: 'a long way' },
      { title: 'cat', source: 'assign_topic' },
    ]);
    await expectValid(store);
  });

  test('is rejected when topics would form a cycle', async () => {
    const { store } = await fill(open);
    await addTurns(store, 1);
    await apply(store, [
      named('a'),
      named('b'),
      { type: 'setParents', topicId: { ref: 'a' }, parentIds: [1] },
      { type: 'setParents', topicId: 2, parentIds: [{ ref: 'b' }] },
    ]);
    await apply(store, [{ type: 'setParents', topicId: 1, parentIds: [2] }]);
    await apply(store, [{ type: 'setParents', topicId: 1, parentIds: [] }]);
    await apply(store, [{ type: 'setParents', topicId: 5, parentIds: [4] }]);
    await expect(store.journal.rollback(3)).rejects.toMatchObject({
      code: 'JOURNAL_CONFLICT',
      details: { entryIds: [4], topicIds: [1, 2, 5, 4] },
    });
  });
}
