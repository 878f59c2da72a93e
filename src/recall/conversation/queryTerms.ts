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
  /** Places of the terms that occur, among the query's, ascending. */
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
    const keys = terms.map(termKey);
    this.#places = keys.map((_, place) => place).sort((a, b) => keys[a]! - keys[b]!);
    this.#keys = Float64Array.from(this.#places, (place) => keys[place]!);
    this.#averageLength = Math.max(statistics.averageLength, CONVERSATION.lengthFloor);
    this.ideal = terms.reduce((sum, term) => sum + weigh(term), 0);
    this.termCount = terms.filter((term) => weights.has(term)).length;
    this.#weights = Float64Array.from(terms, (term) => (frequency(term) > 0 ? weigh(term) : 0));
  }

  count({ terms, length }: Document): TermCounts {
    const places: number[] = [];
    const counts: number[] = [];
    const wanted = this.#keys;
    const { keys } = terms;
    for (let i = 0, j = 0; i < wanted.length && j < keys.length;) {
      if (wanted[i]! < keys[j]!) i++;
      else if (wanted[i]! > keys[j]!) j++;
      else insert(places, counts, this.#places[i++]!, terms.counts[j++]!);
    }
    return { places, counts, length };
  }

  /** Of documents read as one. */
  score(...parts: readonly TermCounts[]): number {
    const { k1, b } = CONVERSATION.bm25;
    const { places, counts, length } = asOne(parts);
    const norm = 1 - b + (b * Math.max(length, CONVERSATION.lengthFloor)) / this.#averageLength;
    let score = 0;
    for (let i = 0; i < places.length; i++) {
      const count = counts[i]!;
      score += (this.#weights[places[i]!]! * count * (k1 + 1)) / (count + k1 * norm);
    }
    return score;
  }

  /** Σ weight × idf of the terms that any of the documents holds. */
  held(documents: readonly TermCounts[]): number {
    let held = 0;
    for (const place of asOne(documents).places) held += this.#weights[place]!;
    return held;
  }

  /** Σ weight × idf × n/(n+1), n = how many of the documents hold the term: what they cover together. */
  cover(documents: readonly TermCounts[]): number {
    const holding = new Float64Array(this.#weights.length);
    for (const { places } of documents) for (const place of places) holding[place] = holding[place]! + 1;
    return holding.reduce((cover, n, place) => cover + (this.#weights[place]! * n) / (n + 1), 0);
  }
}

/** In the query's own order: sums of fractions depend on theirs. A document holds few of its terms. */
function insert(places: number[], counts: number[], place: number, count: number): void {
  let at = places.length;
  for (; at > 0 && places[at - 1]! > place; at--) {
    places[at] = places[at - 1]!;
    counts[at] = counts[at - 1]!;
  }
  places[at] = place;
  counts[at] = count;
}

const NOTHING: TermCounts = { places: [], counts: [], length: 0 };

/** The terms of documents read as one. */
function asOne(documents: readonly TermCounts[]): TermCounts {
  let whole = documents[0] ?? NOTHING;
  for (let i = 1; i < documents.length; i++) whole = join(whole, documents[i]!);
  return whole;
}

function join(a: TermCounts, b: TermCounts): TermCounts {
  const places: number[] = [];
  const counts: number[] = [];
  const [endA, endB] = [a.places.length, b.places.length];
  for (let i = 0, j = 0; i < endA || j < endB;) {
    const [inA, inB] = [i < endA ? a.places[i]! : Infinity, j < endB ? b.places[j]! : Infinity];
    places.push(Math.min(inA, inB));
    counts.push((inA <= inB ? a.counts[i++]! : 0) + (inB <= inA ? b.counts[j++]! : 0));
  }
  return { places, counts, length: a.length + b.length };
}
