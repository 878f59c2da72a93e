import { join } from 'node:path';
import { MemoryError } from '../model/model.ts';

import { KeyDatabase } from './keyDatabase.ts';
import { KeyPages } from './keyPages.ts';
import { createMasterKey, openMasterKey, type MasterKey, type MasterKeySetting } from './masterKey.ts';
import { KeysOfMemory, type MemoryKeys } from './memoryKeys.ts';

export interface KeyFileOptions {
  /** The source of the master key; default: `master.key` in the folder, created on first use. */
  readonly masterKey?: MasterKeySetting;
}

/** The keys of all memories of a folder. Nothing is read or created before it is needed. */
export class KeyFile {
  readonly #folder: string;
  readonly #db: KeyDatabase;
  readonly #masterKey: MasterKey;
  readonly #pages: KeyPages;
  #master: Buffer | null = null;

  constructor(folder: string, options: KeyFileOptions = {}) {
    this.#folder = folder;
    this.#db = new KeyDatabase(join(folder, 'keys.db'));
    this.#masterKey = openMasterKey(options.masterKey, folder);
    this.#pages = new KeyPages(this.#db, (isStale) => this.#readMaster(isStale));
  }

  /** The path of the file. */
  get path(): string {
    return this.#db.path;
  }

  /** The keys of one memory, created when needed. */
  of(memoryId: string): MemoryKeys {
    return new KeysOfMemory(this.#pages, memoryId);
  }

  /** The keys of one memory, for a copy of it. */
  pages(): KeyPages {
    return this.#pages;
  }

  /** Whether this memory has any keys. */
  has(memoryId: string): boolean {
    if (!this.#db.exists()) return false;
    const sql =
      'SELECT 1 FROM memory_key WHERE memory_id = ?1 UNION ALL SELECT 1 FROM key_page WHERE memory_id = ?1';
    return this.#db.get(`${sql} LIMIT 1`, memoryId) !== undefined;
  }

  /** Whether all rows of the memory that need a keyed hash have one, as far as its key says. */
  hasRowHashes(memoryId: string): boolean {
    return !this.#db.exists() || this.#pages.hasRowHashes(memoryId);
  }

  /** Called once all rows of the memory have their hashes. */
  noteRowHashes(memoryId: string): void {
    this.#pages.noteRowHashes(memoryId);
  }

  close(): void {
    this.#db.close();
  }

  /**
   * Encrypts all keys with a new master key: a new one in place of the current one or, with `to`, the one that
   * exists or is created there. Earlier copies of `keys.db` need the old master key.
   * @throws MemoryError KEY_MISSING, INVALID_INPUT when the current one cannot be replaced, READ_ONLY
   */
  rotate(to?: MasterKeySetting): void {
    this.#readMaster();
    if (to) {
      const place = openMasterKey(to, this.#folder);
      const next = place.read() ?? createMasterKey(place);
      this.#pages.rewrap(next);
      this.#master = next;
      return;
    }
    const next = this.#masterKey.replace();
    this.#pages.rewrap(next.key);
    next.finish();
    this.#master = next.key;
  }

  /** @throws MemoryError KEY_MISSING */
  #readMaster(isStale?: 'stale'): Buffer {
    if (isStale) this.#master = this.#masterKey.unfinished() ?? this.#masterKey.read();
    this.#master ??= this.#masterKey.read() ?? this.#makeMaster();
    return this.#master;
  }

  /** Only when nothing is encrypted yet: a new key could decrypt nothing. */
  #makeMaster(): Buffer {
    const isUsed = this.#db.get('SELECT 1 FROM memory_key UNION ALL SELECT 1 FROM key_page LIMIT 1');
    if (isUsed) {
      throw new MemoryError(
        'KEY_MISSING',
        `The master key is not in ${this.#masterKey.name}. Restore it: without it nothing can be decrypted.`,
      );
    }
    return createMasterKey(this.#masterKey);
  }
}
