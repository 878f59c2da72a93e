import { addScaled, dot, unitLength } from '../../vectors/vectors.ts';
import { DAY_MS } from '../../model/model.ts';
import type { ScoredId, Store, VectorModel } from '../../store/store.ts';
import type { Span } from '../../text/text.ts';
import type { RankInput } from '../ranking.ts';
import { embedQueries, narrow, searchByMeaning, type VectorState } from '../search.ts';
import { SEARCHES } from '../strategy.ts';
import { tracedSearch, type TracedSearch } from '../trace.ts';
import type { TimeRange } from '../types.ts';
import { CONVERSATION } from '../conversationProfile.ts';
import { bundledScale } from '../cosineScale.ts';
import { lineEnd } from '../lineEnd.ts';
import { mostPromising, type Similarity } from './promising.ts';
import { turnIds } from './turns.ts';

/** The candidates, the search that found each, and their neighbours. */
export interface Gathered {
  /** The candidates that are read and scored. */
  readonly unitIds: readonly number[];
  /** Number of units that the searches found, with their neighbours. */
  readonly found: number;
  readonly before: ReadonlyMap<number, number>;
  readonly after: ReadonlyMap<number, number>;
  /** The time ranges of the query, each in the reading for which the memory contains something. */
  readonly spans: readonly Span[];
  readonly queryVector: Float32Array | null;
  /** Null without the query's vector. */
  readonly similarity: Similarity | null;
  readonly vectorState: VectorState;
  readonly searches: readonly TracedSearch[];
}

const MAX_BY_KEYWORD = 100;
const MAX_BY_CONTEXT = 40;
/** Maximum number of context terms in the search, the heaviest first: the cost of a search grows with its terms. */
const MAX_CONTEXT_TERMS = 16;
const MAX_BY_VECTOR = 60;
const MAX_BY_TIME = 60;
/**
 * Number of best keyword results whose neighbours become candidates too: an answer may not repeat the words of its
 * question.
 */
const NEIGHBOURS_OF_KEYWORD = 50;
const NEIGHBOURS_OF_CONTEXT = 20;
const NEIGHBOURS_OF_VECTOR = 15;
const NOT_EMBEDDED: EmbeddedQuestion = { state: 'not_wanted', model: null, vector: null };
const NO_WORDS: readonly [ScoredId[], ScoredId[]] = [[], []];

/**
 * Runs the searches and adds the turn before and after each result.
 * @param termWeights the terms of the utterance and its context
 * @param dependsOnContext whether the utterance refers to earlier lines
 */
export async function gather(
  input: RankInput,
  termWeights: ReadonlyMap<string, number>,
  dependsOnContext: boolean,
): Promise<Gathered> {
  const { store, question, clock, strategy, intent } = input;
  const uses = SEARCHES[strategy];
  const ownTerms = new Set(intent.keywords);
  const contextTerms = [...termWeights.keys()]
    .filter((term) => !ownTerms.has(term))
    .sort((a, b) => (termWeights.get(b) ?? 0) - (termWeights.get(a) ?? 0))
    .slice(0, MAX_CONTEXT_TERMS);
  const searchText = (wanted: readonly string[], limit: number) =>
    clock.time('keyword', () => store.indexes.text.search(wanted, question.filter, limit));
  const searchWords = () =>
    Promise.all([searchText(intent.keywords, MAX_BY_KEYWORD), searchText(contextTerms, MAX_BY_CONTEXT)]);
  const searchMeaning = async () => {
    const embedded = uses.vector ? await embedQuestion(input, dependsOnContext) : NOT_EMBEDDED;
    return { embedded, vector: await searchVector(input, embedded.vector) };
  };
  const searchTime = async () => {
    const spans = uses.time ? await chooseReadings(input, intent.spans) : [];
    return { spans, time: await searchSpans(input, spans, [...intent.keywords, ...contextTerms]) };
  };
  const [words, { embedded, vector }, { spans, time }] = await Promise.all([
    uses.keyword ? searchWords() : NO_WORDS,
    searchMeaning(),
    clock.time('time', searchTime),
  ]);
  const [keyword, context] = uses.keyword || embedded.state === 'used' ? words : await searchWords();
  const ids = (hits: readonly ScoredId[]) => hits.map((hit) => hit.unitId);
  const found = { keyword: ids(keyword), context: ids(context), vector: ids(vector), time };
  const first = new Set([...found.keyword, ...found.context, ...found.vector, ...time]);
  const best = [
    ...found.keyword.slice(0, NEIGHBOURS_OF_KEYWORD),
    ...found.context.slice(0, NEIGHBOURS_OF_CONTEXT),
    ...found.vector.slice(0, NEIGHBOURS_OF_VECTOR),
  ];
  const widened = await clock.time('neighbours', () => widen(input, first, new Set(best)));
  const similarity = await clock.time('fetch', () => readSimilarity(store, embedded, turnIds(widened)));
  const unitIds = clock.timeNow('score', () =>
    mostPromising({ ...widened, keyword, context, similarity, time: new Set(time) }),
  );
  return {
    ...widened,
    unitIds,
    found: widened.unitIds.length,
    spans,
    queryVector: embedded.vector,
    similarity,
    vectorState: embedded.state,
    searches: [
      tracedSearch('keyword', 0, found.keyword),
      tracedSearch('keyword', 1, found.context),
      tracedSearch('vector', 0, found.vector),
      tracedSearch('time', null, time),
    ].filter(({ found: count }) => count > 0),
  };
}

interface EmbeddedQuestion {
  readonly state: VectorState;
  readonly model: VectorModel | null;
  readonly vector: Float32Array | null;
}

/**
 * The vector of the utterance; if it refers to earlier lines, plus those of their ends with a lower weight. Only their
 * ends, because a long reply would take longer to embed than the rest of a recall. See docs/decisions/0039.
 */
async function embedQuestion(input: RankInput, dependsOnContext: boolean): Promise<EmbeddedQuestion> {
  const { contextVectorLines, contextVectorWeight } = CONVERSATION;
  const { utterance, context } = input.question;
  const lines = dependsOnContext ? context.slice(-contextVectorLines) : [];
  const ends = lines.map(({ text }) => lineEnd(text)).filter((end) => end !== '');
  const texts = [utterance, ...ends];
  const { state, model, vectors } = await embedQueries(input.store, input.embedder, texts, input.clock);
  const [own, ...others] = vectors;
  if (!own) return { state, model, vector: null };
  const sum = Float32Array.from(own);
  for (const other of others) addScaled(sum, other, contextVectorWeight);
  return { state, model, vector: unitLength(sum) };
}

async function readSimilarity(
  store: Store,
  { vector, model }: EmbeddedQuestion,
  unitIds: readonly number[],
): Promise<Similarity | null> {
  if (!vector) return null;
  const [cosines, mean, scale] = await Promise.all([
    store.indexes.vectors.cosines(vector, unitIds),
    store.indexes.vectors.mean(),
    bundledScale(store, model),
  ]);
  return { cosines, common: mean ? dot(vector, mean) : 0, scale };
}

async function searchVector(input: RankInput, vector: Float32Array | null): Promise<ScoredId[]> {
  const { store, question, clock } = input;
  if (!vector) return [];
  return clock.time('vector', () => searchByMeaning(store, vector, question, MAX_BY_VECTOR));
}

/**
 * “In May” can mean this year or last year. For each expression, chooses the first reading near which anything
 * occurred. If some expressions are in the past, only those count: “what did I plan last week for next week?”
 */
async function chooseReadings({ store, question }: RankInput, ranges: readonly TimeRange[]): Promise<Span[]> {
  const { daysBefore, daysAfter } = CONVERSATION.date;
  const chosen: Span[] = [];
  for (const range of ranges) {
    for (const { from, to } of [range, ...range.alternatives]) {
      const near = { from: from - daysBefore * DAY_MS, to: to + daysAfter * DAY_MS };
      const [unit] = await store.units.list(narrow(question.filter, near), { limit: 1 });
      if (!unit) continue;
      chosen.push({ from, to });
      break;
    }
  }
  const past = chosen.filter((span) => span.from < question.now);
  return past.length > 0 ? past : chosen;
}

/** Units that occurred in the spans or talk about them: first those that share words with the query, then the newest. */
async function searchSpans(
  { store, question }: RankInput,
  spans: readonly Span[],
  queryTerms: readonly string[],
): Promise<number[]> {
  const found = new Set<number>();
  for (const span of spans) {
    const filter = narrow(question.filter, span);
    for (const hit of await store.indexes.text.search(queryTerms, filter, MAX_BY_TIME)) found.add(hit.unitId);
    for (const id of await store.indexes.times.search(span, question.filter, MAX_BY_TIME)) found.add(id);
    if (found.size === 0) {
      for (const unit of await store.units.list(filter, { limit: MAX_BY_TIME })) found.add(unit.id);
    }
  }
  return [...found];
}

/** The candidates with the turns next to the best of them, and the turn before and after each. */
async function widen(
  { store, question }: RankInput,
  found: ReadonlySet<number>,
  best: ReadonlySet<number>,
): Promise<Pick<Gathered, 'unitIds' | 'before' | 'after'>> {
  const [before, after] = [new Map<number, number>(), new Map<number, number>()];
  const link = (earlier: number | undefined, later: number | undefined) => {
    if (earlier === undefined || later === undefined) return;
    after.set(earlier, later);
    before.set(later, earlier);
  };
  const unitIds = new Set(found);
  for (const turn of await store.units.adjacent([...found], question.filter, 2)) {
    const { unitId } = turn;
    const [previous, beforePrevious] = turn.before;
    const [next, afterNext] = turn.after;
    link(previous, unitId);
    link(unitId, next);
    if (!best.has(unitId)) continue;
    link(beforePrevious, previous);
    link(next, afterNext);
    if (previous !== undefined) unitIds.add(previous);
    if (next !== undefined) unitIds.add(next);
  }
  return { unitIds: [...unitIds].sort((a, b) => a - b), before, after };
}
