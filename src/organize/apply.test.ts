import { describe, expect, test } from 'vitest';
import {
  DIMENSIONS,
  setEmotions,
  file,
  keep,
  NOON,
  openRig,
  talk,
  topicOf,
} from '../../test/organize/rig.ts';
import { DAY_MS, type ReorganizationPlan, type UnitOf } from '../model/model.ts';
import type { Store } from '../store/store.ts';
import { applyPlan } from './organize.ts';

function planOf(...operations: ReorganizationPlan['operations']): ReorganizationPlan {
  return { at: NOON, by: 'rules', operations, refresh: [] };
}
const reason = 'test';

describe('applying a plan', () => {
  test('computes strength, centroid and emotion of the affected topics and their ancestors', async () => {
    const { store, parts } = openRig();
    const { id, unitIds } = await topicOf(
      store,
      'Both',
      ...[0, 1].map((theme) => ({ theme, conversationId: `c${theme}`, turns: 4 })),
    );
    const [a, b] = [unitIds.slice(0, 4), unitIds.slice(4)];
    await setEmotions(store, a[0]!, { joy: 0.8 }, 1);
    await setEmotions(store, b[0]!, { joy: -0.4, anger: 0.6 }, 0.5);
    await store.units.countAccess([b[0]!], NOON);
    const into = [a, b].map((ids, i) => ({ title: `Part ${i}`, summary: null, unitIds: ids }));
    await applyPlan(parts, planOf({ type: 'split', topicId: id, into, reason }), { key: null });

    const [whole] = await store.topics.get([id]);
    const [first, second] = await store.topics.get(whole?.childIds ?? []);
    const saliences = (await store.units.get(unitIds)).map(({ salience }) => salience);
    const strengthOf = (importance: number) => importance / (importance + 8);
    const sum = (of: readonly number[]) => of.reduce((total, value) => total + value, 0);
    const recalled = saliences[4]! * Math.log(2);
    expect(first?.strength).toBeCloseTo(strengthOf(sum(saliences.slice(0, 4))), 6);
    expect(second?.strength).toBeCloseTo(strengthOf(sum(saliences.slice(4)) + recalled), 6);
    // The strength of a topic includes all topics below it.
    expect(whole?.strength).toBeCloseTo(strengthOf(sum(saliences) + recalled), 6);
    expect(first?.centroidEmotion).toEqual({ values: { joy: 0.8 }, confidence: 1 });
    expect(second?.centroidEmotion).toEqual({ values: { joy: -0.4, anger: 0.6 }, confidence: 0.5 });
    const weight = 1 + Math.log(2);
    const joy = (0.8 - 0.4 * 0.5 * weight) / (1 + 0.5 * weight);
    expect(whole?.centroidEmotion?.values.joy).toBeCloseTo(joy, 5);
    // New episodes go to the parts.
    const centroids = await store.topics.centroids([id, first!.id, second!.id]);
    expect([...centroids.keys()]).toEqual([first!.id, second!.id]);
    const axis = new Float32Array(DIMENSIONS);
    axis[1] = 1;
    expect((await store.topics.nearest(axis, 9)).map(({ topicId }) => topicId)).toEqual([
      second!.id,
      first!.id,
    ]);
  });

  test('merges units that say the same, with their evidence and weight', async () => {
    const { store, parts } = openRig();
    const episodes = await talk(store, { theme: 0, conversationId: 'c', turns: 3 });
    const fact = (evidence: readonly number[], more: object) =>
      keep(store, {
        content: {
          kind: 'fact',
          payload: { subject: 'user', predicate: 'likes', object: 'tea', evidence: [...evidence] },
        },
        ...more,
      });
    const into = await fact([episodes[0]!], { confidence: 0.5, salience: 0.4, expiresAt: NOON + DAY_MS });
    const other = await fact([episodes[0]!, episodes[2]!], { confidence: 0.9, salience: 0.3 });
    const third = await fact([episodes[1]!], { confidence: 0.2 });
    await applyPlan(
      parts,
      planOf({ type: 'mergeUnits', unitIds: [other.id, third.id], intoId: into.id, reason }),
      { key: null },
    );
    const [kept, ...gone] = (await store.units.get([into.id, other.id, third.id])) as UnitOf<'fact'>[];
    expect(kept).toMatchObject({
      state: 'validated',
      reinforcement: 2,
      confidence: 0.9,
      salience: 0.5,
      expiresAt: null,
    });
    expect(kept?.payload).toEqual({
      ...(into.payload as object),
      evidence: [episodes[0], episodes[2], episodes[1]],
    });
    expect(gone.map(({ state }) => state)).toEqual(['archived', 'archived']);
    // They can be restored one by one.
    const [back] = await store.units.save([
      { type: 'restore', unitId: other.id, version: other.version, reason: 'wanted' },
    ]);
    expect(back).toMatchObject({ state: 'validated', payload: other.payload });
  });

  test('with a key runs once', async () => {
    const { store, parts } = openRig();
    const [a, b, c] = await Promise.all(
      [0, 1, 2].map(
        async (theme) =>
          (await topicOf(store, `T${theme}`, { theme, conversationId: `c${theme}`, turns: 2 })).id,
      ),
    );
    const merge = (from: number) =>
      planOf({ type: 'merge', topicIds: [from], intoId: a!, rename: null, reason });
    const entry = await applyPlan(parts, merge(b!), { key: 'nightly/2026-03-02' });
    expect(await applyPlan(parts, merge(c!), { key: 'nightly/2026-03-02' })).toEqual(entry);
    const [third] = await store.topics.get([c!]);
    expect(third?.state).toBe('active');
  });

  test('includes turns added since the planning in a merge, and leaves them out of a split', async () => {
    const { store, parts } = openRig();
    const both = await topicOf(store, 'Both', { theme: 0, conversationId: 'a', turns: 4 });
    const small = await topicOf(store, 'Small', { theme: 1, conversationId: 'b', turns: 2 });
    const large = await topicOf(store, 'Large', { theme: 1, conversationId: 'c', turns: 6 });
    const parted = both.unitIds.map((unitId) => ({
      title: `Turn ${unitId}`,
      summary: null,
      unitIds: [unitId],
    }));
    const plan = planOf(
      { type: 'split', topicId: both.id, into: parted, reason },
      { type: 'merge', topicIds: [small.id], intoId: large.id, rename: null, reason },
    );
    const late = await talk(store, { theme: 0, conversationId: 'd', turns: 2 });
    await file(store, both.id, late.slice(0, 1));
    await file(store, small.id, late.slice(1));
    await applyPlan(parts, plan, { key: null });
    expect(await store.topics.membersOf(both.id, { limit: 9 })).toEqual(late.slice(0, 1));
    expect(await store.topics.membersOf(large.id, { limit: 20 })).toContain(late[1]);
    expect((await store.admin.verify()).problems).toEqual([]);
  });
});

describe('a memory that changes while a plan is applied', () => {
  /** The store, with a change just before the journal is written, a number of times. */
  function disturbed(store: Store, times: number, happen: () => Promise<void>): Store {
    let left = times;
    const journal = {
      list: store.journal.list.bind(store.journal),
      get: store.journal.get.bind(store.journal),
      rollback: store.journal.rollback.bind(store.journal),
      async apply(change: Parameters<Store['journal']['apply']>[0]) {
        if (left-- > 0) await happen();
        return store.journal.apply(change);
      },
    };
    return new Proxy(store, {
      get(target, name) {
        if (name === 'journal') return journal;
        const value = Reflect.get(target, name) as unknown;
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
  }

  async function given() {
    const { store, parts } = openRig();
    const small = await topicOf(store, 'Small', { theme: 1, conversationId: 'b', turns: 2 });
    const large = await topicOf(store, 'Large', { theme: 1, conversationId: 'c', turns: 6 });
    const plan = planOf({ type: 'merge', topicIds: [small.id], intoId: large.id, rename: null, reason });
    const assignMore = async () => {
      await file(store, small.id, await talk(store, { theme: 1, conversationId: 'more', turns: 1 }));
    };
    return { store, parts, plan, small, large, assignMore };
  }

  test('is read again', async () => {
    const { store, parts, plan, small, large, assignMore } = await given();
    await applyPlan({ ...parts, store: disturbed(store, 2, assignMore) }, plan, { key: null });
    expect(await store.topics.get([small.id, large.id])).toMatchObject([
      { state: 'archived' },
      { members: 10 },
    ]);
  });

  test('repeatedly makes applying fail without changes', async () => {
    const { store, parts, plan, small, assignMore } = await given();
    const applying = applyPlan({ ...parts, store: disturbed(store, 99, assignMore) }, plan, { key: null });
    await expect(applying).rejects.toMatchObject({
      code: 'VERSION_CONFLICT',
      message: expect.stringContaining('create a new plan'),
    });
    expect(await store.topics.get([small.id])).toMatchObject([{ state: 'active', members: 5 }]);
    expect(await store.journal.list({ limit: 1 })).toEqual([]);
  });

  test('so that the plan is invalid is rejected with the reason', async () => {
    const { store, parts, plan, small, large } = await given();
    const other = planOf({ type: 'merge', topicIds: [large.id], intoId: small.id, rename: null, reason });
    const applying = applyPlan(
      {
        ...parts,
        store: disturbed(store, 1, async () => void (await applyPlan(parts, other, { key: null }))),
      },
      plan,
      { key: null },
    );
    await expect(applying).rejects.toThrow(`topic ${large.id} is archived`);
  });
});
