import { describe, expect, test } from 'vitest';
import type { Emotion } from '../../src/model/model.ts';
import { terms } from '../../src/text/text.ts';
import type { Store, TopicAssignment } from '../../src/store/store.ts';
import type { OpenStore } from './storeUnderTest.ts';
import { add, assign, atAngle, draft, loop, openMemory, say, saveOne, START, topic } from './samples.ts';

const JOY: Emotion = { values: { joy: 1 }, confidence: 0.5 };
const SAD: Emotion = { values: { sadness: 1, joy: -0.5 }, confidence: 1 };

/** Episodes 1 to n of as many turns, a second apart. */
async function talk(store: Store, n: number): Promise<number[]> {
  return say(
    store,
    ...Array.from({ length: n }, (_, i) => draft(`turn ${i + 1}`, { occurredAt: START + i * 1_000 })),
  );
}

async function only(store: Store, topicId: number) {
  const [found] = await store.topics.get([topicId]);
  if (!found) throw new Error(`There is no topic ${topicId}.`);
  return found;
}

export function describeTopics(open: OpenStore): void {
  describe('topics', () => {
    test('are created with their first episode and take in more', async () => {
      const { store, clock } = await openMemory(open);
      await talk(store, 4);
      const [first, again, other] = await store.topics.assign([
        assign(1, topic('那須塩原の旅行', '吊り橋が揺れた')),
        assign(3, { sameAs: 0 }),
        assign(2, topic('a cat')),
      ]);
      expect([again, other]).toEqual([first, expect.not.toSatisfy((id) => id === first)]);
      clock.now += 5;
      await store.topics.assign([assign(4, { id: first! })]);
      expect(await store.topics.get([other!, 99, first!])).toMatchObject([
        { title: 'a cat', summary: null, members: 1, firstAt: START + 1_000, lastAt: START + 1_000 },
        {
          id: first,
          title: '那須塩原の旅行',
          summary: '吊り橋が揺れた',
          source: 'assign_topic',
          createdAt: START,
          updatedAt: START + 5,
          state: 'active',
          successorId: null,
          members: 3,
          firstAt: START,
          lastAt: START + 3_000,
          centroidEmotion: null,
          parentIds: [],
          childIds: [],
          version: 1,
        },
      ]);
      expect(await store.topics.membersOf(first!, { limit: 9 })).toEqual([1, 3, 4]);
      expect(await store.topics.ofUnits([4, 2, 99])).toEqual(
        new Map([
          [4, [first]],
          [2, [other]],
        ]),
      );
      expect((await store.admin.info()).topics).toBe(2);
      expect((await store.admin.verify()).problems).toEqual([]);
    });

    test('take in an episode once for each mark', async () => {
      const { store } = await openMemory(open);
      await talk(store, 2);
      const entry = assign(1, topic('a'));
      const [a] = await store.topics.assign([entry]);
      const before = await store.topics.list({}, { limit: 9 });
      expect(await store.topics.assign([entry, assign(2, { sameAs: 0 })])).toEqual([a, a]);
      expect(await store.topics.assign([entry, entry])).toEqual([a, a]);
      expect(await store.topics.list({}, { limit: 9 })).toMatchObject([
        { ...before[0]!, members: 2, strength: expect.any(Number), lastAt: START + 1_000 },
      ]);
      expect(await store.units.isDerived(entry.mark)).toBe(true);
    });

    test('are merged into the topic that their last episode moves to, except topics named by hand', async () => {
      const { store } = await openMemory(open);
      await talk(store, 3);
      const [left, named, other] = await store.topics.assign([
        assign(1, topic('left')),
        assign(2, topic('named')),
        assign(3, topic('other')),
      ]);
      await store.topics.update(named!, { title: 'Ours', source: 'user' });
      const again = (unitId: number) => ({
        ...assign(unitId, { id: other! }),
        mark: { ...assign(unitId, { id: other! }).mark, fingerprint: '2' },
      });
      await store.topics.assign([again(1), again(2)]);
      expect(await store.topics.get([left!, named!])).toMatchObject([
        { state: 'archived', successorId: other, members: 0 },
        { state: 'active', successorId: null, members: 0 },
      ]);
      expect((await store.admin.verify()).problems).toEqual([]);
      await expect(
        store.topics.assign([{ ...assign(3, { id: left! }), mark: again(3).mark }]),
      ).rejects.toMatchObject({
        code: 'VERSION_CONFLICT',
      });
    });

    test('lose an episode that is assigned to another topic', async () => {
      const { store } = await openMemory(open);
      await talk(store, 3);
      const [a] = await store.topics.assign([
        assign(1, topic('a')),
        assign(2, { sameAs: 0 }),
        assign(3, { sameAs: 0 }),
      ]);
      const { strength } = await only(store, a!);
      const [b, stays] = await store.topics.assign([
        { ...assign(1, topic('b')), mark: { ...assign(1, topic('b')).mark, fingerprint: '2' } },
        { ...assign(2, { id: a! }), mark: { ...assign(2, { id: a! }).mark, fingerprint: '2' } },
      ]);
      expect(stays).toBe(a);
      expect(await store.topics.ofUnits([1, 2, 3])).toEqual(
        new Map([
          [1, [b]],
          [2, [a]],
          [3, [a]],
        ]),
      );
      const left = await only(store, a!);
      expect(left).toMatchObject({ members: 2, firstAt: START + 1_000 });
      expect(left.strength).toBeLessThan(strength);
      expect((await store.admin.verify()).problems).toEqual([]);
    });

    test.each<[string, TopicAssignment, string]>([
      ['no unit', assign(99, topic('a')), 'NOT_FOUND'],
      ['no topic', assign(1, { id: 99 }), 'NOT_FOUND'],
      ['no episode', assign(3, topic('a')), 'INVALID_INPUT'],
      ['no earlier entry', assign(1, { sameAs: 1 }), 'INVALID_INPUT'],
      ['no title', assign(1, topic('')), 'INVALID_INPUT'],
      ['another model', { ...assign(1, topic('a')), vector: new Float32Array(9).fill(1) }, 'MODEL_MISMATCH'],
    ])('take in nothing of a call with %s', async (_, wrong, code) => {
      const { store } = await openMemory(open);
      await talk(store, 2);
      await saveOne(store, add({ content: loop('x') }));
      await store.indexes.vectors.upsert('m', [{ unitId: 2, vector: atAngle(0) }]);
      await expect(store.topics.assign([assign(2, topic('kept')), wrong])).rejects.toMatchObject({ code });
      expect(await store.topics.list({}, { limit: 9 })).toEqual([]);
      expect(await store.topics.search(terms('kept'), 9)).toEqual([]);
      expect(await store.units.isDerived(assign(2, topic('kept')).mark)).toBe(false);
    });

    test('are listed strongest first, filtered by state, parent and time', async () => {
      const { store } = await openMemory(open);
      await talk(store, 6);
      const ids = await store.topics.assign([
        assign(1, topic('a')),
        assign(2, topic('b')),
        assign(3, { sameAs: 1 }),
        assign(5, topic('c')),
      ]);
      const [a, b, , c] = ids as [number, number, number, number];
      const list = async (filter: Parameters<Store['topics']['list']>[0], page = { limit: 9 }) =>
        (await store.topics.list(filter, page)).map((found) => found.id);
      expect(await list({})).toEqual([b, a, c]);
      expect(await store.topics.list({}, { limit: 1, offset: 1 })).toMatchObject([{ id: a }]);
      expect(await list({ from: START + 1_000 })).toEqual([b, c]);
      expect(await list({ to: START + 1_000 })).toEqual([a]);
      expect(await list({ from: START + 2_000, to: START + 4_000 })).toEqual([b]);
      expect(await list({ state: 'archived' })).toEqual([]);
      expect(await list({ parentId: null })).toEqual([b, a, c]);
      expect(await list({ parentId: a })).toEqual([]);
      await store.topics.update(c, { strength: 1 });
      expect(await list({})).toEqual([c, b, a]);
    });

    test('can be renamed by hand, each time as a version', async () => {
      const { store, clock } = await openMemory(open);
      await talk(store, 1);
      const [a] = await store.topics.assign([assign(1, topic('bridge', 'it shook'))]);
      clock.now += 7;
      const changed = await store.topics.update(a!, { title: '温泉', source: 'user' }, 1);
      expect(changed).toMatchObject({
        title: '温泉',
        summary: 'it shook',
        source: 'user',
        version: 2,
        updatedAt: START + 7,
      });
      expect(await store.topics.get([a!])).toEqual([changed]);
      await expect(store.topics.update(a!, { title: 'x' }, 1)).rejects.toMatchObject({
        code: 'VERSION_CONFLICT',
      });
      await expect(store.topics.update(a!, { strength: 2 })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
      await expect(store.topics.update(99, { title: 'x' })).rejects.toMatchObject({ code: 'NOT_FOUND' });
      const found = async (words: string) =>
        (await store.topics.search(terms(words), 9)).map((hit) => hit.topicId);
      expect([await found('温泉'), await found('bridge'), await found('shook')]).toEqual([[a], [], [a]]);
      expect((await store.admin.verify()).problems).toEqual([]);
    });

    test('are found by title, by summary and by the text of their episodes', async () => {
      const { store } = await openMemory(open);
      await say(store, 'the bridge shook', 'so did I', '昨日の温泉', 'bridge again, a bridge');
      const [a, , b] = await store.topics.assign([
        assign(1, topic('那須塩原', 'a journey')),
        assign(2, { sameAs: 0 }),
        assign(3, topic('bath')),
        assign(4, { sameAs: 2 }),
      ]);
      const found = async (words: string, limit = 9) =>
        (await store.topics.search(terms(words), limit)).map((hit) => hit.topicId);
      expect(await found('那須')).toEqual([a]);
      expect(await found('journeys')).toEqual([a]);
      expect(await found('温泉')).toEqual([b]);
      expect(await found('bridge')).toEqual([b, a]);
      expect(await found('bridge', 1)).toEqual([b]);
      expect(await found('bridge bath')).toEqual([b, a]);
      expect([await found('moon'), await found(''), await found('bridge', 0)]).toEqual([[], [], []]);
    });

    test('return their members in order of time, in pages', async () => {
      const { store } = await openMemory(open);
      await say(store, ...[3, 1, 2, 1].map((at) => draft(`at ${at}`, { occurredAt: START + at })));
      const [a] = await store.topics.assign([
        assign(1, topic('a')),
        ...[2, 3, 4].map((unitId) => assign(unitId, { sameAs: 0 })),
      ]);
      expect(await store.topics.membersOf(a!, { limit: 3 })).toEqual([2, 4, 3]);
      const after = { occurredAt: START + 1, unitId: 4 };
      expect(await store.topics.membersOf(a!, { limit: 9, after })).toEqual([3, 1]);
      expect(await store.topics.membersOf(99, { limit: 9 })).toEqual([]);
    });

    test('restrict a search for units to their episodes and those of the topics below them', async () => {
      const { store } = await openMemory(open);
      await talk(store, 4);
      await saveOne(store, add({ content: loop('turn') }));
      await store.indexes.vectors.upsert(
        'm',
        [1, 2, 3].map((unitId) => ({ unitId, vector: atAngle(unitId) })),
      );
      const [a, b, c] = await store.topics.assign([
        assign(1, topic('a')),
        assign(2, topic('b')),
        assign(3, topic('c')),
      ]);
      const topics = [
        { type: 'setParents' as const, topicId: b!, parentIds: [a!] },
        { type: 'setParents' as const, topicId: c!, parentIds: [b!, a!] },
      ];
      const plan = { at: START, by: 'rules', operations: [], refresh: [] };
      await store.journal.apply({ key: null, plan, topics, units: [] });
      const sorted = (hits: readonly { unitId: number }[]) => hits.map((hit) => hit.unitId).sort();
      for (const [topicId, unitIds] of [
        [a, [1, 2, 3]],
        [b, [2, 3]],
        [c, [3]],
        [99, []],
      ] as [number, number[]][]) {
        const filter = { topicId };
        expect(await store.units.filter([1, 2, 3, 4, 5], filter)).toEqual(unitIds);
        expect((await store.units.list(filter, { limit: 9 })).map((unit) => unit.id)).toEqual(
          unitIds.toReversed(),
        );
        expect(sorted(await store.indexes.text.search(terms('turn'), filter, 9))).toEqual(unitIds);
        expect(sorted(await store.indexes.vectors.query(atAngle(0), filter, 9))).toEqual(unitIds);
      }
      expect(await store.topics.get([a!, c!])).toMatchObject([{ childIds: [b, c] }, { parentIds: [a, b] }]);
    });

    describeFigures(open);
    describeCentroids(open);
    describeSharedTopics(open);
  });
}

function describeFigures(open: OpenStore): void {
  test('become stronger with members, their salience, and the number of recalls', async () => {
    const { store } = await openMemory(open);
    await talk(store, 4);
    await saveOne(store, { type: 'update', unitId: 2, set: { salience: 1 }, reason: 'r' });
    await store.units.countAccess([3, 3, 3], START);
    const strengths: number[] = [];
    const [a] = await store.topics.assign([assign(1, topic('a'))]);
    for (const unitId of [2, 3, 4]) {
      strengths.push((await only(store, a!)).strength);
      await store.topics.assign([assign(unitId, { id: a! })]);
    }
    const shares = [0.5, 1, 0.5 * (1 + Math.log(4)), 0.5];
    const expected = shares.map((_, i) => {
      const sum = shares.slice(0, i + 1).reduce((x, y) => x + y);
      return sum / (sum + 8);
    });
    expect([...strengths, (await only(store, a!)).strength]).toEqual(
      expected.map((x) => expect.closeTo(x, 10)),
    );
  });

  test('have the emotion of their members, weighted by confidence', async () => {
    const { store } = await openMemory(open);
    await talk(store, 4);
    await store.units.save([
      { type: 'update', unitId: 1, set: { emotion: JOY }, reason: 'r' },
      { type: 'update', unitId: 3, set: { emotion: SAD }, reason: 'r' },
    ]);
    await store.units.countAccess([3], START);
    const [a] = await store.topics.assign([assign(1, topic('a')), assign(2, { sameAs: 0 })]);
    expect((await only(store, a!)).centroidEmotion).toEqual(JOY);
    await store.topics.assign([assign(3, { id: a! }), assign(4, { id: a! })]);
    const recalled = 1 + Math.log(2);
    expect((await only(store, a!)).centroidEmotion).toEqual({
      values: {
        joy: expect.closeTo((0.5 - 0.5 * recalled) / (0.5 + recalled), 10),
        sadness: expect.closeTo(recalled / (0.5 + recalled), 10),
      },
      confidence: expect.closeTo((0.5 + recalled) / (1 + recalled), 10),
    });
  });
}

function describeCentroids(open: OpenStore): void {
  const withVector = (unitId: number, to: TopicAssignment['topic'], degrees: number, length = 1) => ({
    ...assign(unitId, to),
    vector: atAngle(degrees, length),
  });

  test('are compared by the direction of the sum of their members’ vectors', async () => {
    const { store } = await openMemory(open);
    await talk(store, 4);
    expect(await store.topics.nearest(atAngle(0), 9)).toEqual([]);
    const [a, , b, none] = await store.topics.assign([
      withVector(1, topic('a'), 0),
      withVector(2, { sameAs: 0 }, 60, 3),
      withVector(3, topic('b'), 90),
      assign(4, topic('none')),
    ]);
    const near = await store.topics.nearest(atAngle(80), 9);
    expect(near).toEqual([
      { topicId: b, score: expect.closeTo(Math.cos(Math.PI / 18), 2) },
      { topicId: a, score: expect.closeTo(Math.cos((50 * Math.PI) / 180), 2) },
    ]);
    expect(await store.topics.nearest(atAngle(20), 1)).toMatchObject([{ topicId: a }]);
    const centroids = await store.topics.centroids([a!, b!, none!, 99]);
    expect([...centroids.keys()]).toEqual([a, b]);
    expect(centroids.get(a!)![0]).toBeCloseTo(Math.cos(Math.PI / 6), 2);
    expect(Math.hypot(...centroids.get(a!)!)).toBeCloseTo(1, 5);
  });

  test('follow the serving vectors: added later, replaced, removed', async () => {
    const { store } = await openMemory(open);
    await talk(store, 3);
    const [a] = await store.topics.assign([
      withVector(1, topic('a'), 0),
      assign(2, { sameAs: 0 }),
      assign(3, { sameAs: 0 }),
    ]);
    const angle = async () => {
      const centroid = (await store.topics.centroids([a!])).get(a!);
      return centroid && (Math.atan2(centroid[1]!, centroid[0]!) * 180) / Math.PI;
    };
    const upsert = (unitId: number, degrees: number) =>
      store.indexes.vectors.upsert('m', [{ unitId, vector: atAngle(degrees) }]);
    expect(await angle()).toBeCloseTo(0, 0);
    await upsert(1, 0);
    await upsert(2, 40);
    expect(await angle()).toBeCloseTo(20, 0);
    await upsert(1, 80);
    expect(await angle()).toBeCloseTo(60, 0);
    await upsert(3, 60);
    await store.indexes.vectors.remove([1]);
    expect(await angle()).toBeCloseTo(50, 0);
    await store.indexes.vectors.remove([2, 3]);
    expect(await angle()).toBeUndefined();
    expect(await store.topics.nearest(atAngle(0), 9)).toEqual([]);
  });

  test('use another model’s vectors once those serve, and none when they are dropped', async () => {
    const { store, openAnother } = await openMemory(open);
    const other = await openAnother();
    await talk(store, 2);
    const vectors = (degrees: number) => [1, 2].map((unitId) => ({ unitId, vector: atAngle(degrees) }));
    await store.indexes.vectors.upsert('m', vectors(0));
    const [a] = await store.topics.assign([withVector(1, topic('a'), 0), withVector(2, { sameAs: 0 }, 0)]);
    expect(await other.topics.nearest(atAngle(0), 9)).toHaveLength(1);
    await store.indexes.vectors.upsertNext(
      'n',
      vectors(90).map(({ unitId, vector }) => ({ unitId, vector: vector.slice(0, 8) })),
    );
    expect(await store.indexes.vectors.switchToNext('n')).toBe(true);
    for (const one of [store, other]) {
      expect(await one.topics.nearest(atAngle(90).slice(0, 8), 9)).toEqual([
        { topicId: a, score: expect.closeTo(1, 5) },
      ]);
      await expect(one.topics.nearest(atAngle(90), 9)).rejects.toMatchObject({ code: 'MODEL_MISMATCH' });
    }
    await store.admin.rebuild('indexes', { jobKinds: [], now: START, dropVectors: true });
    for (const one of [store, other]) expect(await one.topics.nearest(atAngle(90), 9)).toEqual([]);
  });
}

function describeSharedTopics(open: OpenStore): void {
  test('changed by one store are seen by another at once, also in a search for the nearest', async () => {
    const { store: a, openAnother } = await openMemory(open);
    const b = await openAnother();
    await talk(a, 3);
    const near = async (store: Store) =>
      (await store.topics.nearest(atAngle(0), 9)).map((hit) => hit.topicId);
    const at = (unitId: number, degrees: number) => ({
      ...assign(unitId, topic(`t${unitId}`)),
      vector: atAngle(degrees),
    });
    const [first] = await a.topics.assign([at(1, 50)]);
    expect(await near(b)).toEqual([first]);
    const [second] = await b.topics.assign([at(2, 10)]);
    expect([await near(a), await near(b)]).toEqual([
      [second, first],
      [second, first],
    ]);
    await a.topics.assign([{ ...assign(3, { id: second! }), vector: atAngle(170) }]);
    expect(await near(b)).toEqual([first, second]);
    expect(await b.topics.search(terms('t1'), 9)).toMatchObject([{ topicId: first }]);
    expect(await b.topics.get([first!, second!])).toEqual(await a.topics.get([first!, second!]));
  });
}
