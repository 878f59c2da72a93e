/** Finds what matches words and emotions, best first. */
import { unitText, type Emotion, type Instant, type Unit } from '../../model/model.ts';
import type { Embedder } from '../../llm/llm.ts';
import type { Store, UnitFilter } from '../../store/store.ts';
import { foldName, terms } from '../../text/text.ts';
import type { Document, DocumentReader } from '../documents.ts';
import { readIntent } from '../intent.ts';
import { feelingMatch } from '../mood.ts';
import { findProfile } from '../profiles.ts';
import { rank } from '../rank.ts';
import type { VectorState } from '../search.ts';
import { TermTable } from '../termCounts.ts';
import type { StageClock } from '../trace.ts';
import type { Contribution, Scored } from '../types.ts';
import { isWithin, mentionsPeriod } from './period.ts';
import type { ResolvedQuery } from './resolvedQuery.ts';

export interface FindParts {
  readonly store: Store;
  readonly embedder: Embedder | null;
  readonly reader: DocumentReader;
  readonly clock: StageClock;
}

export interface Found {
  readonly unitId: number;
  readonly occurredAt: Instant;
  /** At most 1 for words plus 1 for emotion. */
  readonly score: number;
  /** Largest first. Computed on demand: hundreds of units are found, few are shown. */
  readonly contributions: () => readonly Contribution[];
}

export interface Findings {
  /** Best first. */
  readonly found: readonly Found[];
  readonly vectors: VectorState;
}

/** Number of units per read where no index helps. */
const SCAN_PAGE = 1_000;
/**
 * For a text of at most this many terms, every unit that contains it is also looked up, beyond the ranking: all that
 * contain 妈.
 */
const MAX_LOOKED_UP_TERMS = 3;
/** A hit below this share of the best score is not related to the words. */
const MIN_SHARE = 0.3;
/** A hit with at least this share of the greatest cosine is as close in meaning. */
const MIN_CLOSE = 0.7;
/** With at least this many results from all times, the named time is not searched separately. */
const MIN_RESULTS = 40;
/** Number of best results from other times whose text is checked for the named time. */
const MAX_READ_FOR_TIMES = 60;
/** Minimum cosine of similar emotions. */
const MIN_EMOTION_COSINE = 0.5;

/** Null: the question has neither words nor emotion, and everything that passes its filter matches. */
export async function find(parts: FindParts, query: ResolvedQuery): Promise<Findings | null> {
  if (query.text !== null) return findByText(parts, query, query.text);
  const { clock, store } = parts;
  if (query.keywords.length > 0) {
    const found = await clock.time('keyword', () => findByKeywords(store, query, query.keywords));
    return { found: await withFeeling(store, found, query.emotion), vectors: 'not_wanted' };
  }
  const { emotion, filter } = query;
  if (emotion === null) return null;
  const felt = await clock.time('emotion', () =>
    scan(store, filter, (unit) => likenessOf(unit, emotion) >= MIN_EMOTION_COSINE),
  );
  return { found: await withFeeling(store, felt, emotion), vectors: 'not_wanted' };
}

async function findByText(parts: FindParts, query: ResolvedQuery, text: string): Promise<Findings> {
  const { anytime, filter, sentence, namedPeriod, keywords, emotion } = query;
  const { found: answers, vectors } = await (namedPeriod === null
    ? rankWords(parts, query, { text }, filter)
    : rankWords(parts, query, { text, ...(sentence !== null && { sentence }) }, anytime));
  // The best results of all times may contain none of the named time: then that time is ranked separately.
  const isScarce = namedPeriod !== null && answers.length < MIN_RESULTS;
  const alone = isScarce ? (await rankWords(parts, query, { text }, filter)).found : [];
  const isLookedUp = keywords.length === 0 && terms(text).length <= MAX_LOOKED_UP_TERMS;
  const wanted = isLookedUp ? text.split(/[\s、，,]+/u).filter((word) => word !== '') : keywords;
  const byKeywords = wanted.length === 0 ? [] : await findByKeywords(parts.store, query, wanted);
  const found = merge(answers, alone, byKeywords.map(withHalfScore));
  return { found: await withFeeling(parts.store, found, emotion), vectors };
}

/**
 * The results of a recall for the words that are related enough and match the other conditions.
 * @param words `sentence`: the words including the time expression
 */
async function rankWords(
  { store, embedder, reader, clock }: FindParts,
  query: ResolvedQuery,
  { text, sentence = text }: { readonly text: string; readonly sentence?: string },
  filter: UnitFilter,
): Promise<Findings> {
  const { now, keywords } = query;
  const utterance = [sentence, ...keywords].join(' ');
  const ranking = await rank({
    store,
    embedder,
    reader,
    clock,
    intent: readIntent(utterance, [], now, store.timeZone),
    profile: findProfile('conversation'),
    feeling: null,
    strategy: 'hybrid',
    isReordered: false,
    question: {
      utterance,
      context: [],
      now,
      timeZone: store.timeZone,
      filter,
      // Only the scores of the ranking are used.
      limit: 1,
      similarityThreshold: null,
      budgetTokens: 0,
    },
  });
  const best = Math.max(Number.MIN_VALUE, ranking.scored[0]?.score ?? 0);
  const related = ranking.scored.filter(({ score }) => score >= MIN_SHARE * best);
  const read = await reader.read(related.map(({ unitId }) => unitId));
  const documents = new Map(read.map((document) => [document.unitId, document]));
  const answers = answerTest(store, query, text, related);
  const found = related.flatMap((each): Found[] => {
    const document = documents.get(each.unitId);
    if (!document || !answers(document, each)) return [];
    const contributions = () => shares(ranking.contributions(each), best);
    return [
      { unitId: each.unitId, occurredAt: document.occurredAt, score: each.score / best, contributions },
    ];
  });
  return { found, vectors: ranking.vectorState };
}

/** Contributions to a score that is expressed as a share of the best. */
function shares(contributions: readonly Contribution[], best: number): Contribution[] {
  return contributions
    .filter(({ contribution }) => contribution !== 0)
    .map((each) => ({ ...each, weight: each.weight / best, contribution: each.contribution / best }));
}

/**
 * Whether a turn matches by itself: it contains a search word or is about as close in meaning as the closest; it
 * contains every keyword; and it occurred at the named time or talks about it. A recall also returns the neighbours of
 * such turns; a search for words must not.
 */
function answerTest(
  store: Store,
  { keywords, namedPeriod }: ResolvedQuery,
  text: string,
  related: readonly Scored[],
): (document: Document, scored: Scored) => boolean {
  const wanted = new TermTable([...new Set(terms([text, ...keywords].join(' ')))]);
  const closest = Math.max(0, ...related.map(({ features }) => features['cosine'] ?? 0));
  const saysAll = keywordTest(keywords);
  let readForTimes = 0;
  const isOfTime = (document: Document) =>
    namedPeriod === null ||
    isWithin(document.occurredAt, namedPeriod) ||
    (readForTimes++ < MAX_READ_FOR_TIMES && mentionsPeriod(document, namedPeriod, store.timeZone));
  return (document, { features }) => {
    const cosine = features['cosine'] ?? 0;
    const isRelated =
      (closest > 0 && cosine >= MIN_CLOSE * closest) || wanted.countIn([document.terms]).starts[1]! > 0;
    return isRelated && saysAll(document.text) && isOfTime(document);
  };
}

/** Everything that contains every keyword, by BM25; words that no index contains (hiragana) are searched by scanning. */
async function findByKeywords(
  store: Store,
  { filter }: ResolvedQuery,
  keywords: readonly string[],
): Promise<Found[]> {
  const saysAll = keywordTest(keywords);
  const searched = [...new Set(keywords.flatMap((keyword) => terms(keyword)))];
  if (searched.length === 0) return scan(store, filter, (unit) => saysAll(unitText(unit)));
  const hits = await store.indexes.text.search(searched, filter, Number.MAX_SAFE_INTEGER);
  const passages = await store.units.passages(hits.map(({ unitId }) => unitId));
  const byId = new Map(passages.map((passage) => [passage.unitId, passage]));
  const best = hits[0]?.score ?? 1;
  return hits.flatMap((hit): Found[] => {
    const passage = byId.get(hit.unitId);
    if (!passage || !saysAll(passage.text)) return [];
    const score = hit.score / best;
    const contributions = () => [contribution('keyword', score)];
    return [{ unitId: hit.unitId, occurredAt: passage.occurredAt, score, contributions }];
  });
}

/** Whether a text contains all keywords, in the given or another form of the words. */
function keywordTest(keywords: readonly string[]): (text: string) => boolean {
  const wanted = keywords.map((keyword) => ({ folded: foldName(keyword), terms: terms(keyword) }));
  return (text) => {
    if (wanted.length === 0) return true;
    const folded = foldName(text);
    const missing = wanted.filter((keyword) => !folded.includes(keyword.folded));
    if (missing.length === 0) return true;
    const said = new Set(terms(text));
    return missing.every(
      (keyword) => keyword.terms.length > 0 && keyword.terms.every((term) => said.has(term)),
    );
  };
}

/** The units that pass a filter and a test, newest first. */
async function scan(store: Store, filter: UnitFilter, passes: (unit: Unit) => boolean): Promise<Found[]> {
  return (await readAll(store, filter, passes)).map(unranked);
}

/** All units that pass a filter, newest first. @param passes an additional test */
export async function readAll(
  store: Store,
  filter: UnitFilter,
  passes: (unit: Unit) => boolean = () => true,
): Promise<Unit[]> {
  const passing: Unit[] = [];
  let last: Unit | undefined;
  for (;;) {
    const after = last && { occurredAt: last.occurredAt, unitId: last.id };
    const page = await store.units.list(filter, { limit: SCAN_PAGE, ...(after && { after }) });
    for (const unit of page) if (passes(unit)) passing.push(unit);
    last = page.at(-1);
    if (page.length < SCAN_PAGE) return passing;
  }
}

/** The units with a similar emotion, the strongest first; all units if no emotion is asked for. */
async function withFeeling(
  store: Store,
  found: readonly Found[],
  emotion: Emotion | null,
): Promise<readonly Found[]> {
  if (emotion === null) return found;
  const units = await store.units.get(found.map(({ unitId }) => unitId));
  const byId = new Map(units.map((unit) => [unit.id, unit]));
  return found
    .flatMap((each): Found[] => {
      const unit = byId.get(each.unitId);
      const alike = unit ? likenessOf(unit, emotion) : 0;
      if (!unit?.emotion || alike < MIN_EMOTION_COSINE) return [];
      const felt = contribution('emotion', alike * intensityOf(unit.emotion));
      const contributions = () =>
        [...each.contributions(), felt].sort((a, b) => b.contribution - a.contribution);
      return [{ ...each, score: each.score + felt.value, contributions }];
    })
    .sort(byScore);
}

function likenessOf({ emotion: felt }: Unit, emotion: Emotion): number {
  return feelingMatch({ emotion, comforts: false }, felt);
}

/** Strength of an emotion times the confidence in it: 0..1. */
function intensityOf({ values, confidence }: Emotion): number {
  return confidence * Math.min(1, Math.hypot(...Object.values(values)));
}

/** Each unit once, with its better score. */
function merge(...lists: readonly (readonly Found[])[]): Found[] {
  const best = new Map<number, Found>();
  for (const each of lists.flat()) {
    if (each.score > (best.get(each.unitId)?.score ?? -Infinity)) best.set(each.unitId, each);
  }
  return [...best.values()].sort(byScore);
}

function byScore(a: Found, b: Found): number {
  return b.score - a.score || a.unitId - b.unitId;
}

/** A unit without a score. */
export function unranked({ id: unitId, occurredAt }: Unit): Found {
  return { unitId, occurredAt, score: 0, contributions: () => [] };
}

/** Halves the score of a unit that matches the keywords but not the sentence. */
function withHalfScore(found: Found): Found {
  const score = found.score / 2;
  return { ...found, score, contributions: () => [contribution('keyword', score)] };
}

function contribution(feature: string, value: number): Contribution {
  return { feature, value, weight: 1, contribution: value };
}
