/**
 * Deep recall: a language model says what to look for and what of it belongs. It is asked twice at most, in what time there is; when it
 * fails or is late, what was found without it stands.
 */
import type { Embedder, LanguageModel } from '../../llm/llm.ts';
import { withinTime } from '../../async/async.ts';
import { readIntent } from '../intent.ts';
import { rank } from '../rank.ts';
import type { Ranking, RankInput } from '../ranking.ts';
import type { Candidate, InjectionStrategy } from '../types.ts';
import { expand, type DetectedReference, type Expansion } from './expand.ts';
import { labelCandidates, MAX_LABELLED, type Label, type Labels } from './label.ts';
import { askInTime, skipped, startDeadline, type Deadline, type Phase, type PhaseOutcome } from './phase.ts';

export type { DetectedReference } from './expand.ts';
export type { Label } from './label.ts';
export type { PhaseOutcome } from './phase.ts';

/** What a model did for a recall. */
export interface DeepReport {
  readonly expansion: PhaseOutcome;
  readonly rerank: PhaseOutcome;
  /** What the model would search for besides the utterance. */
  readonly queries: readonly string[];
  readonly references: readonly DetectedReference[];
}

/** The ranking as a model has it. */
export interface DeepOrder {
  /** What it chose first. */
  readonly candidates: readonly Candidate[];
  /** By unit, of what it chose; null when it said nothing usable. */
  readonly labels: ReadonlyMap<number, Label> | null;
  readonly injectionStrategy: InjectionStrategy | null;
}

/** Of a recall that was to be deep where there is no model. */
export const NO_MODEL: DeepReport = {
  expansion: 'no_model',
  rerank: 'no_model',
  queries: [],
  references: [],
};

/** One deep recall on its way. */
export interface DeepRecall {
  /** By the utterance and, if they come in time, by the model's queries. */
  rank(input: RankInput): Promise<Ranking>;
  order(ranking: Ranking, input: RankInput): Promise<DeepOrder>;
  report(): DeepReport;
  /** What the trace tells beyond the report. */
  notes(): Readonly<Record<string, unknown>>;
}

/** Of the whole time what the first phase may take: the second has more to read. */
const EXPANSION_SHARE = 0.45;
/** Kept for what comes after the model, in milliseconds. */
const RESERVE_MS = 30;

/** @param limitMs for the whole recall, from now */
export function startDeepRecall(model: LanguageModel, limitMs: number): DeepRecall {
  const deadline = startDeadline(limitMs);
  let expansion: Phase<Expansion> = skipped('not_needed');
  let labels: Phase<Labels> = skipped('not_needed');
  let shownIds: readonly number[] = [];

  async function expandQuestion({ question, intent, clock }: RankInput): Promise<readonly string[]> {
    const limit = Math.min(limitMs * EXPANSION_SHARE, deadline.remainingMs() - RESERVE_MS);
    expansion = await askInTime('expand', clock, limit, (signal) =>
      expand(model, question, intent.language, signal),
    );
    return expansion.value?.queries ?? [];
  }

  async function labelHead({ store, question, intent, clock }: RankInput, head: readonly Candidate[]) {
    if (head.length === 0) return;
    labels = await askInTime('label', clock, deadline.remainingMs() - RESERVE_MS, (signal) =>
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
      return rank(isOurs ? asOne(input, expandedQueries) : { ...input, expandedQueries });
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
 * The utterance and the model's queries read as one utterance. Measured against rankings of their own joined by rank or by confidence:
 * what is wanted keeps its place although the utterance says little or a query is beside the point, while a ranking of such a query
 * puts its own best on top, however bad.
 */
function asOne(input: RankInput, queries: readonly string[]): RankInput {
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

/** The embedder, waited for no longer than the recall may take. */
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
