/** Measures recall on labelled conversations, without a language model. `docs/evaluating.md` describes forms and figures. */
import { readdir, stat } from 'node:fs/promises';
import {
  openEmbedder,
  type Embedder,
  type EmbedderSettings,
  type ProfileName,
  type Strategy,
} from '../engine/engine.ts';
import { detectFileFormat } from '../ingest/ingest.ts';
import { MemoryError } from '../model/model.ts';
import { compareOutcomes, type Comparison } from './compare.ts';
import type { EvaluationSet } from './dataset.ts';
import { HISTORY_FILE, QUERIES_FILE, readDirectorySet } from './directorySet.ts';
import { openLocomo, openLongMemEval } from './researchSets.ts';
import { runSet, type EvaluationProgress, type SetRun } from './run.ts';
import { summarizeProfile } from './summarize.ts';
import type { EvaluationReport, SetReport } from './report.ts';
import { holdsTemporalCases, measureTemporal, type TemporalReport } from './temporalSet.ts';

export type { EvaluationReport, SetReport } from './report.ts';
export { formatMarkdown, formatReport, toJson } from './format.ts';
export { renderMarkdown, renderText, type Block } from './blocks.ts';

export interface EvaluationOptions {
  /** Default: `conversation` alone. */
  readonly profiles?: readonly ProfileName[];
  /** Forces a strategy; default: what each profile chooses. */
  readonly strategy?: Strategy;
  /** Default: the bundled one. Null: recall by words alone. */
  readonly embedder?: Embedder | EmbedderSettings | null;
  /** Most queries of each set, spread evenly over its conversations; default: all. */
  readonly limit?: number;
  /** How many of the worst queries to list with their traces; default 0. */
  readonly failures?: number;
  /** Also asks each memory the queries of another conversation, to see how often something is injected. */
  readonly foreign?: boolean;
  /** Also follows the gold through the stages. `failures` and `foreign` do so anyway; traces cost time. */
  readonly explain?: boolean;
  /** Two profiles of which the second is compared with the first; both are measured. */
  readonly compare?: readonly [ProfileName, ProfileName];
  readonly onProgress?: (progress: EvaluationProgress) => void;
  readonly signal?: AbortSignal;
}

/**
 * Measures recall on labelled sets: directories with `history.jsonl` and `queries.jsonl`, LoCoMo's or LongMemEval's own
 * files; directories with `recognizers_*.jsonl` measure how dates are read. Memories are made in a temporary folder
 * that is removed at the end. The same sets and options give the same figures, but for the latencies.
 *
 * @throws MemoryError FILE_UNREADABLE, UNKNOWN_FORMAT, INVALID_INPUT with the file and line of what is malformed
 * @throws the signal's reason once `signal` is aborted.
 */
export async function runEvaluation(
  paths: readonly string[],
  options: EvaluationOptions = {},
): Promise<EvaluationReport> {
  const opened = [];
  // All are opened before any is measured: a mistyped last one must not cost the hour before it.
  for (const path of paths) opened.push(await openPath(path));
  const given = options.embedder === undefined ? ({ provider: 'bundled' } as const) : options.embedder;
  const embedder = given === null || 'id' in given ? given : await openEmbedder(given);
  const sets: SetReport[] = [];
  const temporal: TemporalReport[] = [];
  for (const one of opened) {
    if (one.kind === 'temporal') temporal.push(measureTemporal(one.path, options.failures ?? 0));
    else sets.push(await measureSet(one.set, embedder, options));
  }
  return {
    embedder: embedder?.id ?? null,
    strategy: options.strategy ?? null,
    limit: options.limit ?? null,
    compared: options.compare ?? null,
    sets,
    temporal,
  };
}

type Opened =
  | { readonly kind: 'recall'; readonly set: EvaluationSet }
  | { readonly kind: 'temporal'; readonly path: string };

async function openPath(path: string): Promise<Opened> {
  if (!(await isDirectory(path))) return { kind: 'recall', set: await openFile(path) };
  const names = await readdir(path);
  if (holdsTemporalCases(names)) return { kind: 'temporal', path };
  const missing = [HISTORY_FILE, QUERIES_FILE].filter((name) => !names.includes(name));
  if (missing.length > 0) {
    throw new MemoryError(
      'UNKNOWN_FORMAT',
      `${path} is no labelled set: it has no ${missing.join(' and no ')}.`,
    );
  }
  return { kind: 'recall', set: await readDirectorySet(path) };
}

async function openFile(path: string): Promise<EvaluationSet> {
  const format = await detectFileFormat(path);
  if (format === 'locomo') return openLocomo(path);
  if (format === 'longmemeval') return openLongMemEval(path);
  throw new MemoryError(
    'UNKNOWN_FORMAT',
    `${path} is neither LoCoMo's nor LongMemEval's file, but: ${format}.`,
  );
}

async function isDirectory(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch (cause) {
    throw new MemoryError('FILE_UNREADABLE', `${path} cannot be read: ${(cause as Error).message}`, {
      cause,
    });
  }
}

async function measureSet(
  set: EvaluationSet,
  embedder: Embedder | null,
  options: EvaluationOptions,
): Promise<SetReport> {
  const { failures = 0, foreign = false, compare } = options;
  const run = await runSet(set, {
    profiles: [
      ...new Set([...(options.profiles ?? (compare ? [] : ['conversation' as const])), ...(compare ?? [])]),
    ],
    strategy: options.strategy ?? null,
    embedder,
    limit: options.limit ?? null,
    foreign,
    explain: options.explain === true || foreign || failures > 0,
    ...(options.onProgress && { onProgress: options.onProgress }),
    ...(options.signal && { signal: options.signal }),
  });
  return {
    name: set.name,
    conversations: run.conversations,
    turns: run.turns,
    profiles: [...run.outcomes].map(([profile, outcomes]) =>
      summarizeProfile(profile, outcomes, run.foreign.get(profile) ?? [], failures),
    ),
    comparison: compare ? compareProfiles(run, compare) : null,
  };
}

function compareProfiles(run: SetRun, [baseline, other]: readonly [ProfileName, ProfileName]): Comparison {
  return compareOutcomes(run.outcomes.get(baseline) ?? [], run.outcomes.get(other) ?? []);
}
