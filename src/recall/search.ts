import type { Instant, Unit } from '../model/model.ts';
import type { Embedder } from '../llm/llm.ts';
import type { ScoredId, Store, UnitFilter, VectorModel } from '../store/store.ts';
import { terms } from '../text/text.ts';
import { withinTime } from '../async/async.ts';
import { reciprocalRankFusion } from './fuse.ts';
import { SEARCHES } from './strategy.ts';
import type { Question, Strategy, TimeRange } from './types.ts';
import type { StageClock } from './trace.ts';

/** Maximum number of results of each search. */
const MAX_PER_SEARCH = 60;

/** Maximum wait for the query's vector; then only keyword search is used. */
const EMBED_LIMIT_MS = 3_000;

/** Why vectors were not searched. */
export type VectorState = 'used' | 'none_yet' | 'other_model' | 'failed' | 'not_wanted';

export interface SearchResults {
  /** One list for each query, best first. */
  readonly vector: readonly (readonly ScoredId[])[];
  readonly keyword: readonly (readonly ScoredId[])[];
  /** Newest first. */
  readonly time: readonly number[];
  readonly vectorState: VectorState;
  /** The first query's vector; null if none was created. */
  readonly queryVector: Float32Array | null;
}

export interface SearchPlan {
  readonly queries: readonly string[];
  readonly strategy: Strategy;
  readonly timeRange: TimeRange | null;
}

interface SearchInput {
  readonly store: Store;
  readonly embedder: Embedder | null;
  readonly question: Question;
  readonly clock: StageClock;
}

/** Runs every search of the strategy at once, for each query. */
export async function search(
  { store, embedder, question, clock }: SearchInput,
  plan: SearchPlan,
): Promise<SearchResults> {
  const uses = SEARCHES[plan.strategy];
  const embedded: EmbeddedQueries = uses.vector
    ? await embedQueries(store, embedder, plan.queries, clock)
    : { state: 'not_wanted', model: null, vectors: [] };
  // A memory without vectors always uses keyword search, whatever the strategy.
  const usesKeyword = uses.keyword || embedded.state !== 'used';
  const [vector, keyword, time] = await Promise.all([
    vectorSearch(store, question, embedded.vectors, clock),
    usesKeyword ? keywordSearch(store, question, plan.queries, clock) : [],
    uses.time ? timeSearch(store, question, plan.timeRange, clock) : [],
  ]);
  return {
    vector,
    keyword,
    time,
    vectorState: embedded.state,
    queryVector: embedded.vectors[0] ?? null,
  };
}

interface EmbeddedQueries {
  readonly state: VectorState;
  /** The model of the memory's vectors. */
  readonly model: VectorModel | null;
  readonly vectors: readonly Float32Array[];
}

async function vectorSearch(
  store: Store,
  question: Question,
  vectors: readonly Float32Array[],
  clock: StageClock,
): Promise<ScoredId[][]> {
  if (vectors.length === 0) return [];
  return clock.time('vector', () =>
    Promise.all(vectors.map((vector) => searchByMeaning(store, vector, question, MAX_PER_SEARCH))),
  );
}

/** The units nearest to a vector, above the similarity threshold. */
export async function searchByMeaning(
  store: Store,
  vector: Float32Array,
  { filter, similarityThreshold }: Question,
  limit: number,
): Promise<ScoredId[]> {
  const nearest = await store.indexes.vectors.query(vector, filter, limit);
  return similarityThreshold === null ? nearest : nearest.filter(({ score }) => score >= similarityThreshold);
}

/** Embeds texts as queries, if the memory's vectors are of the same model. */
export async function embedQueries(
  store: Store,
  embedder: Embedder | null,
  queries: readonly string[],
  clock: StageClock,
): Promise<EmbeddedQueries> {
  const model = await store.indexes.vectors.model();
  if (!embedder || !model || model.count === 0) return { state: 'none_yet', model, vectors: [] };
  if (model.id !== embedder.id) return { state: 'other_model', model, vectors: [] };
  try {
    const vectors = await clock.time('embed', () =>
      withinTime(EMBED_LIMIT_MS, (signal) => embedder.embed(queries, 'query', signal)),
    );
    const isUsable = (vector: Float32Array) =>
      vector.length === model.dimensions && vector.every(Number.isFinite);
    if (vectors.length !== queries.length || !vectors.every(isUsable))
      return { state: 'failed', model, vectors: [] };
    return { state: 'used', model, vectors };
  } catch {
    // If a model cannot be reached, the memory still answers; the answer reports it.
    return { state: 'failed', model, vectors: [] };
  }
}

function keywordSearch(
  store: Store,
  question: Question,
  queries: readonly string[],
  clock: StageClock,
): Promise<ScoredId[][]> {
  return clock.time('keyword', () =>
    Promise.all(
      queries.map((query) => store.indexes.text.search(terms(query), question.filter, MAX_PER_SEARCH)),
    ),
  );
}

async function timeSearch(
  store: Store,
  question: Question,
  range: TimeRange | null,
  clock: StageClock,
): Promise<number[]> {
  if (!range) return [];
  const units: Unit[] = await clock.time('time', () =>
    store.units.list(narrow(question.filter, range), { limit: MAX_PER_SEARCH }),
  );
  return units.map((unit) => unit.id);
}

/** The filter, restricted to the range. */
export function narrow(filter: UnitFilter, range: { from: Instant; to: Instant }): UnitFilter {
  return {
    ...filter,
    from: Math.max(range.from, filter.from ?? range.from),
    to: Math.min(range.to, filter.to ?? range.to),
  };
}

/** Joins the lists of all searches by reciprocal rank fusion. */
export function fuseResults({ vector, keyword, time }: SearchResults): Map<number, number> {
  const lists = [...vector, ...keyword].map((list) => list.map((hit) => hit.unitId));
  return reciprocalRankFusion([...lists, time]);
}
