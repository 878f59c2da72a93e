/** Runs a set's queries once and captures the candidates, so that other weights can be tried. */
import type { Embedder, ProfileFile, Strategy } from '../../engine/engine.ts';
import type { EvaluationSet } from '../dataset.ts';
import { runSet } from '../run.ts';
import { mapValues } from './mapValues.ts';
import { growthOf } from '../profile.ts';
import { withGrowth } from './growth.ts';
import { type LabelledQuery } from './labelled.ts';
import { withMean } from './learn.ts';
import type { TuneProgress } from './progress.ts';

interface CaptureOptions {
  /** With all its weights. */
  readonly profile: ProfileFile;
  readonly strategy?: Strategy;
  readonly embedder: Embedder | null;
  readonly limit?: number;
  readonly learn?: boolean;
  readonly onProgress?: (progress: TuneProgress) => void;
  readonly signal?: AbortSignal;
}

/** The set's queries that are answerable, or of which something was called wrong, in order. */
export async function captureSet(
  set: EvaluationSet,
  { profile, onProgress, signal, ...options }: CaptureOptions,
): Promise<Omit<LabelledQuery, 'set'>[]> {
  const asked = withAllFeatures(profile);
  const features = Object.keys(profile.weights);
  const growth = growthOf(asked);
  const run = await runSet(set, {
    profiles: [asked.name],
    ownProfiles: [asked],
    strategy: options.strategy ?? null,
    embedder: options.embedder,
    limit: options.limit ?? null,
    learn: options.learn === true,
    foreign: false,
    explain: true,
    capture: features,
    ...(onProgress && {
      onProgress: ({ done, total }) => onProgress({ phase: 'asking', done, total }),
    }),
    ...(signal && { signal }),
  });
  const outcomes = run.outcomes.get(asked.name) ?? [];
  return outcomes.flatMap(({ isAnswerable, conversationId, captured, turn }) => {
    const figures = isAnswerable && turn ? withMean(turn) : null;
    if (figures === null && !captured?.isWrong?.includes(1)) return [];
    return [{ conversationId, captured: captured && withGrowth(captured, features, growth), figures }];
  });
}

/** A weight too small to change any ranking. */
const NEGLIGIBLE_WEIGHT = 1e-12;

/** Recall skips features with weight 0, but tuning needs their values. */
function withAllFeatures(profile: ProfileFile): ProfileFile {
  const weights = mapValues(profile.weights, (weight) => (weight === 0 ? NEGLIGIBLE_WEIGHT : weight));
  return { ...profile, weights, name: 'to be tuned' };
}
