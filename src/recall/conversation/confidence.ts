import type { Relevance, Scored } from '../types.ts';
import type { InjectRule } from '../conversationProfile.ts';
import { NONE, type Bm25 } from './queryTerms.ts';
import type { Turns } from './turns.ts';

/** How sure we are that the memory holds something for the utterance, and what that rests on. */
export interface Confidence {
  /** Best BM25 of a candidate as a share of the most there could be: how much of the utterance the memory knows. */
  readonly known: number;
  /** The largest share of the utterance's weight that one of the best hits holds, read with the turns beside it. */
  readonly covered: number;
  /** Distinct terms of the utterance: two matching words of three say less than eight of twelve. */
  readonly terms: number;
  /** How far the best score stands above the mean of ranks 2 to 20. */
  readonly stands: number;
  /** The four together: above 0, worth injecting. */
  readonly z: number;
}

const HITS_COVERED = 5;
const RANKS_COMPARED = 20;

/**
 * @param scored the candidates, best first
 * @param memoryTurns how many the memory holds
 * @param own BM25 for the terms of the utterance alone: what the context shares with a memory is no reason to bring it up
 */
export function confidenceOf(
  scored: readonly Scored[],
  turns: Turns,
  own: Bm25,
  memoryTurns: number,
  inject: InjectRule,
): Confidence {
  const ideal = Math.max(1e-9, own.ideal);
  let known = 0;
  for (let turn = 0; turn < turns.candidates; turn++) known = Math.max(known, own.score(turn) / ideal);
  const best = scored.slice(0, HITS_COVERED).map(({ unitId }) => {
    const turn = turns.places.get(unitId) as number;
    return own.held([turn, turns.before[turn]!, turns.after[turn]!].filter((place) => place !== NONE));
  });
  const covered = Math.max(0, ...best);
  const others = scored.slice(1, RANKS_COMPARED);
  const mean = others.reduce((sum, { score }) => sum + score, 0) / Math.max(1, others.length);
  const stands = others.length === 0 ? 0 : (scored[0]?.score ?? 0) - mean;
  const z =
    inject.known * known +
    inject.covered * (covered / ideal) +
    inject.terms * Math.log1p(own.termCount) +
    inject.stands * stands +
    inject.young.bonus * Math.max(0, 1 - memoryTurns / inject.young.turns) +
    inject.constant;
  return { known, covered: covered / ideal, terms: own.termCount, stands, z };
}

/** The label of a hit: what the answer as a whole is worth, less for each step of score below the best. */
export function labelHit(
  score: number,
  bestScore: number,
  confidence: Confidence,
  inject: InjectRule,
): Relevance {
  const z = confidence.z - inject.below * (bestScore - score);
  if (z > inject.high) return 'high';
  return z > inject.medium ? 'medium' : 'low';
}
