import { describe, expect, test, vi } from 'vitest';
import type { Erasure, Store } from '../../src/store/store.ts';
import type { OpenStore } from './storeUnderTest.ts';
import { draft, find, mention, openMemory, person, receiptOf, say, saveOne, START } from './samples.ts';

const RECEIPT = receiptOf('m1');

async function erase(store: Store, erasure: Partial<Erasure>): Promise<void> {
  const nothing = { turnIds: [], unitIds: [], reworded: [], topics: [], jobs: [] };
  await store.forgetting.erase({ ...nothing, receipt: RECEIPT, ...erasure });
}

const fact = (object: string, evidence: number[]) => ({
  kind: 'fact' as const,
  payload: {
    subject: 'Mia',
    predicate: 'likes',
    object,
    objectEntityId: null,
    validFrom: null,
    validTo: null,
    evidence,
  },
});

async function addFact(store: Store, object: string, evidence: number[]): Promise<number> {
  const content = fact(object, evidence);
  const unit = await saveOne(store, {
    type: 'add',
    reason: 'learnt',
    unit: {
      source: 'extract_facts',
      state: 'validated',
      confidence: 1,
      salience: 0.5,
      sensitivity: 'normal',
      pinned: false,
      topicTags: [],
      scope: 'global',
      expiresAt: null,
      emotion: null,
      content,
    },
  });
  return unit.id;
}

export function describeForgetting(open: OpenStore): void {
  describe('forgetting', () => {
    test('of the last turn does not prevent adding another', async () => {
      const { store } = await openMemory(open);
      await say(store, 'a fox', 'the zylophant');
      await erase(store, { turnIds: [2] });
      await say(store, 'a bear');
      expect(await store.evidence.head()).toMatchObject({ turnId: 3 });
    });

    test('keeps the place of a turn in the chain, which still verifies', async () => {
      const { store, reopen } = await openMemory(open);
      await say(store, 'the zylophant', 'a fox');
      const before = await store.evidence.head();
      await erase(store, { turnIds: [1] });
      for (const again of [async () => store, reopen]) {
        const one = await again();
        expect(await one.evidence.head()).toEqual(before);
        expect((await one.evidence.get([1]))[0]).toMatchObject({
          speaker: '',
          text: '',
          meta: {},
          salt: '',
          isForgotten: true,
          conversationId: expect.stringMatching(/^\/forgotten\//),
        });
        expect(await one.admin.verify()).toMatchObject({ turns: 2, forgotten: 1, units: 1, problems: [] });
        expect(await find(one, 'zylophant')).toEqual([]);
        expect(await one.units.get([1])).toEqual([]);
        expect((await one.evidence.recent('c1', 9)).map(({ text }) => text)).toEqual(['a fox']);
        expect(await one.evidence.conversations({ limit: 9 })).toMatchObject([{ turns: 1 }]);
        expect((await one.admin.info()).turns).toBe(1);
        expect(await one.forgetting.receipts()).toEqual([RECEIPT]);
      }
    });

    test('is noticed by another process, but other changes are not', async () => {
      const { store, openAnother } = await openMemory(open);
      await say(store, 'a', 'b');
      const other = await openAnother();
      const before = await other.forgetting.erasureState();
      await say(store, 'c');
      expect(await other.forgetting.erasureState()).toBe(before);
      await erase(store, { turnIds: [1] });
      await vi.waitFor(async () => expect(await other.forgetting.erasureState()).not.toBe(before), 10_000);
    });

    test('rejects the same turn when it is sent again, and continues after its place', async () => {
      const { store } = await openMemory(open);
      await say(store, 'a', 'b');
      await erase(store, { turnIds: [1, 2] });
      await expect(say(store, draft('b', { turnIndex: 1 }))).rejects.toMatchObject({
        code: 'TURN_FORGOTTEN',
      });
      const [added] = await store.evidence.append([draft('c')]);
      expect(added).toMatchObject({ turnId: 3, turnIndex: 2, isNew: true });
      expect((await store.admin.verify()).problems).toEqual([]);
    });

    test('removes units with their versions, links and jobs', async () => {
      const { store } = await openMemory(open);
      await say(store, 'Mia', 'tea');
      const unitId = await addFact(store, 'zylophants', [1]);
      await store.units.link(unitId, 2, 'quote');
      await store.jobs.enqueue(
        [{ kind: 'embed', key: `embed:${unitId}`, conversationId: null, input: { unitId } }],
        START,
      );
      await erase(store, { unitIds: [unitId] });
      expect(await store.units.get([unitId])).toEqual([]);
      expect(await store.units.versions(unitId)).toEqual([]);
      expect(await find(store, 'zylophants')).toEqual([]);
      const [around] = await store.units.neighbours([2], { before: 0, after: 0 });
      expect(around?.linked).toEqual([]);
      expect((await store.jobs.list({ limit: 9 })).map(({ input }) => input)).not.toContainEqual({ unitId });
      expect((await store.admin.verify()).problems).toEqual([]);
    });

    test('removes the earlier versions of a unit that gets new text', async () => {
      const { store } = await openMemory(open);
      await say(store, 'a', 'b');
      const unitId = await addFact(store, 'tea', [1, 2]);
      await erase(store, {
        turnIds: [1],
        reworded: [{ unitId, payload: fact('tea', [2]).payload }],
      });
      const versions = await store.units.versions(unitId);
      expect(versions.map(({ snapshot }) => snapshot)).toMatchObject([{ payload: { evidence: [2] } }]);
      expect(await find(store, 'tea')).toEqual([unitId]);
      expect((await store.admin.verify()).problems).toEqual([]);
    });

    test('removes entities, and names of entities, that only the forgotten turns mention', async () => {
      const { store } = await openMemory(open);
      await say(store, 'Zyl is here', 'Mia and Mimi', 'Mia');
      await mention(store, 1, person('Zyl'));
      await mention(store, 2, { ...person('Mia'), aliases: ['Mimi'], surface: 'Mimi' });
      await mention(store, 3, person('Mia'));
      await erase(store, { turnIds: [1, 2] });
      expect(await store.entities.list({}, { limit: 9 })).toMatchObject([{ name: 'Mia', aliases: [] }]);
      expect((await store.admin.verify()).problems).toEqual([]);
    });

    test('removes topics without members, and gives other topics new text', async () => {
      const { store } = await openMemory(open);
      await say(store, 'zylophants', 'foxes');
      const vector = new Float32Array(8).fill(1);
      const mark = (unitId: number) => ({ unitId, kind: 'assign_topic', fingerprint: 'x' });
      const words = (title: string) => ({ title, summary: null, source: 'assign_topic' });
      const [gone, left] = await store.topics.assign([
        { mark: mark(1), vector, topic: words('Zylophants') },
        { mark: mark(2), vector, topic: words('Zylophants and foxes') },
      ]);
      await erase(store, { turnIds: [1], topics: [{ id: left!, ...words('Foxes') }] });
      expect(await store.topics.get([gone!, left!])).toMatchObject([
        { id: left, title: 'Foxes', members: 1 },
      ]);
      expect(await store.topics.search(['zylophants'], 9)).toEqual([]);
      expect((await store.admin.verify()).problems).toEqual([]);
    });

    test('removes the affected images from the journal, so that these entries cannot be undone', async () => {
      const { store } = await openMemory(open);
      await say(store, 'zylophants', 'foxes');
      const unitId = await addFact(store, 'zylophants', [1]);
      const { id } = await store.journal.apply({
        key: null,
        plan: {
          at: START,
          by: 'rules',
          operations: [{ type: 'archiveUnits', unitIds: [unitId], reason: 'zylophants' }],
          refresh: [],
        },
        topics: [],
        units: [{ type: 'update', unitId, set: { state: 'archived' }, reason: 'old' }],
      });
      await erase(store, { unitIds: [unitId] });
      expect((await store.journal.get(id))?.plan.operations).toEqual([]);
      await expect(store.journal.rollback(id)).rejects.toMatchObject({ code: 'JOURNAL_CONFLICT' });
    });

    test('changes nothing when one of the ids is unknown', async () => {
      const { store, dump } = await openMemory(open);
      await say(store, 'a');
      const before = await dump();
      await expect(erase(store, { turnIds: [1, 7] })).rejects.toMatchObject({ code: 'NOT_FOUND' });
      await expect(erase(store, { unitIds: [7] })).rejects.toMatchObject({ code: 'NOT_FOUND' });
      expect(await dump()).toBe(before);
    });
  });
}
