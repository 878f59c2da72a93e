/**
 * Terms as numbers. Hundreds of turns are checked for the terms of one utterance, so the terms of many turns are stored
 * in one block of memory and not in separate objects.
 */

import type { TermVisitor } from '../text/text.ts';

const EMPTY = -1;
const MAX_COUNT = 65_535;

/** The distinct terms of one text, in a block: from `from` to before `to`. */
export interface CountedTerms {
  readonly block: TermBlock;
  readonly from: number;
  readonly to: number;
  /** Number of terms, including repeats. */
  readonly length: number;
}

/** The distinct terms of many texts, one text after the other. */
export class TermBlock {
  /**
   * `marks`: 16 bits of each term's hash, enough to reject most terms. Then the lower 32 and the upper 21 bits, and how
   * often the term occurs in its text.
   */
  marks = new Uint16Array(256);
  low = new Uint32Array(256);
  high = new Uint32Array(256);
  counts = new Uint16Array(256);
  #size = 0;
  /** Where the current text begins. */
  #from = 0;
  #length = 0;
  /** Indexes of the current text's terms by the low bits of their hashes. A slot with an index before `#from` is free. */
  #slots = new Int32Array(512).fill(EMPTY);
  readonly #add: TermVisitor = (source, from, to) => {
    this.#length++;
    hashRange(source, from, to);
    const slot = this.#slotOf(hashLow, hashHigh);
    const known = this.#slots[slot]!;
    if (known >= this.#from) {
      if (this.counts[known]! < MAX_COUNT) this.counts[known]!++;
      return;
    }
    this.#ensureCapacity(this.#size + 1);
    this.marks[this.#size] = hashLow;
    this.low[this.#size] = hashLow;
    this.high[this.#size] = hashHigh;
    this.counts[this.#size] = 1;
    this.#slots[slot] = this.#size++;
    if (2 * (this.#size - this.#from) > this.#slots.length) this.#growSlots();
  };

  /** Adds a text. @param visitTerms visits its terms, with repeats */
  add(visitTerms: (visit: TermVisitor) => void): CountedTerms {
    this.#from = this.#size;
    this.#length = 0;
    visitTerms(this.#add);
    return { block: this, from: this.#from, to: this.#size, length: this.#length };
  }

  #slotOf(low: number, high: number): number {
    const mask = this.#slots.length - 1;
    for (let slot = low & mask; ; slot = (slot + 1) & mask) {
      const known = this.#slots[slot]!;
      if (known < this.#from || (this.low[known] === low && this.high[known] === high)) return slot;
    }
  }

  #growSlots(): void {
    this.#slots = new Int32Array(2 * this.#slots.length).fill(EMPTY);
    for (let i = this.#from; i < this.#size; i++) this.#slots[this.#slotOf(this.low[i]!, this.high[i]!)] = i;
  }

  #ensureCapacity(size: number): void {
    if (size <= this.low.length) return;
    // Not twice as many: thousands of small memories have a block each.
    const room = Math.max(size, Math.ceil(1.25 * this.low.length));
    this.marks = grown(this.marks, new Uint16Array(room));
    this.low = grown(this.low, new Uint32Array(room));
    this.high = grown(this.high, new Uint32Array(room));
    this.counts = grown(this.counts, new Uint16Array(room));
  }
}

function grown<T extends Uint32Array | Uint16Array>(old: T, roomy: T): T {
  roomy.set(old);
  return roomy;
}

/** The terms to find, each with its index. */
export class TermTable {
  /** One bit for each mark: set if a term has it. */
  readonly #marks = new Uint32Array(2_048);
  /** Indexes by the low bits of the hash: open addressing, at most a quarter full. */
  readonly #slots: Int32Array;
  readonly #low: Uint32Array;
  readonly #high: Uint32Array;

  /** @param terms without duplicates */
  constructor(terms: readonly string[]) {
    const hashes = terms.map(hashOf);
    this.#low = Uint32Array.from(hashes, ({ low }) => low);
    this.#high = Uint32Array.from(hashes, ({ high }) => high);
    this.#slots = new Int32Array(2 ** Math.ceil(Math.log2(4 * terms.length + 4))).fill(EMPTY);
    const mask = this.#slots.length - 1;
    for (const [place, { low }] of hashes.entries()) {
      this.#marks[(low & 0xffff) >>> 5]! |= 1 << (low & 31);
      let slot = low & mask;
      while (this.#slots[slot] !== EMPTY) slot = (slot + 1) & mask;
      this.#slots[slot] = place;
    }
  }

  /** One loop without calls or allocations for each text: it runs for hundreds of texts. */
  countIn(texts: readonly CountedTerms[]): TermCounts {
    const max = texts.reduce((sum, { from, to }) => sum + to - from, 0);
    const starts = new Uint32Array(texts.length + 1);
    const places = new Uint32Array(max);
    const counts = new Uint16Array(max);
    const [slots, marks] = [this.#slots, this.#marks];
    const mask = slots.length - 1;
    const [wantedLow, wantedHigh] = [this.#low, this.#high];
    let size = 0;
    for (let text = 0; text < texts.length; text++) {
      const { block, from, to } = texts[text]!;
      for (let i = from; i < to; i++) {
        const mark = block.marks[i]!;
        if ((marks[mark >>> 5]! & (1 << (mark & 31))) === 0) continue;
        const low = block.low[i]!;
        let slot = low & mask;
        let place = slots[slot]!;
        while (place !== EMPTY && (wantedLow[place] !== low || wantedHigh[place] !== block.high[i])) {
          slot = (slot + 1) & mask;
          place = slots[slot]!;
        }
        if (place === EMPTY) continue;
        places[size] = place;
        counts[size++] = block.counts[i]!;
      }
      starts[text + 1] = size;
    }
    return { starts, places, counts };
  }
}

/**
 * Which of the wanted terms occur in each text, and how often. Those of text i are at `starts[i]` to before `starts[i +
 * 1]`, without duplicates, in no order.
 */
export interface TermCounts {
  readonly starts: Uint32Array;
  /** Index of the term in the table. */
  readonly places: Uint32Array;
  readonly counts: Uint16Array;
}

let hashLow = 0;
let hashHigh = 0;

/**
 * Sets `hashLow` and `hashHigh`, 53 bits: the chance that two terms collide is 1 in 10^16. (bryc's cyrb53, public
 * domain)
 */
function hashRange(source: string, from: number, to: number): void {
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  for (let i = from; i < to; i++) {
    const unit = source.charCodeAt(i);
    high = Math.imul(high ^ unit, 2_654_435_761);
    low = Math.imul(low ^ unit, 1_597_334_677);
  }
  high = Math.imul(high ^ (high >>> 16), 2_246_822_507) ^ Math.imul(low ^ (low >>> 13), 3_266_489_909);
  low = Math.imul(low ^ (low >>> 16), 2_246_822_507) ^ Math.imul(high ^ (high >>> 13), 3_266_489_909);
  hashLow = high >>> 0;
  hashHigh = 2_097_151 & low;
}

/** The hash of a whole term. */
export function hashOf(term: string): { low: number; high: number } {
  hashRange(term, 0, term.length);
  return { low: hashLow, high: hashHigh };
}
