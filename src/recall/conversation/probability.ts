/**
 * Whether the memory holds anything for an utterance, and how likely each hit matters for it: two logistic models.
 * See docs/decisions/0005.
 */
import type { Language } from '../../text/text.ts';
import type { Address } from '../address.ts';
import type { InjectRule, Judge } from '../conversationProfile.ts';
import type { Relevance, Scored } from '../types.ts';
import { labelScore } from '../judge.ts';
import { NONE, type Bm25 } from './queryTerms.ts';
import type { Turns } from './turns.ts';

/** What speaks for the memory's holding something. */
export interface Situation {
  readonly address: Address;
  /** The utterance names by its kind alone what it takes as known (“that trip”). */
  readonly refers: boolean;
  readonly language: Language;
  /** The largest share of the utterance's weight that one of the best hits holds, read with the turns beside it. */
  readonly covered: number;
  /** The share that the best hit holds itself. */
  readonly coveredByBest: number;
  /** What that largest share weighs. */
  readonly held: number;
  /** The share of the utterance's weight that the memory knows at all. */
  readonly known: number;
  /** How far the best score stands above the mean of ranks 2 to 20. */
  readonly lead: number;
  /** The greatest cosine of a candidate with the query, as the bundled embedder would have it; null without vectors. */
  readonly nearest: number | null;
  /** Units of the memory, and log10 of a hundredth of them. */
  readonly documents: number;
  readonly size: number;
  /** The best score. */
  readonly best: number;
  /** Logarithm of Σ e^score over the candidates: what a hit competes with. */
  readonly competition: number;
}

const HITS_COVERED = 5;
const RANKS_COMPARED = 20;
const MIN_DOCUMENTS = 5;

/**
 * @param scored the candidates, best first
 * @param own BM25 for the terms of the utterance alone: what the context shares with a memory is no reason to bring it up
 */
export function situationOf(
  scored: readonly Scored[],
  turns: Turns,
  own: Bm25,
  given: Pick<Situation, 'address' | 'language' | 'refers' | 'documents' | 'nearest'>,
): Situation {
  const ideal = Math.max(1e-9, own.ideal);
  const shares = scored.slice(0, HITS_COVERED).map(({ unitId }) => {
    const turn = turns.places.get(unitId) as number;
    return own.held([turn, turns.before[turn]!, turns.after[turn]!].filter((place) => place !== NONE));
  });
  const held = Math.max(0, ...shares);
  const { documents } = given;
  const top = scored[0]?.score ?? 0;
  const others = scored.slice(1, RANKS_COMPARED);
  // What no search found scores about nothing.
  const compared = Math.max(others.length, Math.min(RANKS_COMPARED, documents) - 1);
  const mean = others.reduce((sum, { score }) => sum + score, 0) / Math.max(1, compared);
  return {
    ...given,
    covered: held / ideal,
    held,
    known: own.known / ideal,
    coveredByBest: scored[0]?.features['covered'] ?? 0,
    lead: compared === 0 ? 0 : top - mean,
    size: Math.log10(Math.max(MIN_DOCUMENTS, documents) / 100),
    best: top,
    competition: top + Math.log(scored.reduce((sum, { score }) => sum + Math.exp(score - top), 0) || 1),
  };
}

/** How sure we are that the memory holds something for the utterance: log odds. */
export function answerable(situation: Situation, rule: InjectRule): number {
  const { answerable: weights } = judgeOf(situation, rule);
  const { covered, coveredByBest, held, known, lead, nearest, size, language, address } = situation;
  return (
    weights.covered * covered +
    weights.coveredByBest * coveredByBest +
    weights.held * Math.log1p(held) +
    weights.known * known +
    weights.lead * lead +
    weights.nearest * (nearest ?? 0) +
    weights.language[language] +
    weights.size * size +
    weights.address[address] +
    weights.constant +
    youthBonus(covered, situation, rule.young)
  );
}

/** Words alone are judged otherwise than words and meaning. */
function judgeOf({ nearest }: Situation, rule: InjectRule): Judge {
  return nearest === null ? rule.wordsAlone : rule;
}

/** What it counts, in a memory of a few talks, that so much of the utterance is in common. */
function youthBonus(covered: number, { documents, refers }: Situation, young: InjectRule['young']): number {
  const youth = Math.max(0, 1 - documents / young.documents);
  return young.bonus * youth * (refers ? 1 : Math.min(1, covered / young.covered));
}

/** How likely a hit matters, 0..1. */
export function probabilityOf({ score, features }: Scored, situation: Situation, rule: InjectRule): number {
  const { young } = rule;
  const { matters } = judgeOf(situation, rule);
  const covered = features['covered'] ?? 0;
  // In a young memory what the hit itself has in common counts, not what another has.
  const known =
    answerable(situation, rule) -
    youthBonus(situation.covered, situation, young) +
    youthBonus(covered, situation, young);
  const share = Math.max(MIN_SHARE, score - situation.competition);
  const logOdds =
    matters.share * share +
    matters.answerable * known +
    matters.cosine * (features['cosine'] ?? 0) +
    matters.covered * covered +
    matters.constant;
  return 1 / (1 + Math.exp(-logOdds));
}

/** Logarithm of the least share that is told apart from none. */
const MIN_SHARE = Math.log(1e-6);

/**
 * The label of a hit. Where the memory seems to hold nothing for the utterance, all but sure hits are low; so is what lies far
 * below the best hit.
 */
export function labelOf(hit: Scored, situation: Situation, rule: InjectRule): Relevance {
  const probability = probabilityOf(hit, situation, rule);
  const { from, perTenfold, sure, margin } = judgeOf(situation, rule).tell;
  const size = Math.min(MAX_TELL_SIZE, Math.max(MIN_TELL_SIZE, situation.size));
  const isTold = probability >= sure || answerable(situation, rule) >= from + perTenfold * size;
  const isNearBest = hit.score >= situation.best - margin;
  return isTold && isNearBest ? labelScore(probability, rule) : 'low';
}

/** Sizes beyond which it is told no more, or less, readily. */
const MIN_TELL_SIZE = -1.3;
const MAX_TELL_SIZE = 2;
