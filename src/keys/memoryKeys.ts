import { hash, hkdfSync, randomBytes } from 'node:crypto';
import { MemoryError } from '../model/model.ts';
import { decrypt, decryptOnce, encrypt, encryptAlike, encryptOnce, KEY_BYTES } from './cipher.ts';
import type { KeyPages } from './keyPages.ts';

const PAGE_ID_BYTES = 8;
/** The page and the index in it. */
const ADDRESS_BYTES = PAGE_ID_BYTES + 2;
/** A first page is small, since many processes add one turn and end. */
const FIRST_PAGE_KEYS = 8;
const MAX_PAGE_KEYS = 256;
/** How many keyed hashes of terms are cached. */
const MAX_HASHES = 50_000;
/** 64 bits: two of a million terms share a hash in one of forty million memories. In hex, as the text index folds case. */
const TERM_HASH_BYTES = 8;

/** The keys of one memory, with their operations. Stores keep only the results, never the plain text. */
export interface MemoryKeys {
  /**
   * Encrypts the text of one turn with its own key. The key is on the disk when this returns, so that the stored
   * result can be read after a crash.
   * @throws MemoryError KEY_MISSING, READ_ONLY, DISK_FULL, BUSY
   */
  sealTurn(words: string): Uint8Array;
  /** The text given to `sealTurn`; null when its key was destroyed, or the bytes were changed. */
  openTurn(sealed: Uint8Array): string | null;
  /**
   * Encrypts more words about a turn, so that they go with its key.
   * @param sealed what `sealTurn` made; null when its key was destroyed
   */
  sealMore(sealed: Uint8Array, words: string): Uint8Array | null;
  /** What `sealMore` was given for the same turn; null when the key was destroyed, or the bytes were changed. */
  openMore(sealed: Uint8Array, more: Uint8Array): string | null;
  /** Destroys the keys of these turns, which makes them unreadable. Keys that are already destroyed are skipped. */
  destroyTurnKeys(sealed: readonly Uint8Array[]): void;
  /**
   * Encrypts derived text with the key of the memory, as base64. The same text gives the same result, so that
   * encrypted text can be compared and looked up.
   */
  seal(words: string): string;
  /** @throws MemoryError KEY_MISSING when it was encrypted with another key, or changed */
  open(sealed: string): string;
  /** A keyed hash of a term, 16 characters: deterministic, and not guessable without the key. */
  hashTerm(term: string): string;
  /** A keyed hash of any text, 43 characters. */
  hashWords(words: string): string;
}

/** Turn keys are grouped in pages, each encrypted as a whole: one read of `keys.db` serves many turns. */
export class KeysOfMemory implements MemoryKeys {
  readonly #pages: KeyPages;
  readonly #memoryId: string;
  #memoryKey: { readonly seal: Buffer; readonly hash: string } | null = null;
  /** Stored keys that are not used yet. */
  #free: { readonly id: Buffer; readonly keys: Buffer; used: number } | null = null;
  #nextPageKeys = FIRST_PAGE_KEYS;
  readonly #hashes = new Map<string, string>();

  constructor(pages: KeyPages, memoryId: string) {
    this.#pages = pages;
    this.#memoryId = memoryId;
  }

  sealTurn(words: string): Uint8Array {
    const { address, key } = this.#takeKey();
    return Buffer.concat([address, encryptOnce(key, words)]);
  }

  openTurn(sealed: Uint8Array): string | null {
    const key = this.#keyAt(sealed);
    return key && (decryptOnce(key, sealed.subarray(ADDRESS_BYTES))?.toString() ?? null);
  }

  sealMore(sealed: Uint8Array, words: string): Uint8Array | null {
    const key = this.#keyAt(sealed);
    return key && encrypt(additionalKey(key), Buffer.from(words));
  }

  openMore(sealed: Uint8Array, more: Uint8Array): string | null {
    const key = this.#keyAt(sealed);
    return key && (decrypt(additionalKey(key), more)?.toString() ?? null);
  }

  destroyTurnKeys(sealed: readonly Uint8Array[]): void {
    const places = Map.groupBy(sealed.filter(hasAddress).map(readAddress), ({ pageId }) =>
      pageId.toString('hex'),
    );
    const erasures = [...places.values()].map((ofPage) => ({
      pageId: ofPage[0]!.pageId,
      places: ofPage.map(({ place }) => place),
    }));
    this.#pages.erase(this.#memoryId, erasures);
    this.#free = null;
  }

  seal(words: string): string {
    const { seal, hash: hashKey } = this.#keys();
    return encryptAlike(seal, hashKey, words).toString('base64');
  }

  open(sealed: string): string {
    const words = decrypt(this.#keys().seal, Buffer.from(sealed, 'base64'));
    if (words) return words.toString();
    throw new MemoryError('KEY_MISSING', 'Some words were encrypted with another key, or were changed.');
  }

  hashTerm(term: string): string {
    const known = this.#hashes.get(term);
    if (known !== undefined) return known;
    const made = hash('sha256', this.#keys().hash + term, 'buffer')
      .subarray(0, TERM_HASH_BYTES)

      .toString('hex');
    if (this.#hashes.size >= MAX_HASHES) this.#hashes.clear();
    this.#hashes.set(term, made);
    return made;
  }

  hashWords(words: string): string {
    // Hashed twice, to prevent length extension.
    const { hash: key } = this.#keys();
    return hash('sha256', key + hash('sha256', key + words), 'base64url');
  }

  #takeKey(): { address: Buffer; key: Buffer } {
    const free =
      this.#free && this.#free.used * KEY_BYTES < this.#free.keys.length ? this.#free : this.#makePage();
    this.#free = free;
    const place = free.used++;
    const address = Buffer.alloc(ADDRESS_BYTES);
    free.id.copy(address);
    address.writeUInt16BE(place, PAGE_ID_BYTES);
    return { address, key: keyOf(free.keys, place) };
  }

  #makePage(): { id: Buffer; keys: Buffer; used: number } {
    const size = this.#nextPageKeys;
    this.#nextPageKeys = Math.min(MAX_PAGE_KEYS, size * 2);
    const page = { id: randomBytes(PAGE_ID_BYTES), keys: randomBytes(size * KEY_BYTES), used: 0 };
    this.#pages.add(this.#memoryId, page.id, page.keys);
    return page;
  }

  #keyAt(sealed: Uint8Array): Buffer | null {
    if (!hasAddress(sealed)) return null;
    const { pageId, place } = readAddress(sealed);
    const page = this.#pages.read(this.#memoryId, pageId);
    if (!page || (place + 1) * KEY_BYTES > page.length) return null;
    const key = keyOf(page, place);
    return key.every((byte) => byte === 0) ? null : key;
  }

  #keys(): { readonly seal: Buffer; readonly hash: string } {
    this.#memoryKey ??= deriveKeys(this.#pages.memoryKey(this.#memoryId));
    return this.#memoryKey;
  }
}

/** Separate keys for encryption and hashes, so that neither reveals anything about the other. */
function deriveKeys(memoryKey: Buffer): { seal: Buffer; hash: string } {
  const derive = (use: string) => Buffer.from(hkdfSync('sha256', memoryKey, '', `omoide ${use}`, KEY_BYTES));
  return { seal: derive('words'), hash: derive('hashes').toString('base64') };
}

/** A turn key itself encrypts one text only. */
function additionalKey(turnKey: Uint8Array): Buffer {
  return Buffer.from(hkdfSync('sha256', turnKey, '', 'omoide more', KEY_BYTES));
}

function hasAddress(sealed: Uint8Array): boolean {
  return sealed.length > ADDRESS_BYTES;
}

function readAddress(sealed: Uint8Array): { pageId: Buffer; place: number } {
  const address = Buffer.from(sealed.buffer, sealed.byteOffset, ADDRESS_BYTES);
  return { pageId: address.subarray(0, PAGE_ID_BYTES), place: address.readUInt16BE(PAGE_ID_BYTES) };
}

function keyOf(page: Buffer, place: number): Buffer {
  return page.subarray(place * KEY_BYTES, (place + 1) * KEY_BYTES);
}
