import type { KeyDatabase } from './keyDatabase.ts';
import { decrypt, encrypt } from './cipher.ts';
import { keyAddress, openWithKey, withoutKeys, type KeyPage } from './turnKeys.ts';
import { hasRowHashes, keyBytes, newMemoryKey, withRowHashes } from './memoryKey.ts';
import { MemoryError } from '../model/model.ts';

/** The most pages cached in plain text, at most 8 KB each. */
const MAX_PAGES = 4_096;

export interface Erasure {
  readonly pageId: Buffer;
  /** The indexes of the keys in the page. */
  readonly places: readonly number[];
}

/** Pages of turn keys and the keys of memories in `keys.db`, decrypted. */
export class KeyPages {
  readonly #db: KeyDatabase;
  readonly #master: (isStale?: 'stale') => Buffer;
  /** By page id in hex; null when the page does not exist. */
  readonly #read = new Map<string, Buffer | null>();
  #isCurrent = false;

  /** @param master gives the master key; with `stale` it reads it again */
  constructor(db: KeyDatabase, master: (isStale?: 'stale') => Buffer) {
    this.#db = db;
    this.#master = master;
  }

  /** The keys are on the disk when this returns. */
  add(memoryId: string, pageId: Buffer, keys: Buffer): void {
    const wrapped = encrypt(this.#master(), keys);
    this.#db.write(() => this.#db.run('INSERT INTO key_page VALUES (?, ?, ?)', pageId, memoryId, wrapped));
    this.#remember(pageId.toString('hex'), keys);
  }

  read(memoryId: string, pageId: Buffer): Buffer | null {
    this.#followOthers();
    const name = pageId.toString('hex');
    const known = this.#read.get(name);
    if (known !== undefined) return known;
    const page = this.#readNow(memoryId, pageId);
    this.#remember(name, page);
    return page;
  }

  /** The text of a turn; null when its key does not exist, or the bytes were changed. */
  openTurn(memoryId: string, sealed: Uint8Array): string | null {
    this.#followOthers();
    const address = keyAddress(sealed);
    return address && openWithKey(this.read(memoryId, address.pageId), sealed);
  }

  /** Overwrites keys, without leaving copies in the file or its log. */
  erase(memoryId: string, erasures: readonly Erasure[]): void {
    this.#db.write(() => {
      for (const { pageId, places } of erasures) {
        const page = this.#readNow(memoryId, pageId);
        if (!page) continue;
        const kept = withoutKeys(page, places);
        if (!kept) this.#db.run('DELETE FROM key_page WHERE id = ?', pageId);
        else this.#db.run('UPDATE key_page SET keys = ? WHERE id = ?', encrypt(this.#master(), kept), pageId);
      }
    });
    this.dropCaches();
    this.#db.compact();
  }

  /** Created when the memory has none. */
  memoryKey(memoryId: string): Buffer {
    return this.#storedMemoryKey(memoryId) ?? this.makeMemoryKey(memoryId, newMemoryKey());
  }

  /** Stores the key, unless the memory has one. Returns the key that it has. */
  makeMemoryKey(memoryId: string, made: Buffer): Buffer {
    return this.#db.write(() => {
      const wrapped = encrypt(this.#master(), made);
      this.#db.run('INSERT OR IGNORE INTO memory_key VALUES (?, ?)', memoryId, wrapped);
      return this.#storedMemoryKey(memoryId) ?? made;
    });
  }

  /** Stores the key of a memory that comes from elsewhere. @throws MemoryError INVALID_INPUT when it has another */
  setMemoryKey(memoryId: string, key: Uint8Array): void {
    this.#db.write(() => {
      const stored = this.#storedMemoryKey(memoryId);
      if (stored && !keyBytes(stored).equals(keyBytes(key))) {
        throw new MemoryError(
          'INVALID_INPUT',
          `${this.#db.path} holds the keys of another memory with the id ${memoryId}.`,
        );
      }
      if (stored && stored.length >= key.length) return;
      this.#db.run('INSERT OR REPLACE INTO memory_key VALUES (?, ?)', memoryId, encrypt(this.#master(), key));
    });
  }

  /** Whether all rows of the memory that need a keyed hash have one; also for a memory without a key, which has no rows. */
  hasRowHashes(memoryId: string): boolean {
    const row = this.#wrappedMemoryKey(memoryId);
    return !row || hasRowHashes(row.key);
  }

  /** Called once all rows have their hashes. */
  noteRowHashes(memoryId: string): void {
    this.setMemoryKey(memoryId, withRowHashes(this.memoryKey(memoryId)));
  }

  countPages(memoryId: string): number {
    const sql = 'SELECT count(*) AS n FROM key_page WHERE memory_id = ?';
    return this.#db.get<{ n: number }>(sql, memoryId)?.n ?? 0;
  }

  /** Pages in the order of their ids: the next after one, or those after the first `skip`. */
  listPages(
    memoryId: string,
    page: { readonly limit: number } & ({ readonly skip: number } | { readonly after: Uint8Array }),
  ): KeyPage[] {
    return this.#db
      .all<{ id: Uint8Array; keys: Uint8Array }>(
        "SELECT id, keys FROM key_page WHERE memory_id = ? AND id > coalesce(?, x'') ORDER BY id LIMIT ? OFFSET ?",
        memoryId,
        'after' in page ? page.after : null,
        page.limit,
        'skip' in page ? page.skip : 0,
      )
      .map(({ id, keys }) => ({ id: Buffer.from(id), keys: this.#unwrap(keys) }));
  }

  /** Stores pages that come from elsewhere. */
  putPages(memoryId: string, pages: readonly KeyPage[]): void {
    this.#db.write(() => {
      for (const { id, keys } of pages) {
        const wrapped = encrypt(this.#master(), keys);
        this.#db.run('INSERT OR REPLACE INTO key_page VALUES (?, ?, ?)', id, memoryId, wrapped);
      }
    });
    this.dropCaches();
  }

  deletePages(memoryId: string): void {
    this.#db.write(() => this.#db.run('DELETE FROM key_page WHERE memory_id = ?', memoryId));
    this.dropCaches();
  }

  /** Encrypts every key with another master key, without leaving copies of the old state. */
  rewrap(next: Buffer): void {
    this.#db.write(() => {
      for (const { id, keys } of this.#db.all<{ id: Uint8Array; keys: Uint8Array }>(
        'SELECT id, keys FROM key_page',
      ))
        this.#db.run('UPDATE key_page SET keys = ? WHERE id = ?', encrypt(next, this.#unwrap(keys)), id);
      for (const { id, key } of this.#db.all<{ id: string; key: Uint8Array }>(
        'SELECT memory_id AS id, key FROM memory_key',
      ))
        this.#db.run(
          'UPDATE memory_key SET key = ? WHERE memory_id = ?',
          encrypt(next, this.#unwrap(key)),
          id,
        );
    });
    this.dropCaches();
    this.#db.compact();
  }

  /** Another process may have erased or added keys. One look serves all that is read until the next asynchronous step. */
  #followOthers(): void {
    if (this.#isCurrent) return;
    if (this.#db.wasChangedByOthers()) this.dropCaches();
    this.#isCurrent = true;
    queueMicrotask(() => {
      this.#isCurrent = false;
    });
  }

  #storedMemoryKey(memoryId: string): Buffer | null {
    const row = this.#wrappedMemoryKey(memoryId);
    return row ? this.#unwrap(row.key) : null;
  }

  #wrappedMemoryKey(memoryId: string): { key: Uint8Array } | undefined {
    return this.#db.get('SELECT key FROM memory_key WHERE memory_id = ?', memoryId);
  }

  #readNow(memoryId: string, pageId: Buffer): Buffer | null {
    const row = this.#db.get<{ keys: Uint8Array }>(
      'SELECT keys FROM key_page WHERE id = ? AND memory_id = ?',
      pageId,
      memoryId,
    );
    return row ? this.#unwrap(row.keys) : null;
  }

  #unwrap(wrapped: Uint8Array): Buffer {
    // Another process may have changed the master key.
    const keys = decrypt(this.#master(), wrapped) ?? decrypt(this.#master('stale'), wrapped);
    if (keys) return keys;
    throw new MemoryError('KEY_MISSING', `The master key does not belong to ${this.#db.path}.`);
  }

  /** Of all memories of the folder. */
  dropCaches(): void {
    this.#read.clear();
  }

  #remember(name: string, page: Buffer | null): void {
    if (this.#read.size >= MAX_PAGES) this.#read.clear();
    this.#read.set(name, page);
  }
}
