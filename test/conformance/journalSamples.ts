/** Sample data, changes and checks for the tests of the journal. */
import { expect } from 'vitest';
import type { Emotion, ReorganizationPlan } from '../../src/model/model.ts';
import { terms } from '../../src/text/text.ts';
import type { Store, TopicChange, UnitChange } from '../../src/store/store.ts';
import type { OpenStore, StoreUnderTest } from './storeUnderTest.ts';
import { add, assign, atAngle, draft, fact, loop, note, openMemory, say, START, topic } from './samples.ts';

export const PLAN: ReorganizationPlan = { at: START, by: 'rules', operations: [], refresh: [] };
export const JOY: Emotion = { values: { joy: 0.5 }, confidence: 0.8 };

type Opened = StoreUnderTest & { clock: { now: number } };

/**
 * Episodes 1 to 9 with a vector each: 1 to 6 in topic 1 (`trip`), 7 and 8 in 2 (`cat`), 9 in 3 (`bridge`), none with a
 * parent; two facts, 10 and 11, and a note, 12, without a vector.
 */
export async function fill(open: OpenStore): Promise<Opened> {
  const opened = await openMemory(open);
  const { store } = opened;
  await say(
    store,
    ...Array.from({ length: 9 }, (_, i) =>
      draft(`word${i + 1} 旅行`, { occurredAt: START + i, turnIndex: i }),
    ),
  );
  await store.units.save([
    add({ content: fact('美咲', 'lives in', '大阪') }),
    add({ content: fact('美咲', '住む', '大阪市') }),
    add({ content: note('likes tea') }),
    { type: 'update', unitId: 2, set: { emotion: JOY, salience: 0.9 }, reason: 'reflected' },
  ]);
  await store.units.countAccess([2, 3, 3, 10], START + 3);
  await store.indexes.vectors.upsert(
    'm',
    Array.from({ length: 11 }, (_, i) => ({ unitId: i + 1, vector: atAngle(i * 10) })),
  );
  const to = (unitId: number, entry: Parameters<typeof assign>[1]) => ({
    ...assign(unitId, entry),
    vector: atAngle((unitId - 1) * 10),
  });
  await store.topics.assign([
    to(1, topic('trip', '那須')),
    ...[2, 3, 4, 5, 6].map((unitId) => to(unitId, { sameAs: 0 })),
    to(7, topic('cat')),
    to(8, { sameAs: 6 }),
    to(9, topic('bridge')),
  ]);
  opened.clock.now += 1_000;
  return opened;
}

export async function apply(
  store: Store,
  topics: readonly TopicChange[],
  units: readonly UnitChange[] = [],
  key: string | null = null,
) {
  return store.journal.apply({ key, plan: PLAN, topics, units, unitJobKinds: ['embed'] });
}

export const named = (ref: string, title = ref) => ({
  type: 'add' as const,
  ref,
  topic: { title, summary: null, source: 'reorganize:rules' },
});

/** Topic 1 becomes the parent of 4 (episodes 1, 2) and 5 (3, 4); 5 and 6 stay. */
export const SPLIT: TopicChange[] = [
  named('there'),
  named('back', 'home again'),
  { type: 'move', unitIds: [1, 2], from: 1, to: { ref: 'there' } },
  { type: 'move', unitIds: [3, 4], from: 1, to: { ref: 'back' } },
  { type: 'setParents', topicId: { ref: 'there' }, parentIds: [1] },
  { type: 'setParents', topicId: { ref: 'back' }, parentIds: [1] },
  {
    type: 'refresh',
    topicId: { ref: 'there' },
    strength: 0.75,
    centroid: atAngle(170),
    centroidEmotion: JOY,
  },
];
/** Topic 3 is merged into 2, which is renamed. */
export const MERGE: TopicChange[] = [
  { type: 'update', topicId: 2, set: { title: 'cat and bridge', source: 'reorganize:rules' } },
  { type: 'move', unitIds: [9], from: 3, to: 2 },
  { type: 'archive', topicId: 3, successorId: 2 },
];
/** Topics 2 and 3 get a parent, 4. */
export const PARENT: TopicChange[] = [
  named('animals and bridges'),
  { type: 'setParents', topicId: 2, parentIds: [{ ref: 'animals and bridges' }] },
  { type: 'setParents', topicId: 3, parentIds: [{ ref: 'animals and bridges' }] },
];
/** Fact 11 gets the content of 10; the note's text changes; a summary, 13, is new; an episode gets a description. */
export const UNITS: UnitChange[] = [
  { type: 'update', unitId: 11, set: { state: 'archived' }, reason: 'says what 10 says' },
  { type: 'update', unitId: 10, set: { reinforcement: 3, state: 'consolidated' }, reason: 'merged' },
  { type: 'update', unitId: 12, set: { content: note('likes green tea') as never }, reason: 'merged' },
  add({ content: loop('book the bridge') }),
  { type: 'update', unitId: 2, set: { notes: { imageSummary: 'a bridge' }, salience: 0.2 }, reason: 'noted' },
];

/** Everything that a user can see or find. */
export async function readVisible(store: Store) {
  const ids = Array.from({ length: 14 }, (_, i) => i + 1);
  const topicIds = [1, 2, 3, 4, 5, 6];
  const words = ['word1', '旅行', '大阪', 'tea', 'green', 'bridge', 'trip', 'home', '那須', 'cat'];
  return {
    units: await store.units.get(ids),
    versions: await Promise.all(ids.map((id) => store.units.versions(id))),
    topics: await store.topics.get(topicIds),
    members: await Promise.all(topicIds.map((id) => store.topics.membersOf(id, { limit: 99 }))),
    ofUnits: await store.topics.ofUnits(ids),
    centroids: await store.topics.centroids(topicIds),
    nearest: await store.topics.nearest(atAngle(50), 9),
    near: await store.indexes.vectors.query(atAngle(50), {}, 20),
    vectors: await store.indexes.vectors.get(ids),
    found: await Promise.all(words.map((word) => store.indexes.text.search(terms(word), {}, 20))),
    foundTopics: await Promise.all(words.map((word) => store.topics.search(terms(word), 20))),
    statistics: await store.indexes.text.statistics({ terms: words.flatMap(terms), speakers: ['user'] }),
  };
}

export async function membersOf(store: Store, ...topicIds: number[]): Promise<number[][]> {
  return Promise.all(topicIds.map((id) => store.topics.membersOf(id, { limit: 99 })));
}

export async function expectValid(store: Store): Promise<void> {
  expect((await store.admin.verify()).problems).toEqual([]);
}
