import { describe, expect, test } from 'vitest';
import {
  background,
  file,
  MINUTE_MS,
  NOON,
  openRig,
  talk,
  topicOf,
  type Rig,
} from '../../test/organize/rig.ts';
import { DAY_MS, type PlanOperation } from '../model/model.ts';
import { applyPlan, planReorganization } from './organize.ts';

const ofType = <T extends PlanOperation['type']>(operations: readonly PlanOperation[], type: T) =>
  operations.filter((one): one is Extract<PlanOperation, { type: T }> => one.type === type);

/** A number of conversations of eight turns, a day apart, about these themes in rotation. */
function talks(themes: readonly number[], count: number, name = 'c') {
  return Array.from({ length: count }, (_, i) => ({
    theme: themes[i % themes.length] ?? 0,
    conversationId: `${name}${i}`,
    turns: 8,
    at: NOON - i * DAY_MS,
  }));
}

async function settled({ store, parts }: Rig): Promise<void> {
  const again = await planReorganization(parts);
  expect(again).toMatchObject({ operations: [], refresh: [] });
  expect((await store.admin.verify()).problems).toEqual([]);
}

describe('a split', () => {
  test('divides a topic with too many turns by subject, and keeps conversations whole', async () => {
    const rig = openRig();
    await background(rig.store);
    const { id, unitIds } = await topicOf(rig.store, 'Everything', ...talks([0, 1, 2], 24));
    const plan = await planReorganization(rig.parts);
    const [split, ...others] = ofType(plan.operations, 'split');
    expect(others).toEqual([]);
    expect(split).toMatchObject({ topicId: id, reason: '192 turns are too many for one topic' });
    expect(split?.into.flatMap((part) => part.unitIds).toSorted((a, b) => a - b)).toEqual(unitIds);
    const themeOf = (unitId: number) => Math.floor((unitId - unitIds[0]!) / 8) % 3;
    expect(split?.into.map((part) => [...new Set(part.unitIds.map(themeOf))])).toHaveLength(3);
    for (const part of split?.into ?? []) expect(new Set(part.unitIds.map(themeOf)).size).toBe(1);

    await applyPlan(rig.parts, plan, { key: null });
    const [topic] = await rig.store.topics.get([id]);
    expect(topic).toMatchObject({ members: 0, state: 'active', title: 'Everything' });
    expect(topic?.childIds).toHaveLength(3);
    const children = await rig.store.topics.get(topic?.childIds ?? []);
    for (const child of children) expect(child).toMatchObject({ members: 64, source: 'reorganize:rules' });
    await settled(rig);
  });

  test('divides a topic of two subjects that have nothing in common, even if it is small', async () => {
    const rig = openRig();
    await background(rig.store);
    const mixed = await topicOf(rig.store, 'Mixed', ...talks([0, 1], 8));
    await topicOf(rig.store, 'One thing', ...talks([2], 8, 'one'));
    const plan = await planReorganization(rig.parts);
    expect(ofType(plan.operations, 'split')).toMatchObject([
      { topicId: mixed.id, reason: 'its parts have no more in common than two unrelated conversations' },
    ]);
    await applyPlan(rig.parts, plan, { key: null });
    await settled(rig);
  });

  test('is not proposed with too little data, or without vectors', async () => {
    const young = openRig();
    await topicOf(young.store, 'Mixed', ...talks([0, 1], 4));
    expect((await planReorganization(young.parts)).operations).toEqual([]);
    const wordless = openRig();
    const { unitIds } = await topicOf(wordless.store, 'Everything', ...talks([0, 1], 24));
    await wordless.store.indexes.vectors.remove(unitIds);
    expect((await planReorganization(wordless.parts)).operations).toEqual([]);
  });
});

describe('a merge', () => {
  test('moves a small topic into the most similar one', async () => {
    const rig = openRig();
    await background(rig.store);
    const similar = await topicOf(rig.store, 'Hiking', ...talks([0], 6));
    await topicOf(rig.store, 'Cooking', ...talks([1], 6, 'd'));
    const small = await topicOf(rig.store, 'A hike', {
      theme: 0,
      conversationId: 'e',
      turns: 2,
      at: NOON - 90 * DAY_MS,
    });
    const stranger = await topicOf(rig.store, 'Taxes', {
      theme: 9,
      conversationId: 'f',
      turns: 2,
      at: NOON - 95 * DAY_MS,
    });
    const plan = await planReorganization(rig.parts);
    expect(ofType(plan.operations, 'merge')).toEqual([
      {
        type: 'merge',
        topicIds: [small.id],
        intoId: similar.id,
        rename: null,
        reason: 'it is small, and fits there as well as the other turns',
      },
    ]);
    await applyPlan(rig.parts, plan, { key: null });
    const [gone, into, other] = await rig.store.topics.get([small.id, similar.id, stranger.id]);
    expect(gone).toMatchObject({ state: 'archived', members: 0, successorId: similar.id });
    expect(into).toMatchObject({ members: 50, title: 'Hiking' });
    expect(other).toMatchObject({ state: 'active', members: 2 });
    await settled(rig);
  });

  test.each([
    ['うん、そうだね', 'ja'],
    ['嗯，好的', 'zh'],
    ['ok, yes', 'en'],
  ])('moves “%s”, which has no content, to the surrounding conversation', async (words) => {
    const rig = openRig();
    await background(rig.store);
    const say = (at: number) =>
      talk(rig.store, {
        theme: at === 3 ? 9 : 0,
        conversationId: 'c',
        turns: 1,
        at: NOON + at * MINUTE_MS,
        ...(at === 3 && { words: () => words }),
      });
    const ids: number[] = [];
    for (let at = 0; at < 8; at++) ids.push(...(await say(at)));
    const around = await file(
      rig.store,
      'Hiking',
      ids.filter((_, i) => i !== 3),
    );
    const alone = await file(rig.store, 'Backchannel', ids.slice(3, 4));
    const plan = await planReorganization(rig.parts);
    expect(ofType(plan.operations, 'merge')).toMatchObject([{ topicIds: [alone], intoId: around }]);
  });

  test('joins two topics on the same subject, and renames the result when it differs', async () => {
    const rig = openRig();
    await background(rig.store);
    const first = await topicOf(rig.store, 'Hiking', ...talks([0], 4));
    const second = await topicOf(rig.store, 'Walks', ...talks([0], 4, 'd'));
    const plan = await planReorganization(rig.parts);
    expect(ofType(plan.operations, 'merge')).toMatchObject([
      {
        topicIds: [second.id],
        intoId: first.id,
        rename: { summary: null },
        reason: 'they are about the same thing',
      },
    ]);
    await applyPlan(rig.parts, plan, { key: null });
    await settled(rig);
  });

  test('never removes a topic that a person named, and keeps its name', async () => {
    const rig = openRig();
    await background(rig.store);
    const [mine] = await talk(rig.store, { theme: 0, conversationId: 'x', turns: 1 });
    const named = await file(rig.store, 'My hikes', [mine!], 'user');
    const other = await topicOf(rig.store, 'Hiking', ...talks([0], 4, 'd'));
    const plan = await planReorganization(rig.parts);
    for (const merge of ofType(plan.operations, 'merge'))
      expect(merge).toMatchObject({ topicIds: [other.id], intoId: named, rename: null });
  });
});

describe('a parent', () => {
  test('is created for topics that are similar and close in time, and gets a further child later', async () => {
    const rig = openRig();
    await background(rig.store, 50);
    // Each has a subject of its own and one that they share.
    const travel = async (name: string, own: number, at: number) =>
      topicOf(
        rig.store,
        name,
        ...[0, 1, 2, 3].map((i) => ({
          theme: 0,
          also: own,
          conversationId: `${name}${i}`,
          turns: 6,
          at: at + i * DAY_MS,
        })),
      );
    const bridge = await travel('The bridge', 1, NOON);
    const bath = await travel('The hot spring', 2, NOON + 2 * DAY_MS);
    const long = await travel('Another year', 3, NOON - 300 * DAY_MS);
    const plan = await planReorganization(rig.parts);
    const families = ofType(plan.operations, 'parent');
    expect(families).toMatchObject([
      { childIds: [bridge.id, bath.id], parent: { summary: null }, reason: 'close in time and similar' },
    ]);
    await applyPlan(rig.parts, plan, { key: null });
    const [child, other] = await rig.store.topics.get([bridge.id, long.id]);
    expect(child?.parentIds).toHaveLength(1);
    expect(other?.parentIds).toEqual([]);
    await settled(rig);

    const inn = await travel('The inn', 4, NOON + DAY_MS);
    const later = await planReorganization(rig.parts);
    expect(ofType(later.operations, 'parent')).toMatchObject([
      { childIds: [inn.id], parent: { topicId: child?.parentIds[0] } },
    ]);
    await applyPlan(rig.parts, later, { key: null });
    await settled(rig);
  });
});

describe('statistics of topics', () => {
  test('are computed again when recalls changed them', async () => {
    const rig = openRig();
    const [first] = await background(rig.store, 3);
    expect((await planReorganization(rig.parts)).refresh).toEqual([]);
    const [recalled] = await rig.store.topics.membersOf(first!, { limit: 1 });
    for (let i = 0; i < 10; i++) await rig.store.units.countAccess([recalled!], rig.clock.now);
    const plan = await planReorganization(rig.parts);
    expect(plan).toMatchObject({ operations: [], refresh: [first] });
    const [before] = await rig.store.topics.get([first!]);
    await applyPlan(rig.parts, plan, { key: null });
    const [after] = await rig.store.topics.get([first!]);
    expect(after!.strength).toBeGreaterThan(before!.strength);
    expect((await planReorganization(rig.parts)).refresh).toEqual([]);
    // Recalls long ago count less.
    rig.clock.now += 365 * DAY_MS;
    expect((await planReorganization(rig.parts)).refresh).toEqual([first]);
  });
});

describe('a plan', () => {
  test('is the same for the same memory, and changes nothing by itself', async () => {
    const rig = openRig();
    await background(rig.store);
    await topicOf(rig.store, 'Everything', ...talks([0, 1, 2], 24));
    await topicOf(rig.store, 'A hike', { theme: 0, conversationId: 'e', turns: 2, at: NOON - 90 * DAY_MS });
    const plan = await planReorganization(rig.parts);
    expect(plan.operations.length).toBeGreaterThan(0);
    expect(await planReorganization(rig.parts)).toEqual(plan);
    expect(await rig.store.journal.list({ limit: 1 })).toEqual([]);
  });

  test('does not repeat what a person rolled back', async () => {
    const rig = openRig();
    await background(rig.store);
    await topicOf(rig.store, 'Everything', ...talks([0, 1], 24));
    await topicOf(rig.store, 'Hiking', ...talks([2], 6, 'd'));
    await topicOf(rig.store, 'A hike', { theme: 2, conversationId: 'e', turns: 2, at: NOON - 90 * DAY_MS });
    const plan = await planReorganization(rig.parts);
    expect(plan.operations.map(({ type }) => type)).toEqual(['split', 'merge']);
    const entry = await applyPlan(rig.parts, plan, { key: null });
    await rig.store.journal.rollback(entry.id);
    expect((await planReorganization(rig.parts)).operations).toEqual([]);
    // Another small topic like it is still merged.
    const other = await topicOf(rig.store, 'A walk', {
      theme: 2,
      conversationId: 'g',
      turns: 2,
      at: NOON - 99 * DAY_MS,
    });
    const [merge] = ofType((await planReorganization(rig.parts)).operations, 'merge');
    expect(merge?.topicIds).toEqual([other.id]);
  });

  test('by rules never creates a cycle', async () => {
    const rig = openRig();
    await background(rig.store);
    const above = await topicOf(rig.store, 'Hiking', ...talks([0], 6));
    const small = await topicOf(rig.store, 'A hike', {
      theme: 0,
      conversationId: 'e',
      turns: 2,
      at: NOON - 90 * DAY_MS,
    });
    const under = (childId: number, parent: Extract<PlanOperation, { type: 'parent' }>['parent']) =>
      given({ type: 'parent', childIds: [childId], parent, reason: 'given' });
    const given = (operation: PlanOperation) =>
      applyPlan(rig.parts, { at: NOON, by: 'test', operations: [operation], refresh: [] }, { key: null });
    await under(small.id, { title: 'Between', summary: null });
    const [child] = await rig.store.topics.get([small.id]);
    await under(child!.parentIds[0]!, { topicId: above.id });
    // The small one is most like the one above what is above it.
    const notes: string[] = [];
    const plan = await planReorganization(rig.parts, { onNote: (note) => void notes.push(note) });
    expect(plan.operations).toEqual([]);
    expect(notes.join()).toContain('would be above and below');
  });

  test('stops when it is aborted', async () => {
    const rig = openRig();
    await background(rig.store, 3);
    const reason = new Error('enough');
    await expect(planReorganization(rig.parts, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });
});
