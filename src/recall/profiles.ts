import { MemoryError, parseInput } from '../model/model.ts';
import { CONVERSATION_PROFILE, type ConversationProfile, type Judge } from './conversationProfile.ts';
import { recallDefaultsSchema, type FeatureName, type ProfileName, type RecallDefaults } from './types.ts';

/** A named set of feature weights and thresholds; `base` selects the scoring method. */
export type Profile = ConversationProfile | SpecifiedProfile;

type SpecifiedName = Exclude<ProfileName, 'conversation'>;

export interface SpecifiedProfile {
  readonly base: SpecifiedName;
  readonly name: string;
  readonly weights: Readonly<Record<FeatureName, number>>;
  /** Age in days at which `recency` is e^−1. */
  readonly recencyTauDays: number;
  /** Minimum scores of `high` and `medium` hits. */
  readonly high: number;
  readonly medium: number;
}

/** τ of a half-life, both in days. */
const ofHalfLife = (halfLifeDays: number) => halfLifeDays / Math.LN2;

/**
 * The four profiles of the specifications, with their formulas. (`conversation.ts` scores `conversation`, our own.)
 * Where a specification gives no thresholds, `high` is half of the maximum score of a match of age 0 that was never
 * recalled, and `medium` is four fifths of that.
 */
const SPECIFIED: Readonly<Record<SpecifiedName, Omit<SpecifiedProfile, 'base' | 'name'>>> = {
  // Companion: reciprocal rank fusion, shared characters, and slow decay.
  fast: { weights: { rrf: 0.55, lexical: 0.35, recency: 0.1 }, recencyTauDays: 45, high: 0.35, medium: 0.28 },
  // Notes §4: meaning first, then reinforcement, recency, and accesses.
  salience: {
    weights: { semantic: 0.5, reinforcement: 0.2, recency: 0.2, access: 0.1 },
    recencyTauDays: ofHalfLife(30),
    high: 0.35,
    medium: 0.28,
  },
  // MemoryCore §6.1: same experience and emotion.
  associative: {
    weights: { semantic: 0.45, recency: 0.1, topicStrength: 0.2, emotion: 0.2, reactivation: 0.05 },
    recencyTauDays: 30,
    high: 0.275,
    medium: 0.22,
  },
  // Orchestrator §3.4: the two searches, weighted by strategy (see `weightsOf`), with time decay.
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
 * Finds a profile by name.
 * @param others profiles in addition to the shipped ones
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

/** The profile with other thresholds; missing ones stay. */
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
 * Checks defaults given as an object; defaults from a function are checked at each recall.
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
