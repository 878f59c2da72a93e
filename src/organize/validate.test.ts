import { expect, test } from 'vitest';
import { keep, openRig, topicOf, type Rig } from '../../test/organize/rig.ts';
import type { PlanOperation, ReorganizationPlan } from '../model/model.ts';
import { applyPlan, validatePlan } from './organize.ts';

/** Topics 1 to 5 of four turns each (units 1–4, 5–8 …), 2 below 1, 3 below 2; archived 6; facts 25 to 28. */
async function openGiven(): Promise<Rig> {
  const rig = openRig();
  const { store, parts } = rig;
  for (let i = 1; i <= 6; i++)
    await topicOf(store, `Topic ${i}`, { theme: i, conversationId: `c${i}`, turns: 4 });
  const below = (child: number, parent: number): PlanOperation => ({
    type: 'parent',
    childIds: [child],
    parent: { topicId: parent },
    reason: 'given',
  });
  const merge: PlanOperation = { type: 'merge', topicIds: [6], intoId: 5, rename: null, reason: 'given' };
  await applyPlan(parts, planOf([below(2, 1), below(3, 2), merge]), { key: null });
  const fact = (object: string) => ({
    kind: 'fact' as const,
    payload: { subject: 'user', predicate: 'likes', object },
  });
  await keep(store, { content: fact('tea') });
  await keep(store, { content: fact('coffee'), pinned: true });
  await keep(store, { content: fact('milk'), sensitivity: 'secret' });
  const payload = {
    uri: 'user/a.md',
    section: '',
    memoryType: 'preferences',
    text: 'In a file',
    tokenCount: 3,
  };
  await keep(store, { source: 'note', content: { kind: 'note', payload } });
  return rig;
}

function planOf(operations: readonly PlanOperation[], refresh: readonly number[] = []): ReorganizationPlan {
  return { at: 0, by: 'test', operations: [...operations], refresh: [...refresh] };
}

const reason = 'test';
const part = (...unitIds: number[]) => ({ title: 'Part', summary: null, unitIds });
const split = (topicId: number, ...into: ReturnType<typeof part>[]): PlanOperation => ({
  type: 'split',
  topicId,
  into,
  reason,
});
const merge = (intoId: number, ...topicIds: number[]): PlanOperation => ({
  type: 'merge',
  topicIds,
  intoId,
  rename: null,
  reason,
});
const under = (topicId: number | null, ...childIds: number[]): PlanOperation => ({
  type: 'parent',
  childIds,
  parent: topicId === null ? { title: 'New', summary: null } : { topicId },
  reason,
});
const mergeUnits = (intoId: number, ...unitIds: number[]): PlanOperation => ({
  type: 'mergeUnits',
  unitIds,
  intoId,
  reason,
});
const archive = (...unitIds: number[]): PlanOperation => ({ type: 'archiveUnits', unitIds, reason });

const WRONG: readonly (readonly [string, readonly PlanOperation[], RegExp])[] = [
  ['a split of a topic there is not', [split(99, part(1), part(2))], /topic 99 does not exist/],
  ['a merge of an archived topic', [merge(5, 6)], /topic 6 is archived/],
  ['a part with a unit of another topic', [split(4, part(13), part(1))], /unit 1 is no member of topic 4/],
  ['a unit in two parts', [split(4, part(13), part(13, 14))], /unit 13 goes to two topics/],
  ['a split into one', [{ type: 'split', topicId: 4, into: [part(13)], reason }], /into/],
  ['a part without units', [split(4, part(13), part())], /unitIds/],
  ['a topic merged into itself', [merge(4, 4)], /topic 4 is named twice/],
  [
    'a topic split and merged',
    [split(4, part(13), part(14)), merge(5, 4)],
    /Operation 1 .*topic 4 is split or merged twice/,
  ],
  ['a topic merged twice', [merge(5, 4), merge(1, 4)], /topic 4 is merged into another/],
  ['a child that is merged away', [merge(5, 4), under(1, 4)], /topic 4 is merged into another/],
  [
    'a child merged away after',
    [under(1, 4), merge(5, 4)],
    /topic 4 is given a parent or children and merged away/,
  ],
  ['a topic below itself', [under(4, 4)], /topic 4 is named twice/],
  ['a topic below its own child', [under(3, 1)], /topic 1 would be above and below topic 3/],
  ['a circle of two operations', [under(5, 4), under(4, 5)], /topic 5 would be above and below topic 4/],
  ['a circle through a merge', [merge(1, 3)], /topic 2 would be above and below topic 1/],
  ['an unknown unit', [archive(99)], /unit 99 does not exist/],
  ['an episode put away', [archive(25, 1)], /unit 1 is an episode/],
  ['an episode merged', [mergeUnits(2, 1)], /unit 1 is an episode/],
  ['a pinned unit put away', [archive(26)], /unit 26 is pinned/],
  ['a pinned unit merged away', [mergeUnits(25, 26)], /unit 26 is pinned/],
  ['a unit named twice', [archive(25), archive(25)], /unit 25 is named twice/],
  ['a unit merged into itself', [mergeUnits(25, 25)], /unit 25 is named twice/],
  ['a secret merged into what is none', [mergeUnits(25, 27)], /unit 27 is more sensitive than unit 25/],
  ['a note of a file put away', [archive(28)], /unit 28 is a note that stands in a file/],
  ['a note merged into a fact', [mergeUnits(25, 28)], /unit 28 is a note/],
  [
    'a title of nothing',
    [under(null, 4), { type: 'parent', childIds: [5], parent: { title: '', summary: null }, reason }],
    /title|Invalid/,
  ],
];

test.each(WRONG)('%s is rejected', async (_what, operations, message) => {
  const { store, parts } = await openGiven();
  const plan = planOf(operations);
  await expect(validatePlan(store, plan)).rejects.toThrow(message);
  await expect(validatePlan(store, plan)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  await expect(applyPlan(parts, plan, { key: null })).rejects.toThrow(message);
  expect(await store.journal.list({ limit: 9 })).toHaveLength(1);
});

test('statistics of an unknown topic are rejected', async () => {
  const { store } = await openGiven();
  await expect(validatePlan(store, planOf([], [99]))).rejects.toThrow(/topic 99, which does not exist/);
  await expect(validatePlan(store, planOf([], [6]))).rejects.toThrow(/topic 6, which is archived/);
});

const RIGHT: readonly (readonly [string, readonly PlanOperation[]])[] = [
  ['a split of all', [split(4, part(13, 14), part(15, 16))]],
  ['a split of some', [split(4, part(13), part(16))]],
  ['several parents', [under(4, 5), under(1, 5), under(null, 5)]],
  ['a parent of what is split', [split(4, part(13), part(14)), under(4, 5), under(1, 4)]],
  ['a parent of what takes in others', [merge(4, 5), under(1, 4)]],
  ['a merge into a parent', [merge(1, 2)]],
  ['a merge of a whole branch', [merge(4, 1, 2, 3)]],
  ['a merge into a pinned unit', [mergeUnits(26, 25)]],
];

test.each(RIGHT)('%s is applied, and leaves all data consistent', async (_what, operations) => {
  const { store, parts } = await openGiven();
  await applyPlan(parts, planOf(operations), { key: null });
  expect((await store.admin.verify()).problems).toEqual([]);
  const unfiled = Array.from({ length: 24 }, (_, i) => i + 1);
  const filed = await store.topics.ofUnits(unfiled);
  expect(unfiled.filter((id) => !filed.has(id))).toEqual([]);
});
