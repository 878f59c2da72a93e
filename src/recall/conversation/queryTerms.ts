import type { TextStatistics } from '../../store/store.ts';
import { terms } from '../../text/text.ts';
import type { Question } from '../types.ts';
import type { Document } from '../documents.ts';
import { CONVERSATION } from './profile.ts';

/** What is searched for: each term with its weight (1 in the utterance, less in the context). */
export function weighTerms(question: Question): Map<string, number> {
  const { contextWeight, contextDecay, contextLines } = CONVERSATION;
  const weights = new Map(terms(question.utterance).map((term) => [term, 1]));
  question.context
    .slice(-contextLines)
    .reverse()
    .forEach((line, back) => {
      const weight = contextWeight * contextDecay ** back;
      for (const term of terms(line.text)) weights.set(term, Math.max(weight, weights.get(term) ?? 0));
    });
  return weights;
}

/** BM25 of documents for one query, with the memory's own statistics. */
export class Bm25 {
  /** Weight × idf of each term that the memory knows. */
  readonly #idf = new Map<string, number>();
  readonly #averageLength: number;
  /** Σ weight × idf over all terms, unknown ones at the highest idf: the most that could be known. */
  readonly ideal: number;

  constructor(weights: ReadonlyMap<string, number>, statistics: TextStatistics) {
    this.#averageLength = Math.max(statistics.averageLength, CONVERSATION.lengthFloor);
    const total = statistics.documents;
    let ideal = 0;
    for (const [term, weight] of weights) {
      const documents = statistics.documentFrequency.get(term);
      const idf = weight * Math.log(1 + (total - (documents ?? 0) + 0.5) / ((documents ?? 0) + 0.5));
      ideal += idf;
      if (documents !== undefined) this.#idf.set(term, idf);
    }
    this.ideal = ideal;
  }

  /** Of documents read as one. */
  score(...documents: readonly Document[]): number {
    let score = 0;
    const { k1 } = CONVERSATION.bm25;
    const saturation = k1 * this.#lengthNorm(documents);
    for (const [term, idf] of this.#idf) {
      let count = 0;
      for (const document of documents) count += document.termCounts.get(term) ?? 0;
      if (count > 0) score += (idf * count * (k1 + 1)) / (count + saturation);
    }
    return score;
  }

  #lengthNorm(documents: readonly Document[]): number {
    const { b } = CONVERSATION.bm25;
    const length = documents.reduce((sum, document) => sum + document.length, 0);
    return 1 - b + (b * Math.max(length, CONVERSATION.lengthFloor)) / this.#averageLength;
  }
}
