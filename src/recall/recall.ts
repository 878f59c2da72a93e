/** What matters now: the one pipeline that serves every way of remembering. One file per stage. */
import { MemoryError, parseInput, parseInstant, unitText, type Instant } from '../model/model.ts';
import type { Embedder, LanguageModel, Reranker } from '../llm/llm.ts';
import type { Store, UnitFilter } from '../store/store.ts';
import { countTokens, type Language } from '../text/text.ts';
import { fitBudget } from './budget.ts';
import { rankConversation } from './conversation/conversation.ts';
import { AccessCounter } from './count.ts';
import { NO_MODEL, startDeepRecall, type DeepOrder, type DeepRecall, type DeepReport } from './deep/deep.ts';
import { dedupe, headSize, type Duplicate } from './dedupe.ts';
import { takeDirectPath, type DirectPath } from './direct.ts';
import { DocumentReader } from './documents.ts';
import { readIntent, type Intent } from './intent.ts';
import { shouldInject } from './judge.ts';
import { rankSpecified, type Ranking, type RankInput } from './rank.ts';
import { applyReranker, type RerankOutcome } from './rerank.ts';
import { selectStrategy } from './strategy.ts';
import { StageClock, type Trace } from './trace.ts';
import type { VectorState } from './search.ts';
import {
  recallOptionsSchema,
  type Candidate,
  type Hit,
  type InjectionStrategy,
  type Mode,
  type ProfileName,
  type Question,
  type RecallOptions,
  type Relevance,
  type Strategy,
} from './types.ts';
import { whySentence } from './why.ts';

export type { Intent } from './intent.ts';
export type { Trace } from './trace.ts';
export type { DeepReport, DetectedReference, PhaseOutcome } from './deep/deep.ts';
export {
  PROFILE_NAMES,
  STRATEGIES,
  recallOptionsSchema,
  type ContextLine,
  type Contribution,
  type Hit,
  type InjectionStrategy,
  type Mode,
  type ProfileName,
  type RecallOptions,
  type Relevance,
  type Strategy,
  type Why,
} from './types.ts';

export interface RecallResult {
  /** Best first, within the budget. Whether they are worth injecting is another question: see `inject`. */
  readonly hits: readonly Hit[];
  /** Whether the hits labelled high or medium are worth a place in the prompt. */
  readonly inject: boolean;
  /** How they are best put into the prompt: what the model of a deep recall says, else `quote_key_parts`. */
  readonly injectionStrategy: InjectionStrategy;
  readonly metadata: RecallMetadata;
  /** With `explain`. */
  readonly trace?: Trace;
}

export interface RecallMetadata {
  /** How it was found in the end: `fast` too when a deep recall got nothing from its model. */
  readonly mode: Mode;
  /** What the model did; null when the recall was not to be deep. */
  readonly deep: DeepReport | null;
  readonly profile: ProfileName;
  readonly strategyUsed: Strategy | 'direct';
  readonly direct: { readonly path: DirectPath['path']; readonly target: string } | null;
  readonly intent: Intent;
  /** Whether vectors were searched and, if not, why not. */
  readonly vectors: VectorState;
  readonly reranker: RerankOutcome;
  readonly totalLatencyMs: number;
  /** Milliseconds by stage. */
  readonly breakdown: Readonly<Record<string, number>>;
  /** Units found before scoring, and hits after everything. */
  readonly candidatesBefore: number;
  readonly candidatesAfter: number;
  readonly totalTokens: number;
  readonly budgetRemaining: number;
}

export interface RecallDependencies {
  readonly store: Store;
  /** Null: recall by words alone. */
  readonly embedder: Embedder | null;
  readonly reranker?: Reranker | null;
  /** What deep recall asks; null: recall is fast. Asked for each recall anew. */
  readonly model?: () => LanguageModel | null;
  readonly now: () => Instant;
  /** Told of every recall that ended. */
  readonly onRecall?: (metadata: RecallMetadata) => void;
}

export interface Recall {
  recall(utterance: string, options?: RecallOptions): Promise<RecallResult>;
  /** Resolves when every recall so far is counted. */
  settled(): Promise<void>;
}

const DEFAULT_LIMIT = 10;
const DEFAULT_BUDGET_TOKENS = 1_500;
/** The goal of the specification for the whole of a deep recall. */
const DEFAULT_TIME_LIMIT_MS = 2_000;
/**
 * What a recall looks among unless told otherwise: not the present state, which the pack carries anyway, and not
 * summaries, which say again what was said, so that they would push the turns themselves aside.
 */
const DEFAULT_KINDS = ['episode', 'fact', 'loop', 'note'] as const;
/** Longer utterances are read to here. */
const MOST_UTTERANCE_LENGTH = 20_000;

export function createRecall(dependencies: RecallDependencies): Recall {
  const counter = new AccessCounter(dependencies.store);
  const reader = new DocumentReader(dependencies.store);
  return {
    async recall(utterance, options = {}) {
      const result = await runRecall({ ...dependencies, counter, reader }, utterance, options);
      dependencies.onRecall?.(result.metadata);
      return result;
    },
    settled: () => counter.settled(),
  };
}

/** A candidate on its way to being a hit. */
interface Judged {
  readonly candidate: Candidate;
  readonly relevance: Relevance;
  /** The model's, when one chose it. */
  readonly reason: string | null;
  readonly tokens: number;
}

interface RecallParts extends RecallDependencies {
  readonly counter: AccessCounter;
  readonly reader: DocumentReader;
}

async function runRecall(
  dependencies: RecallParts,
  utterance: string,
  input: RecallOptions,
): Promise<RecallResult> {
  const clock = new StageClock();
  const options: RecallOptions = parseInput(recallOptionsSchema, input, 'options of a recall');
  const question = settleQuestion(dependencies, utterance, options);
  const intent = clock.timeNow('intent', () =>
    readIntent(question.utterance, question.context, question.now, question.timeZone),
  );
  const profile = options.profile ?? 'conversation';
  const direct = options.strategy
    ? null
    : await clock.time('direct', () =>
        takeDirectPath(dependencies.store, question.utterance, intent, question),
      );
  const strategy = options.strategy ?? (profile === 'conversation' ? 'hybrid' : selectStrategy(intent));
  const isDeep = options.mode === 'deep';
  const model = isDeep ? (dependencies.model?.() ?? null) : null;
  const deep = model && startDeepRecall(model, options.timeLimitMs ?? DEFAULT_TIME_LIMIT_MS);
  const given = { ...dependencies, question, intent, strategy, clock };
  const ordered = direct ? inDirectOrder(direct) : await rankAndOrder(profile, given, deep);
  const { ranking, labels } = ordered;
  const { kept, duplicates } = await clock.time('dedupe', () =>
    removeDuplicates(dependencies.store, ordered.candidates, question.limit),
  );
  const judged = clock.timeNow('judge', () =>
    kept.map((candidate): Judged => ({
      candidate,
      relevance: labels ? (labels.get(candidate.unitId)?.relevance ?? 'low') : ranking.label(candidate),
      reason: labels?.get(candidate.unitId)?.reason ?? null,
      tokens: countTokens(unitText(candidate.unit)),
    })),
  );
  const budget = clock.timeNow('budget', () => fitBudget(judged, question.budgetTokens));
  const hits = budget.fitting.map((item) => toHit(item, ranking, intent.language, question.timeZone));
  if (options.count !== false)
    dependencies.counter.count(
      hits.map((hit) => hit.unitId),
      question.now,
    );
  return {
    hits,
    inject: shouldInject(hits.map((hit) => hit.relevance)),
    injectionStrategy: ordered.injectionStrategy ?? 'quote_key_parts',
    metadata: {
      ...modeOf(deep?.report() ?? (isDeep ? NO_MODEL : null)),
      profile,
      strategyUsed: direct ? 'direct' : strategy,
      direct: direct && { path: direct.path, target: direct.target },
      intent,
      vectors: ranking.vectorState,
      reranker: ordered.reranker,
      totalLatencyMs: clock.totalMs(),
      breakdown: clock.breakdown(),
      candidatesBefore: ranking.found,
      candidatesAfter: hits.length,
      totalTokens: budget.totalTokens,
      budgetRemaining: budget.remainingTokens,
    },
    ...(options.explain ? { trace: traceOf(ranking, duplicates, budget.passedOver, deep) } : {}),
  };
}

/** A ranking, and the order in which it is shown. */
interface Ordered extends DeepOrder {
  readonly ranking: Ranking;
  readonly reranker: RerankOutcome;
}

async function rankAndOrder(
  profile: ProfileName,
  input: RankInput & { readonly reranker?: Reranker | null },
  deep: DeepRecall | null,
): Promise<Ordered> {
  if (deep) {
    const ranking = await deep.rank(profile, input);
    return { ranking, reranker: 'off', ...(await deep.order(ranking, input)) };
  }
  const ranking = await (profile === 'conversation'
    ? rankConversation(input)
    : rankSpecified(profile, input));
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

/** What a direct path leads to is the answer: nothing is searched or scored. */
function rankDirect(direct: DirectPath): Ranking {
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
    contributions: () => [{ feature: 'direct', value: 1, weight: 1, contribution: 1 }],
  };
}

async function removeDuplicates(
  store: Store,
  candidates: readonly Candidate[],
  limit: number,
): Promise<{ kept: Candidate[]; duplicates: Duplicate[] }> {
  const head = candidates.slice(0, headSize(limit));
  const vectors = await store.vectors.get(head.map((candidate) => candidate.unit.id));
  return dedupe(head, vectors, limit);
}

function toHit(item: Judged, ranking: Ranking, language: Language, timeZone: string): Hit {
  const { unit, score } = item.candidate;
  const contributions = ranking.contributions(item.candidate);
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
    tokens: item.tokens,
    why: {
      sentence: whySentence(unit, contributions, language, timeZone, item.reason),
      contributions,
      reason: item.reason,
    },
  };
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

function settleQuestion(
  { store, now }: RecallDependencies,
  utterance: string,
  options: RecallOptions,
): Question {
  if (typeof utterance !== 'string' || utterance.trim() === '') {
    throw new MemoryError('EMPTY_TEXT', 'There is nothing to recall by: the utterance is empty.');
  }
  const instant = (value: Date | string | number | undefined) =>
    value === undefined ? undefined : parseInstant(value, store.timeZone);
  const asOf = instant(options.asOf);
  const at = instant(options.now) ?? asOf ?? now();
  return {
    utterance: utterance.slice(0, MOST_UTTERANCE_LENGTH).toWellFormed(),
    context: (options.context ?? []).map(({ speaker, text }) => ({
      speaker,
      text: text.slice(0, MOST_UTTERANCE_LENGTH).toWellFormed(),
    })),
    now: at,
    timeZone: store.timeZone,
    filter: buildFilter(options, { asOf, from: instant(options.from), to: instant(options.to), at }),
    limit: options.limit ?? DEFAULT_LIMIT,
    budgetTokens: options.budgetTokens ?? DEFAULT_BUDGET_TOKENS,
  };
}

function buildFilter(
  options: RecallOptions,
  times: { asOf: Instant | undefined; from: Instant | undefined; to: Instant | undefined; at: Instant },
): UnitFilter {
  return {
    kinds: options.kinds ?? DEFAULT_KINDS,
    maxSensitivity: options.maxSensitivity ?? 'private',
    aliveAt: times.at,
    ...(options.scope && { scope: options.scope }),
    ...(options.conversationId !== undefined && { conversationId: options.conversationId }),
    ...(options.beforeTurnId !== undefined && { beforeTurnId: options.beforeTurnId }),
    ...(options.exceptUnitIds && { exceptUnitIds: options.exceptUnitIds }),
    ...(times.asOf !== undefined && { asOf: times.asOf }),
    ...(times.from !== undefined && { from: times.from }),
    ...(times.to !== undefined && { to: times.to }),
  };
}
