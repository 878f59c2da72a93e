/** What tuning begins with: a profile, and sets. */
import type { Embedder, EmbedderSettings, ProfileFile, Strategy } from '../../engine/engine.ts';
import { MemoryError } from '../../model/model.ts';
import type { EvaluationSet } from '../dataset.ts';
import { openPath } from '../opening.ts';
import { findProfileFile, weightsOf } from '../profile.ts';
import type { TuneProgress } from './progress.ts';

export interface TuneOptions {
  /** What the tuned profile is called. */
  readonly name: string;
  /** When it is tuned, for its file. */
  readonly now: Date;
  /** Whose weights to start from: a shipped profile, or one of `ownProfiles`; default `conversation`. */
  readonly profile?: string;
  readonly ownProfiles?: readonly ProfileFile[];
  /** Forces a strategy; default: what the profile chooses. */
  readonly strategy?: Strategy;
  /** Default: the bundled one. Null: recall by words alone. */
  readonly embedder?: Embedder | EmbedderSettings | null;
  /** Most queries of each set, spread evenly over its conversations; default: all. */
  readonly limit?: number;
  /** Cuts each conversation to so many turns around what answers each query. */
  readonly cut?: number;
  /** Learns from the turns, by rules, before anything is asked. */
  readonly learn?: boolean;
  readonly onProgress?: (progress: TuneProgress) => void;
  readonly signal?: AbortSignal;
}

export const DEFAULT_PROFILE = 'conversation';

/** The profile to start from, with all its weights. @throws MemoryError INVALID_INPUT */
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
