import { describe, expect, test } from 'vitest';
import { newUnitSchema } from '../../src/model/model.ts';
import type { DerivationResult, Store, UnitChange } from '../../src/store/store.ts';
import type { OpenStore } from './storeUnderTest.ts';
import {
  add,
  atAngle,
  CLAIM,
  derived,
  draft,
  fact,
  find,
  loop,
  openMemory,
  person,
  say,
  saveOne,
  START,
} from './samples.ts';

/** Everything that a derivation can change. */
export async function readDerived(store: Store) {
  const units = await store.units.list({ maxSensitivity: 'secret', withArchived: true }, { limit: 100 });
  const entities = await store.entities.list({}, { limit: 100 });
  return {
    units,
    entities,
    versions: await Promise.all(units.map((unit) => store.units.versions(unit.id))),
    mentions: await store.entities.ofUnits(units.map((unit) => unit.id)),
    edges: await Promise.all(entities.map((entity) => store.entities.edgesOf(entity.id))),
    jobs: await store.jobs.list({ limit: 100 }),
    vectors: await store.indexes.vectors.get(units.map((unit) => unit.id)),
  };
}

function full(unitId: number): DerivationResult {
  return derived(unitId, {
    changes: [
      add({ content: fact('美咲', '住む', '大阪'), source: 'extract' }),
      { type: 'update', unitId, set: { notes: { reflection: 'moved' }, salience: 0.8 }, reason: 'reflected' },
    ],
    mentions: [person('美咲', { surface: '美咲さん' }), person('大阪', { type: 'place', confidence: 0.9 })],
    relations: [{ from: 0, to: 1, relation: 'lives in', weight: 0.5 }],
    unitJobKinds: ['embed'],
    jobs: [
      {
        kind: 'summarize',
        key: 'week',
        conversationId: null,
        input: { scope: 'weekly' },
        runAfter: START + 9,
      },
    ],
  });
}

export function describeDerivations(open: OpenStore): void {
  describe('a derivation', () => {
    test('stores everything it produces in one transaction', async () => {
      const { store } = await openMemory(open);
      const [unitId] = await say(store, '美咲さんは大阪に引っ越した');
      const result = full(unitId!);
      expect(await store.units.isDerived(result.mark)).toBe(false);
      const { applied, units } = await store.units.applyDerivation(result);
      expect(applied).toBe(true);
      expect(units).toMatchObject([
        { id: 2, kind: 'fact', source: 'extract', version: 1 },
        { id: unitId, kind: 'episode', salience: 0.8, version: 2, payload: { reflection: 'moved' } },
      ]);
      expect(await store.units.get([2, unitId!])).toEqual(units);
      expect(await store.units.isDerived(result.mark)).toBe(true);
      expect(await store.entities.list({}, { limit: 9 })).toMatchObject([
        { id: 1, type: 'person', name: '美咲', aliases: [] },
        { id: 2, type: 'place', name: '大阪', aliases: [] },
      ]);
      expect(await store.entities.ofUnits([unitId!])).toEqual([
        { unitId, entityId: 1, surface: '美咲さん', confidence: 1 },
        { unitId, entityId: 2, surface: '大阪', confidence: 0.9 },
      ]);
      expect(await store.entities.edgesOf(2)).toEqual([
        { fromEntityId: 1, toEntityId: 2, relation: 'lives in', weight: 0.5, evidence: [unitId] },
      ]);
      expect(await store.jobs.list({ limit: 9 })).toMatchObject([
        { kind: 'embed', key: 'embed:2', conversationId: null, input: { unitId: 2 }, runAfter: START },
        { kind: 'summarize', key: 'week', input: { scope: 'weekly' }, runAfter: START + 9 },
      ]);
      expect((await store.admin.verify()).problems).toEqual([]);
    });

    test('applied a second time changes nothing', async () => {
      const { store, clock } = await openMemory(open);
      const [unitId] = await say(store, '美咲さんは大阪に引っ越した');
      await store.units.applyDerivation(full(unitId!));
      await store.indexes.vectors.upsert('m', [{ unitId: 2, vector: atAngle(3) }]);
      const before = await readDerived(store);
      clock.now += 1_000;
      expect(await store.units.applyDerivation(full(unitId!))).toEqual({ applied: false, units: [] });
      expect(await readDerived(store)).toEqual(before);
    });

    test('is identified by unit, kind and fingerprint', async () => {
      const { store } = await openMemory(open);
      const [a, b] = await say(store, 'a', 'b');
      const mark = { unitId: a!, kind: 'extract', fingerprint: 'model 1, “words”' };
      await store.units.applyDerivation({ mark, changes: [] });
      expect(await store.units.isDerived(mark)).toBe(true);
      for (const other of [
        { unitId: b! },
        { kind: 'reflect' },
        { fingerprint: 'model 2, “words”' },
        { fingerprint: '' },
      ]) {
        expect(await store.units.isDerived({ ...mark, ...other })).toBe(false);
        expect(await store.units.applyDerivation({ mark: { ...mark, ...other }, changes: [] })).toMatchObject(
          {
            applied: true,
          },
        );
      }
      expect(await store.units.isDerived(mark)).toBe(true);
    });

    test('adds jobs for units that are new or have new text, and for no others', async () => {
      const { store } = await openMemory(open);
      const [unitId] = await say(store, draft('a', { conversationId: 'c7' }));
      const [kept, reworded] = await store.units.save([
        add({ content: loop('kept') }),
        add({ content: loop('old') }),
      ]);
      const content = (text: string) => newUnitSchema.parse({ content: loop(text) }).content;
      await store.units.applyDerivation(
        derived(unitId!, {
          changes: [
            {
              type: 'update',
              unitId: kept!.id,
              set: { content: content('kept'), pinned: true },
              reason: 'r',
            },
            { type: 'update', unitId: reworded!.id, set: { content: content('new') }, reason: 'r' },
            { type: 'update', unitId: unitId!, set: { notes: { imageSummary: 'a bridge' } }, reason: 'seen' },
          ],
          unitJobKinds: ['embed'],
        }),
      );
      expect(await store.jobs.list({ limit: 9 })).toMatchObject([
        { key: `embed:${reworded!.id}`, conversationId: null },
        { key: `embed:${unitId}`, conversationId: 'c7' },
      ]);
      expect(await find(store, 'bridge')).toEqual([unitId]);
    });
    describeRefusals(open);
    describeRedoing(open);
  });
}

function describeRefusals(open: OpenStore): void {
  const relations = (from: number, to: number, weight = 1, relation = 'knows') => ({
    mentions: [person('a'), person('b')],
    relations: [{ from, to, relation, weight }],
  });
  const missing: UnitChange = { type: 'update', unitId: 99, set: { pinned: true }, reason: 'r' };

  test.each<[string, string, Partial<DerivationResult>]>([
    ['NOT_FOUND', 'of a unit that is not there', { mark: { unitId: 99, kind: 'extract', fingerprint: '1' } }],
    ['NOT_FOUND', 'that changes a unit that is not there', { changes: [missing] }],
    [
      'NOT_FOUND',
      'that speaks of an entity that is not there',
      { mentions: [person('a'), person('b', { entityId: 99 })] },
    ],
    ['INVALID_INPUT', 'that relates what it does not speak of', relations(0, 2)],
    ['INVALID_INPUT', 'that relates nothing', relations(-1, 0)],
    ['INVALID_INPUT', 'with a weight over 1', relations(0, 1, 1.1)],
    ['INVALID_INPUT', 'with a weight that is no number', relations(0, 1, NaN)],
    ['INVALID_INPUT', 'with a relation without words', relations(0, 1, 1, '')],
    [
      'INVALID_INPUT',
      'that relates without speaking of anything',
      { relations: [{ from: 0, to: 0, relation: 'is', weight: 1 }] },
    ],
    ['INVALID_INPUT', 'with a blank name', { mentions: [person('\u3000')] }],
    ['INVALID_INPUT', 'with a blank surface', { mentions: [person('a', { surface: '' })] }],
    ['INVALID_INPUT', 'surer than can be', { mentions: [person('a', { confidence: 2 })] }],
    ['INVALID_INPUT', 'with no such type', { mentions: [person('a', { type: 'robot' as 'person' })] }],
  ])('is rejected with %s: %s; nothing of it is stored', async (code, _what, spoilt) => {
    const { store } = await openMemory(open);
    const [unitId] = await say(store, '美咲さんは大阪に引っ越した');
    const before = await readDerived(store);
    const { changes, mark } = full(unitId!);
    const call = store.units.applyDerivation({
      mark,
      ...spoilt,
      changes: [...changes, ...(spoilt.changes ?? [])],
    });
    await expect(call).rejects.toMatchObject({ code });
    expect(await readDerived(store)).toEqual(before);
    expect(await find(store, '大阪')).toEqual([unitId]);
    expect((await store.admin.verify()).problems).toEqual([]);
    expect(await store.units.isDerived(full(unitId!).mark)).toBe(false);
    expect(await store.units.applyDerivation(full(unitId!))).toMatchObject({ applied: true });
  });

  test('that read an older version is rejected with VERSION_CONFLICT; nothing of it is stored', async () => {
    const { store } = await openMemory(open);
    const [unitId] = await say(store, 'a');
    const { id, version } = await saveOne(store, add({ content: loop('b') }));
    const close = (expectedVersion: number): UnitChange => ({
      type: 'update',
      unitId: id,
      set: { state: 'archived' },
      reason: 'done',
      expectedVersion,
    });
    const changes = (expectedVersion: number) => [add({ content: loop('c') }), close(expectedVersion)];
    await saveOne(store, { type: 'update', unitId: id, set: { pinned: true }, reason: 'meanwhile' });
    const before = await readDerived(store);
    const call = store.units.applyDerivation(derived(unitId!, { changes: changes(version) }));
    await expect(call).rejects.toMatchObject({
      code: 'VERSION_CONFLICT',
      details: { unitId: id, version: 2 },
    });
    await expect(store.units.save(changes(version))).rejects.toMatchObject({ code: 'VERSION_CONFLICT' });
    expect(await readDerived(store)).toEqual(before);
    expect(await store.units.applyDerivation(derived(unitId!, { changes: changes(2) }))).toMatchObject({
      units: [{ version: 1 }, { version: 3, state: 'archived' }],
    });
  });
}

/** Running again with another model, or after a change of text. */
function describeRedoing(open: OpenStore): void {
  test('with another fingerprint replaces the mentions and relations of the unit, unless it omits them', async () => {
    const { store } = await openMemory(open);
    const [unitId] = await say(store, '美咲さんは大阪に引っ越した');
    await store.units.applyDerivation(full(unitId!));
    const again = { ...full(unitId!).mark, fingerprint: '2' };
    await store.units.applyDerivation({
      mark: again,
      changes: [],
      mentions: [person('美咲', { surface: '美咲' }), person('直樹')],
      relations: [{ from: 1, to: 0, relation: 'knows', weight: 1 }],
    });
    expect(await store.entities.ofUnits([unitId!])).toEqual([
      { unitId, entityId: 1, surface: '美咲', confidence: 1 },
      { unitId, entityId: 3, surface: '直樹', confidence: 1 },
    ]);
    expect(await store.entities.edgesOf(2)).toEqual([]);
    expect(await store.entities.edgesOf(1)).toMatchObject([{ fromEntityId: 3, toEntityId: 1 }]);
    await store.units.applyDerivation({ mark: { ...again, fingerprint: '3' }, changes: [] });
    expect(await store.entities.ofUnits([unitId!])).toHaveLength(2);
    await store.units.applyDerivation({ mark: { ...again, fingerprint: '4' }, changes: [], mentions: [] });
    expect(await store.entities.ofUnits([unitId!])).toEqual([]);
    expect((await store.entities.get([1, 2, 3])).map((entity) => entity.salience)).toEqual([0, 0, 0]);
    expect((await store.admin.verify()).problems).toEqual([]);
  });
}

export function describeSharedDerivations(open: OpenStore): void {
  test('is stored once when two stores apply it at the same time', async () => {
    const { store: a, openAnother } = await openMemory(open);
    const b = await openAnother();
    const [unitId] = await say(a, '美咲さんは大阪に引っ越した');
    const outcomes = await Promise.all(
      [a, b, a, b].map((store) => store.units.applyDerivation(full(unitId!))),
    );
    expect(outcomes.filter(({ applied }) => applied)).toHaveLength(1);
    expect((await b.admin.info()).units.fact).toBe(1);
    expect(await b.units.isDerived(full(unitId!).mark)).toBe(true);
    expect(await readDerived(a)).toEqual(await readDerived(b));
    expect((await b.admin.verify()).problems).toEqual([]);
  });

  test('must be repeated when another store changed what it had read', async () => {
    const { store: a, openAnother } = await openMemory(open);
    const b = await openAnother();
    const [unitId] = await say(a, 'a');
    const change = (salience: number): UnitChange => ({
      type: 'update',
      unitId: unitId!,
      set: { salience },
      reason: 'r',
      expectedVersion: 1,
    });
    const outcomes = await Promise.allSettled([
      a.units.applyDerivation(derived(unitId!, { changes: [change(0.1)] })),
      b.units.save([change(0.9)]),
    ]);
    expect(outcomes.map((outcome) => outcome.status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(await a.units.get([unitId!])).toMatchObject([{ version: 2 }]);
  });

  test('a job that another store adds while it runs is run once more', async () => {
    const { store: a, openAnother } = await openMemory(open);
    const b = await openAnother();
    const [unitId] = await say(a, draft('a', { jobKinds: ['embed'] }));
    const [job] = await a.jobs.claim({ ...CLAIM, now: START });
    const set = { notes: { imageSummary: 'a bridge' } };
    await b.units.save([{ type: 'update', unitId: unitId!, set, reason: 'seen' }], ['embed']);
    await a.jobs.settle(CLAIM.owner, [{ jobId: job!.id, result: 'done' }]);
    expect(await b.jobs.claim({ ...CLAIM, now: START })).toMatchObject([{ key: job!.key, attempts: 1 }]);
  });
}
