import type { TextStatistics } from '../../store/store.ts';
import { terms } from '../../text/text.ts';
import type { Document } from '../documents.ts';
import type { ContextLine } from '../types.ts';
import { CONVERSATION } from './profile.ts';

/**
 * What is searched for: each term with its weight. A term of the utterance weighs 1; one of the context what its lines
 * give it together, at most 1.
 * @param leans whether the utterance refers to what was said before
 */
export function weighTerms(
  utterance: string,
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
  for (const term of terms(utterance)) weights.set(term, 1);
  return weights;
}

/** How often each of the query's terms occurs in a document, and the document's length. */
export interface TermCounts {
  readonly counts: Float64Array;
  readonly length: number;
}

/** BM25 for one query, with the memory's own statistics. (Robertson, Zaragoza 2009) */
export class Bm25 {
  readonly #terms: readonly string[];
  readonly #places: ReadonlyMap<string, number>;
  /** Weight × idf of each term; 0 for those the memory does not know. */
  readonly #weights: Float64Array;
  readonly #averageLength: number;
  /** Σ weight × idf, terms that the memory does not know at the highest idf: the most that could be known. */
  readonly ideal: number;
  /** Terms that weigh anything, known or not. */
  readonly termCount: number;

  /** @param terms in which order they are counted; those without a weight count for nothing */
  constructor(terms: readonly string[], weights: ReadonlyMap<string, number>, statistics: TextStatistics) {
    const idf = (documents: number) =>
      Math.log(1 + (statistics.documents - documents + 0.5) / (documents + 0.5));
    const frequency = (term: string) => statistics.documentFrequency.get(term) ?? 0;
    const weigh = (term: string) => (weights.get(term) ?? 0) * idf(frequency(term));
    this.#terms = terms;
    this.#places = new Map(terms.map((term, i) => [term, i]));
    this.#averageLength = Math.max(statistics.averageLength, CONVERSATION.lengthFloor);
    this.ideal = terms.reduce((sum, term) => sum + weigh(term), 0);
    this.termCount = terms.filter((term) => weights.has(term)).length;
    this.#weights = Float64Array.from(terms, (term) => (frequency(term) > 0 ? weigh(term) : 0));
  }

  count(document: Document): TermCounts {
    const { termCounts, length } = document;
    const counts = new Float64Array(this.#terms.length);
    // Whichever is shorter is gone through: a query with its context often has more terms than a turn.
    if (termCounts.size < counts.length) {
      for (const [term, count] of termCounts) {
        const place = this.#places.get(term);
        if (place !== undefined) counts[place] = count;
      }
    } else {
      for (let i = 0; i < counts.length; i++) counts[i] = termCounts.get(this.#terms[i]!) ?? 0;
    }
    return { counts, length };
  }

  /** Of documents read as one. */
  score(...parts: readonly TermCounts[]): number {
    const { k1, b } = CONVERSATION.bm25;
    let length = 0;
    for (const part of parts) length += part.length;
    const norm = 1 - b + (b * Math.max(length, CONVERSATION.lengthFloor)) / this.#averageLength;
    let score = 0;
    for (let i = 0; i < this.#weights.length; i++) {
      let count = 0;
      for (const part of parts) count += part.counts[i]!;
      if (count > 0 && this.#weights[i]! > 0)
        score += (this.#weights[i]! * count * (k1 + 1)) / (count + k1 * norm);
    }
    return score;
  }

  /** Σ weight × idf of the terms that any of the documents holds. */
  held(documents: readonly TermCounts[]): number {
    let held = 0;
    for (let i = 0; i < this.#weights.length; i++) {
      if (documents.some(({ counts }) => counts[i]! > 0)) held += this.#weights[i]!;
    }
    return held;
  }

  /** Σ weight × idf × n/(n+1), n = how many of the documents hold the term: what they cover together. */
  cover(documents: readonly TermCounts[]): number {
    let cover = 0;
    for (let i = 0; i < this.#weights.length; i++) {
      let holding = 0;
      for (const document of documents) if (document.counts[i]! > 0) holding += 1;
      cover += (this.#weights[i]! * holding) / (holding + 1);
    }
    return cover;
  }
}
