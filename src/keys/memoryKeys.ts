import type { KeyPages } from './keyPages.ts';
import {
  keyAddress,
  keyPlaces,
  makeKeyPage,
  MAX_PAGE_KEYS,
  openMoreWithKey,
  pageSize,
  sealMoreWithKey,
  sealWithKey,
  type KeyPage,
} from './turnKeys.ts';
import { newKey } from './masterKey.ts';
import { MemoryWordKeys, type WordKeys } from './wordKeys.ts';

/** A first page is small, since many processes add one turn and end. */
const FIRST_PAGE_KEYS = 8;

/** The keys of one memory, with their operations. Stores keep only the results, never the plain text. */
export interface MemoryKeys extends WordKeys {
  /** Makes the key of a memory of before there were keys, unless it has one. It says that the rows have no hashes yet. */
  makeForOldRows(): void;
  /**
   * Encrypts the text of one turn with its own key. The key is on the disk when this returns, so that the stored
   * result can be read after a crash.
   * @throws MemoryError KEY_MISSING, READ_ONLY, DISK_FULL, BUSY
   */
  sealTurn(words: string): Uint8Array;
  /** The text given to `sealTurn`; null when its key was destroyed, or the bytes were changed. */
  openTurn(sealed: Uint8Array): string | null;
  /**
   * Encrypts more text about a turn, which becomes unreadable together with the turn.
   * @param sealed the result of `sealTurn`; null when its key was destroyed
   */
  sealMore(sealed: Uint8Array, words: string): Uint8Array | null;
  /** The text given to `sealMore` for the same turn; null when the key was destroyed, or the bytes were changed. */
  openMore(sealed: Uint8Array, more: Uint8Array): string | null;
  /** Destroys the keys of these turns, which makes them unreadable. Keys that are already destroyed are skipped. */
  destroyTurnKeys(sealed: readonly Uint8Array[]): void;
  /** Empties the caches of keys: another process may have destroyed some. */
  dropCaches(): void;
}

/** Turn keys are grouped in pages, each encrypted as a whole: one read of `keys.db` serves many turns. */
export class KeysOfMemory extends MemoryWordKeys implements MemoryKeys {
  readonly #pages: KeyPages;
  readonly #memoryId: string;
  /** Stored keys that are not used yet. */
  #free: { readonly page: KeyPage; used: number } | null = null;
  #nextPageKeys = FIRST_PAGE_KEYS;

  constructor(pages: KeyPages, memoryId: string) {
    super(() => pages.memoryKey(memoryId));
    this.#pages = pages;
    this.#memoryId = memoryId;
  }

  makeForOldRows(): void {
    this.#pages.makeMemoryKey(this.#memoryId, newKey());
  }

  sealTurn(words: string): Uint8Array {
    const free = this.#free && this.#free.used < pageSize(this.#free.page) ? this.#free : this.#makePage();
    this.#free = free;
    return sealWithKey(free.page, free.used++, words);
  }

  openTurn(sealed: Uint8Array): string | null {
    return this.#pages.openTurn(this.#memoryId, sealed);
  }

  sealMore(sealed: Uint8Array, words: string): Uint8Array | null {
    return sealMoreWithKey(this.#pageOf(sealed), sealed, words);
  }

  openMore(sealed: Uint8Array, more: Uint8Array): string | null {
    return openMoreWithKey(this.#pageOf(sealed), sealed, more);
  }

  destroyTurnKeys(sealed: readonly Uint8Array[]): void {
    this.#pages.erase(this.#memoryId, keyPlaces(sealed));
    this.#free = null;
  }

  dropCaches(): void {
    this.#pages.dropCaches();
    this.#free = null;
  }

  #pageOf(sealed: Uint8Array): Buffer | null {
    const address = keyAddress(sealed);
    return address && this.#pages.read(this.#memoryId, address.pageId);
  }

  #makePage(): { page: KeyPage; used: number } {
    const page = makeKeyPage(this.#nextPageKeys);
    this.#nextPageKeys = Math.min(MAX_PAGE_KEYS, pageSize(page) * 2);
    this.#pages.add(this.#memoryId, page.id, page.keys);
    return { page, used: 0 };
  }
}
