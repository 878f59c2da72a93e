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
  /** Profiles in addition to the shipped ones. */
  readonly ownProfiles?: readonly ProfileFile[];
  /** Forces a strategy; default: the choice of each profile. */
  readonly strategy?: Strategy;
  /** Default: the bundled one. Null: recall by keywords alone. */
  readonly embedder?: Embedder | EmbedderSettings | null;
  /** Maximum number of queries of each set, spread evenly over its conversations; default: all. */
  readonly limit?: number;
  /** Cuts each conversation to this many turns around what answers each query, to measure memories as small as new ones. */
  readonly cut?: number;
  /** How many of the worst queries to list with their traces; default 0. */
  readonly failures?: number;
  /** Also runs the queries of another conversation in each memory, to see how often something is injected. */
  readonly foreign?: boolean;
  /** Also follows the gold through the stages. `failures` and `foreign` imply it; traces take time. */
  readonly explain?: boolean;
  /** Two profiles, of which the second is compared with the first; both are measured. */
  readonly compare?: readonly [string, string];
  /** Learns from the turns by rules before the queries: emotions, topics, facts. Default: turns alone. */
  readonly learn?: boolean;
  /** An empty PostgreSQL database for the memories, which stay there; default: files in a temporary folder. */
  readonly store?: string;
  readonly onProgress?: (progress: EvaluationProgress) => void;
  readonly signal?: AbortSignal;
}

/**
 * Measures recall on labelled sets: directories with `history.jsonl` and `queries.jsonl`, or files of LoCoMo or
 * LongMemEval; directories with `recognizers_*.jsonl` measure how dates are read. Memories are created in a
 * temporary folder that is removed at the end. Deterministic, except for latencies.
 *
 * @throws MemoryError FILE_UNREADABLE, UNKNOWN_FORMAT, INVALID_INPUT with file and line of the error, or the
 * unknown profile
 * @throws the signal's reason once `signal` is aborted.
 */
export async function runEvaluation(
  paths: readonly string[],
  options: EvaluationOptions = {},
): Promise<EvaluationReport> {
  for (const name of askedProfiles(options)) findProfileFile(name, options.ownProfiles ?? []);
  const opened = [];
  // All are opened before any is measured, so that a wrong last path is reported at once and not after an hour.
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

/** The named and the compared profiles, each once. */
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
    ...(options.store !== undefined && { store: options.store }),
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
