/** The input of tuning: a profile, and sets. */
import type { Embedder, EmbedderSettings, ProfileFile, Strategy } from '../../engine/engine.ts';
import { MemoryError } from '../../model/model.ts';
import type { EvaluationSet } from '../dataset.ts';
import { openPath } from '../opening.ts';
import { findProfileFile, weightsOf } from '../profile.ts';
import type { TuneProgress } from './progress.ts';

export interface TuneOptions {
  /** The name of the tuned profile. */
  readonly name: string;
  /** The date written to its file. */
  readonly now: Date;
  /** The initial profile: a shipped one, or one of `ownProfiles`; default `conversation`. */
  readonly profile?: string;
  readonly ownProfiles?: readonly ProfileFile[];
  /** Forces a strategy; default: the profile's choice. */
  readonly strategy?: Strategy;
  /** Default: the bundled one. Null: keyword search only. */
  readonly embedder?: Embedder | EmbedderSettings | null;
  /** Maximum number of queries of each set, spread evenly over its conversations; default: all. */
  readonly limit?: number;
  /** Cuts each conversation to this many turns around the answer of each query. */
  readonly cut?: number;
  /** Learns from the turns by rules before the queries. */
  readonly learn?: boolean;
  readonly onProgress?: (progress: TuneProgress) => void;
  readonly signal?: AbortSignal;
}

export const DEFAULT_PROFILE = 'conversation';

/** The initial profile, with all its weights. @throws MemoryError INVALID_INPUT */
export function findTunable({
  profile = DEFAULT_PROFILE,
  ownProfiles = [],
}: Pick<TuneOptions, 'profile' | 'ownProfiles'>): ProfileFile {
  const { tuned: _, ...file } = findProfileFile(profile, ownProfiles);
  if (file.base !== 'weighted') return { ...file, weights: weightsOf(file) };
  throw new MemoryError(
    'INVALID_INPUT',
    'What "weighted" weighs depends on the strategy and on age: its weights cannot be tuned.',
  );
}

export async function openSets(paths: readonly string[], cut?: number): Promise<EvaluationSet[]> {
  const sets: EvaluationSet[] = [];
  for (const path of paths) {
    const opened = await openPath(path, cut);
    if (opened.kind !== 'recall')
      throw new MemoryError('INVALID_INPUT', `${path} holds expressions of time: nothing to tune on.`);
    sets.push(opened.set);
  }
  return sets;
}
