import type { TextStatistics } from '../../store/store.ts';
import { terms } from '../../text/text.ts';
import type { Document } from '../documents.ts';
import { TermTable, type TermCounts } from '../termCounts.ts';
import type { ContextLine } from '../types.ts';
import { commonRate } from '../commonTerms.ts';
import { CONVERSATION } from '../conversationProfile.ts';

/**
 * The terms to search for, with weights. A term of the utterance weighs 1. A context term weighs the sum over the lines
 * that contain it, at most 1.
 * @param ownTerms terms of the utterance
 * @param dependsOnContext whether the utterance refers to earlier lines
 */
export function weighTerms(
  ownTerms: readonly string[],
  context: readonly ContextLine[],
  dependsOnContext: boolean,
): Map<string, number> {
  const { contextDecay, contextLeast, contextLines, contextWeight } = CONVERSATION;
  const nearest = dependsOnContext ? contextWeight.leaning : contextWeight.standing;
  const weights = new Map<string, number>();
  context
    .slice(-contextLines)
    .toReversed()
    .forEach((line, back) => {
      const weight = nearest * contextDecay ** back;
      for (const term of new Set(terms(line.text))) {
        weights.set(term, Math.min(1, weight + (weights.get(term) ?? 0)));
      }
    });
  for (const [term, weight] of weights) if (weight < contextLeast) weights.delete(term);
  for (const term of ownTerms) weights.set(term, 1);
  return weights;
}

/** The nats that one unit of words has, given the greatest BM25 score (nats) of any candidate. */
export function wordsUnitOf(best: number): number {
  const { nats, most } = CONVERSATION.wordsUnit;
  return Math.max(nats, best / most);
}

/** Stands for a missing neighbouring turn. */
export const NONE = -1;

/** How often each query term occurs in each turn. Turns are addressed by their index. */
export class CountedTurns {
  readonly terms: readonly string[];
  readonly counts: TermCounts;
  /** Number of terms of each turn. */
  readonly lengths: Uint32Array;

  constructor(terms: readonly string[], turns: readonly Pick<Document, 'terms' | 'length'>[]) {
    this.terms = terms;
    this.counts = new TermTable(terms).countIn(turns.map((turn) => turn.terms));
    this.lengths = Uint32Array.from(turns, (turn) => turn.length);
  }

  /** Whether any of the turns contains this term of the query. */
  contains(term: string): boolean {
    const { starts, places } = this.counts;
    const place = this.terms.indexOf(term);
    return place !== -1 && places.subarray(0, starts.at(-1)).includes(place);
  }
}

/**
 * BM25 for one query, with the memory's statistics and, while it is small, general language statistics. (Robertson,
 * Zaragoza 2009)
 */
export class Bm25 {
  readonly #counts: TermCounts;
  readonly #lengths: Uint32Array;
  /** Weight × idf of each term; 0 for terms that are not in the memory. */
  readonly #weights: Float64Array;
  /** Scratch space: how often each term occurs in the text being scored. All zero between calls. */
  readonly #sum: Float64Array;
  readonly #averageLength: number;
  /** Σ weight × idf, with the highest idf for terms that are not in the memory: the maximum possible score. */
  readonly ideal: number;
  /** The part of `ideal` whose terms are in the memory. */
  readonly known: number;
  /** Number of terms with a weight above 0, in the memory or not. */
  readonly termCount: number;

  /**
   * @param weights terms without a weight are ignored
   * @param assumedTurns number of turns of general language added to the memory's statistics
   */
  constructor(
    { terms, counts, lengths }: CountedTurns,
    weights: ReadonlyMap<string, number>,
    statistics: TextStatistics,
    assumedTurns: number = CONVERSATION.assumedTurns,
  ) {
    const turns = statistics.documents + assumedTurns;
    const frequency = (term: string) => statistics.documentFrequency.get(term) ?? 0;
    const idf = (term: string) => {
      const holding = frequency(term) + assumedTurns * commonRate(term, statistics.averageLength);
      return Math.log(1 + (turns - holding + 0.5) / (holding + 0.5));
    };
    const weigh = (term: string) => (weights.get(term) ?? 0) * idf(term);
    this.#counts = counts;
    this.#lengths = lengths;
    this.#sum = new Float64Array(terms.length);
    this.#averageLength = Math.max(statistics.averageLength, CONVERSATION.lengthFloor);
    this.ideal = terms.reduce((sum, term) => sum + weigh(term), 0);
    this.termCount = terms.filter((term) => weights.has(term)).length;
    this.#weights = Float64Array.from(terms, (term) => (frequency(term) > 0 ? weigh(term) : 0));
    this.known = this.#weights.reduce((sum, weight) => sum + weight, 0);
  }

  /** The BM25 score of up to three turns read as one text. */
  score(turn: number, second: number = NONE, third: number = NONE): number {
    const { k1, b } = CONVERSATION.bm25;
    const sum = this.#sum;
    const length = this.#add(turn) + this.#add(second) + this.#add(third);
    const norm = 1 - b + (b * Math.max(length, CONVERSATION.lengthFloor)) / this.#averageLength;
    let score = 0;
    for (let place = 0; place < sum.length; place++) {
      const count = sum[place]!;
      if (count === 0) continue;
      score += (this.#weights[place]! * count * (k1 + 1)) / (count + k1 * norm);
      sum[place] = 0;
    }
    return score;
  }

  /** Adds the turn's term counts to `#sum` and returns the turn's length. */
  #add(turn: number): number {
    if (turn === NONE) return 0;
    const { starts, places, counts } = this.#counts;
    const end = starts[turn + 1]!;
    for (let i = starts[turn]!; i < end; i++) this.#sum[places[i]!]! += counts[i]!;
    return this.#lengths[turn]!;
  }

  /** Σ weight × idf of the terms that occur in any of the turns. */
  held(turns: readonly number[]): number {
    return this.#holding(turns).reduce((held, n, place) => (n > 0 ? held + this.#weights[place]! : held), 0);
  }

  /** Σ weight × idf × n/(n+1), n = number of turns that contain the term. */
  cover(turns: readonly number[]): number {
    return this.#holding(turns).reduce((cover, n, place) => cover + (this.#weights[place]! * n) / (n + 1), 0);
  }

  /** For each term, the number of turns that contain it. */
  #holding(turns: readonly number[]): Uint32Array {
    const { starts, places } = this.#counts;
    const holding = new Uint32Array(this.#weights.length);
    for (const turn of turns) {
      for (let i = starts[turn]!; i < starts[turn + 1]!; i++) holding[places[i]!]! += 1;
    }
    return holding;
  }
}
