/**
 * Two logistic models: whether the memory contains anything for an utterance, and how likely each hit is relevant. See
 * docs/decisions/0005.
 */
import type { Language } from '../../text/text.ts';
import type { Address } from '../address.ts';
import type { AnswerableWeights, InjectRule, Judge } from '../conversationProfile.ts';
import type { Relevance, Scored } from '../types.ts';
import { labelScore } from '../judge.ts';
import { NONE, type Bm25 } from './queryTerms.ts';
import type { Turns } from './turns.ts';

/** Evidence that the memory contains something for the utterance. */
export interface Situation {
  readonly address: Address;
  /** The utterance refers to a known thing by its kind only (“that trip”). */
  readonly refers: boolean;
  readonly language: Language;
  /** It asks about a name that the memory has never heard. */
  readonly asksAboutUnknown: boolean;
  /** The largest share of the utterance's term weight that one of the best hits contains, including its neighbouring turns. */
  readonly covered: number;
  /** The share that the best hit itself contains. */
  readonly coveredByBest: number;
  /** The weight of that largest share. */
  readonly held: number;
  /** The share of the utterance's term weight whose terms occur in the memory. */
  readonly known: number;
  /** The best score minus the mean score of ranks 2 to 20. */
  readonly lead: number;
  /** The greatest cosine of a candidate with the query, on the scale of the bundled embedder; null without vectors. */
  readonly nearest: number | null;
  /** Number of units in the memory, and log10 of a hundredth of it. */
  readonly documents: number;
  readonly size: number;
  /** The best score. */
  readonly best: number;
  /**
   * Logarithm of Σ e^score over the turns among the candidates; over all of them if there is no turn. A fact or a
   * summary repeats turns: it is no rival that makes them less likely.
   */
  readonly competition: number;
}

const HITS_COVERED = 5;
const RANKS_COMPARED = 20;
const MIN_DOCUMENTS = 5;

/**
 * @param scored the candidates, best first
 * @param own BM25 for the terms of the utterance only: terms that only the context shares with a unit are no evidence
 */
export function situationOf(
  scored: readonly Scored[],
  turns: Turns,
  own: Bm25,
  given: Pick<Situation, 'asksAboutUnknown' | 'address' | 'language' | 'refers' | 'documents' | 'nearest'>,
): Situation {
  const ideal = Math.max(1e-9, own.ideal);
  const shares = scored.slice(0, HITS_COVERED).map(({ unitId }) => {
    const turn = turns.places.get(unitId) as number;
    return own.held([turn, turns.before[turn]!, turns.after[turn]!].filter((place) => place !== NONE));
  });
  const held = Math.max(0, ...shares);
  const { documents } = given;
  const top = scored[0]?.score ?? 0;
  const said = scored.filter((one) => isTurn(one, turns));
  const rivals = said.length > 0 ? said : scored;
  const others = rivals.filter((one) => one !== scored[0]).slice(0, RANKS_COMPARED - 1);
  // Units that no search found count with score 0.
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
    competition: top + Math.log(rivals.reduce((sum, { score }) => sum + Math.exp(score - top), 0) || 1),
  };
}

function isTurn({ unitId }: Scored, turns: Turns): boolean {
  return (turns.documents[turns.places.get(unitId) as number]?.turnIndex ?? null) !== null;
}

/** Log odds that the memory contains something for the utterance. */
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
    nameWeight(situation, weights) +
    weights.constant +
    youngMemoryBonus(covered, situation, rule.young)
  );
}

/** Log odds for a name that the memory has never heard. */
function nameWeight({ asksAboutUnknown }: Situation, weights: AnswerableWeights): number {
  return asksAboutUnknown ? weights.unknownName : 0;
}

/** Separate models for keyword search only, and for keyword and vector search. */
function judgeOf({ nearest }: Situation, rule: InjectRule): Judge {
  return nearest === null ? rule.wordsAlone : rule;
}

/** Log odds added in a young memory for the share of the utterance that is covered. */
function youngMemoryBonus(
  covered: number,
  { documents, refers }: Situation,
  young: InjectRule['young'],
): number {
  const youth = Math.max(0, 1 - documents / young.documents);
  return young.bonus * youth * (refers ? 1 : Math.min(1, covered / young.covered));
}

/** The probability that a hit is relevant, 0..1. */
export function probabilityOf({ score, features }: Scored, situation: Situation, rule: InjectRule): number {
  const { young } = rule;
  const { matters, answerable: weights } = judgeOf(situation, rule);
  const covered = features['covered'] ?? 0;
  // Whatever else fits: what is told of somebody else is not what was asked.
  const name = nameWeight(situation, weights);
  // In a young memory, use the hit's own overlap and not that of another hit.
  const known =
    answerable(situation, rule) -
    youngMemoryBonus(situation.covered, situation, young) +
    youngMemoryBonus(covered, situation, young);
  // A unit that is not a turn is not part of the sum, and may score more than all turns together.
  const share = Math.min(0, Math.max(MIN_SHARE, score - situation.competition));
  const logOdds =
    matters.share * share +
    matters.answerable * (known - name) +
    name +
    matters.cosine * (features['cosine'] ?? 0) +
    matters.covered * covered +
    matters.constant;
  return 1 / (1 + Math.exp(-logOdds));
}

/** Logarithm of the smallest share that is distinguished from 0. */
const MIN_SHARE = Math.log(1e-6);

/**
 * The label of a hit. If the memory seems to contain nothing for the utterance, all hits except certain ones are low.
 * Hits far below the best one are low too.
 */
export function labelOf(hit: Scored, situation: Situation, rule: InjectRule): Relevance {
  const probability = probabilityOf(hit, situation, rule);
  const { from, perTenfold, sure, margin } = judgeOf(situation, rule).tell;
  const size = Math.min(MAX_SIZE_FEATURE, Math.max(MIN_SIZE_FEATURE, situation.size));
  const isInjected = probability >= sure || answerable(situation, rule) >= from + perTenfold * size;
  const isNearBest = hit.score >= situation.best - margin;
  return isInjected && isNearBest ? labelScore(probability, rule) : 'low';
}

/** Limits of the size feature: outside of them the threshold stays constant. */
const MIN_SIZE_FEATURE = -1.3;
const MAX_SIZE_FEATURE = 2;
