/**
 * Deep recall: a language model suggests queries and selects the relevant candidates. There are at most two calls
 * within the time limit. If a call fails or is late, the result without it is used.
 */
import type { Embedder, LanguageModel } from '../../llm/llm.ts';
import { withinTime } from '../../async/async.ts';
import { readIntent } from '../intent.ts';
import { rank } from '../rank.ts';
import type { Ranking, RankInput } from '../ranking.ts';
import type { Candidate, InjectionStrategy } from '../types.ts';
import { expand, type DetectedReference, type Expansion } from './expand.ts';
import { labelCandidates, MAX_LABELLED, type Label, type Labels } from './label.ts';
import {
  askWithinLimit,
  skipped,
  startDeadline,
  type Deadline,
  type Phase,
  type PhaseOutcome,
} from './phase.ts';

export type { DetectedReference } from './expand.ts';
export type { Label } from './label.ts';
export type { PhaseOutcome } from './phase.ts';

/** The model's part in a recall. */
export interface DeepReport {
  readonly expansion: PhaseOutcome;
  readonly rerank: PhaseOutcome;
  /** Additional queries that the model suggested. */
  readonly queries: readonly string[];
  readonly references: readonly DetectedReference[];
}

/** The ranking as the model ordered it. */
export interface DeepOrder {
  /** The model's choices first. */
  readonly candidates: readonly Candidate[];
  /** By unit, for the chosen ones; null when the model's reply was unusable. */
  readonly labels: ReadonlyMap<number, Label> | null;
  readonly injectionStrategy: InjectionStrategy | null;
}

/** The report when deep recall was requested but there is no model. */
export const NO_MODEL: DeepReport = {
  expansion: 'no_model',
  rerank: 'no_model',
  queries: [],
  references: [],
};

/** A running deep recall. */
export interface DeepRecall {
  /** Ranks by the utterance and, if they arrive in time, the model's queries. */
  rank(input: RankInput): Promise<Ranking>;
  order(ranking: Ranking, input: RankInput): Promise<DeepOrder>;
  report(): DeepReport;
  /** Details for the trace beyond the report. */
  notes(): Readonly<Record<string, unknown>>;
}

/** The share of the total time for the first phase: the second has more to read. */
const EXPANSION_SHARE = 0.45;
/** Time reserved for the steps after the model, in milliseconds. */
const RESERVE_MS = 30;

/** @param limitMs for the whole recall, from now */
export function startDeepRecall(model: LanguageModel, limitMs: number): DeepRecall {
  const deadline = startDeadline(limitMs);
  let expansion: Phase<Expansion> = skipped('not_needed');
  let labels: Phase<Labels> = skipped('not_needed');
  let shownIds: readonly number[] = [];

  async function expandQuestion({ question, intent, clock }: RankInput): Promise<readonly string[]> {
    const limit = Math.min(limitMs * EXPANSION_SHARE, deadline.remainingMs() - RESERVE_MS);
    expansion = await askWithinLimit('expand', clock, limit, (signal) =>
      expand(model, question, intent.language, signal),
    );
    return expansion.value?.queries ?? [];
  }

  async function labelHead({ store, question, intent, clock }: RankInput, head: readonly Candidate[]) {
    if (head.length === 0) return;
    labels = await askWithinLimit('label', clock, deadline.remainingMs() - RESERVE_MS, (signal) =>
      labelCandidates(
        model,
        { store, question, language: intent.language, queries: expansion.value?.queries ?? [] },
        head,
        signal,
      ),
    );
  }

  return {
    async rank(given) {
      const input = { ...given, embedder: given.embedder && inTime(given.embedder, deadline) };
      const expandedQueries = await expandQuestion(input);
      const isOurs = input.profile.base === 'conversation';
      return rank(isOurs ? withJoinedQueries(input, expandedQueries) : { ...input, expandedQueries });
    },
    async order(ranking, input) {
      const head = ranking.candidates.slice(0, MAX_LABELLED);
      shownIds = head.map(({ unitId }) => unitId);
      await labelHead(input, head);
      return inOrder(ranking.candidates, labels.value);
    },
    report: () => ({
      expansion: expansion.outcome,
      rerank: labels.outcome,
      queries: expansion.value?.queries ?? [],
      references: expansion.value?.references ?? [],
    }),
    notes: () => ({
      expansion: { outcome: expansion.outcome, problem: expansion.problem, ...expansion.value },
      rerank: { outcome: labels.outcome, problem: labels.problem, shownIds, ...labels.value },
    }),
  };
}

/**
 * Joins the utterance and the model's queries into one utterance. This was measured against separate rankings joined by
 * rank or by confidence: a bad query in a separate ranking puts its own bad results on top, whereas joined text keeps
 * the wanted results in place.
 */
function withJoinedQueries(input: RankInput, queries: readonly string[]): RankInput {
  if (queries.length === 0) return input;
  const utterance = [input.question.utterance, ...queries].join('\n');
  const { context, now, timeZone } = input.question;
  return {
    ...input,
    question: { ...input.question, utterance },
    intent: { ...readIntent(utterance, context, now, timeZone), address: input.intent.address },
  };
}

function inOrder(candidates: readonly Candidate[], labels: Labels | null): DeepOrder {
  if (!labels) return { candidates, labels: null, injectionStrategy: null };
  const byId = new Map(labels.chosen.map((label) => [label.unitId, label]));
  const chosen = labels.chosen.flatMap(({ unitId }) => candidates.find((one) => one.unitId === unitId) ?? []);
  const rest = candidates.filter(({ unitId }) => !byId.has(unitId));
  return { candidates: [...chosen, ...rest], labels: byId, injectionStrategy: labels.injectionStrategy };
}

/** The embedder, limited by the recall's deadline. */
function inTime(embedder: Embedder, deadline: Deadline): Embedder {
  return {
    id: embedder.id,
    dimensions: embedder.dimensions,
    batchSize: embedder.batchSize,
    embed(texts, purpose, signal) {
      const limitMs = Math.max(0, Math.floor(deadline.remainingMs()));
      return withinTime(limitMs, (end) =>
        embedder.embed(texts, purpose, signal ? AbortSignal.any([signal, end]) : end),
      );
    },
  };
}
