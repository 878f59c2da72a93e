import { MemoryError, parseInput } from '../model/model.ts';
import { CONVERSATION_PROFILE, type ConversationProfile, type Judge } from './conversationProfile.ts';
import { recallDefaultsSchema, type FeatureName, type ProfileName, type RecallDefaults } from './types.ts';

/** A named set of feature weights, and what its scores mean; `base` says how it is computed. */
export type Profile = ConversationProfile | SpecifiedProfile;

type SpecifiedName = Exclude<ProfileName, 'conversation'>;

export interface SpecifiedProfile {
  readonly base: SpecifiedName;
  readonly name: string;
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
const SPECIFIED: Readonly<Record<SpecifiedName, Omit<SpecifiedProfile, 'base' | 'name'>>> = {
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

const named = (name: SpecifiedName): SpecifiedProfile => ({ base: name, name, ...SPECIFIED[name] });

/** The profiles that need no file. */
export const SHIPPED_PROFILES: Readonly<Record<ProfileName, Profile>> = {
  conversation: CONVERSATION_PROFILE,
  fast: named('fast'),
  salience: named('salience'),
  associative: named('associative'),
  weighted: named('weighted'),
};

/**
 * The profile of a name.
 * @param others what is known beside the shipped ones
 * @throws MemoryError INVALID_INPUT
 */
export function findProfile(name: string, others: readonly Profile[] = []): Profile {
  const known = [...Object.values(SHIPPED_PROFILES), ...others];
  const profile = known.find((each) => each.name === name);
  if (profile) return profile;
  throw new MemoryError(
    'INVALID_INPUT',
    `There is no profile "${name}", only ${known.map((each) => each.name).join(', ')}.`,
  );
}

/** The profile with other thresholds; those not given stay. */
export function withThresholds(profile: Profile, thresholds: RecallDefaults['thresholds'] = {}): Profile {
  const { high, medium, answerable } = thresholds;
  const given = { ...(high !== undefined && { high }), ...(medium !== undefined && { medium }) };
  if (profile.base !== 'conversation') return { ...profile, ...given };
  const inject = { ...profile.inject, ...given };
  if (answerable === undefined) return { ...profile, inject };
  const from = Math.log(answerable / (1 - answerable));
  const withTell = <J extends Judge>(judge: J): J => ({
    ...judge,
    tell: { ...judge.tell, from, perTenfold: 0, sure: 1 },
  });
  return { ...profile, inject: { ...withTell(inject), wordsAlone: withTell(inject.wordsAlone) } };
}

/**
 * Those that a function gives are checked by the recalls that ask it.
 * @throws MemoryError INVALID_INPUT
 */
export function checkRecallDefaults(
  defaults: RecallDefaults | (() => RecallDefaults) | undefined,
  profiles: readonly Profile[],
): void {
  if (defaults === undefined || typeof defaults === 'function') return;
  const { profile } = parseInput(recallDefaultsSchema, defaults, 'defaults of recalls');
  if (profile !== undefined) findProfile(profile, profiles);
}
