/** Similarity of two texts by their spelling: Dice coefficients of their character n-grams. */
import { foldForSearch } from './terms.ts';

/** With fewer 3-grams in the query, agreement means little and is scaled down in proportion. */
const FULL_QUERY_TRIGRAMS = 30;

/** Compares one text, prepared once, with many others. */
export type Comparison = (text: string) => number;

/**
 * Similarity to `query`, 0..1: the Dice coefficient 2·|A ∩ B| / (|A| + |B|) of the bags of character n-grams, of
 * three characters in alphabets and of two in Chinese, Japanese or Korean. Ignores case, width and punctuation.
 */
export function diceWith(query: string): Comparison {
  return compareGrams(query, scriptWidth);
}

/**
 * The `lexical` feature of the specified profiles, 0..1: Dice of character 3-grams in every script × min(1, |query 3-grams| / 30).
 */
export function lexicalSimilarityWith(query: string): Comparison {
  const trust = Math.min(1, gramsOf(query, () => 3).length / FULL_QUERY_TRIGRAMS);
  const compare = compareGrams(query, () => 3);
  return (text) => trust * compare(text);
}

type GramWidth = (unit: number) => number;

function scriptWidth(unit: number): number {
  return unit >= 0x2e80 ? 2 : 3;
}

function compareGrams(query: string, width: GramWidth): Comparison {
  const wanted = gramsOf(query, width);
  const counts = new Map<number, number>();
  for (const gram of wanted) counts.set(gram, (counts.get(gram) ?? 0) + 1);
  return (text) => {
    const grams = gramsOf(text, width);
    if (grams.length === 0 || wanted.length === 0) return 0;
    return (2 * sharedCount(grams, counts)) / (grams.length + wanted.length);
  };
}

/** Size of the intersection of the two bags. */
function sharedCount(grams: readonly number[], counts: ReadonlyMap<number, number>): number {
  const used = new Map<number, number>();
  let shared = 0;
  for (const gram of grams) {
    const available = counts.get(gram);
    if (available === undefined) continue;
    const taken = used.get(gram) ?? 0;
    if (taken >= available) continue;
    used.set(gram, taken + 1);
    shared++;
  }
  return shared;
}

/** Every n-gram of the letters and digits of `text`, with words separated by one space, each as a 32-bit hash. */
export function gramsOf(text: string, width: GramWidth = scriptWidth): number[] {
  const letters = foldForSearch(text)
    .replace(/[^\p{L}\p{N}\p{M}]+/gu, ' ')
    .trim();
  const grams: number[] = [];
  for (let at = 0; at < letters.length; at++) {
    const first = letters.charCodeAt(at);
    const length = width(first);
    if (at + length > letters.length) continue;
    let hash = first;
    for (let next = 1; next < length; next++)
      hash = (Math.imul(hash, 0x9e3779b1) + letters.charCodeAt(at + next)) | 0;
    grams.push(hash);
  }
  return grams;
}
