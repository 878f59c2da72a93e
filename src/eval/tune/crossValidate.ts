/** Weights fitted to all queries, and for each query the figures of weights fitted without its conversation. */
import { setImmediate as otherWork } from 'node:timers/promises';
import { LIMIT } from '../ask.ts';
import { FITS_PER_LEARNING, foldsOf, learn } from './learn.ts';
import type { LabelledQuery } from './labelled.ts';
import type { LearnOptions, Learnt } from './learn.ts';
import type { TuneProgress } from './progress.ts';

export const MAX_FOLDS = 5;

export interface CrossValidated {
  /** Fitted to all queries. */
  readonly whole: Learnt;
  /** By fold: fitted without that fold. */
  readonly parts: readonly Float64Array[];
  /** By query: fitted without its fold. */
  readonly held: readonly Float64Array[];
}

/** @throws the signal's reason once it is aborted */
export async function crossValidate(
  queries: readonly LabelledQuery[],
  base: Float64Array,
  { onProgress, signal }: { onProgress?: (progress: TuneProgress) => void; signal?: AbortSignal },
): Promise<CrossValidated> {
  const foldOf = foldsOf(queries, MAX_FOLDS);
  const folds = [...new Set(foldOf)].toSorted((a, b) => a - b);
  const total = (folds.length + 1) * FITS_PER_LEARNING;
  let done = 0;
  const afterFit = async () => {
    onProgress?.({ phase: 'fitting', done: ++done, total });
    await otherWork();
    signal?.throwIfAborted();
  };
  const options: LearnOptions = { base, depth: LIMIT, afterFit };
  const parts = new Map<number, Float64Array>();
  for (const fold of folds) {
    const others = queries.filter((_, i) => foldOf[i] !== fold);
    parts.set(fold, (await learn(others, options)).weights);
  }
  return {
    whole: await learn(queries, options),
    parts: [...parts.values()],
    held: foldOf.map((fold) => parts.get(fold) ?? base),
  };
}
