import { describe, expect, test } from 'vitest';
import type { ReorganizationPlan } from '../../src/model/model.ts';
import type { Store, Verification } from '../../src/store/store.ts';
import type { Damage, OpenStore } from './storeUnderTest.ts';
import {
  add,
  assign,
  atAngle,
  CLAIM,
  derived,
  draft,
  find,
  loop,
  openMemory,
  person,
  say,
  saveOne,
  START,
  topic,
} from './samples.ts';

const NO_PLAN: ReorganizationPlan = { at: START, by: 'rules', operations: [], refresh: [] };

type Code = Verification['problems'][number]['code'];

/**
 * Turns 1 to 4 and a loop, 5, the first three with a vector; topic 1 above topic 2, which contains all turns except the
 * first.
 */
async function fill(store: Store): Promise<void> {
  await say(
    store,
    draft('最初の話', { turnIndex: 0 }),
    draft('The party is on 20 May 2024.', { turnIndex: 1, speaker: 'ai' }),
    draft('第三句话', { turnIndex: 2 }),
    draft('and the last words', { turnIndex: 3 }),
  );
  await saveOne(store, add({ content: loop('buy bread') }));
  await store.indexes.vectors.upsert(
    'm',
    [1, 2, 3].map((unitId) => ({ unitId, vector: atAngle(unitId * 30) })),
  );
  await store.indexes.vectors.upsertNext(
    'n',
    [1, 2].map((unitId) => ({ unitId, vector: atAngle(unitId * 30) })),
  );
  await store.units.applyDerivation(
    derived(2, {
      mentions: [person('田中', { aliases: ['Ken'] }), person('Sarah Connor')],
      relations: [{ from: 0, to: 1, relation: 'knows', weight: 0.5 }],
    }),
  );
  await store.units.link(1, 5, 'contextual');
  await store.topics.assign([
    assign(1, topic('first words')),
    assign(2, topic('party')),
    assign(3, { sameAs: 1 }),
    assign(4, { sameAs: 1 }),
  ]);
  const setParents = { type: 'setParents' as const, topicId: 2, parentIds: [1] };
  await store.journal.apply({ key: null, plan: NO_PLAN, topics: [setParents], units: [] });
}

/** Damage that no rebuild can repair, because the evidence itself is lost. */
const BROKEN_EVIDENCE: [Damage, Code][] = [
  [{ type: 'turn said something else', turnId: 2 }, 'CHAIN_BROKEN'],
  [{ type: 'turn had other meta', turnId: 1 }, 'CHAIN_BROKEN'],
  [{ type: 'turn gone', turnId: 1 }, 'CHAIN_BROKEN'],
  [{ type: 'turn gone', turnId: 3 }, 'CHAIN_BROKEN'],
  [{ type: 'turn gone', turnId: 4 }, 'UNIT_WRONG'],
];
/** A column of a row with another value. */
const changed = (table: string, where: string, set: string) => ({
  type: 'row changed' as const,
  table,
  set,
  where,
});
/** Columns of units that are in no payload. */
const CHANGED_UNIT = [
  'salience = 0.25',
  'confidence = 0.125',
  'state = 2',
  'sensitivity = 2',
  'pinned = 1',
  'scope = 1',
  'expires_at = 1',
  'reinforcement = 7',
  "source = 'other'",
  'updated_at = updated_at + 1',
  `emotion = '{"valence":1,"arousal":1}'`,
];
/** Changes of hashed columns, and hashes that are deleted. */
const CHANGED_ROWS = [
  changed('link', 'from_unit_id = 1', 'to_unit_id = 4'),
  changed('link', 'from_unit_id = 1', "relation = 'other'"),
  changed('entity', 'id = 1', "type = 'place'"),
  changed('entity', 'id = 1', 'salience = 0.5'),
  changed('entity', 'id = 1', 'name = aliases'),
  changed('entity', 'id = 1', "aliases = '[]'"),
  changed('unit_entity', 'entity_id = 1', 'confidence = 0.25'),
  changed('unit_entity', 'entity_id = 1', 'surface = (SELECT title FROM topic LIMIT 1)'),
  changed('edge', 'unit_id = 2', 'from_entity_id = 2, to_entity_id = 1'),
  changed('edge', 'unit_id = 2', "relation = 'hates'"),
  changed('edge', 'unit_id = 2', 'unit_id = 3'),
  changed('edge', 'unit_id = 2', 'weight = 0.75'),
  changed('topic_member', 'unit_id = 3', 'unit_id = 1'),
  changed('topic_parent', 'topic_id = 2', 'topic_id = 1, parent_id = 2'),
  ...['link', 'entity', 'unit_entity', 'edge', 'topic_member', 'topic_parent'].map((table) =>
    changed(table, '1 = 1', "mac = ''"),
  ),
];
const BROKEN_DERIVED: [Damage, Code][] = [
  // An episode as its turn made it, and a loop.
  ...[2, 5].flatMap((id) =>
    CHANGED_UNIT.map((set): [Damage, Code] => [changed('unit', `id = ${id}`, set), 'UNIT_WRONG']),
  ),
  ...['occurred_at = 5', 'created_at = 5', 'version = 2'].map((set): [Damage, Code] => [
    changed('unit', 'id = 5', set),
    'UNIT_WRONG',
  ]),
  [changed('unit_version', 'unit_id = 5', "payload_hash = 'other'"), 'UNIT_WRONG'],
  [changed('unit_version', 'unit_id = 5', 'at = at + 1'), 'UNIT_WRONG'],
  [{ type: 'versions gone', unitId: 5 }, 'UNIT_WRONG'],
  [changed('entity', 'id = 1', "type = 'persom'"), 'ENTITY_WRONG'],
  [changed('entity', 'id = 1', "name = 'not encrypted'"), 'ENTITY_WRONG'],
  [changed('entity', 'id = 1', "aliases = 'not encrypted'"), 'ENTITY_WRONG'],
  [changed('unit_entity', 'entity_id = 1', "surface = 'not encrypted'"), 'ENTITY_WRONG'],
  [changed('unit_entity', 'entity_id = 1', 'confidence = 2'), 'ENTITY_WRONG'],
  [changed('edge', 'unit_id = 2', 'weight = 2'), 'ENTITY_WRONG'],
  [changed('topic', 'id = 2', "title = 'not encrypted'"), 'TOPIC_WRONG'],
  [{ type: 'episode gone', unitId: 2 }, 'UNIT_WRONG'],
  [{ type: 'episode moved', unitId: 2 }, 'UNIT_WRONG'],
  [{ type: 'episode at another time', unitId: 2 }, 'UNIT_WRONG'],
  [{ type: 'not in text index', unitId: 5 }, 'INDEX_WRONG'],
  [{ type: 'other terms in text index', unitId: 4 }, 'INDEX_WRONG'],
  [{ type: 'times gone', unitId: 2 }, 'INDEX_WRONG'],
  [{ type: 'term miscounted', term: 'bread' }, 'INDEX_WRONG'],
  [{ type: 'speaker forgotten', speaker: 'ai' }, 'INDEX_WRONG'],
  [{ type: 'kinds forgotten' }, 'INDEX_WRONG'],
  [{ type: 'vector gone', unitId: 2 }, 'INDEX_WRONG'],
  [{ type: 'vector changed', unitId: 2 }, 'INDEX_WRONG'],
  [{ type: 'vector with another state', unitId: 2 }, 'INDEX_WRONG'],
  [{ type: 'next vector gone', unitId: 2 }, 'INDEX_WRONG'],
  [{ type: 'next vector changed', unitId: 2 }, 'INDEX_WRONG'],
  [{ type: 'conversation forgotten', conversationId: 'c1' }, 'INDEX_WRONG'],
  [{ type: 'conversation miscounted', conversationId: 'c1' }, 'INDEX_WRONG'],
  [{ type: 'episode gone', unitId: 2 }, 'ENTITY_WRONG'],
  [{ type: 'entity gone', entityId: 2 }, 'ENTITY_WRONG'],
  [{ type: 'keys gone', entityId: 1 }, 'ENTITY_WRONG'],
  [{ type: 'aliases gone', entityId: 1 }, 'ENTITY_WRONG'],
  [{ type: 'key of another', entityId: 1 }, 'ENTITY_WRONG'],
  [{ type: 'alias unknown', entityId: 1 }, 'ENTITY_WRONG'],
  [{ type: 'mentions miscounted', entityId: 2 }, 'ENTITY_WRONG'],
  [{ type: 'mentions gone', unitId: 2 }, 'ENTITY_WRONG'],
  [{ type: 'episode gone', unitId: 2 }, 'TOPIC_WRONG'],
  [{ type: 'topics gone', unitId: 1 }, 'TOPIC_WRONG'],
  [{ type: 'topic gone', topicId: 1 }, 'TOPIC_WRONG'],
  [{ type: 'members miscounted', topicId: 2 }, 'TOPIC_WRONG'],
  [{ type: 'members at another time', topicId: 2 }, 'TOPIC_WRONG'],
  [{ type: 'archived with members', topicId: 1 }, 'TOPIC_WRONG'],
  [{ type: 'too strong', topicId: 1 }, 'TOPIC_WRONG'],
  [{ type: 'topic below itself', topicId: 2 }, 'TOPIC_WRONG'],
  [{ type: 'other words of topic', topicId: 2 }, 'INDEX_WRONG'],
  [{ type: 'terms of topic gone', topicId: 2 }, 'INDEX_WRONG'],
];

function messagesOf({ problems }: Verification): string {
  return problems.map(({ message }) => message).join('\n');
}

export function describeVerify(open: OpenStore): void {
  describe('verify', () => {
    test('reports no damage in an empty or a full memory', async () => {
      const { store } = await openMemory(open);
      expect(await store.admin.verify()).toEqual({
        turns: 0,
        forgotten: 0,
        units: 0,
        chainHead: '0'.repeat(64),
        checkpoints: 0,
        firstBadTurn: null,
        problems: [],
      });
      await fill(store);
      expect(await store.admin.verify()).toEqual({
        turns: 4,
        forgotten: 0,
        units: 5,
        chainHead: (await store.evidence.get([4]))[0]?.chainHash,
        checkpoints: 0,
        firstBadTurn: null,
        problems: [],
      });
    });

    test.each([...BROKEN_EVIDENCE, ...BROKEN_DERIVED])('reports damage: %o', async (damage, code) => {
      const opened = await openMemory(open);
      await fill(opened.store);
      await opened.damage(damage);
      const { problems } = await (await opened.reopen()).admin.verify();
      expect(problems.map((problem) => problem.code)).toContain(code);
    });

    test.each(CHANGED_ROWS)('names the table of a row of $table in which $set', async (damage) => {
      const opened = await openMemory(open);
      await fill(opened.store);
      await opened.damage(damage);
      const store = await opened.reopen();
      expect(messagesOf(await store.admin.verify())).toContain(`The row of ${damage.table} with `);
      await store.admin.rebuild('units', { jobKinds: [], now: START, dropVectors: false });
      expect((await store.admin.verify()).problems).toEqual([]);
    });

    test('finds a change of an entity also after the entity was written again, or merged', async () => {
      const opened = await openMemory(open);
      await fill(opened.store);
      await opened.damage(changed('entity', 'id = 2', 'salience = 1'));
      await opened.damage(changed('unit_entity', 'entity_id = 2', 'confidence = 0.25'));
      await opened.damage(changed('edge', 'unit_id = 2', 'weight = 0.75'));
      const store = await opened.reopen();
      await store.units.applyDerivation(
        derived(3, { mentions: [person('Sarah Connor', { aliases: ['Sarah'] }), person('美咲')] }),
      );
      expect(messagesOf(await store.admin.verify())).toContain('The row of entity with id 2 ');
      await store.entities.merge(2, 3);
      const messages = messagesOf(await store.admin.verify());
      expect(messages).toContain('The row of entity with id 3 ');
      expect(messages).toContain('The row of unit_entity with unit_id 2, entity_id 3 ');
      expect(messages).toContain('The row of edge with from_entity_id 1, to_entity_id 3, ');
    });

    test('finds nothing wrong after entities with mentions and edges of the same units were merged', async () => {
      const { store } = await openMemory(open);
      await fill(store);
      await store.units.applyDerivation(
        derived(3, {
          mentions: [person('田中'), person('Sarah Connor'), person('Sarah')],
          relations: [
            { from: 0, to: 1, relation: 'knows', weight: 0.5 },
            { from: 0, to: 2, relation: 'knows', weight: 0.75 },
            { from: 1, to: 2, relation: 'knows', weight: 0.25 },
          ],
        }),
      );
      await store.entities.merge(3, 2);
      expect(await store.entities.edgesOf(2)).toEqual([
        { fromEntityId: 1, toEntityId: 2, relation: 'knows', weight: 0.875, evidence: [2, 3] },
      ]);
      expect((await store.admin.verify()).problems).toEqual([]);
    });
  });
}

export function describeRebuild(open: OpenStore): void {
  const plan = { jobKinds: ['embed'], now: START, dropVectors: false };

  describe('rebuild', () => {
    test.each(BROKEN_DERIVED)('repairs %o', async (damage) => {
      const opened = await openMemory(open);
      await fill(opened.store);
      await opened.damage(damage);
      const store = await opened.reopen();
      await store.admin.rebuild('units', plan);
      expect((await store.admin.verify()).problems).toEqual([]);
      for (const words of ['最初', 'party', '第三', 'last', 'bread'])
        expect(await find(store, words)).toHaveLength(1);
      await store.indexes.vectors.query(atAngle(0), {}, 9);
      expect((await store.admin.verify()).problems).toEqual([]);
    });

    test('of an undamaged memory changes nothing except adding jobs for missing vectors', async () => {
      const { store } = await openMemory(open);
      await fill(store);
      const before = await store.units.list({}, { limit: 9 });
      const near = await store.indexes.vectors.query(atAngle(0), {}, 9);
      const progress: [number, number][] = [];
      const report = await store.admin.rebuild('indexes', {
        ...plan,
        onProgress: (done, total) => progress.push([done, total]),
      });
      expect(report).toEqual({ unitsIndexed: 5, episodesRestored: 0, episodesRemoved: 0, jobsEnqueued: 2 });
      expect(progress.at(-1)).toEqual([5, 5]);
      expect((await store.jobs.list({ limit: 9 })).map((job) => job.key)).toEqual(['embed:4', 'embed:5']);
      expect(await store.units.list({}, { limit: 9 })).toEqual(before);
      expect(await store.indexes.vectors.query(atAngle(0), {}, 9)).toEqual(near);
      expect((await store.admin.verify()).problems).toEqual([]);
    });

    test('makes all episodes again from the turns alone', async () => {
      const opened = await openMemory(open);
      await fill(opened.store);
      const units = await opened.store.units.list({ kinds: ['episode'] }, { limit: 9 });
      for (const unitId of [1, 2, 3, 4]) await opened.damage({ type: 'episode gone', unitId });
      const store = await opened.reopen();
      expect(await store.units.list({ kinds: ['episode'] }, { limit: 9 })).toEqual([]);
      expect(await store.admin.rebuild('units', plan)).toEqual({
        unitsIndexed: 5,
        episodesRestored: 4,
        episodesRemoved: 0,
        jobsEnqueued: 5,
      });
      expect((await store.admin.verify()).problems).toEqual([]);
      const restored = await store.units.list({ kinds: ['episode'] }, { limit: 9 });
      expect(restored).toEqual(units.map((unit, i) => ({ ...unit, id: restored[i]!.id })));
      expect(await store.indexes.vectors.model()).toBeNull();
    });

    test('removes the episodes whose turns are gone', async () => {
      const opened = await openMemory(open);
      await fill(opened.store);
      await opened.damage({ type: 'turn gone', turnId: 4 });
      const store = await opened.reopen();
      const before = await store.units.list({}, { limit: 9 });
      expect(await store.admin.rebuild('units', plan)).toMatchObject({
        episodesRemoved: 1,
        episodesRestored: 0,
      });
      expect((await store.admin.verify()).problems).toEqual([]);
      expect(await store.units.list({}, { limit: 9 })).toHaveLength(before.length - 1);
    });

    test('drops the vectors on request, so that another model can make them', async () => {
      const { store } = await openMemory(open);
      await fill(store);
      expect(await store.admin.rebuild('indexes', { ...plan, dropVectors: true })).toMatchObject({
        jobsEnqueued: 5,
      });
      expect(await store.indexes.vectors.model()).toBeNull();
      await store.indexes.vectors.upsert('other', [{ unitId: 1, vector: new Float32Array(8).fill(1) }]);
      expect(await store.indexes.vectors.model()).toEqual({ id: 'other', dimensions: 8, count: 1 });
    });
  });
}

export function describeInfo(open: OpenStore): void {
  test('info counts what is stored', async () => {
    const { store } = await openMemory(open);
    expect(await store.admin.info()).toMatchObject({
      turns: 0,
      conversations: 0,
      firstTurnAt: null,
      vectorModel: null,
    });
    await fill(store);
    await say(
      store,
      draft('x', { conversationId: 'c2', occurredAt: START + 9, jobKinds: ['embed', 'reflect'] }),
    );
    await store.jobs.claim({ ...CLAIM, now: START });
    expect(await store.admin.info()).toEqual({
      memoryId: 'm1',
      location: expect.any(String),
      schemaVersion: expect.any(Number),
      timeZone: 'Asia/Tokyo',
      turns: 5,
      conversations: 2,
      units: { episode: 5, fact: 0, summary: 0, loop: 1, capsule: 0, note: 0 },
      topics: 2,
      vectorModel: { id: 'm', dimensions: 16, count: 3 },
      jobs: { queued: 1, running: 1, failed: 0 },
      sizeBytes: expect.any(Number),
      firstTurnAt: START,
      lastTurnAt: START + 9,
    });
  });
}

export function describeClosing(open: OpenStore): void {
  const calls: [string, (store: Store) => Promise<unknown>][] = [
    ['appendTurns', (store) => store.evidence.append([draft('a')])],
    ['getTurns', (store) => store.evidence.get([1])],
    ['readTurns', (store) => store.evidence.page({ afterId: 0, limit: 1 })],
    ['saveUnits', (store) => store.units.save([add({ content: loop('a') })])],
    ['getUnits', (store) => store.units.get([1])],
    ['listUnits', (store) => store.units.list({}, { limit: 1 })],
    ['filterUnits', (store) => store.units.filter([1], {})],
    ['recentTurns', (store) => store.evidence.recent('c1', 1)],
    ['listConversations', (store) => store.evidence.conversations({ limit: 1 })],
    ['isDerived', (store) => store.units.isDerived(derived(1).mark)],
    [
      'applyDerivation',
      (store) => store.units.applyDerivation(derived(1, { mentions: [person('a'), person('b')] })),
    ],
    ['entities.get', (store) => store.entities.get([1])],
    ['entities.find', (store) => store.entities.find(['a'])],
    ['entities.list', (store) => store.entities.list({}, { limit: 1 })],
    ['entities.mentionsOf', (store) => store.entities.mentionsOf(1, { limit: 1 })],
    ['entities.ofUnits', (store) => store.entities.ofUnits([1])],
    ['entities.edgesOf', (store) => store.entities.edgesOf(1)],
    ['entities.update', (store) => store.entities.update(1, { name: 'c' })],
    ['topics.get', (store) => store.topics.get([1])],
    ['topics.list', (store) => store.topics.list({}, { limit: 1 })],
    ['topics.assign', (store) => store.topics.assign([assign(1, topic('a'))])],
    ['topics.update', (store) => store.topics.update(1, { title: 'b' })],
    ['topics.nearest', (store) => store.topics.nearest(atAngle(0), 1)],
    ['topics.centroids', (store) => store.topics.centroids([1])],
    ['topics.search', (store) => store.topics.search(['a'], 1)],
    ['topics.membersOf', (store) => store.topics.membersOf(1, { limit: 1 })],
    ['topics.ofUnits', (store) => store.topics.ofUnits([1])],
    ['journal.apply', (store) => store.journal.apply({ key: null, plan: NO_PLAN, topics: [], units: [] })],
    ['journal.list', (store) => store.journal.list({ limit: 1 })],
    ['journal.get', (store) => store.journal.get(1)],
    ['journal.rollback', (store) => store.journal.rollback(1)],
    ['noteFiles.list', (store) => store.noteFiles.list()],
    [
      'noteFiles.apply',
      (store) => store.noteFiles.apply({ upserts: [], removals: [], changes: [], unitJobKinds: [] }),
    ],
    ['chainHead', (store) => store.evidence.head()],
    ['listCheckpoints', (store) => store.evidence.checkpoints()],
    ['entities.merge', (store) => store.entities.merge(1, 2)],
    ['listVersions', (store) => store.units.versions(1)],
    ['countAccess', (store) => store.units.countAccess([1], START)],
    ['link', (store) => store.units.link(1, 1, 'quote')],
    ['neighbours', (store) => store.units.neighbours([1], { before: 1, after: 1 })],
    ['searchText', (store) => store.indexes.text.search(['a'], {}, 1)],
    ['searchTimes', (store) => store.indexes.times.search({ from: 0, to: 1 }, {}, 1)],
    ['timesOf', (store) => store.indexes.times.of([1])],
    ['statistics', (store) => store.indexes.text.statistics({ terms: ['a'], speakers: [] })],
    ['verify', (store) => store.admin.verify()],
    ['rebuild', (store) => store.admin.rebuild('indexes', { jobKinds: [], now: START, dropVectors: false })],
    ['info', (store) => store.admin.info()],
    ['vectors.model', (store) => store.indexes.vectors.model()],
    ['vectors.upsert', (store) => store.indexes.vectors.upsert('m', [{ unitId: 1, vector: atAngle(1) }])],
    ['vectors.remove', (store) => store.indexes.vectors.remove([1])],
    ['vectors.query', (store) => store.indexes.vectors.query(atAngle(1), {}, 1)],
    ['vectors.get', (store) => store.indexes.vectors.get([1])],
    ['vectors.cosines', (store) => store.indexes.vectors.cosines(atAngle(1), [1])],
    ['vectors.mean', (store) => store.indexes.vectors.mean()],
    ['vectors.nextModel', (store) => store.indexes.vectors.nextModel()],
    ['vectors.missingFromNext', (store) => store.indexes.vectors.missingFromNext('m', 1)],
    [
      'vectors.upsertNext',
      (store) => store.indexes.vectors.upsertNext('n', [{ unitId: 1, vector: atAngle(1) }]),
    ],
    ['vectors.switchToNext', (store) => store.indexes.vectors.switchToNext('n')],
    ['vectors.dropNext', (store) => store.indexes.vectors.dropNext()],
    ['jobs.enqueue', (store) => store.jobs.enqueue([], START)],
    ['jobs.claim', (store) => store.jobs.claim({ ...CLAIM, now: START })],
    ['jobs.renew', (store) => store.jobs.renew('a', [1], START)],
    ['jobs.settle', (store) => store.jobs.settle('a', [])],
    ['jobs.list', (store) => store.jobs.list({ limit: 1 })],
    ['jobs.count', (store) => store.jobs.count()],
    ['jobs.retryFailed', (store) => store.jobs.retryFailed(START)],
    ['jobs.runNow', (store) => store.jobs.runNow(START, [])],
    ['jobs.nextDue', (store) => store.jobs.nextDue(['embed'])],
  ];

  test('after close, which may be called twice, every method throws CLOSED', async () => {
    const { store } = await openMemory(open);
    for (const [, call] of calls) await call(store);
    await store.close();
    await store.close();
    const codes = await Promise.all(
      calls.map(async ([name, call]) => [name, await call(store).catch((error) => error.code)]),
    );
    expect(codes).toEqual(calls.map(([name]) => [name, 'CLOSED']));
  });
}
