import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  DAY_MS,
  isMemoryError,
  KINDS,
  newUnitSchema,
  SCOPES,
  SENSITIVITIES,
  STATES,
  type Kind,
} from '../src/model/model.ts';
import { openSqliteStore } from '../src/store/sqlite/sqlite.ts';
import type { ScoredId, Store, TurnDraft, UnitFilter } from '../src/store/store.ts';
import { terms } from '../src/text/text.ts';
import { ModelStore } from './modelStore/modelStore.ts';
import { temporaryFolder } from './temporary.ts';

const START = Date.UTC(2024, 4, 1);
const WORDS = [
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
const SPEAKERS = ['user', 'ai', '美咲'];

const text = fc
  .array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 5 })
  .map((words) => words.join(' '));
const unitId = fc.integer({ min: 1, max: 12 });
const unitIds = fc.uniqueArray(unitId, { maxLength: 5 });
const instant = fc.integer({ min: -6, max: 6 }).map((halfDays) => START + (halfDays * DAY_MS) / 2);
const sensitivity = fc.constantFrom(...SENSITIVITIES);
const scope = fc.constantFrom(...SCOPES);
const conversationId = fc.constantFrom('a', 'b');
const jobKinds = fc.subarray(['embed', 'reflect']);
/** Of eight dimensions and whole numbers, the largest 127: kept as it is in int8. */
const vector = fc
  .tuple(fc.integer({ min: 0, max: 7 }), fc.integer({ min: -3, max: 3 }))
  .map(([at, other]) => Float32Array.from({ length: 8 }, (_, i) => (i === at ? 127 : other * i)));

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
  text.map((words) => ({
    kind: 'fact' as const,
    payload: { subject: 'user', predicate: 'says', object: words },
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

const change = fc.oneof(
  newUnit.map((unit) => ({ type: 'add' as const, unit, reason: 'added' })),
  fc.record({ unitId, fields, newUnit: fc.option(newUnit) }).map(({ unitId, fields, newUnit }) => ({
    type: 'update' as const,
    unitId,
    set: { ...fields, ...(newUnit && { content: newUnit.content }) },
    reason: 'changed',
  })),
);

const job = fc.record({
  kind: fc.constantFrom('embed', 'reflect'),
  key: fc.constantFrom('k1', 'k2', 'k3', 'k4'),
  conversationId: fc.option(conversationId),
  input: fc.constant({ n: 1 }),
});

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

/** One call, to be made on both stores. */
interface Step {
  readonly name: string;
  readonly call: (store: Store) => Promise<unknown>;
}

function step<T>(name: string, given: fc.Arbitrary<T>, call: (store: Store, given: T) => Promise<unknown>) {
  return given.map((value): Step => ({
    name: `${name} ${fc.stringify(value)}`,
    call: (store) => call(store, value),
  }));
}

const owner = fc.constantFrom('w1', 'w2');
const steps = fc.oneof(
  {
    weight: 6,
    arbitrary: step('appendTurns', fc.array(draft, { maxLength: 4 }), (store, drafts) =>
      store.appendTurns(drafts),
    ),
  },
  {
    weight: 4,
    arbitrary: step('saveUnits', fc.array(change, { maxLength: 3 }), (store, changes) =>
      store.saveUnits(changes),
    ),
  },
  step('countAccess', unitIds, (store, ids) => store.countAccess(ids, START)),
  step(
    'link',
    fc.tuple(unitId, unitId, fc.constantFrom('quote', 'contextual')),
    (store, [from, to, relation]) => store.link(from, to, relation),
  ),
  {
    weight: 4,
    arbitrary: step(
      'upsert',
      fc.record({
        model: fc.constantFrom('m', 'm', 'm', 'n'),
        ids: unitIds,
        vectors: fc.array(vector, { minLength: 5, maxLength: 5 }),
      }),
      (store, { model, ids, vectors }) =>
        store.vectors.upsert(
          model,
          ids.map((unitId, i) => ({ unitId, vector: vectors[i] as Float32Array })),
        ),
    ),
  },
  step('remove', unitIds, (store, ids) => store.vectors.remove(ids)),
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
  step('retryFailed', instant, (store, now) => store.jobs.retryFailed(now)),
  step(
    'rebuild',
    fc.record({
      what: fc.constantFrom('indexes' as const, 'units' as const),
      dropVectors: fc.boolean(),
      jobKinds,
    }),
    (store, { what, dropVectors, jobKinds }) => store.rebuild(what, { dropVectors, jobKinds, now: START }),
  ),
);

const filter: fc.Arbitrary<UnitFilter> = fc.record(
  {
    kinds: fc.subarray([...KINDS] as Kind[]),
    maxSensitivity: sensitivity,
    scope,
    conversationId,
    from: instant,
    to: instant,
    asOf: instant,
    aliveAt: instant,
    beforeTurnId: unitId,
    withArchived: fc.boolean(),
    uri: fc.constant('user/a.md'),
  },
  { requiredKeys: [] },
);

const EVERYTHING: UnitFilter = { withArchived: true, maxSensitivity: 'secret' };

/** Everything that can be asked. */
async function ask(store: Store, filter: UnitFilter, query: Float32Array, limit: number) {
  const ids = Array.from({ length: 40 }, (_, i) => i);
  const asked = terms(WORDS.join(' '));
  const { chainHead: _, problems, ...counts } = await store.verify();
  const { location: _l, schemaVersion: _s, sizeBytes: _b, ...info } = await store.info();
  return {
    counts,
    problems,
    info,
    turns: (await store.getTurns(ids)).map((turn) => ({ ...turn, contentHash: '', chainHash: '' })),
    pages: (await store.readTurns({ afterId: 2, limit, conversationId: 'a' })).map((turn) => turn.id),
    units: await store.getUnits(ids),
    passages: await store.getPassages(ids),
    listed: (await store.listUnits(filter, { limit, offset: 1 })).map((unit) => unit.id),
    filtered: await store.filterUnits(ids, filter),
    versions: await Promise.all(
      ids.map(async (id) =>
        (await store.listVersions(id)).map((version) => ({ ...version, payloadHash: '' })),
      ),
    ),
    neighbours: await store.neighbours(ids, { before: 2, after: 1 }),
    statistics: await store.statistics({ terms: asked, speakers: SPEAKERS }),
    times: await store.timesOf(ids),
    atTimes: await store.searchTimes({ from: START, to: START + 9 * DAY_MS }, filter, limit),
    text: byId(await store.searchText(asked, filter, 1_000)),
    allText: byId(await store.searchText(terms('tea 東京 cake'), EVERYTHING, 1_000)),
    near: byId(await store.vectors.query(query, filter, 1_000)),
    nearest: (await store.vectors.query(query, filter, limit)).map((hit) => hit.score),
    cosines: byId(
      [...(await store.vectors.cosines(query, ids))].map(([unitId, score]) => ({ unitId, score })),
    ),
    mean: [...((await store.vectors.mean()) ?? [])],
    jobs: await store.jobs.list({ limit: 1_000 }),
    nextDue: await store.jobs.nextDue(['embed', 'reflect']),
  };
}

/** By id; how they are ordered by score is asked apart, as stores may tell scores to more or fewer digits. */
function byId(hits: readonly ScoredId[]): ScoredId[] {
  return hits.toSorted((a, b) => a.unitId - b.unitId);
}

/** The same, with numbers that need only be near. */
function nearly(answers: Awaited<ReturnType<typeof ask>>) {
  const hits = (found: readonly ScoredId[]) =>
    found.map(({ unitId, score }) => ({ unitId, score: near(score) }));
  return {
    ...answers,
    text: hits(answers.text),
    allText: hits(answers.allText),
    near: hits(answers.near),
    nearest: answers.nearest.map(near),
    cosines: hits(answers.cosines),
    mean: answers.mean.map(near),
  };
}

function near(value: number): number {
  return expect.closeTo(value, 4) as number;
}

async function outcomeOf(store: Store, { call }: Step): Promise<{ returned: unknown } | { code: string }> {
  try {
    return { returned: await call(store) };
  } catch (error) {
    if (!isMemoryError(error)) throw error;
    return { code: error.code };
  }
}

describe.each([
  ['in the table', Infinity],
  ['in memory', 0],
])('SQLite, vectors %s', (_where, copyFromVectors) => {
  test('answers as a store of plain Maps does, whatever was done, also when it is opened again', async () => {
    const folder = temporaryFolder();
    let files = 0;
    const property = fc.asyncProperty(
      fc.array(steps, { minLength: 1, maxLength: 25, size: 'max' }),
      filter,
      vector,
      fc.integer({ min: 1, max: 10 }),
      async (steps, filter, query, limit) => {
        const clock = { now: START };
        const options = { memoryId: 'm', timeZone: 'Asia/Tokyo', now: () => clock.now, copyFromVectors };
        const path = join(folder, `${(files += 1)}.db`);
        const model = new ModelStore(options);
        let store = openSqliteStore(path, options);
        try {
          for (const [i, step] of steps.entries()) {
            clock.now += DAY_MS / 4;
            expect({ step: step.name, ...(await outcomeOf(store, step)) }).toEqual({
              step: step.name,
              ...(await outcomeOf(model, step)),
            });
            if (i % 5 === 2) await store.vectors.query(query, {}, 3).catch(() => []);
          }
          const expected = nearly(await ask(model, filter, query, limit));
          expect(await ask(store, filter, query, limit)).toEqual(expected);
          await store.close();
          store = openSqliteStore(path, options);
          expect(await ask(store, filter, query, limit)).toEqual(expected);
        } finally {
          await store.close();
        }
      },
    );
    await fc.assert(property, { numRuns: 60 });
  });
});
