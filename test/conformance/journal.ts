import { describe, expect, test } from 'vitest';
import { terms } from '../../src/text/text.ts';
import type { TopicChange, UnitChange } from '../../src/store/store.ts';
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
  PLAN,
  SPLIT,
  UNITS,
} from './journalSamples.ts';
import { assign, atAngle, find, START } from './samples.ts';

export function describeJournal(open: OpenStore): void {
  describe('the journal', () => {
    test('applies a split, a merge and new parents', async () => {
      const { store, clock } = await fill(open);
      const plan = { ...PLAN, refresh: [1] };
      const entry = await store.journal.apply({ key: 'nightly/1', plan, topics: SPLIT, units: [] });
      expect(entry).toEqual({
        id: 1,
        key: 'nightly/1',
        at: clock.now,
        plan,
        topicsAdded: 2,
        topicsChanged: 1,
        unitsChanged: 0,
        state: 'applied',
        rolledBackAt: null,
      });
      expect(await store.topics.get([1, 4, 5])).toMatchObject([
        { title: 'trip', members: 2, firstAt: START + 4, parentIds: [], childIds: [4, 5] },
        { title: 'there', members: 2, strength: 0.75, centroidEmotion: JOY, parentIds: [1], version: 3 },
        { title: 'home again', members: 2, firstAt: START + 2, lastAt: START + 3, parentIds: [1] },
      ]);
      expect(await membersOf(store, 1, 4, 5)).toEqual([
        [5, 6],
        [1, 2],
        [3, 4],
      ]);
      expect(await store.topics.membersOf(1, { limit: 9, withDescendants: true })).toEqual([
        1, 2, 3, 4, 5, 6,
      ]);
      expect((await store.topics.nearest(atAngle(160), 1))[0]).toMatchObject({ topicId: 4 });
      await apply(store, MERGE);
      expect(await store.topics.get([2, 3])).toMatchObject([
        { title: 'cat and bridge', members: 3, state: 'active', version: 2 },
        { title: 'bridge', members: 0, state: 'archived', successorId: 2, firstAt: null },
      ]);
      expect((await store.topics.search(terms('bridge'), 9)).map((hit) => hit.topicId)).toEqual([2]);
      expect((await store.topics.nearest(atAngle(80), 9)).map((hit) => hit.topicId)).not.toContain(3);
      expect(await store.topics.list({ state: 'archived' }, { limit: 9 })).toMatchObject([{ id: 3 }]);
      expect((await store.admin.info()).topics).toBe(4);
      expect((await store.journal.list({ limit: 9 })).map((one) => one.id)).toEqual([2, 1]);
      expect(await store.journal.list({ limit: 1, beforeId: 2 })).toEqual([entry]);
      expect(await store.journal.get(1)).toEqual(entry);
      expect(await store.journal.get(9)).toBeNull();
      await expectValid(store);
    });

    test('applies changes of units, and adds the jobs that new text needs', async () => {
      const { store } = await fill(open);
      const entry = await apply(store, [], UNITS);
      expect(entry).toMatchObject({ topicsAdded: 0, unitsChanged: 5 });
      expect(await store.units.get([10, 11, 12, 13])).toMatchObject([
        { state: 'consolidated', reinforcement: 3, version: 2 },
        { state: 'archived' },
        { payload: { text: 'likes green tea' } },
        { kind: 'loop' },
      ]);
      expect(await find(store, 'bridge')).toEqual(expect.arrayContaining([2, 13]));
      expect((await store.jobs.list({ limit: 9 })).map((job) => job.key).sort()).toEqual([
        'embed:12',
        'embed:13',
        'embed:2',
      ]);
      await expectValid(store);
    });

    test('applies an entry once for each key', async () => {
      const { store, dump } = await fill(open);
      const entry = await apply(store, SPLIT, [], 'nightly/1');
      const before = await dump();
      expect(await apply(store, SPLIT, UNITS, 'nightly/1')).toEqual(entry);
      expect(await dump()).toBe(before);
      expect(await apply(store, MERGE, [], 'nightly/2')).toMatchObject({ id: 2 });
      const undone = await store.journal.rollback(1);
      expect(await apply(store, SPLIT, [], 'nightly/1')).toEqual(undone);
    });

    test.each<[string, TopicChange[], UnitChange[], string]>([
      ['an unknown topic', [{ type: 'setParents', topicId: 1, parentIds: [99] }], [], 'NOT_FOUND'],
      ['an unknown unit', [], [{ type: 'update', unitId: 99, set: {}, reason: 'r' }], 'NOT_FOUND'],
      ['a name that is not added', [{ type: 'update', topicId: { ref: 'x' }, set: {} }], [], 'INVALID_INPUT'],
      ['a name that is added twice', [named('x'), named('x')], [], 'INVALID_INPUT'],
      [
        'another version of a topic',
        [{ type: 'update', topicId: 1, set: { title: 'x' }, expectedVersion: 9 }],
        [],
        'VERSION_CONFLICT',
      ],
      [
        'another version of a unit',
        [],
        [{ type: 'update', unitId: 10, set: {}, reason: 'r', expectedVersion: 9 }],
        'VERSION_CONFLICT',
      ],
      [
        'a member of another topic',
        [{ type: 'move', unitIds: [1, 7], from: 1, to: 2 }],
        [],
        'VERSION_CONFLICT',
      ],
      ['a topic with members', [{ type: 'archive', topicId: 3, successorId: 2 }], [], 'VERSION_CONFLICT'],
      [
        'a topic with topics below it',
        [
          { type: 'setParents', topicId: 1, parentIds: [3] },
          { type: 'move', unitIds: [9], from: 3, to: 2 },
          { type: 'archive', topicId: 3, successorId: 2 },
        ],
        [],
        'VERSION_CONFLICT',
      ],
      [
        'a topic merged into itself',
        [
          { type: 'move', unitIds: [9], from: 3, to: 2 },
          { type: 'archive', topicId: 3, successorId: 3 },
        ],
        [],
        'INVALID_INPUT',
      ],
      [
        'a cycle of topics',
        [
          { type: 'setParents', topicId: 1, parentIds: [2] },
          { type: 'setParents', topicId: 2, parentIds: [3] },
          { type: 'setParents', topicId: 3, parentIds: [1] },
        ],
        [],
        'INVALID_INPUT',
      ],
      [
        'a topic as its own parent',
        [{ type: 'setParents', topicId: 1, parentIds: [1] }],
        [],
        'INVALID_INPUT',
      ],
      ['a topic without title', [named('x', '')], [], 'INVALID_INPUT'],
      [
        'a strength out of range',
        [{ type: 'refresh', topicId: 1, strength: 1.1, centroid: null, centroidEmotion: null }],
        [],
        'INVALID_INPUT',
      ],
      [
        'a centroid of another model',
        [
          {
            type: 'refresh',
            topicId: 1,
            strength: 1,
            centroid: new Float32Array(9).fill(1),
            centroidEmotion: null,
          },
        ],
        [],
        'MODEL_MISMATCH',
      ],
    ])('applies nothing of a change with %s', async (_, topics, units, code) => {
      const { store, dump } = await fill(open);
      const before = [await dump(), await readVisible(store)];
      const soundOnes: TopicChange[] = [
        named('sound'),
        { type: 'move', unitIds: [8], from: 2, to: { ref: 'sound' } },
      ];
      await expect(apply(store, [...soundOnes, ...topics], [...UNITS, ...units])).rejects.toMatchObject({
        code,
      });
      expect([await dump(), await readVisible(store)]).toEqual(before);
      expect(await store.journal.list({ limit: 9 })).toEqual([]);
      expect(await store.jobs.list({ limit: 9 })).toEqual([]);
    });

    test('leaves no topic or episode in or below an archived topic', async () => {
      const { store } = await fill(open);
      await apply(store, [{ type: 'setParents', topicId: 3, parentIds: [1] }]);
      await apply(store, MERGE);
      expect(await store.topics.get([1])).toMatchObject([{ childIds: [] }]);
      await expect(
        store.topics.assign([{ ...assign(1, { id: 3 }), mark: { unitId: 1, kind: 'k', fingerprint: 'x' } }]),
      ).rejects.toMatchObject({
        code: 'VERSION_CONFLICT',
        details: { topicId: 3, successorId: 2 },
      });
      await expect(apply(store, [{ type: 'move', unitIds: [1], from: 1, to: 3 }])).rejects.toMatchObject({
        code: 'VERSION_CONFLICT',
      });
    });
  });
}
