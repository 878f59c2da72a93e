/**
 * Similarity of two texts by their spelling, from sketches that are computed once: one permutation hashing. (Li,
 * Owen, Zhang 2012)
 * Each distinct character n-gram falls into one of 128 bins by some bits of its hash; a bin keeps the smallest of
 * the other bits. The share of equal bins of two texts approximates the Jaccard index of their sets of n-grams.
 */
import { gramsOf } from './similarity.ts';

const BINS = 128;
const EMPTY = 0xffff;

export interface Sketch {
  /** The smallest hash of each bin; 65,535 if it is empty. */
  readonly bins: Uint16Array;
  /** The numbers of the text, in order. */
  readonly digits: string;
  /** The number of n-grams, with repeats. */
  readonly length: number;
}

/** n-grams have three characters in alphabets and two in Chinese, Japanese and Korean; ignores case, width, punctuation. */
export function sketchOf(text: string): Sketch {
  const bins = new Uint16Array(BINS).fill(EMPTY);
  const grams = gramsOf(text);
  for (const gram of grams) {
    const hash = mix(gram);
    const bin = hash & (BINS - 1);
    bins[bin] = Math.min(bins[bin]!, (hash >>> 8) % EMPTY);
  }
  return { bins, digits: text.normalize('NFKC').replace(/\D+/gu, ' ').trim(), length: grams.length };
}

/** About the Dice coefficient 2·|A ∩ B| / (|A| + |B|) of the sets of n-grams, 0..1; 0 if the texts name other numbers. */
export function sketchLikeness(one: Sketch, other: Sketch): number {
  if (nameOtherNumbers(one, other)) return 0;
  let filled = 0;
  let equal = 0;
  for (let bin = 0; bin < BINS; bin++) {
    const [a, b] = [one.bins[bin]!, other.bins[bin]!];
    if (a === EMPTY && b === EMPTY) continue;
    filled++;
    if (a === b) equal++;
  }
  return filled === 0 ? 0 : (2 * equal) / (filled + equal);
}

/** “70 kg” and “72 kg” are not the same, however similar the rest is. */
export function nameOtherNumbers(one: Sketch, other: Sketch): boolean {
  return one.digits !== '' && other.digits !== '' && one.digits !== other.digits;
}

/** Makes every bit of the result depend on every bit of the hash. (MurmurHash3's finaliser) */
function mix(hash: number): number {
  let mixed = hash ^ (hash >>> 16);
  mixed = Math.imul(mixed, 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
