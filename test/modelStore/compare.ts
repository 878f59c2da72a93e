import * as fc from 'fast-check';
import { expect } from 'vitest';
import { DAY_MS, isMemoryError, type Edge } from '../../src/model/model.ts';
import type { ScoredId, Store, UnitFilter } from '../../src/store/store.ts';
import { nameKeys, terms } from '../../src/text/text.ts';
import { ModelStore } from './modelStore.ts';
import type { ModelledStore } from './state.ts';
import { beginning, filter, NAMES, SPEAKERS, START, steps, vector, WORDS, type Step } from './steps.ts';

const EVERYTHING: UnitFilter = { withArchived: true, maxSensitivity: 'secret' };

/** All read operations. */
async function ask(store: ModelledStore, filter: UnitFilter, query: Float32Array, limit: number) {
  const ids = Array.from({ length: 40 }, (_, i) => i);
  const asked = terms(WORDS.join(' '));
  const { chainHead: _, problems, ...counts } = await store.admin.verify();
  const { location: _l, schemaVersion: _s, sizeBytes: _b, ...info } = await store.admin.info();
  return {
    counts,
    problems,
    info,
    recent: (await store.evidence.recent('a', limit, 4)).map((turn) => turn.id),
    conversations: await store.evidence.conversations({ limit, offset: 1 }),
    entities: await store.entities.list({}, { limit: 99 }),
    known: await store.entities.get(ids),
    named: await store.entities.list({ type: 'person', query: 'sa' }, { limit, offset: 1 }),
    found: await store.entities.find(NAMES.flatMap(nameKeys)),
    mentions: await store.entities.ofUnits(ids),
    mentioned: await store.entities.mentionsOf(1, { limit, offset: 1 }),
    edges: nearWeights(await Promise.all(ids.map((id) => store.entities.edgesOf(id)))),
    next: await store.indexes.vectors.nextModel(),
    missing: [
      await store.indexes.vectors.missingFromNext('m', limit),
      await store.indexes.vectors.missingFromNext('n', 99),
    ],
    turns: (await store.evidence.get(ids)).map((turn) => ({
      ...turn,
      salt: '',
      contentHash: '',
      chainHash: '',
    })),
    pages: (await store.evidence.page({ afterId: 2, limit, conversationId: 'a' })).map((turn) => turn.id),
    units: await store.units.get(ids),
    passages: byId(await store.units.passages(ids)),
    listed: (await store.units.list(filter, { limit, offset: 1 })).map((unit) => unit.id),
    oldest: (await store.units.list(filter, { limit, oldestFirst: true })).map((unit) => unit.id),
    after: (await store.units.list(filter, { limit, after: { occurredAt: START, unitId: 3 } })).map(
      (unit) => unit.id,
    ),
    felt: await store.units.feelings(filter, { limit, offset: 1 }),
    filtered: await store.units.filter(ids, filter),
    versions: await Promise.all(
      ids.map(async (id) =>
        (await store.units.versions(id)).map((version) => ({ ...version, payloadHash: '' })),
      ),
    ),
    neighbours: await store.units.neighbours(ids, { before: 2, after: 1 }),
    adjacent: byId(await store.units.adjacent(ids, filter, 2)),
    statistics: await store.indexes.text.statistics({ terms: asked, speakers: SPEAKERS }),
    times: await store.indexes.times.of(ids),
    atTimes: await store.indexes.times.search({ from: START, to: START + 9 * DAY_MS }, filter, limit),
    text: byId(await store.indexes.text.search(asked, filter, 1_000)),
    allText: byId(await store.indexes.text.search(terms('tea 東京 cake'), EVERYTHING, 1_000)),
    near: byId(await store.indexes.vectors.query(query, filter, 1_000)),
    nearest: (await store.indexes.vectors.query(query, filter, limit)).map((hit) => hit.score),
    cosines: byId(
      [...(await store.indexes.vectors.cosines(query, ids))].map(([unitId, score]) => ({ unitId, score })),
    ),
    without: await store.indexes.vectors.newestWithout('m', { limit }),
    mean: [...((await store.indexes.vectors.mean()) ?? [])],
    jobs: await store.jobs.list({ limit: 1_000 }),
    nextDue: await store.jobs.nextDue(['embed', 'reflect']),
  };
}

function nearWeights(edges: readonly (readonly Edge[])[]) {
  return edges.map((some) => some.map((edge) => ({ ...edge, weight: Math.round(edge.weight * 1e9) })));
}

/** By id; the order by score is compared separately, because stores may differ in precision. */
function byId<Hit extends { readonly unitId: number }>(hits: readonly Hit[]): Hit[] {
  return hits.toSorted((a, b) => a.unitId - b.unitId);
}

/** The same, comparing numbers approximately. */
function approximately(answers: Awaited<ReturnType<typeof ask>>) {
  const hits = (found: readonly ScoredId[]) =>
    found.map(({ unitId, score }) => ({ unitId, score: approximate(score) }));
  return {
    ...answers,
    text: hits(answers.text),
    allText: hits(answers.allText),
    near: hits(answers.near),
    nearest: answers.nearest.map(approximate),
    cosines: hits(answers.cosines),
    mean: answers.mean.map(approximate),
  };
}

function approximate(value: number): number {
  return expect.closeTo(value, 4) as number;
}

async function outcomeOf(
  store: ModelledStore,
  { call }: Step,
): Promise<{ returned: unknown } | { code: string }> {
  try {
    return { returned: await call(store) };
  } catch (error) {
    if (!isMemoryError(error)) throw error;
    return { code: error.code };
  }
}

export interface ModelledOptions {
  readonly memoryId: string;
  readonly timeZone: string;
  readonly now: () => number;
}

/**
 * Compares a store with the model store after random operations, including reopening. Returns the number of runs.
 * @param open the memory of a run, which is new when it is first opened
 */
export async function checkAgainstModel(
  runs: number,
  open: (run: number, options: ModelledOptions) => Promise<Store>,
): Promise<number> {
  let run = 0;
  const property = fc.asyncProperty(
    fc
      .tuple(beginning, fc.array(steps, { minLength: 10, maxLength: 30, size: 'max' }))
      .map((parts) => parts.flat()),
    filter,
    vector,
    fc.integer({ min: 1, max: 10 }),
    async (steps, filter, query, limit) => {
      const clock = { now: START };
      const options = { memoryId: 'm', timeZone: 'Asia/Tokyo', now: () => clock.now };
      run += 1;
      const model = new ModelStore(options);
      let store = await open(run, options);
      try {
        for (const [i, step] of steps.entries()) {
          clock.now += DAY_MS / 4;
          expect({ step: step.name, ...(await outcomeOf(store, step)) }).toEqual({
            step: step.name,
            ...(await outcomeOf(model, step)),
          });
          if (i % 5 === 2) await store.indexes.vectors.query(query, {}, 3).catch(() => []);
        }
        const expected = approximately(await ask(model, filter, query, limit));
        expect(await ask(store, filter, query, limit)).toEqual(expected);
        await store.close();
        store = await open(run, options);
        expect(await ask(store, filter, query, limit)).toEqual(expected);
      } finally {
        await store.close();
      }
    },
  );
  await fc.assert(property, { numRuns: runs });
  return run;
}
