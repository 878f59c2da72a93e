/** Measures recall on labelled conversations, without a language model. `docs/evaluating.md` describes forms and figures. */
import { type Embedder, type EmbedderSettings, type ProfileFile, type Strategy } from '../engine/engine.ts';
import { compareOutcomes, type Pair } from './compare.ts';
import type { EvaluationSet } from './dataset.ts';
import { openEvaluationEmbedder, openPath } from './opening.ts';
import { findProfileFile } from './profile.ts';
import { runSet, type EvaluationProgress, type SetRun } from './run.ts';
import { summarizeProfile } from './summarize.ts';
import type { EvaluationReport, SetReport } from './report.ts';
import { measureTemporal, type TemporalReport } from './temporalSet.ts';

export type { EvaluationReport, SetReport } from './report.ts';
export { formatMarkdown, formatReport, toJson } from './format.ts';
export {
  formatTuning,
  formatTuningMarkdown,
  formatLeaveOneOut,
  formatLeaveOneOutMarkdown,
  runLeaveOneOut,
  runTuning,
  type TuneOptions,
  type TuneProgress,
  type TuneReport,
} from './tune/tune.ts';
export { renderMarkdown, renderText, type Block } from './blocks.ts';

export interface EvaluationOptions {
  /** Names of shipped profiles or of `ownProfiles`; default: `conversation` alone. */
  readonly profiles?: readonly string[];
  /** What may be named beside the shipped profiles. */
  readonly ownProfiles?: readonly ProfileFile[];
  /** Forces a strategy; default: what each profile chooses. */
  readonly strategy?: Strategy;
  /** Default: the bundled one. Null: recall by words alone. */
  readonly embedder?: Embedder | EmbedderSettings | null;
  /** Most queries of each set, spread evenly over its conversations; default: all. */
  readonly limit?: number;
  /** Cuts each conversation to so many turns around what answers each query: memories as small as they begin. */
  readonly cut?: number;
  /** How many of the worst queries to list with their traces; default 0. */
  readonly failures?: number;
  /** Also asks each memory the queries of another conversation, to see how often something is injected. */
  readonly foreign?: boolean;
  /** Also follows the gold through the stages. `failures` and `foreign` do so anyway; traces cost time. */
  readonly explain?: boolean;
  /** Two profiles of which the second is compared with the first; both are measured. */
  readonly compare?: readonly [string, string];
  /** Learns from the turns, by rules, before anything is asked: feelings, topics, facts. Default: turns alone. */
  readonly learn?: boolean;
  readonly onProgress?: (progress: EvaluationProgress) => void;
  readonly signal?: AbortSignal;
}

/**
 * Measures recall on labelled sets: directories with `history.jsonl` and `queries.jsonl`, LoCoMo's or LongMemEval's own
 * files; directories with `recognizers_*.jsonl` measure how dates are read. Memories are made in a temporary folder
 * that is removed at the end. The same sets and options give the same figures, but for the latencies.
 *
 * @throws MemoryError FILE_UNREADABLE, UNKNOWN_FORMAT, INVALID_INPUT with the file and line of what is malformed, or the
 *   profile that there is not
 * @throws the signal's reason once `signal` is aborted.
 */
export async function runEvaluation(
  paths: readonly string[],
  options: EvaluationOptions = {},
): Promise<EvaluationReport> {
  for (const name of askedProfiles(options)) findProfileFile(name, options.ownProfiles ?? []);
  const opened = [];
  // All are opened before any is measured: a mistyped last one must not cost the hour before it.
  for (const path of paths) opened.push(await openPath(path, options.cut));
  const embedder = await openEvaluationEmbedder(options.embedder);
  const sets: SetReport[] = [];
  const temporal: TemporalReport[] = [];
  const pairs: Pair[] = [];
  for (const one of opened) {
    if (one.kind === 'temporal') {
      temporal.push(measureTemporal(one.path, options.failures ?? 0));
      continue;
    }
    const run = await askSet(one.set, embedder, options);
    const pair = options.compare && pairOf(run, options.compare);
    if (pair) pairs.push(pair);
    sets.push(summarizeSet(one.set, run, pair ?? null, options));
  }
  return {
    embedder: embedder?.id ?? null,
    strategy: options.strategy ?? null,
    limit: options.limit ?? null,
    cut: options.cut ?? null,
    compared: options.compare ?? null,
    sets,
    comparison: pairs.length > 1 ? compareOutcomes(pairs) : null,
    temporal,
  };
}

/** Those named and those compared, each once. */
function askedProfiles({ profiles, compare }: EvaluationOptions): string[] {
  const fallback = compare ? [] : ['conversation'];
  return [...new Set([...(profiles ?? fallback), ...(compare ?? [])])];
}

async function askSet(
  set: EvaluationSet,
  embedder: Embedder | null,
  options: EvaluationOptions,
): Promise<SetRun> {
  const { failures = 0, foreign = false } = options;
  return runSet(set, {
    profiles: askedProfiles(options),
    strategy: options.strategy ?? null,
    embedder,
    limit: options.limit ?? null,
    foreign,
    explain: options.explain === true || foreign || failures > 0,
    capture: null,
    ownProfiles: options.ownProfiles ?? [],
    learn: options.learn === true,
    ...(options.onProgress && { onProgress: options.onProgress }),
    ...(options.signal && { signal: options.signal }),
  });
}

function pairOf({ outcomes }: SetRun, [baseline, other]: readonly [string, string]): Pair {
  return { baseline: outcomes.get(baseline) ?? [], other: outcomes.get(other) ?? [] };
}

function summarizeSet(
  { name, notes = [] }: EvaluationSet,
  run: SetRun,
  pair: Pair | null,
  { failures = 0 }: EvaluationOptions,
): SetReport {
  return {
    name,
    notes,
    conversations: run.conversations,
    turns: run.turns,
    profiles: [...run.outcomes].map(([profile, outcomes]) =>
      summarizeProfile(profile, outcomes, run.foreign.get(profile) ?? [], failures),
    ),
    comparison: pair && compareOutcomes([pair]),
  };
}
