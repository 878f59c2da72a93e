/** Of the cache, about 1 to 2 bytes each, and as much for the encrypted bytes. */
const MAX_LETTERS = 4_000_000;

/**
 * Decrypted texts by exactly the bytes that they were encrypted to, the least recently used dropped first: a recall
 * reads the same turns as those before it. Two generations, since ordering every read would cost as much as it saves.
 */
export class OpenedTexts {
  readonly #maxLetters: number;
  #recent = new Map<string, string>();
  #recentLetters = 0;
  #older = new Map<string, string>();

  constructor(maxLetters = MAX_LETTERS) {
    this.#maxLetters = maxLetters;
  }

  /** The text of these bytes; if it is not cached, from `open`, whose null is not cached. */
  get(sealed: Uint8Array, open: () => string | null): string | null {
    const name = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength).toString('latin1');
    const known = this.#recent.get(name);
    if (known !== undefined) return known;
    const text = this.#older.get(name) ?? open();
    if (text !== null) this.#add(name, text);
    return text;
  }

  clear(): void {
    this.#recent.clear();
    this.#older.clear();
    this.#recentLetters = 0;
  }

  #add(name: string, text: string): void {
    this.#recentLetters += text.length;
    if (this.#recentLetters > this.#maxLetters / 2) {
      this.#older = this.#recent;
      this.#recent = new Map();
      this.#recentLetters = text.length;
    }
    this.#recent.set(name, text);
  }
}
