/** Byte pair encoding: counts the vocabulary entries that a word is divided into. (Sennrich, Haddow, Birch 2016) */

/** A rank is an entry's number; lower ranks are merged first. This value means that the vocabulary has no such entry. */
const NO_RANK = 0x7fff_ffff;
const EMPTY = -1;
/** A slot holds a rank in its lower bits, and above them the upper bits of the hash: most other entries are told apart by those. */
const RANK_BITS = 18;
const RANK_MASK = 2 ** RANK_BITS - 1;

/**
 * A vocabulary, with all entries in one array of bytes: each merge looks one up, and a text needs hundreds of
 * look-ups. The tokenizer package, which supplies the vocabulary and the splitting rule, makes a string or a view
 * of every pair that it looks up, which takes some five times as long.
 */
export class BytePairs {
  readonly #bytes: Uint8Array;
  /** Where each entry begins; the next begins where it ends. */
  readonly #starts: Uint32Array;
  /** Entries by the hash of their bytes: open addressing, at most half full. */
  readonly #slots: Int32Array;
  /** Ranks of the entries of two bytes, which are looked up for every byte of a word. */
  readonly #ranksOfTwo = new Int32Array(0x10000).fill(NO_RANK);
  /** The current word: its bytes. Of each part: where it ends, where the one before begins, and its rank joined with the next. */
  #word = new Uint8Array(512);
  #ends = new Int32Array(512);
  #before = new Int32Array(512);
  #ranks = new Int32Array(512);

  private constructor({ bytes, starts, slots }: Tables) {
    this.#bytes = bytes;
    this.#starts = starts;
    this.#slots = slots;
    for (let rank = 0; rank + 1 < starts.length; rank++) {
      const start = starts[rank]!;
      if (starts[rank + 1]! - start === 2) this.#ranksOfTwo[bytes[start]! * 256 + bytes[start + 1]!] = rank;
    }
  }

  /** @param entries in the order of their ranks: text, or bytes where they are not valid text */
  static of(entries: readonly (string | readonly number[])[]): BytePairs {
    return new BytePairs(buildTables(entries));
  }

  /**
   * The vocabulary that `toBytes` wrote, without building its tables.
   * @throws RangeError when `data` is cut short
   */
  static read(data: Uint8Array): BytePairs {
    // Copied, since tables of 32 bits begin at multiples of four.
    const copy = new Uint8Array(data);
    const [entries = 0, slots = 0] = new Uint32Array(copy.buffer, 0, 2);
    const slotsAt = 4 * (2 + entries + 1);
    return new BytePairs({
      starts: new Uint32Array(copy.buffer, 8, entries + 1),
      slots: new Int32Array(copy.buffer, slotsAt, slots),
      bytes: copy.subarray(slotsAt + 4 * slots),
    });
  }

  /** As `read` expects: number of entries, number of slots (u32), starts of entries, slots (32 bits), bytes of entries. */
  toBytes(): Uint8Array {
    const head = Uint32Array.of(this.#starts.length - 1, this.#slots.length);
    return Buffer.concat([head, this.#starts, this.#slots, this.#bytes].map(bytesOf));
  }

  /** The number of entries that the word is divided into; lone surrogates are U+FFFD. Quadratic in the word's length. */
  count(word: string): number {
    const length = this.#encode(word);
    if (length <= 1 || this.#rankOf(0, length) !== NO_RANK) return Math.min(1, length);
    return this.#merge(length);
  }

  /**
   * Repeatedly merges the adjacent pair of least rank (the first, if several have it) until no pair is an entry. A part is
   * known by where it begins.
   */
  #merge(length: number): number {
    const [word, ends, before, ranks] = [this.#word, this.#ends, this.#before, this.#ranks];
    for (let i = 0; i < length; i++) {
      ends[i] = i + 1;
      before[i] = i - 1;
      ranks[i] = i + 1 < length ? this.#ranksOfTwo[word[i]! * 256 + word[i + 1]!]! : NO_RANK;
    }
    for (let count = length; ; count--) {
      let at = 0;
      let least = NO_RANK;
      for (let i = 0; i < length; i = ends[i]!) {
        if (ranks[i]! >= least) continue;
        least = ranks[i]!;
        at = i;
      }
      if (least === NO_RANK) return count;
      const end = ends[ends[at]!]!;
      ends[at] = end;
      ranks[at] = end === length ? NO_RANK : this.#rankOf(at, ends[end]!);
      if (end < length) before[end] = at;
      if (at > 0) ranks[before[at]!] = this.#rankOf(before[at]!, end);
    }
  }

  /** The rank of the entry that consists of the word's bytes from `from` up to, not including, `to`. */
  #rankOf(from: number, to: number): number {
    const [word, bytes, starts, slots] = [this.#word, this.#bytes, this.#starts, this.#slots];
    const mask = slots.length - 1;
    const length = to - from;
    const hash = hashOf(word, from, to);
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const entry = slots[slot]!;
      if (entry === EMPTY) return NO_RANK;
      if ((entry ^ hash) >>> RANK_BITS !== 0) continue;
      const rank = entry & RANK_MASK;
      const start = starts[rank]!;
      if (starts[rank + 1]! - start !== length) continue;
      let i = 0;
      while (i < length && bytes[start + i] === word[from + i]) i++;
      if (i === length) return rank;
    }
  }

  /** Encodes as UTF-8; for short words this is faster than `TextEncoder`. @returns the number of bytes */
  #encode(text: string): number {
    if (3 * text.length > this.#word.length) {
      this.#word = new Uint8Array(3 * text.length);
      this.#ends = new Int32Array(3 * text.length);
      this.#before = new Int32Array(3 * text.length);
      this.#ranks = new Int32Array(3 * text.length);
    }
    const word = this.#word;
    let size = 0;
    for (let i = 0; i < text.length; i++) {
      let code = text.codePointAt(i)!;
      if (code >= 0xd800 && code <= 0xdfff) code = 0xfffd;
      if (code < 0x80) word[size++] = code;
      else {
        if (code < 0x800) word[size++] = 0xc0 | (code >> 6);
        else {
          if (code < 0x10000) word[size++] = 0xe0 | (code >> 12);
          else {
            word[size++] = 0xf0 | (code >> 18);
            word[size++] = 0x80 | ((code >> 12) & 0x3f);
            i++;
          }
          word[size++] = 0x80 | ((code >> 6) & 0x3f);
        }
        word[size++] = 0x80 | (code & 0x3f);
      }
    }
    return size;
  }
}

interface Tables {
  readonly bytes: Uint8Array;
  readonly starts: Uint32Array;
  readonly slots: Int32Array;
}

function buildTables(entries: readonly (string | readonly number[])[]): Tables {
  const encoder = new TextEncoder();
  const starts = new Uint32Array(entries.length + 1);
  let bytes = new Uint8Array(8 * entries.length);
  let size = 0;
  for (const [rank, entry] of entries.entries()) {
    if (size + 3 * entry.length > bytes.length) bytes = withRoom(bytes, 2 * bytes.length + 3 * entry.length);
    if (typeof entry === 'string') size += encoder.encodeInto(entry, bytes.subarray(size)).written;
    else {
      bytes.set(entry, size);
      size += entry.length;
    }
    starts[rank + 1] = size;
  }
  const slots = new Int32Array(2 ** Math.ceil(Math.log2(2 * entries.length + 2))).fill(EMPTY);
  for (let rank = 0; rank < entries.length; rank++) {
    const hash = hashOf(bytes, starts[rank]!, starts[rank + 1]!);
    let slot = hash & (slots.length - 1);
    while (slots[slot] !== EMPTY) slot = (slot + 1) & (slots.length - 1);
    slots[slot] = (hash & ~RANK_MASK) | rank;
  }
  return { bytes: bytes.slice(0, size), starts, slots };
}

function bytesOf(array: Uint8Array | Uint32Array | Int32Array): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
}

/** FNV-1a, with its upper bits mixed into the lower bits, which choose the slot. (Fowler, Noll, Vo) */
function hashOf(bytes: Uint8Array, from: number, to: number): number {
  let hash = 0x811c9dc5;
  for (let i = from; i < to; i++) hash = Math.imul(hash ^ bytes[i]!, 0x01000193);
  return hash ^ (hash >>> 15);
}

function withRoom(bytes: Uint8Array<ArrayBuffer>, size: number): Uint8Array<ArrayBuffer> {
  const roomy = new Uint8Array(size);
  roomy.set(bytes);
  return roomy;
}
