import { describe, expect, test } from 'vitest';
import { keep, NOON, openRig, talk, type Rig } from '../../test/organize/rig.ts';
import { DAY_MS, type NewUnit, type PlanOperation } from '../model/model.ts';
import { applyPlan, planReorganization } from './organize.ts';

const LONG_AGO = NOON - 400 * DAY_MS;

const fact = (object: string, more: object = {}): NewUnit['content'] => ({
  kind: 'fact',
  payload: { subject: 'user', predicate: 'likes', object, ...more },
});
const note = (text: string): NewUnit['content'] => ({
  kind: 'note',
  payload: { uri: 'user/preferences.md', section: '', memoryType: 'preferences', text, tokenCount: 3 },
});
const loop = (text: string, dueAt: number | null = null): NewUnit['content'] => ({
  kind: 'loop',
  payload: { text, dueAt },
});

/** A memory with these units, added long ago by default. */
async function remembering(units: Readonly<Record<string, NewUnit>>) {
  const rig = openRig();
  rig.clock.now = LONG_AGO;
  const ids = new Map<number, string>();
  for (const [name, unit] of Object.entries(units)) ids.set((await keep(rig.store, unit)).id, name);
  rig.clock.now = NOON;
  return {
    ...rig,
    nameOf: (id: number) => ids.get(id) ?? `#${id}`,
    idOf: (name: string) => [...ids].find(([, one]) => one === name)?.[0] ?? 0,
  };
}

async function archivedBy({ parts }: Rig, nameOf: (id: number) => string): Promise<Record<string, string[]>> {
  const { operations } = await planReorganization(parts);
  const archives = operations.filter(
    (one): one is Extract<PlanOperation, { type: 'archiveUnits' }> => one.type === 'archiveUnits',
  );
  return Object.fromEntries(archives.map(({ reason, unitIds }) => [reason, unitIds.map(nameOf)]));
}

describe('an archived unit', () => {
  test('has expired, and is not pinned, an episode or a note of a file', async () => {
    const expiresAt = NOON - 1;
    const rig = await remembering({
      capsule: { content: { kind: 'capsule', payload: { text: 'tired today' } }, expiresAt },
      loop: { content: loop('buy milk'), expiresAt },
      fact: { content: fact('this week’s song'), expiresAt },
      'own note': { content: note('for now'), expiresAt },
      pinned: { content: fact('tea'), expiresAt, pinned: true },
      'note of a file': { source: 'note', content: note('in a file'), expiresAt },
      'not yet': { content: loop('buy bread'), expiresAt: NOON + 1 },
    });
    await talk(rig.store, { theme: 0, conversationId: 'c', turns: 2, at: LONG_AGO });
    expect(await archivedBy(rig, rig.nameOf)).toEqual({
      'it has expired': ['capsule', 'loop', 'fact', 'own note'],
    });
  });

  test('is old, weak, uncertain, and was never recalled or repeated', async () => {
    const weak = { occurredAt: LONG_AGO, salience: 0.3, confidence: 0.4 };
    const rig = await remembering({
      fact: { ...weak, content: fact('grey') },
      loop: { ...weak, content: loop('call somebody') },
      summary: {
        ...weak,
        content: { kind: 'summary', payload: { scope: 'weekly', scopeKey: '2025-W01', text: 'Not much.' } },
      },
      pinned: { ...weak, content: fact('blue'), pinned: true },
      weighty: { ...weak, salience: 0.5, content: fact('red') },
      sure: { ...weak, confidence: 0.5, content: fact('green') },
      history: { ...weak, content: fact('brown', { validTo: LONG_AGO }) },
      due: { ...weak, content: loop('renew the passport', NOON + DAY_MS) },
      recalled: { ...weak, content: fact('white') },
      note: { ...weak, content: note('anything') },
    });
    await rig.store.units.countAccess([rig.idOf('recalled')], LONG_AGO);
    rig.clock.now = NOON - 10 * DAY_MS;
    await keep(rig.store, { ...weak, occurredAt: NOON, content: fact('young') });
    rig.clock.now = NOON;
    expect(await archivedBy(rig, rig.nameOf)).toEqual({
      'old, unimportant, uncertain, and never recalled': ['fact', 'loop', 'summary'],
    });
  });

  test('is not found any more, is not erased, and stays active once it is restored', async () => {
    const rig = await remembering({
      weak: { occurredAt: LONG_AGO, salience: 0.3, confidence: 0.4, content: fact('grey') },
    });
    const plan = await planReorganization(rig.parts);
    const entry = await applyPlan(rig.parts, plan, { key: null });
    const id = rig.idOf('weak');
    expect(await rig.store.units.list({ kinds: ['fact'] }, { limit: 9 })).toEqual([]);
    expect(await rig.store.units.get([id])).toMatchObject([{ state: 'archived' }]);
    await rig.store.units.save([{ type: 'restore', unitId: id, version: 1, reason: 'wanted' }]);
    expect((await planReorganization(rig.parts)).operations).toEqual([]);
    expect(entry).toMatchObject({ unitsChanged: 1, state: 'applied' });
  });

  test('that was restored by undoing is not archived again', async () => {
    const rig = await remembering({
      weak: { occurredAt: LONG_AGO, salience: 0.3, confidence: 0.4, content: fact('grey') },
      expired: { content: loop('buy milk'), expiresAt: NOON - 1 },
    });
    const entry = await applyPlan(rig.parts, await planReorganization(rig.parts), { key: null });
    await rig.store.journal.rollback(entry.id);
    expect(await rig.store.units.list({ kinds: ['fact', 'loop'] }, { limit: 9 })).toHaveLength(2);
    expect((await planReorganization(rig.parts)).operations).toEqual([]);
  });
});

describe('units that say the same', () => {
  test.each([
    ['en', 'likes', 'the old jazz records', 'likes', 'old jazz records!', 'says the same'],
    ['ja', '好き', '古いジャズのレコード', '好き', 'とても古いジャズのレコードです', '同じことを言っている'],
    ['zh', '喜欢', '爵士乐的老唱片', '喜欢', '爵士乐老唱片。', '说的内容相同'],
  ])(
    'are merged into the more certain one (%s)',
    async (_language, predicate, object, otherPredicate, otherObject, reason) => {
      const rig = await remembering({
        unsure: { confidence: 0.4, content: fact(object, { predicate }) },
        sure: { confidence: 0.9, content: fact(otherObject, { predicate: otherPredicate }) },
        other: { content: fact(`${object} 2`, { predicate }) },
      });
      const { operations } = await planReorganization(rig.parts);
      expect(operations).toEqual([
        { type: 'mergeUnits', unitIds: [rig.idOf('unsure')], intoId: rig.idOf('sure'), reason },
      ]);
      await applyPlan(rig.parts, { at: NOON, by: 'rules', operations, refresh: [] }, { key: null });
      expect(await rig.store.units.get([rig.idOf('sure')])).toMatchObject([
        { reinforcement: 1, confidence: 0.9 },
      ]);
      expect((await planReorganization(rig.parts)).operations).toEqual([]);
    },
  );

  test('are not merged across times, sensitivities, scopes or owners', async () => {
    const rig = await remembering({
      tea: { content: fact('tea') },
      'tea once': { content: fact('tea', { validTo: LONG_AGO }) },
      'tea since then': { content: fact('tea', { validFrom: LONG_AGO }) },
      'secret tea': { content: fact('tea'), sensitivity: 'secret' },
      'tea at work': { content: fact('tea'), scope: 'project' },
      'her tea': { content: fact('tea', { subject: 'Yumi' }) },
      'no tea': { content: fact('tea', { predicate: 'does not like' }) },
    });
    expect((await planReorganization(rig.parts)).operations).toEqual([]);
  });

  test('are merged as notes only outside files; a pinned one receives the others', async () => {
    const rig = await remembering({
      own: { content: note('Prefers short answers.') },
      pinned: { content: note('prefers short answers'), pinned: true, confidence: 0.2 },
      imported: { source: 'import', content: note('Prefers short answers!') },
      'of a file': { source: 'note', content: note('Prefers short answers.') },
    });
    expect((await planReorganization(rig.parts)).operations).toMatchObject([
      { type: 'mergeUnits', unitIds: [rig.idOf('own'), rig.idOf('imported')], intoId: rig.idOf('pinned') },
    ]);
  });
});
