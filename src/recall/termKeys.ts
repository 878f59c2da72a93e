/**
 * Terms as numbers, so that those of a query and of a turn are compared as sorted arrays and not as words: hundreds of
 * turns are scored for each utterance.
 */

/** What a text holds: the keys of its terms, ascending, and how often each occurs. */
export interface CountedTerms {
  readonly keys: Float64Array;
  readonly counts: Uint16Array;
}

/** 53 bits of the term: two terms share a key once in 10^16 pairs. (bryc's cyrb53, public domain) */
export function termKey(term: string): number {
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  for (let i = 0; i < term.length; i++) {
    const unit = term.charCodeAt(i);
    high = Math.imul(high ^ unit, 2_654_435_761);
    low = Math.imul(low ^ unit, 1_597_334_677);
  }
  high = Math.imul(high ^ (high >>> 16), 2_246_822_507) ^ Math.imul(low ^ (low >>> 13), 3_266_489_909);
  low = Math.imul(low ^ (low >>> 16), 2_246_822_507) ^ Math.imul(high ^ (high >>> 13), 3_266_489_909);
  return 4_294_967_296 * (2_097_151 & low) + (high >>> 0);
}

export function countTerms(terms: readonly string[]): CountedTerms {
  const all = Float64Array.from(terms, termKey).sort();
  const keys = new Float64Array(all.length);
  const counts = new Uint16Array(all.length);
  let size = 0;
  for (const key of all) {
    if (size > 0 && keys[size - 1] === key) counts[size - 1] = Math.min(65_535, counts[size - 1]! + 1);
    else {
      keys[size] = key;
      counts[size++] = 1;
    }
  }
  return { keys: keys.slice(0, size), counts: counts.slice(0, size) };
}
