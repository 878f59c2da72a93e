import type { ScoredId, Store } from '../../store/store.ts';
import type { RankInput } from '../rank.ts';
import { embedQueries, narrow, type VectorState } from '../search.ts';
import { SEARCHES } from '../strategy.ts';
import type { TracedSearch } from '../trace.ts';
import { CONVERSATION } from './profile.ts';

/** Candidates, where each came from, and who stands beside them. */
export interface Gathered {
  readonly unitIds: readonly number[];
  readonly before: ReadonlyMap<number, number>;
  readonly after: ReadonlyMap<number, number>;
  readonly queryVector: Float32Array | null;
  readonly vectorState: VectorState;
  readonly searches: readonly TracedSearch[];
}

const MOST_BY_KEYWORD = 100;
const MOST_BY_VECTOR = 60;
const MOST_BY_TIME = 60;
/** Best results whose neighbours become candidates too: an answer need not repeat its question's words. */
const NEIGHBOURS_OF_KEYWORD = 50;
const NEIGHBOURS_OF_VECTOR = 15;

/** Runs the searches and widens what they found by one turn to each side. */
export async function gather(input: RankInput, queryTerms: readonly string[]): Promise<Gathered> {
  const { store, question, clock, strategy, intent } = input;
  const uses = SEARCHES[strategy];
  const embedded = uses.vector ? await queryVector(input) : { state: 'not_wanted' as const, vector: null };
  const usesKeyword = uses.keyword || embedded.state !== 'used';
  const none: ScoredId[] = [];
  const [keyword, vector, time] = await Promise.all([
    usesKeyword
      ? clock.time('keyword', () => store.searchText(queryTerms, question.filter, MOST_BY_KEYWORD))
      : none,
    embedded.vector
      ? clock.time('vector', () =>
          store.vectors.query(embedded.vector as Float32Array, question.filter, MOST_BY_VECTOR),
        )
      : none,
    uses.time && intent.timeRange ? clock.time('time', () => searchRange(input, queryTerms)) : [],
  ]);
  const keywordIds = keyword.map((hit) => hit.unitId);
  const vectorIds = vector.map((hit) => hit.unitId);
  const widened = await widen(store, input, [
    ...keywordIds.slice(0, NEIGHBOURS_OF_KEYWORD),
    ...vectorIds.slice(0, NEIGHBOURS_OF_VECTOR),
  ]);
  const unitIds = [...new Set([...keywordIds, ...vectorIds, ...time, ...widened])].sort((a, b) => a - b);
  const sides = await clock.time('neighbours', () => sidesOf(store, unitIds));
  const traced = (search: TracedSearch['search'], ids: readonly number[]): TracedSearch[] =>
    ids.length === 0
      ? []
      : [{ search, query: search === 'time' ? null : 0, found: ids.length, unitIds: ids }];
  return {
    unitIds,
    ...sides,
    queryVector: embedded.vector,
    vectorState: embedded.state,
    searches: [...traced('keyword', keywordIds), ...traced('vector', vectorIds), ...traced('time', time)],
  };
}

/** The utterance's vector and, with less weight, those of the last lines. */
async function queryVector(input: RankInput): Promise<{ state: VectorState; vector: Float32Array | null }> {
  const { contextVectorLines, contextVectorWeight } = CONVERSATION;
  const { utterance, context } = input.question;
  const lines = context.slice(-contextVectorLines).map((line) => line.text);
  const { state, vectors } = await embedQueries(
    input.store,
    input.embedder,
    [utterance, ...lines],
    input.clock,
  );
  const [own, ...others] = vectors;
  if (!own) return { state, vector: null };
  const sum = Float32Array.from(own);
  for (const other of others) {
    for (let i = 0; i < sum.length; i++) sum[i] = sum[i]! + (contextVectorWeight / others.length) * other[i]!;
  }
  return { state, vector: unitLength(sum) };
}

function unitLength(vector: Float32Array): Float32Array {
  const norm = Math.hypot(...vector);
  return norm > 0 ? vector.map((value) => value / norm) : vector;
}

/** In the range asked about: what shares words with the query, else the newest. */
async function searchRange(
  { store, question, intent }: RankInput,
  queryTerms: readonly string[],
): Promise<number[]> {
  if (!intent.timeRange) return [];
  const filter = narrow(question.filter, intent.timeRange);
  const hits = await store.searchText(queryTerms, filter, MOST_BY_TIME);
  if (hits.length > 0) return hits.map((hit) => hit.unitId);
  return (await store.listUnits(filter, { limit: MOST_BY_TIME })).map((unit) => unit.id);
}

/** The turns next to these that pass the filter themselves. */
async function widen(
  store: Store,
  { question, clock }: RankInput,
  unitIds: readonly number[],
): Promise<number[]> {
  const around = await clock.time('neighbours', () =>
    store.neighbours([...new Set(unitIds)], { before: 1, after: 1 }),
  );
  return store.filterUnits(
    around.flatMap(({ before, after }) => [...before, ...after]),
    question.filter,
  );
}

async function sidesOf(
  store: Store,
  unitIds: readonly number[],
): Promise<{ before: Map<number, number>; after: Map<number, number> }> {
  const before = new Map<number, number>();
  const after = new Map<number, number>();
  for (const beside of await store.neighbours(unitIds, { before: 1, after: 1 })) {
    if (beside.before[0] !== undefined) before.set(beside.unitId, beside.before[0]);
    if (beside.after[0] !== undefined) after.set(beside.unitId, beside.after[0]);
  }
  return { before, after };
}
