/**
 * Terms as numbers. Hundreds of turns are checked for the terms of one utterance, so the terms of many turns are stored
 * in one block of memory and not in separate objects.
 */

/** The distinct terms of one text, in a block: from `from` to before `to`. */
export interface CountedTerms {
  readonly block: TermBlock;
  readonly from: number;
  readonly to: number;
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

  /** @param terms with repeats */
  add(terms: readonly string[]): CountedTerms {
    const times = new Map<string, number>();
    for (const term of terms) times.set(term, (times.get(term) ?? 0) + 1);
    const from = this.#size;
    this.#ensureCapacity(from + times.size);
    for (const [term, count] of times) {
      const hash = hashOf(term);
      this.marks[this.#size] = hash.low;
      this.low[this.#size] = hash.low;
      this.high[this.#size] = hash.high;
      this.counts[this.#size++] = Math.min(65_535, count);
    }
    return { block: this, from, to: this.#size };
  }

  #ensureCapacity(size: number): void {
    if (size <= this.low.length) return;
    const room = Math.max(size, 2 * this.low.length);
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

const EMPTY = -1;

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

/** 53 bits: the chance that two terms collide is 1 in 10^16. (bryc's cyrb53, public domain) */
export function hashOf(term: string): { low: number; high: number } {
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  for (let i = 0; i < term.length; i++) {
    const unit = term.charCodeAt(i);
    high = Math.imul(high ^ unit, 2_654_435_761);
    low = Math.imul(low ^ unit, 1_597_334_677);
  }
  high = Math.imul(high ^ (high >>> 16), 2_246_822_507) ^ Math.imul(low ^ (low >>> 13), 3_266_489_909);
  low = Math.imul(low ^ (low >>> 16), 2_246_822_507) ^ Math.imul(high ^ (high >>> 13), 3_266_489_909);
  return { low: high >>> 0, high: 2_097_151 & low };
}
