import { randomFillSync } from 'node:crypto';

/** Of terms. A difference within one is missed once in 2⁶². */
const BUCKETS = 65_536;

/**
 * How many units contain each term, reduced to a fixed size: terms fall into buckets, and each bucket keeps the sum of
 * its terms' hashes times their numbers of units, in any order. `differing` tells which buckets of two digests are not the
 * same; only the terms of those have to be counted one by one.
 */
export class TermDigest {
  /** Random, so that whoever changes a file cannot choose changes that cancel each other out. */
  readonly #seed: Uint32Array;
  readonly #sums = new Int32Array(2 * BUCKETS);

  /** @param like a digest that this one is compared with */
  constructor(like?: TermDigest) {
    this.#seed = like ? like.#seed : randomFillSync(new Uint32Array(6));
  }

  add(term: string, documents = 1): void {
    const place = 2 * this.bucketOf(term);
    // Times an odd number: a count with one bit changed gives another product.
    const a = this.#hash(term, 1) | 1;
    const b = this.#hash(term, 2) | 1;
    const low = documents | 0;
    const high = Math.floor((documents - (documents >>> 0)) / 2 ** 32);
    this.#add(place, Math.imul(a, low) + Math.imul(b, high));
    this.#add(place + 1, Math.imul(b, low) + Math.imul(a, high));
  }

  /** The buckets that are not the same in both. */
  differing(other: TermDigest): number[] {
    const [own, others] = [this.#sums, other.#sums];
    const buckets: number[] = [];
    // No function calls: they would take most of the time of verifying a small memory.
    for (let place = 0; place < own.length; place += 2) {
      if (own[place] !== others[place] || own[place + 1] !== others[place + 1]) buckets.push(place / 2);
    }
    return buckets;
  }

  bucketOf(term: string): number {
    return this.#hash(term, 0) >>> 16;
  }

  #add(place: number, value: number): void {
    this.#sums[place] = (this.#sums[place] ?? 0) + value;
  }

  /** One of three hashes of 32 bits. */
  #hash(term: string, which: number): number {
    const factor = (this.#seed[which] ?? 0) | 1;
    let value = this.#seed[which + 3] ?? 0;
    for (let i = 0; i < term.length; i++) value = mixed(value ^ term.charCodeAt(i), factor);
    return mixed(mixed(value, factor), factor);
  }
}

function mixed(value: number, factor: number): number {
  const product = Math.imul(value, factor);
  return product ^ (product >>> 15);
}
