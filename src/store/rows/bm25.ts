/** Search for words by BM25, the same in all stores. */

/** Parameters of term saturation and length normalisation, as in SQLite's FTS5. */
export const BM25 = { k1: 1.2, b: 0.75 } as const;
/** Minimum idf. Terms in most units tell nothing, but a search for them alone still needs an order. */
const MIN_IDF = 1e-6;
/**
 * Maximum number of postings read for each wanted result. Terms are taken rarest first up to this limit: common terms
 * cost most and tell least.
 */
export const POSTINGS_PER_RESULT = 50;
/** Minimum number of terms taken, whatever they cost. */
const MIN_TERMS = 3;

/** A term, and the number of units that contain it. */
export interface TermDocuments {
  /** The term, or the keyed hash that stands for it. */
  readonly term: string;
  readonly documents: number;
}

/** Of the text index. */
export interface TextTotals {
  readonly documents: number;
  readonly terms: number;
}

export function idfOf(documents: number, totals: TextTotals): number {
  return Math.max(MIN_IDF, Math.log((totals.documents - documents + 0.5) / (documents + 0.5)));
}

export function averageLengthOf({ documents, terms }: TextTotals): number {
  return Math.max(1, terms / Math.max(1, documents));
}

/** The score of a term that occurs in so many documents, in a unit that has it `times` times and has `length` terms. */
export function bm25(totals: TextTotals): (documents: number) => (times: number, length: number) => number {
  const { k1, b } = BM25;
  const averageLength = averageLengthOf(totals);
  return (documents) => {
    const idf = idfOf(documents, totals);
    return (times, length) =>
      (idf * times * (k1 + 1)) / (times + k1 * (1 - b + (b * length) / averageLength));
  };
}

/** The rarest terms that occur, up to the limit of postings. */
export function affordableTerms<Kept extends TermDocuments>(
  known: readonly Kept[],
  maxPostings: number,
): Kept[] {
  const byRarity = known.toSorted((a, b) => a.documents - b.documents || (a.term < b.term ? -1 : 1));
  const chosen: Kept[] = [];
  let postings = 0;
  for (const term of byRarity) {
    postings += term.documents;
    if (chosen.length >= MIN_TERMS && postings > maxPostings) break;
    chosen.push(term);
  }
  return chosen;
}
