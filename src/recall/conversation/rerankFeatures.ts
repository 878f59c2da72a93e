/**
 * Features computed only for the best candidates: they need the whole unit, or are only used when keyword search finds
 * nothing certain.
 */
import type { Store } from '../../store/store.ts';
import { feelingMatch, type Feeling } from '../mood.ts';
import { byScore } from '../score.ts';
import type { Candidate, Scored } from '../types.ts';
import type { ConversationWeights } from '../conversationProfile.ts';

export type RerankFeature = 'emotion' | 'referent';

export interface RerankInput {
  readonly weights: ConversationWeights;
  readonly feeling: Feeling | null;
  /** By unit, 0..1; the units need not be search results. */
  readonly referents: ReadonlyMap<number, number>;
}

/** Whether none of these features can change the order. */
export function isPlain({ weights, feeling, referents }: RerankInput): boolean {
  return referents.size === 0 && (feeling === null || weights.emotion === 0);
}

/** Reads the first `count` candidates and the referents whole, adds the rerank features and sorts by the new scores. */
export async function readBest(
  store: Store,
  scored: readonly Scored[],
  count: number,
  reranked: RerankInput,
): Promise<Candidate[]> {
  const { weights, feeling, referents } = reranked;
  const best = scored.slice(0, count);
  const wanted = isPlain(reranked) ? best : withReferents(scored, best, referents);
  const units = new Map(
    (await store.units.get(wanted.map(({ unitId }) => unitId))).map((unit) => [unit.id, unit]),
  );
  const candidates = wanted.flatMap((one): Candidate[] => {
    const unit = units.get(one.unitId);
    return unit ? [{ ...one, unit }] : [];
  });
  if (isPlain(reranked)) return candidates;
  return candidates
    .map((candidate): Candidate => {
      const emotion = feelingMatch(feeling, candidate.unit.emotion);
      const referent = referents.get(candidate.unitId) ?? 0;
      const score = candidate.score + weights.emotion * emotion + weights.referent * referent;
      return { ...candidate, features: { ...candidate.features, emotion, referent }, score };
    })
    .sort(byScore);
}

function withReferents(
  scored: readonly Scored[],
  best: readonly Scored[],
  referents: ReadonlyMap<number, number>,
): readonly Scored[] {
  const known = new Map(scored.map((one) => [one.unitId, one]));
  const wanted = new Map(best.map((one) => [one.unitId, one]));
  for (const unitId of referents.keys())
    wanted.set(unitId, known.get(unitId) ?? { unitId, features: {}, score: 0 });
  return [...wanted.values()];
}

/** All candidates after reranking, best first. */
export function withReranked(scored: readonly Scored[], reranked: readonly Scored[]): Scored[] {
  const weighed = new Set(reranked.map(({ unitId }) => unitId));
  return [...reranked, ...scored.filter(({ unitId }) => !weighed.has(unitId))].sort(byScore);
}
