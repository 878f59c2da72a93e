import type { TextStatistics } from '../../store/store.ts';
import { terms } from '../../text/text.ts';
import type { Document } from '../documents.ts';
import { termKey } from '../termKeys.ts';
import type { ContextLine } from '../types.ts';
import { commonRate } from './commonTerms.ts';
import { CONVERSATION } from '../conversationProfile.ts';

/**
 * What is searched for: each term with its weight. A term of the utterance weighs 1; one of the context what its lines
 * give it together, at most 1.
 * @param ownTerms of the utterance
 * @param leans whether the utterance refers to what was said before
 */
export function weighTerms(
  ownTerms: readonly string[],
  context: readonly ContextLine[],
  leans: boolean,
): Map<string, number> {
  const { contextDecay, contextLeast, contextLines, contextWeight } = CONVERSATION;
  const nearest = leans ? contextWeight.leaning : contextWeight.standing;
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

/** Which of the query's terms occur in a document and how often, and the document's length. */
export interface TermCounts {
  /** Places of the terms that occur, among the query's. */
  readonly places: readonly number[];
  /** How often, one for each place. */
  readonly counts: readonly number[];
  readonly length: number;
}

/** BM25 for one query, with the memory's statistics and, while it is small, those of language at large. (Robertson, Zaragoza 2009) */
export class Bm25 {
  /** Keys of the terms, ascending, and each one's place among the query's. */
  readonly #keys: Float64Array;
  readonly #places: readonly number[];
  /** Room for adding up; all zeros between uses. */
  readonly #totals: Float64Array;
  /** Weight × idf of each term; 0 for those the memory does not know. */
  readonly #weights: Float64Array;
  readonly #averageLength: number;
  /** Σ weight × idf, terms that the memory does not know at the highest idf: the most that could be known. */
  readonly ideal: number;
  /** Terms that weigh anything, known or not. */
  readonly termCount: number;

  /**
   * @param terms in which order they are counted; those without a weight count for nothing
   * @param assumedTurns turns of language at large that the memory's are joined with
   */
  constructor(
    terms: readonly string[],
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
    this.#totals = new Float64Array(terms.length);
    const keys = terms.map(termKey);
    this.#places = keys.map((_, place) => place).sort((a, b) => keys[a]! - keys[b]!);
    this.#keys = Float64Array.from(this.#places, (place) => keys[place]!);
    this.#averageLength = Math.max(statistics.averageLength, CONVERSATION.lengthFloor);
    this.ideal = terms.reduce((sum, term) => sum + weigh(term), 0);
    this.termCount = terms.filter((term) => weights.has(term)).length;
    this.#weights = Float64Array.from(terms, (term) => (frequency(term) > 0 ? weigh(term) : 0));
  }

  count({ terms, length }: Document): TermCounts {
    const found: { place: number; count: number }[] = [];
    const wanted = this.#keys;
    const { keys, counts } = terms;
    for (let i = 0, j = 0; i < wanted.length && j < keys.length;) {
      if (wanted[i]! < keys[j]!) i++;
      else if (wanted[i]! > keys[j]!) j++;
      else found.push({ place: this.#places[i++]!, count: counts[j++]! });
    }
    // In the query's own order: sums of fractions depend on theirs.
    found.sort((a, b) => a.place - b.place);
    return { places: found.map(({ place }) => place), counts: found.map(({ count }) => count), length };
  }

  /** Of documents read as one. */
  score(...parts: readonly TermCounts[]): number {
    const { k1, b } = CONVERSATION.bm25;
    let length = 0;
    for (const part of parts) length += part.length;
    const norm = 1 - b + (b * Math.max(length, CONVERSATION.lengthFloor)) / this.#averageLength;
    let score = 0;
    this.#forEachTerm(parts, (place, count) => {
      score += (this.#weights[place]! * count * (k1 + 1)) / (count + k1 * norm);
    });
    return score;
  }

  /** Σ weight × idf of the terms that any of the documents holds. */
  held(documents: readonly TermCounts[]): number {
    let held = 0;
    this.#forEachTerm(documents, (place) => {
      held += this.#weights[place]!;
    });
    return held;
  }

  /** Σ weight × idf × n/(n+1), n = how many of the documents hold the term: what they cover together. */
  cover(documents: readonly TermCounts[]): number {
    const holding = new Float64Array(this.#weights.length);
    for (const { places } of documents) for (const place of places) holding[place] = holding[place]! + 1;
    return holding.reduce((cover, n, place) => cover + (this.#weights[place]! * n) / (n + 1), 0);
  }

  /** Calls back once for each term that occurs in any of the parts, with how often it does in all, in no order. */
  #forEachTerm(parts: readonly TermCounts[], visit: (place: number, count: number) => void): void {
    const [only, ...others] = parts;
    if (only && others.length === 0) {
      for (let i = 0; i < only.places.length; i++) visit(only.places[i]!, only.counts[i]!);
      return;
    }
    const totals = this.#totals;
    const touched: number[] = [];
    for (const { places, counts } of parts) {
      for (let i = 0; i < places.length; i++) {
        const place = places[i]!;
        if (totals[place] === 0) touched.push(place);
        totals[place] = totals[place]! + counts[i]!;
      }
    }
    for (const place of touched.sort((a, b) => a - b)) {
      visit(place, totals[place]!);
      totals[place] = 0;
    }
  }
}
