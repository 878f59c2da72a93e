/** Computes a topic's strength and emotion from its members, as sums to which members can be added one by one. */
import { EMOTION_KEYS, type Emotion } from '../../model/model.ts';

/** The data of an episode that counts in its topic. */
export interface MemberFigures {
  readonly salience: number;
  readonly accessCount: number;
  readonly emotion: Emotion | null;
}

/** A mean emotion, with the total weight of its members. */
export interface MeanFeeling {
  readonly emotion: Emotion | null;
  readonly weight: number;
}

const NO_FEELING: MeanFeeling = { emotion: null, weight: 0 };

/** The sum at which a topic has strength ½: sixteen members of medium salience. */
const SHARES_OF_HALF_STRENGTH = 8;

/** The weight of a member: 1 when it was never recalled, 1 + ln(1 + recalls) in general. */
export function recallWeight(accessCount: number): number {
  return 1 + Math.log(1 + accessCount);
}

/**
 * Strength is x / (x + 8), where x is the sum over the members of salience × (1 + ln(1 + recalls)): 0 to 1, growing
 * with every member. Since x can be computed from the strength, members are added to whatever strength the topic was
 * given.
 */
export function grownStrength(strength: number, member: MemberFigures): number {
  if (strength >= 1) return 1;
  const shares = (SHARES_OF_HALF_STRENGTH * strength) / (1 - strength);
  return strengthOf(shares + shareOf(member));
}

function strengthOf(shares: number): number {
  return shares / (shares + SHARES_OF_HALF_STRENGTH);
}

function shareOf(member: MemberFigures): number {
  return member.salience * recallWeight(member.accessCount);
}

/** The mean with one more member: each is weighted by its recalls, and its values also by their confidence. */
export function addFeeling(mean: MeanFeeling, member: MemberFigures): MeanFeeling {
  if (!member.emotion) return mean;
  const added = recallWeight(member.accessCount);
  const known = mean.weight * (mean.emotion?.confidence ?? 0);
  const sure = known + added * member.emotion.confidence;
  const weight = mean.weight + added;
  const values: Emotion['values'] = {};
  for (const key of EMOTION_KEYS) {
    const sum =
      known * (mean.emotion?.values[key] ?? 0) +
      added * member.emotion.confidence * (member.emotion.values[key] ?? 0);
    if (sum !== 0) values[key] = clamp(sum / sure);
  }
  return { emotion: { values, confidence: Math.min(1, sure / weight) }, weight };
}

/** Removes rounding errors: a mean of values within the range is within it. */
function clamp(value: number): number {
  return Math.max(-1, Math.min(1, value));
}

/** Computes all figures from the members. */
export function figuresOf(members: readonly MemberFigures[]): { strength: number; feeling: MeanFeeling } {
  const shares = members.reduce((sum, member) => sum + shareOf(member), 0);
  return { strength: strengthOf(shares), feeling: members.reduce(addFeeling, NO_FEELING) };
}
