/** What the text index in tables and its copy in memory compute alike. */

/** BM25 parameters: term saturation and length normalisation. */
export const K1 = 1.2;
export const B = 0.75;
/** Minimum idf. Terms in most units tell nothing, but a search for them alone still needs an order. */
const MIN_IDF = 1e-6;
/**
 * Maximum number of postings read for each wanted result. Terms are taken rarest first up to this limit: common terms
 * cost most and tell least.
 */
export const POSTINGS_PER_RESULT = 50;
/** Minimum number of terms taken, whatever they cost. */
const MIN_TERMS = 3;
/** Of the hash of a term, in hexadecimal digits. */
export const TERM_HASH_LENGTH = 16;

export interface Term {
  /** The original term. */
  readonly term: string;
  readonly id: number;
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
  const averageLength = averageLengthOf(totals);
  return (documents) => {
    const idf = idfOf(documents, totals);
    return (times, length) =>
      (idf * times * (K1 + 1)) / (times + K1 * (1 - B + (B * length) / averageLength));
  };
}

/** The rarest terms that occur, up to the limit of postings. */
export function affordable<Kept extends Term>(known: readonly Kept[], maxPostings: number): Kept[] {
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
