/**
 * Chooses the candidates that are worth reading, by what the searches tell of them. Reading and scoring all of them would
 * take most of a recall, and those left out almost never become hits.
 */
import type { ScoredId } from '../../store/store.ts';
import { CONVERSATION, CONVERSATION_PROFILE } from '../conversationProfile.ts';
import type { ScaleToBundled } from '../cosineScale.ts';
import { wordsUnitOf } from './queryTerms.ts';

/** Number of candidates that are read, with the turns next to them. See docs/decisions/0040. */
const MAX_READ = 120;
/** The share of a question's words that its answer is credited with here, where it is not known who asked. */
const ANSWER_SHARE = 0.7;
/** The words of an exchange, relative to the best turn, saturate: BM25 of joined turns is less than the sum. */
const MAX_EXCHANGE = 1.2;

/** How similar turns are to the query. */
export interface Similarity {
  /** By unit. */
  readonly cosines: ReadonlyMap<number, number>;
  /** The mean cosine of the query with all units. */
  readonly common: number;
  readonly scale: ScaleToBundled;
}

/** A cosine minus its mean with all units, divided by the standard deviation of cosines. */
export function centredCosine({ common, scale }: Similarity, cosine: number): number {
  return (cosine - common) / (CONVERSATION.cosineSpread * scale.spread);
}

interface Found {
  readonly unitIds: readonly number[];
  /** The turn before and after each. */
  readonly before: ReadonlyMap<number, number>;
  readonly after: ReadonlyMap<number, number>;
  /** Best first: by the words of the utterance, and by those of the context. */
  readonly keyword: readonly ScoredId[];
  readonly context: readonly ScoredId[];
  readonly time: ReadonlySet<number>;
  readonly similarity: Similarity | null;
}

/**
 * The candidates with the highest estimated scores, in their order. The estimate is the profile's score, as far as it
 * follows from the results of the searches: words that were not searched for in a turn count as missing.
 */
export function mostPromising(found: Found, max = MAX_READ): readonly number[] {
  const { unitIds, before, after, time } = found;
  if (unitIds.length <= max) return unitIds;
  const { weights } = CONVERSATION_PROFILE;
  const words = wordScores(found);
  const maxExchange = MAX_EXCHANGE * words.values().reduce((best, score) => Math.max(best, score), 0);
  const cosines = new Map<number, number>();
  if (found.similarity) {
    for (const [unitId, cosine] of found.similarity.cosines)
      cosines.set(unitId, centredCosine(found.similarity, cosine));
  }
  const of = (values: ReadonlyMap<number, number>, unitId = 0) => values.get(unitId) ?? 0;
  const estimates = unitIds.map((unitId) => {
    const [previous, next] = [before.get(unitId), after.get(unitId)];
    const own = of(words, unitId);
    const cosine = of(cosines, unitId);
    const nearby = Math.max(of(cosines, previous), of(cosines, next)) * CONVERSATION.nearby.decay;
    const score =
      (weights.words + weights.covered) * own +
      weights.answer * Math.max(own, ANSWER_SHARE * (own + of(words, previous))) +
      weights.exchange * Math.min(maxExchange, own + of(words, previous) + of(words, next)) +
      weights.date * (time.has(unitId) ? 1 : 0) +
      weights.cosine * cosine +
      weights.nearbyCosine * Math.max(0, nearby - cosine) +
      weights.previousCosine * of(cosines, previous) +
      weights.nextCosine * of(cosines, next);
    return { unitId, score };
  });
  const best = estimates.sort((a, b) => b.score - a.score || a.unitId - b.unitId).slice(0, max);
  return best.map(({ unitId }) => unitId).sort((a, b) => a - b);
}

/** The scores of the searches for words, in units of words. */
function wordScores({ keyword, context }: Found): Map<number, number> {
  const words = new Map<number, number>();
  const add = (hits: readonly ScoredId[], weight: number) => {
    const unit = wordsUnitOf(hits[0]?.score ?? 0);
    for (const { unitId, score } of hits)
      words.set(unitId, (words.get(unitId) ?? 0) + (weight * score) / unit);
  };
  add(keyword, 1);
  add(context, CONVERSATION.contextWeight.standing);
  return words;
}
