import type { FeatureName, ProfileName } from './types.ts';

/** A named set of feature weights, and what its scores mean. */
export interface Profile {
  readonly weights: Readonly<Record<FeatureName, number>>;
  /** Age at which `recency` is e^−1, days. */
  readonly recencyTauDays: number;
  /** Scores from which a hit is `high`, and `medium`. */
  readonly high: number;
  readonly medium: number;
}

/** τ of a half-life, both in days. */
const ofHalfLife = (halfLifeDays: number) => halfLifeDays / Math.LN2;

/**
 * The four profiles that the specifications give, faithful to their formulas. (`conversation`, our own, is scored by
 * `conversation.ts`.) Where a specification names no thresholds, `high` is half of what a perfect match at no age and
 * never recalled before could score, and `medium` four fifths of that.
 */
export const SPECIFIED_PROFILES: Readonly<Record<Exclude<ProfileName, 'conversation'>, Profile>> = {
  // Companion: reciprocal rank fusion, characters in common, and a long memory.
  fast: { weights: { rrf: 0.55, lexical: 0.35, recency: 0.1 }, recencyTauDays: 45, high: 0.35, medium: 0.28 },
  // Notes §4: meaning first, then what is repeated, recent, and asked for.
  salience: {
    weights: { semantic: 0.5, reinforcement: 0.2, recency: 0.2, access: 0.1 },
    recencyTauDays: ofHalfLife(30),
    high: 0.35,
    medium: 0.28,
  },
  // MemoryCore §6.1: what belongs to the same experience and feeling.
  associative: {
    weights: { semantic: 0.45, recency: 0.1, topicStrength: 0.2, emotion: 0.2, reactivation: 0.05 },
    recencyTauDays: 30,
    high: 0.275,
    medium: 0.22,
  },
  // Orchestrator §3.4: the two searches, weighed by strategy (see `weightsOf`), with time decay.
  weighted: { weights: { vector: 0.7, keyword: 0.3 }, recencyTauDays: 30, high: 0.5, medium: 0.4 },
};
