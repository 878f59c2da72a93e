import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isMemoryError, type Emotion } from '../../src/model/model.ts';
import { terms } from '../../src/text/text.ts';
import type { Store, TopicChange, UnitChange } from '../../src/store/store.ts';
import { propertyRuns } from '../propertyRuns.ts';
import type { OpenStore, StoreUnderTest } from './storeUnderTest.ts';
import { add, assign, atAngle, draft, fact, loop, openMemory, say, START, topic } from './samples.ts';

const EPISODES = 12;
const FACTS = [13, 14, 15];
const NO_PLAN = { at: START, by: 'rules', operations: [], refresh: [] };

const number = fc.nat({ max: 1_000 });
const assignment = fc.record({ unit: number, topic: number, isNew: fc.boolean(), hasVector: fc.boolean() });
const reorganization = fc.oneof(
  fc.record({ type: fc.constant('split' as const), topic: number, parts: fc.integer({ min: 1, max: 3 }) }),
  fc.record({ type: fc.constant('merge' as const), from: number, into: number }),
  fc.record({ type: fc.constant('parent' as const), child: number, parent: number, isNew: fc.boolean() }),
  fc.record({
    type: fc.constant('refresh' as const),
    topic: number,
    strength: fc.double({ min: 0, max: 1, noNaN: true }),
    degrees: number,
  }),
  fc.record({ type: fc.constant('units' as const), first: number, second: number }),
);
const reorganizations = fc.array(reorganization, { minLength: 1, maxLength: 3 });
const step = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('assign' as const),
      entries: fc.array(assignment, { minLength: 1, maxLength: 4 }),
    }),
  },
  { weight: 4, arbitrary: fc.record({ type: fc.constant('apply' as const), changes: reorganizations }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('rollback' as const), entry: number }) },
  fc.record({ type: fc.constant('recall' as const), unit: number }),
  fc.record({ type: fc.constant('edit' as const), unit: number }),
  fc.record({ type: fc.constant('rename' as const), topic: number, isByHand: fc.boolean() }),
  fc.record({ type: fc.constant('embed' as const), unit: number, degrees: number, isGone: fc.boolean() }),
);

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;
type Reorganization = typeof reorganization extends fc.Arbitrary<infer T> ? T : never;

/** Episodes 1 to 12 and facts 13 to 15, every second one with a vector, some with an emotion. */
async function fill(store: Store): Promise<void> {
  await say(
    store,
    ...Array.from({ length: EPISODES }, (_, i) => draft(`word${i} 旅行`, { occurredAt: START + (i % 5) })),
  );
  const feeling = (i: number): Emotion => ({
    values: { joy: i / EPISODES, anger: -i / 20 },
    confidence: 0.5,
  });
  await store.units.save([
    ...FACTS.map((id) => add({ content: fact(`s${id}`, 'is', 'so') })),
    ...[1, 4, 7].map((unitId) => ({
      type: 'update' as const,
      unitId,
      set: { emotion: feeling(unitId), salience: unitId / 10 },
      reason: 'r',
    })),
  ]);
  const units = Array.from({ length: EPISODES + FACTS.length }, (_, i) => i + 1);
  const vectors = units
    .filter((id) => id % 2 === 1)
    .map((unitId) => ({ unitId, vector: atAngle(unitId * 7) }));
  await store.indexes.vectors.upsert('m', vectors);
}

/** A change of existing topics; with fewer than it needs, no change. */
async function changesOf(
  store: Store,
  reorganization: Reorganization,
): Promise<[TopicChange[], UnitChange[]]> {
  const topics = await store.topics.list({}, { limit: 99 });
  const pick = (n: number) => topics[n % topics.length];
  switch (reorganization.type) {
    case 'split': {
      const split = pick(reorganization.topic);
      return [
        split
          ? splitOf(split.id, await store.topics.membersOf(split.id, { limit: 99 }), reorganization.parts)
          : [],
        [],
      ];
    }
    case 'merge': {
      const [from, into] = [pick(reorganization.from), pick(reorganization.into)];
      if (!from || !into || from.id === into.id || from.childIds.length > 0) return [[], []];
      const unitIds = await store.topics.membersOf(from.id, { limit: 99 });
      return [
        [
          { type: 'move', unitIds, from: from.id, to: into.id },
          { type: 'update', topicId: into.id, set: { title: `${into.title} ${from.title}`.slice(0, 20) } },
          { type: 'archive', topicId: from.id, successorId: into.id },
        ],
        [],
      ];
    }
    case 'parent': {
      const [child, parent] = [pick(reorganization.child), pick(reorganization.parent)];
      if (!child || !parent) return [[], []];
      if (!reorganization.isNew)
        return [[{ type: 'setParents', topicId: child.id, parentIds: [parent.id] }], []];
      const ref = { ref: 'parent' };
      return [
        [
          { type: 'add', ref: ref.ref, topic: topic(`above ${child.title}`) },
          { type: 'setParents', topicId: child.id, parentIds: [ref, ...child.parentIds] },
        ],
        [],
      ];
    }
    case 'refresh': {
      const refreshed = pick(reorganization.topic);
      const { strength, degrees } = reorganization;
      const centroid = degrees % 3 === 0 ? null : atAngle(degrees);
      return [
        refreshed
          ? [{ type: 'refresh', topicId: refreshed.id, strength, centroid, centroidEmotion: null }]
          : [],
        [],
      ];
    }
    case 'units':
      return [[], unitChanges(reorganization.first, reorganization.second)];
  }
}

function splitOf(topicId: number, members: readonly number[], parts: number): TopicChange[] {
  return Array.from({ length: parts }, (_, part) => part).flatMap((part): TopicChange[] => {
    const ref = { ref: `part ${part}` };
    return [
      { type: 'add', ref: ref.ref, topic: topic(`part ${part} of ${topicId}`) },
      { type: 'move', unitIds: members.filter((_, i) => i % (parts + 1) === part), from: topicId, to: ref },
      { type: 'setParents', topicId: ref, parentIds: [topicId] },
    ];
  });
}

function unitChanges(first: number, second: number): UnitChange[] {
  const factId = FACTS[first % FACTS.length]!;
  const words =
    second % 2 === 0 ? { content: fact('s', 'is', `other ${second}`) as never } : { pinned: true };
  return [
    { type: 'update', unitId: factId, set: { ...words, reinforcement: second }, reason: 'merged' },
    {
      type: 'update',
      unitId: FACTS[(first + 1) % FACTS.length]!,
      set: { state: 'archived' },
      reason: 'merged',
    },
    {
      type: 'update',
      unitId: 1 + (second % EPISODES),
      set: { notes: { imageSummary: `image ${second}` } },
      reason: 'seen',
    },
    add({ content: loop(`new ${second}`) }),
  ];
}

async function apply(store: Store, reorganizations: readonly Reorganization[]) {
  // One at a time, because each applies to the result of the previous one.
  for (const reorganization of reorganizations) {
    const [topics, units] = await changesOf(store, reorganization);
    try {
      await store.journal.apply({ key: null, plan: NO_PLAN, topics, units });
    } catch (error) {
      if (!isMemoryError(error, 'INVALID_INPUT')) throw error;
    }
  }
}

let fingerprint = 0;

async function take(store: Store, step: Step): Promise<void> {
  const topics = await store.topics.list({}, { limit: 99 });
  switch (step.type) {
    case 'assign':
      await store.topics.assign(
        step.entries.map(({ unit, topic: n, isNew, hasVector }, i) => {
          const unitId = 1 + (unit % EPISODES);
          const known = topics[n % topics.length];
          const to = isNew || !known ? topic(`topic ${n}`) : { id: known.id };
          fingerprint += 1;
          return {
            ...assign(unitId, i > 0 && n % 4 === 0 ? { sameAs: i - 1 } : to),
            mark: { unitId, kind: 'assign_topic', fingerprint: String(fingerprint) },
            vector: hasVector ? atAngle(unitId * 7) : null,
          };
        }),
      );
      return;
    case 'apply':
      return apply(store, step.changes);
    case 'rollback': {
      const entries = (await store.journal.list({ limit: 99 })).filter((entry) => entry.state === 'applied');
      const entry = entries[step.entry % entries.length];
      try {
        if (entry) await store.journal.rollback(entry.id);
      } catch (error) {
        if (!isMemoryError(error, 'JOURNAL_CONFLICT')) throw error;
      }
      return;
    }
    case 'recall':
      return store.units.countAccess([1 + (step.unit % EPISODES)], START + step.unit);
    case 'edit':
      await store.units.save([
        {
          type: 'update',
          unitId: 1 + (step.unit % 15),
          set: { salience: step.unit / 1_000 },
          reason: 'edited',
        },
      ]);
      return;
    case 'rename': {
      const renamed = topics[step.topic % topics.length];
      const source = step.isByHand ? 'user' : 'assign_topic';
      if (renamed) await store.topics.update(renamed.id, { title: `name ${step.topic}`, source });
      return;
    }
    case 'embed': {
      const unitId = 1 + (step.unit % EPISODES);
      if (step.isGone) await store.indexes.vectors.remove([unitId]);
      else await store.indexes.vectors.upsert('m', [{ unitId, vector: atAngle(step.degrees) }]);
    }
  }
}

/** Search results, which a dump does not contain. */
async function search(store: Store) {
  const units = Array.from({ length: 40 }, (_, i) => i + 1);
  return {
    near: await store.topics.nearest(atAngle(30), 99),
    found: await store.topics.search(terms('topic part name 旅行 word3'), 99),
    units: await store.indexes.text.search(terms('旅行 other image new'), { withArchived: true }, 99),
    vectors: await store.indexes.vectors.get(units),
    nearUnits: await store.indexes.vectors.query(atAngle(30), { withArchived: true }, 99),
  };
}

/** Violated invariants. @param withTopic episodes that were assigned a topic */
async function faultsOf(store: Store, withTopic: ReadonlySet<number>) {
  const topics = await store.topics.ofUnits([...withTopic]);
  const strengths = (await store.topics.list({}, { limit: 99 })).map((one) => one.strength);
  return {
    problems: (await store.admin.verify()).problems,
    withoutTopic: [...withTopic].filter((unitId) => !topics.has(unitId)),
    outOfRange: strengths.filter((strength) => !(strength >= 0 && strength <= 1)),
  };
}

const NO_FAULTS = { problems: [], withoutTopic: [], outOfRange: [] };

async function opened(open: OpenStore): Promise<StoreUnderTest> {
  const memory = await openMemory(open);
  await fill(memory.store);
  return memory;
}

export function describeReorganizing(open: OpenStore): void {
  describe('after any sequence of operations on topics', () => {
    test('there is no cycle, no episode without a topic, and every strength is between 0 and 1', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
          const { store } = await opened(open);
          const withTopic = new Set<number>();
          for (const one of steps) {
            await take(store, one);
            if (one.type === 'assign')
              for (const { unit } of one.entries) withTopic.add(1 + (unit % EPISODES));
            expect(await faultsOf(store, withTopic)).toEqual(NO_FAULTS);
          }
          await store.close();
        }),
        { numRuns: propertyRuns(15) },
      );
    }, 120_000);

    test('rolling back reorganisations, last first, restores the state before them', async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(step, { maxLength: 12 }),
          fc.array(reorganization, { minLength: 1, maxLength: 5 }),
          async (steps, changes) => {
            const { store, dump } = await opened(open);
            for (const one of steps) await take(store, one);
            const first = (await store.journal.list({ limit: 1 }))[0]?.id ?? 0;
            const states = [];
            for (const change of changes) {
              states.push([await dump(), await search(store)]);
              await apply(store, [change]);
            }
            const entries = (await store.journal.list({ limit: 99 })).filter((entry) => entry.id > first);
            for (const { id } of entries) await store.journal.rollback(id);
            expect([await dump(), await search(store)]).toEqual(states[0]);
            expect((await store.admin.verify()).problems).toEqual([]);
            await store.close();
          },
        ),
        { numRuns: propertyRuns(15) },
      );
    }, 120_000);

    test('undoing the creation of a topic leaves no topic with a missing successor', async () => {
      const { store } = await opened(open);
      const put = (unitId: number, to: Parameters<typeof assign>[1], fingerprint: string) =>
        store.topics.assign([{ ...assign(unitId, to), mark: { unitId, kind: 'assign_topic', fingerprint } }]);
      const [whole = 0] = await put(1, topic('whole'), '1');
      await put(2, { id: whole }, '1');
      const [deserted = 0] = await put(3, topic('deserted'), '1');
      const made = splitOf(whole, [1, 2], 1);
      const { id: entryId } = await store.journal.apply({
        key: null,
        plan: NO_PLAN,
        topics: made,
        units: [],
      });
      const part = (await store.topics.list({}, { limit: 9 })).find(({ title }) => title.startsWith('part'));
      await put(3, { id: part?.id ?? 0 }, '2');
      expect(await store.topics.get([deserted])).toMatchObject([
        { state: 'archived', successorId: part?.id },
      ]);

      await store.journal.rollback(entryId);

      expect(await store.topics.get([deserted])).toMatchObject([{ state: 'archived', successorId: null }]);
      expect(await store.topics.membersOf(whole, { limit: 9 })).toEqual([1, 2, 3]);
      expect((await store.admin.verify()).problems).toEqual([]);
      await store.close();
    });
  });
}
