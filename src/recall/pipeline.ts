/** The stages of a recall, in their order; each has its own file. */
import { parseInput, revealed, unitText, type Instant, type Unit } from '../model/model.ts';
import { staticModel, type Embedder, type LanguageModel, type Reranker } from '../llm/llm.ts';
import { dot } from '../vectors/vectors.ts';
import type { Store } from '../store/store.ts';
import { countTokens, terms, wordsSharedWith } from '../text/text.ts';
import { unitsAsOf } from './asOf.ts';
import { fitBudget } from './budget.ts';
import { commonRate } from './commonTerms.ts';
import type { AccessCounter } from './count.ts';
import { NO_MODEL, startDeepRecall, type DeepOrder, type DeepRecall, type DeepReport } from './deep/deep.ts';
import { dedupe, headSize, type Duplicate } from './dedupe.ts';
import { passageLike, passageWith } from './passage.ts';
import { DIRECT_FEATURES, takeDirectPath, type DirectPath } from './direct/direct.ts';
import type { DocumentReader } from './documents.ts';
import { readIntent, type Intent } from './intent.ts';
import { shouldInject } from './judge.ts';
import { embedNewest } from './missingVectors.ts';
import { moodOf, wantedFeeling, type Feeling } from './mood.ts';
import { findProfile, withThresholds, type Profile } from './profiles.ts';
import { settleQuestion } from './question.ts';
import { rank } from './rank.ts';
import type { Ranking, RankInput } from './ranking.ts';
import { applyReranker, type RerankOutcome } from './rerank.ts';
import { selectStrategy } from './strategy.ts';
import { topicTitles } from './topics.ts';
import { StageClock, type Trace } from './trace.ts';
import type { VectorState } from './search.ts';
import {
  recallOptionsSchema,
  type Candidate,
  type Hit,
  type InjectionStrategy,
  type Mode,
  type Question,
  type Quote,
  type RecallDefaults,
  type RecallOptions,
  type Relevance,
  type Strategy,
  type Why,
} from './types.ts';
import { whySentence } from './why.ts';

export interface RecallResult {
  /** Best first, within the budget. `inject` says whether they are worth injecting. */
  readonly hits: readonly Hit[];
  /** Whether the hits labelled high or medium should be added to the prompt. */
  readonly inject: boolean;
  /** How to add them to the prompt: as the model of a deep recall says, else `quote_key_parts`. */
  readonly injectionStrategy: InjectionStrategy;
  readonly metadata: RecallMetadata;
  /** Only with `explain`. */
  readonly trace?: Trace;
}

export interface RecallMetadata {
  /** The mode actually used: `fast` also when a deep recall got nothing from its model. */
  readonly mode: Mode;
  /** What the model did; null if the recall was not deep. */
  readonly deep: DeepReport | null;
  /** The name of a shipped profile or a profile file. */
  readonly profile: string;
  readonly strategyUsed: Strategy | 'direct';
  readonly direct: { readonly path: DirectPath['path']; readonly target: string } | null;
  readonly intent: Intent;
  /** Whether vectors were searched and, if not, why not. */
  readonly vectors: VectorState;
  readonly reranker: RerankOutcome;
  readonly totalLatencyMs: number;
  /** Milliseconds by stage. */
  readonly breakdown: Readonly<Record<string, number>>;
  /** Number of units found before scoring, and of hits at the end. */
  readonly candidatesBefore: number;
  readonly candidatesAfter: number;
  readonly totalTokens: number;
  readonly budgetRemaining: number;
}

/** The outcome of a recall, for metrics. */
export interface RecallOutcome {
  /** Whether the hits should be added to the prompt. */
  readonly inject: boolean;
  /** The probability that the best hit is relevant, 0..1; null without hits, and if the profile gives no probabilities. */
  readonly topProbability: number | null;
  /** False for a recall with `count: false`, such as an inspection. */
  readonly isLive: boolean;
}

export interface RecallDependencies {
  readonly store: Store;
  /** Null: keyword search only. */
  readonly embedder: Embedder | null;
  readonly reranker?: Reranker | null;
  /** The model of deep recall; null: every recall is fast. Called for each recall. */
  readonly model?: () => LanguageModel | null;
  /** Additional profiles that may be named. */
  readonly profiles?: readonly Profile[];
  /** Defaults of every recall; called for each recall. */
  readonly defaults?: () => RecallDefaults;
  /** The document cache; default: a new one. */
  readonly reader?: DocumentReader;
  readonly now: () => Instant;
  /** Called after every recall. */
  readonly onRecall?: (metadata: RecallMetadata, outcome: RecallOutcome) => void;
}

/** The specification's time limit for a whole deep recall. */
const DEFAULT_TIME_LIMIT_MS = 2_000;
/** A scored and labelled candidate. */
interface Judged {
  readonly candidate: Candidate;
  readonly relevance: Relevance;
  readonly probability: number | null;
  /** The model's reason, if the model chose it. */
  readonly reason: string | null;
  readonly passage: Quote;
  /** Number of tokens of the passage. */
  readonly tokens: number;
}

export interface RecallParts extends RecallDependencies {
  readonly counter: AccessCounter;
  readonly reader: DocumentReader;
}

/** A recall with its intermediate results. */
export interface Recalled {
  readonly result: RecallResult;
  readonly question: Question;
  /** The wanted emotion; null: it was not used. */
  readonly feeling: Feeling | null;
  /** The units of the hits, by id. */
  readonly units: ReadonlyMap<number, Unit>;
  /** Still running, to include the following steps. */
  readonly clock: StageClock;
}

/** @throws MemoryError EMPTY_TEXT, INVALID_INPUT, INVALID_TIME */
export async function recallUnits(
  dependencies: RecallParts,
  utterance: string,
  input: RecallOptions,
): Promise<Recalled> {
  const clock = new StageClock();
  const options = settleOptions(input, dependencies.defaults?.() ?? {});
  const question = settleQuestion(dependencies, utterance, options);
  const intent = clock.timeNow('intent', () =>
    readIntent(question.utterance, question.context, question.now, question.timeZone),
  );
  const named = findProfile(options.profile ?? 'conversation', dependencies.profiles);
  const profile = withThresholds(named, options.thresholds);
  const takeDirect = async () =>
    options.strategy ? null : takeDirectPath(dependencies.store, question.utterance, intent, question);
  // A direct answer needs no vectors, but few questions get one: those need not wait for it.
  const [direct] = await Promise.all([
    clock.time('direct', takeDirect),
    clock.time('embed', () => embedNewest(dependencies.store, dependencies.embedder, question)),
  ]);
  const strategy = options.strategy ?? (profile.base === 'conversation' ? 'hybrid' : selectStrategy(intent));
  const isDeep = options.mode === 'deep';
  const model = isDeep ? (dependencies.model?.() ?? null) : null;
  const deep = model && startDeepRecall(model, options.timeLimitMs ?? DEFAULT_TIME_LIMIT_MS);
  const feeling = clock.timeNow('intent', () => feelingFor(profile, question.utterance, options));
  const isReordered = deep !== null || Boolean(dependencies.reranker);
  const given = { ...dependencies, profile, question, intent, feeling, strategy, clock, isReordered };
  const ordered = direct ? inDirectOrder(direct) : await rankAndOrder(given, deep);
  const { ranking } = ordered;
  const { kept, duplicates, topicsOf } = await clock.time('dedupe', () =>
    removeDuplicates(dependencies, ordered.candidates, question),
  );
  const passageOf = passageFinder(dependencies, question.utterance, intent);
  const judged = clock.timeNow('judge', () => kept.map((candidate) => judge(candidate, ordered, passageOf)));
  const budget = clock.timeNow('budget', () => fitBudget(judged, question.budgetTokens));
  const topics = await clock.time('topics', () =>
    topicTitles(
      dependencies.store,
      budget.fitting.map(({ candidate }) => candidate.unitId),
      topicsOf,
    ),
  );
  let sharedWith: ((text: string) => string[]) | undefined;
  const wordsIn = (text: string) => tellingWords((sharedWith ??= wordsSharedWith(question.utterance))(text));
  const hits = budget.fitting.map((item) => toHit(item, given, { ranking, topics, wordsIn }));
  if (options.count !== false)
    dependencies.counter.count(
      hits.map((hit) => hit.unitId),
      question.now,
    );
  const result: RecallResult = {
    hits,
    inject: shouldInject(hits.map((hit) => hit.relevance)),
    injectionStrategy: ordered.injectionStrategy ?? 'quote_key_parts',
    metadata: {
      ...modeOf(deep?.report() ?? (isDeep ? NO_MODEL : null)),
      profile: profile.name,
      strategyUsed: direct ? 'direct' : strategy,
      direct: direct && { path: direct.path, target: direct.target },
      intent,
      vectors: ranking.vectorState,
      reranker: ordered.reranker,
      totalLatencyMs: clock.totalMs(),
      breakdown: clock.breakdown(),
      candidatesBefore: ranking.found,
      candidatesAfter: hits.length,
      get totalTokens() {
        return budget.totalTokens;
      },
      get budgetRemaining() {
        return budget.remainingTokens;
      },
    },
    ...(options.explain ? { trace: traceOf(ranking, duplicates, budget.passedOver, deep) } : {}),
  };
  const units = new Map(budget.fitting.map(({ candidate }) => [candidate.unitId, candidate.unit]));
  return { result, question, feeling, units, clock };
}

/** Merges the options of the call with the defaults. @throws MemoryError INVALID_INPUT */
function settleOptions(input: RecallOptions, defaults: RecallDefaults): RecallOptions {
  const asked: RecallOptions = parseInput(recallOptionsSchema, input, 'options of a recall');
  const given = Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined));
  return { ...defaults, ...given, thresholds: { ...defaults.thresholds, ...asked.thresholds } };
}

function judge(candidate: Candidate, { ranking, labels }: Ordered, passageOf: (unit: Unit) => Quote): Judged {
  const label = labels?.get(candidate.unitId);
  let passage: Quote | undefined;
  let counted: number | undefined;
  return {
    candidate,
    relevance: labels ? (label?.relevance ?? 'low') : ranking.label(candidate),
    probability: ranking.probability(candidate),
    reason: label?.reason ?? null,
    get passage() {
      return (passage ??= passageOf(candidate.unit));
    },
    // Computed on demand: counting takes longer than most stages.
    get tokens() {
      return (counted ??= countTokens(this.passage.text));
    },
  };
}

/** Finds the passage of a unit that answers: by words, else by meaning. */
function passageFinder(
  { reader, embedder }: RecallParts,
  utterance: string,
  { keywords }: Intent,
): (unit: Unit) => Quote {
  let wanted: Float32Array | undefined;
  const likeness = (text: string) =>
    dot((wanted ??= staticModel().embed(utterance)), staticModel().embed(text));
  return (unit) => {
    const text = unitText(unit);
    const passages = reader.passages(unit);
    if (passages.ranges.length < 2) return { text, from: 0, to: text.length };
    const range = passageWith(passages, keywords) ?? passageLike(passages, embedder ? likeness : null);
    return { text: text.slice(range.from, range.to), ...range };
  };
}

/** Null if emotion has no weight: then it is not computed. */
function feelingFor({ weights }: Profile, utterance: string, options: RecallOptions): Feeling | null {
  const { emotion, emotionMode = 'congruent' } = options;
  if (!('emotion' in weights && weights.emotion) || emotionMode === 'none') return null;
  return wantedFeeling(emotion ?? moodOf(utterance), emotionMode);
}

/** A ranking and its display order. */
interface Ordered extends DeepOrder {
  readonly ranking: Ranking;
  readonly reranker: RerankOutcome;
}

async function rankAndOrder(
  input: RankInput & { readonly reranker?: Reranker | null },
  deep: DeepRecall | null,
): Promise<Ordered> {
  if (deep) {
    const ranking = await deep.rank(input);
    return { ranking, reranker: 'off', ...(await deep.order(ranking, input)) };
  }
  const ranking = await rank(input);
  const { question, clock } = input;
  const { candidates, outcome } = await applyReranker(
    input.reranker ?? null,
    question.utterance,
    ranking,
    clock,
  );
  return { ranking, candidates, reranker: outcome, labels: null, injectionStrategy: null };
}

function inDirectOrder(direct: DirectPath): Ordered {
  const ranking = rankDirect(direct);
  const { candidates } = ranking;
  return { ranking, candidates, reranker: 'off', labels: null, injectionStrategy: null };
}

function modeOf(deep: DeepReport | null): Pick<RecallMetadata, 'mode' | 'deep'> {
  const isUsed = deep?.expansion === 'used' || deep?.rerank === 'used';
  return { mode: isUsed ? 'deep' : 'fast', deep };
}

/** The target of a direct answer is the result: nothing is searched or scored. */
function rankDirect(direct: DirectPath): Ranking {
  const feature = DIRECT_FEATURES[direct.path];
  const candidates = direct.units.map((unit) => ({
    unitId: unit.id,
    unit,
    features: { direct: 1 },
    score: 1,
  }));
  return {
    candidates,
    scored: candidates,
    found: direct.units.length,
    vectorState: 'not_wanted',
    queries: [],
    searches: [],
    notes: { direct: direct.target },
    label: () => 'high',
    probability: () => 1,
    contributions: () => [{ feature, value: 1, weight: 1, contribution: 1 }],
  };
}

async function removeDuplicates(
  { store, reader }: RecallParts,
  candidates: readonly Candidate[],
  { limit, filter, reveals }: Question,
): Promise<{
  kept: readonly Candidate[];
  duplicates: Duplicate[];
  topicsOf: ReadonlyMap<number, readonly number[]>;
}> {
  const head = candidates.slice(0, headSize(limit));
  const unitIds = head.map((candidate) => candidate.unit.id);
  const [vectors, topicsOf] = await Promise.all([
    store.indexes.vectors.get(unitIds),
    store.topics.ofUnits(unitIds),
  ]);
  const { kept, duplicates } = dedupe(head, { vectors, sketch: (unit) => reader.sketch(unit) }, limit);
  const then = filter.asOf === undefined ? kept : await asTheyWere(store, kept, filter.asOf);
  const shown = then.map((candidate) => ({ ...candidate, unit: revealed(candidate.unit, reveals) }));
  return { kept: shown, duplicates, topicsOf };
}

/** With their text at that time, even if it has changed since. */
async function asTheyWere(
  store: Store,
  candidates: readonly Candidate[],
  at: Instant,
): Promise<readonly Candidate[]> {
  const units = await unitsAsOf(
    store,
    candidates.map((candidate) => candidate.unit),
    at,
  );
  return candidates.map((candidate, i) => ({ ...candidate, unit: units[i] ?? candidate.unit }));
}

/** Of words that both contain, those that are not common, unless there are no others. */
function tellingWords(shared: string[]): string[] {
  const telling = shared.filter(
    (word) => !terms(word).every((term) => commonRate(term, terms(word).length) > 0),
  );
  return telling.length > 0 ? telling : shared;
}

/** What the reasons are made of. */
interface Told {
  readonly ranking: Ranking;
  readonly topics: ReadonlyMap<number, string>;
  /** The telling words of the utterance that a text contains, too. */
  readonly wordsIn: (text: string) => string[];
}

function toHit(item: Judged, given: RankInput, told: Told): Hit {
  const { unit, score } = item.candidate;
  let why: Why | undefined;
  const place = unit.kind === 'episode' ? unit.payload : null;
  return {
    unitId: unit.id,
    kind: unit.kind,
    text: unitText(unit),
    speaker: place?.speaker ?? null,
    conversationId: place?.conversationId ?? null,
    turnIndex: place?.turnIndex ?? null,
    turnId: place?.turnId ?? null,
    occurredAt: new Date(unit.occurredAt).toISOString(),
    score,
    relevance: item.relevance,
    probability: item.probability,
    get passage() {
      return item.passage;
    },
    get tokens() {
      return item.tokens;
    },
    // Computed on demand, like its tokens.
    get why() {
      return (why ??= whyOf(item, given, told));
    },
  };
}

function whyOf(
  { candidate, reason }: Judged,
  { intent, question, feeling }: RankInput,
  { ranking, topics, wordsIn }: Told,
): Why {
  const contributions = ranking.contributions(candidate);
  const sentence = whySentence(candidate.unit, contributions, {
    language: intent.language,
    timeZone: question.timeZone,
    now: question.now,
    topic: topics.get(candidate.unitId) ?? null,
    words: wordsIn(unitText(candidate.unit)),
    comforts: feeling?.comforts === true,
    modelReason: reason,
  });
  return { sentence, contributions, reason };
}

function traceOf(
  ranking: Ranking,
  duplicates: readonly Duplicate[],
  passedOver: readonly Judged[],
  deep: DeepRecall | null,
): Trace {
  return {
    queries: ranking.queries,
    searches: ranking.searches,
    candidates: ranking.scored.map((candidate) => ({
      unitId: candidate.unitId,
      score: candidate.score,
      relevance: ranking.label(candidate),
      features: candidate.features,
    })),
    notes: { ...ranking.notes, ...(deep && { deep: deep.notes() }) },
    duplicates,
    overBudget: passedOver.map((item) => item.candidate.unit.id),
  };
}
