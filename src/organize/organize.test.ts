/** Properties of topics after any sequence of additions and reorganisations. */
import * as fc from 'fast-check';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { dump } from '../../test/organize/dump.ts';
import { file, keep, MINUTE_MS, NOON, openRig, partsOf, talk, type Rig } from '../../test/organize/rig.ts';
import { propertyRuns } from '../../test/propertyRuns.ts';
import { temporaryFolder } from '../../test/temporary.ts';
import {
  DAY_MS,
  isMemoryError,
  type Episode,
  type PlanOperation,
  type ReorganizationPlan,
  type Topic,
} from '../model/model.ts';
import type { Store } from '../store/store.ts';
import { applyPlan, describePlan, planReorganization, validatePlan } from './organize.ts';

/** Possible changes of a memory. */
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      type: fc.constant('talk' as const),
      theme: fc.integer({ min: 0, max: 5 }),
      also: fc.integer({ min: 0, max: 9 }),
      turns: fc.integer({ min: 1, max: 30 }),
      day: fc.integer({ min: 0, max: 60 }),
      /** Into a new topic or an existing one. */
      topic: fc.option(fc.nat(30)),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant('recall' as const),
      unit: fc.nat(500),
      times: fc.integer({ min: 1, max: 20 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ type: fc.constant('wait' as const), days: fc.integer({ min: 1, max: 300 }) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('remember' as const),
      object: fc.constantFrom('tea', 'the tea', '茶', 'お茶です'),
      days: fc.integer({ min: 1, max: 90 }),
      weak: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.constant({ type: 'reorganize' as const }) },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('apply' as const),
      operations: fc.array(
        fc.record({
          type: fc.constantFrom('split' as const, 'merge' as const, 'parent' as const, 'new parent' as const),
          topics: fc.array(fc.nat(40), { minLength: 2, maxLength: 4 }),
        }),
        { minLength: 1, maxLength: 6 },
      ),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('roll back' as const), entry: fc.nat(9) }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

async function take(rig: Rig, one: Step, number: number): Promise<void> {
  const { store, parts, clock } = rig;
  switch (one.type) {
    case 'talk': {
      const at = NOON + one.day * DAY_MS + number * MINUTE_MS;
      const ids = await talk(store, { ...one, conversationId: `c${number}`, at });
      const topics = await allTopics(store);
      const topic = one.topic === null ? undefined : topics[one.topic % Math.max(1, topics.length)];
      await file(store, topic?.id ?? `Topic ${number}`, ids);
      break;
    }
    case 'recall':
      for (let i = 0; i < one.times; i++) await store.units.countAccess([1 + one.unit], clock.now);
      break;
    case 'wait':
      clock.now += one.days * DAY_MS;
      break;
    case 'remember':
      await keep(store, {
        occurredAt: clock.now,
        expiresAt: one.weak ? null : clock.now + one.days * DAY_MS,
        ...(one.weak && { confidence: 0.2, salience: 0.2 }),
        content: { kind: 'fact', payload: { subject: 'user', predicate: 'likes', object: one.object } },
      });
      break;
    case 'reorganize': {
      const plan = await planReorganization(parts);
      await describePlan(store, plan);
      await applyPlan(parts, plan, { key: null });
      break;
    }
    case 'apply': {
      const plan = await someonesPlan(rig, one.operations);
      const isValid = await validatePlan(store, plan).then(
        () => true,
        () => false,
      );
      // Every valid plan can be applied.
      if (isValid) await applyPlan(parts, plan, { key: null });
      break;
    }
    case 'roll back': {
      const entries = await store.journal.list({ limit: 10 });
      const entry = entries[one.entry % Math.max(1, entries.length)];
      // Rejected if later entries depend on it, or if it was undone before.
      if (entry)
        await store.journal.rollback(entry.id).catch((error: unknown) => {
          if (!isMemoryError(error, 'JOURNAL_CONFLICT')) throw error;
        });
    }
  }
}

/** A plan that may be valid or not. */
async function someonesPlan(
  { store, clock }: Rig,
  asked: Extract<Step, { type: 'apply' }>['operations'],
): Promise<ReorganizationPlan> {
  const topics = await allTopics(store);
  const operations: PlanOperation[] = [];
  for (const { type, topics: places } of asked) {
    const [first = 0, ...rest] = new Set(places.map((place) => topics[place % topics.length]?.id ?? 0));
    const reason = 'someone wants it';
    if (type === 'split') {
      const ids = await store.topics.membersOf(first, { limit: 100 });
      const into = [0, 1].map((half) => ({
        title: `Half ${half}`,
        summary: null,
        unitIds: ids.filter((id) => id % 3 === half),
      }));
      operations.push({ type, topicId: first, into, reason });
    } else if (type === 'merge')
      operations.push({ type, topicIds: rest, intoId: first, rename: null, reason });
    else {
      const parent = type === 'parent' ? { topicId: first } : { title: 'Above', summary: null };
      operations.push({ type: 'parent', childIds: rest, parent, reason });
    }
  }
  return { at: clock.now, by: 'someone', operations, refresh: [] };
}

async function allTopics(store: Store): Promise<Topic[]> {
  return store.topics.list({ state: 'active' }, { limit: 10_000 });
}

async function expectSound({ store }: Rig): Promise<void> {
  expect((await store.admin.verify()).problems).toEqual([]);
  const topics = await allTopics(store);
  const byId = new Map(topics.map((topic) => [topic.id, topic]));
  for (const { id, strength, centroidEmotion } of topics) {
    expect(strength).toBeGreaterThanOrEqual(0);
    expect(strength).toBeLessThanOrEqual(1);
    expect(centroidEmotion).toBeNull();
    expect(above(id, byId)).not.toContain(id);
  }
  const episodes = (await store.units.list({ kinds: ['episode'] }, { limit: 10_000 })) as Episode[];
  const filed = await store.topics.ofUnits(episodes.map(({ id }) => id));
  for (const { id, state } of episodes) {
    expect(filed.get(id)?.every((topicId) => byId.has(topicId)) ?? null).toBe(true);
    expect(state).not.toBe('archived');
  }
}

function above(id: number, topics: ReadonlyMap<number, Topic>, seen = new Set<number>()): Set<number> {
  for (const parent of topics.get(id)?.parentIds ?? []) {
    if (seen.has(parent)) continue;
    seen.add(parent);
    above(parent, topics, seen);
  }
  return seen;
}

const RUNS = 20;

describe('after any changes of a memory', () => {
  test('topics have no cycle, every episode has a topic, strengths are shares, and a second reorganisation changes nothing', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 50 }), async (steps) => {
        const rig = openRig();
        for (const [number, one] of steps.entries()) await take(rig, one, number);
        await expectSound(rig);
        await applyPlan(rig.parts, await planReorganization(rig.parts), { key: null });
        await expectSound(rig);
        const again = await planReorganization(rig.parts);
        expect(again.operations.length).toBeLessThanOrEqual(2);
        expect(again.refresh).toEqual([]);
      }),
      { numRuns: propertyRuns(RUNS) },
    );
  }, 120_000);

  test('applying and rolling back a plan restores the memory byte for byte', async () => {
    const path = join(temporaryFolder(), 'memory.db');
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 50 }), fc.nat(1e9), async (steps, salt) => {
        const own = `${path}-${salt}-${steps.length}`;
        const rig = openRig(own);
        for (const [number, one] of steps.entries()) await take(rig, one, number);
        const before = dump(own);
        const plan = await planReorganization(rig.parts);
        const entry = await applyPlan(rig.parts, plan, { key: null });
        const isChanged = plan.operations.length > 0 || plan.refresh.length > 0;
        expect(JSON.stringify(dump(own)) === JSON.stringify(before)).toBe(!isChanged);
        await rig.store.journal.rollback(entry.id);
        expect(dump(own)).toEqual(before);
      }),
      { numRuns: propertyRuns(RUNS) },
    );
  }, 120_000);

  test('the same turns in the same order are reorganised the same way', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 40 }), async (steps) => {
        const plans = [];
        for (const rig of [openRig(), openRig()]) {
          for (const [number, one] of steps.entries()) await take(rig, one, number);
          plans.push(await planReorganization(rig.parts));
        }
        expect(plans[1]).toEqual(plans[0]);
      }),
      { numRuns: propertyRuns(RUNS / 3) },
    );
  }, 120_000);

  test('two concurrent reorganisations are applied once, and one of them may be rejected as too late', async () => {
    const path = join(temporaryFolder(), 'memory.db');
    const rig = openRig(path);
    const other = openRig(path);
    for (let i = 0; i < 20; i++)
      await take(rig, { type: 'talk', theme: i % 4, also: 0, turns: 12, day: i, topic: i < 4 ? null : 0 }, i);
    const [plan, same] = [
      await planReorganization(rig.parts),
      await planReorganization(partsOf(other.store, other.clock)),
    ];
    expect(plan.operations.length).toBeGreaterThan(0);
    const ended = await Promise.allSettled([
      applyPlan(rig.parts, plan, { key: null }),
      applyPlan(partsOf(other.store, other.clock), same, { key: null }),
    ]);
    expect(ended.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(await rig.store.journal.list({ limit: 9 })).toHaveLength(1);
    await expectSound(rig);
  });
});
