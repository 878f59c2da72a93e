/** Random operations on a store: values and calls. */
import * as fc from 'fast-check';
import {
  DAY_MS,
  KINDS,
  newUnitSchema,
  SCOPES,
  SENSITIVITIES,
  STATES,
  type EntityMention,
  type Kind,
  type NewJob,
  type State,
} from '../../src/model/model.ts';
import type { DerivationResult, TurnDraft, UnitChange, UnitFilter } from '../../src/store/store.ts';
import type { ModelledStore } from './state.ts';

export const START = Date.UTC(2024, 4, 1);
export const WORDS = [
  'tea',
  'cake',
  'walked',
  '東京タワー',
  '大阪',
  '去年春节',
  '颐和园',
  'next Friday',
  '来週',
  'の',
];
export const SPEAKERS = ['user', 'ai', '美咲'];

const text = fc
  .array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 5 })
  .map((words) => words.join(' '));
const unitId = fc.integer({ min: 1, max: 7 });
const unitIds = fc.uniqueArray(unitId, { maxLength: 5 });
const instant = fc.integer({ min: -6, max: 6 }).map((halfDays) => START + (halfDays * DAY_MS) / 2);
const sensitivity = fc.constantFrom(...SENSITIVITIES);
const scope = fc.constantFrom(...SCOPES);
const conversationId = fc.constantFrom('a', 'b');
const jobKinds = fc.subarray(['embed', 'reflect']);
/** Eight dimensions of whole numbers, the largest 127: int8 stores it exactly. */
export const vector = fc
  .tuple(fc.integer({ min: 0, max: 7 }), fc.integer({ min: -3, max: 3 }))
  .map(([at, other]) => Float32Array.from({ length: 8 }, (_, i) => (i === at ? 127 : other * i)));

const model = fc.constantFrom('m', 'm', 'm', 'n');
/** May be a zero vector. */
const nextVector = fc.oneof({ weight: 5, arbitrary: vector }, fc.constant(new Float32Array(8)));

const draft: fc.Arbitrary<TurnDraft> = fc.record({
  conversationId,
  turnIndex: fc.option(fc.integer({ min: 0, max: 4 })),
  speaker: fc.constantFrom(...SPEAKERS),
  text,
  occurredAt: instant,
  meta: fc.constantFrom({}, { channel: 'web' }),
  source: fc.constantFrom('chat', 'import'),
  sensitivity,
  scope,
  imageSummary: fc.option(text),
  jobKinds,
});

const content = fc.oneof(
  text.map((words) => ({ kind: 'loop' as const, payload: { text: words } })),
  text.map((words) => ({
    kind: 'note' as const,
    payload: { uri: 'user/a.md', section: 'S', memoryType: 'm', text: words, tokenCount: 1 },
  })),
  fc.tuple(text, fc.option(fc.integer({ min: 1, max: 4 }))).map(([object, objectEntityId]) => ({
    kind: 'fact' as const,
    payload: { subject: 'user', predicate: 'says', object, objectEntityId },
  })),
);

const fields = fc.record(
  {
    state: fc.constantFrom(...STATES),
    salience: fc.constantFrom(0, 0.25, 1),
    sensitivity,
    pinned: fc.boolean(),
    topicTags: fc.subarray(['x', '旅']),
    expiresAt: fc.option(instant),
    emotion: fc.constantFrom(null, { values: { joy: 0.5 }, confidence: 1 }),
  },
  { requiredKeys: [] },
);

const newUnit = fc
  .record({ content, fields, scope, occurredAt: fc.option(instant, { nil: undefined }) })
  .map(({ content, fields, scope, occurredAt }) =>
    newUnitSchema.parse({ ...fields, content, scope, ...(occurredAt !== undefined && { occurredAt }) }),
  );

const notes = fc.record(
  { imageSummary: fc.option(text), contextNote: fc.option(text), reflection: fc.option(text) },
  { requiredKeys: [] },
);
const version = fc.integer({ min: 1, max: 3 });
const expected = fc.record({ expectedVersion: version }, { requiredKeys: [] });

const change: fc.Arbitrary<UnitChange> = fc.oneof(
  newUnit.map((unit) => ({ type: 'add' as const, unit, reason: 'added' })),
  fc
    .record({
      unitId,
      fields,
      newUnit: fc.option(newUnit),
      notes: fc.option(notes, { freq: 2 }),
      expected: fc.oneof({ weight: 4, arbitrary: fc.constant({}) }, expected),
    })
    .map(({ unitId, fields, newUnit, notes, expected }) => ({
      type: 'update' as const,
      unitId,
      set: { ...fields, ...(newUnit && { content: newUnit.content }), ...(notes && { notes }) },
      reason: 'changed',
      ...expected,
    })),
  fc.tuple(unitId, version, expected).map(([unitId, version, expected]) => ({
    type: 'restore' as const,
    unitId,
    version,
    reason: 'back',
    ...expected,
  })),
);

export const NAMES = [
  '田中',
  '田中さん',
  'Tanaka',
  'たなか',
  '王先生',
  '老王',
  'Sarah Connor',
  'Sarah',
  'ＳＡＲＡＨ',
];
const entityId = fc.integer({ min: 1, max: 4 });
const entityType = fc.constantFrom('person' as const, 'place' as const);
const name = fc.constantFrom(...NAMES);
const aliases = fc.array(name, { maxLength: 3 });
const share = fc.constantFrom(0, 0.25, 0.5, 1);
const mention: fc.Arbitrary<EntityMention> = fc.record({
  entityId: fc.option(entityId, { freq: 1 }),
  type: entityType,
  name,
  aliases,
  surface: name,
  confidence: share,
});
const relation = fc.record({
  from: fc.integer({ min: 0, max: 2 }),
  to: fc.integer({ min: 0, max: 2 }),
  relation: fc.constantFrom('knows', '家族'),
  weight: share,
});
const mark = fc.record({
  unitId,
  kind: fc.constantFrom('extract', 'reflect'),
  fingerprint: fc.constantFrom('1', '2', '3'),
});

const job: fc.Arbitrary<NewJob> = fc.record(
  {
    kind: fc.constantFrom('embed', 'reflect'),
    key: fc.constantFrom('k1', 'k2', 'k3', 'k4'),
    conversationId: fc.option(conversationId),
    input: fc.constant({ n: 1 }),
    runAfter: instant,
  },
  { requiredKeys: ['kind', 'key', 'conversationId', 'input'] },
);

const derivation: fc.Arbitrary<DerivationResult> = fc.oneof(
  fc.record(
    {
      mark,
      changes: fc.array(change, { maxLength: 2 }),
      unitJobKinds: jobKinds,
      jobs: fc.array(job, { maxLength: 2 }),
    },
    { requiredKeys: ['mark', 'changes'] },
  ),
  {
    weight: 2,
    arbitrary: fc.record({
      mark,
      changes: fc.array(
        newUnit.map((unit) => ({ type: 'add' as const, unit, reason: 'added' })),
        { maxLength: 1 },
      ),
      mentions: fc.array(mention, { maxLength: 4 }),
      relations: fc.oneof({ weight: 2, arbitrary: fc.constant([]) }, fc.array(relation, { maxLength: 3 })),
    }),
  },
);

const outcome = fc.oneof(
  fc.record({ jobId: unitId, result: fc.constantFrom('done' as const, 'released' as const) }),
  fc.record({
    jobId: unitId,
    result: fc.constant('retry' as const),
    runAfter: instant,
    error: fc.constant('e'),
  }),
  fc.record({ jobId: unitId, result: fc.constant('failed' as const), error: fc.constant('e') }),
);

/** A call that is made on both stores. */
export interface Step {
  readonly name: string;
  readonly call: (store: ModelledStore) => Promise<unknown>;
}

function step<T>(
  name: string,
  given: fc.Arbitrary<T>,
  call: (store: ModelledStore, given: T) => Promise<unknown>,
) {
  return given.map((value): Step => ({
    name: `${name} ${fc.stringify(value)}`,
    call: (store) => call(store, value),
  }));
}

const owner = fc.constantFrom('w1', 'w2');
export const steps = fc.oneof(
  {
    weight: 6,
    arbitrary: step('appendTurns', fc.array(draft, { maxLength: 4 }), (store, drafts) =>
      store.evidence.append(drafts),
    ),
  },
  {
    weight: 16,
    arbitrary: step('saveUnits', fc.array(change, { maxLength: 3 }), (store, changes) =>
      store.units.save(changes),
    ),
  },
  {
    weight: 10,
    arbitrary: step('applyDerivation', derivation, (store, result) => store.units.applyDerivation(result)),
  },
  step(
    'entities.update',
    fc.tuple(entityId, fc.record({ name, aliases, type: entityType, salience: share }, { requiredKeys: [] })),
    (store, [id, set]) => store.entities.update(id, set),
  ),
  step('entities.merge', fc.tuple(entityId, entityId), (store, [from, into]) =>
    store.entities.merge(from, into),
  ),
  {
    weight: 4,
    arbitrary: step(
      'upsertNext',
      fc.record({ model, ids: unitIds, vectors: fc.array(nextVector, { minLength: 5, maxLength: 5 }) }),
      (store, { model, ids, vectors }) =>
        store.indexes.vectors.upsertNext(
          model,
          ids.map((unitId, i) => ({ unitId, vector: vectors[i] as Float32Array })),
        ),
    ),
  },
  {
    weight: 3,
    arbitrary: step('prepare all', fc.tuple(model, nextVector), async (store, [model, vector]) => {
      const missing = await store.indexes.vectors.missingFromNext(model, 99);
      await store.indexes.vectors.upsertNext(
        model,
        missing.map((unitId) => ({ unitId, vector })),
      );
      return missing;
    }),
  },
  {
    weight: 2,
    arbitrary: step('missingFromNext', fc.tuple(model, fc.nat(4)), (store, [model, limit]) =>
      store.indexes.vectors.missingFromNext(model, limit),
    ),
  },
  {
    weight: 2,
    arbitrary: step('switchToNext', model, (store, model) => store.indexes.vectors.switchToNext(model)),
  },
  step('dropNext', fc.constant(null), (store) => store.indexes.vectors.dropNext()),
  step('runNow', fc.tuple(instant, unitIds), (store, [now, ids]) => store.jobs.runNow(now, ids)),
  step('renew', fc.tuple(unitIds, instant), (store, [ids, until]) => store.jobs.renew('w1', ids, until)),
  step('countAccess', unitIds, (store, ids) => store.units.countAccess(ids, START)),
  step(
    'link',
    fc.tuple(unitId, unitId, fc.constantFrom('quote', 'contextual')),
    (store, [from, to, relation]) => store.units.link(from, to, relation),
  ),
  {
    weight: 4,
    arbitrary: step(
      'upsert',
      fc.record({
        model,
        ids: unitIds,
        vectors: fc.array(vector, { minLength: 5, maxLength: 5 }),
      }),
      (store, { model, ids, vectors }) =>
        store.indexes.vectors.upsert(
          model,
          ids.map((unitId, i) => ({ unitId, vector: vectors[i] as Float32Array })),
        ),
    ),
  },
  step('remove', unitIds, (store, ids) => store.indexes.vectors.remove(ids)),
  step('enqueue', fc.tuple(fc.array(job, { maxLength: 3 }), instant), (store, [jobs, now]) =>
    store.jobs.enqueue(jobs, now),
  ),
  {
    weight: 2,
    arbitrary: step(
      'claim',
      fc.record({
        kinds: fc.subarray(['embed', 'reflect']),
        owner,
        leaseMs: fc.constantFrom(1, DAY_MS),
        limit: fc.integer({ min: 1, max: 4 }),
        now: instant,
      }),
      (store, request) => store.jobs.claim(request),
    ),
  },
  {
    weight: 2,
    arbitrary: step('settle', fc.tuple(owner, fc.array(outcome)), (store, [owner, all]) =>
      store.jobs.settle(owner, all),
    ),
  },
  step('retryFailed', fc.tuple(instant, fc.option(unitIds, { nil: undefined })), (store, [now, ids]) =>
    store.jobs.retryFailed(now, ids),
  ),
  step(
    'rebuild',
    fc.record({
      what: fc.constantFrom('indexes' as const, 'units' as const),
      dropVectors: fc.boolean(),
      jobKinds,
    }),
    (store, { what, dropVectors, jobKinds }) =>
      store.admin.rebuild(what, { dropVectors, jobKinds, now: START }),
  ),
);

/** Initial data. */
export const beginning = fc.tuple(
  step('appendTurns', fc.array(draft, { minLength: 3, maxLength: 6 }), (store, drafts) =>
    store.evidence.append(drafts.map((draft) => ({ ...draft, turnIndex: null }))),
  ),
  step('saveUnits', fc.array(newUnit, { maxLength: 3 }), (store, units) =>
    store.units.save(units.map((unit) => ({ type: 'add', unit, reason: 'added' }))),
  ),
  step('upsert', vector, (store, vector) =>
    store.indexes.vectors.upsert(
      'm',
      [1, 2, 3].map((unitId) => ({ unitId, vector })),
    ),
  ),
  step('applyDerivation', fc.array(mention, { minLength: 2, maxLength: 3 }), (store, mentions) =>
    store.units.applyDerivation({
      mark: { unitId: 1, kind: 'begin', fingerprint: '' },
      changes: [],
      mentions: mentions.map((mention) => ({ ...mention, entityId: null })),
      relations: [{ from: 0, to: 1, relation: 'knows', weight: 0.5 }],
    }),
  ),
);

export const filter: fc.Arbitrary<UnitFilter> = fc.record(
  {
    kinds: fc.subarray([...KINDS] as Kind[]),
    maxSensitivity: sensitivity,
    scope,
    conversationId,
    from: instant,
    to: instant,
    asOf: instant,
    aliveAt: instant,
    validAt: instant,
    beforeTurnId: unitId,
    withArchived: fc.boolean(),
    uri: fc.constant('user/a.md'),
    states: fc.subarray([...STATES] as State[]),
    pinned: fc.boolean(),
    source: fc.constantFrom('chat', 'user'),
    entityId,
    topicTag: fc.constantFrom('x', '旅'),
    exceptUnitIds: unitIds,
  },
  { requiredKeys: [] },
);
