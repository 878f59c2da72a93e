import { join } from 'node:path';
import { MemoryError } from '../model/model.ts';

import { KeyDatabase } from './keyDatabase.ts';
import { KeyPages } from './keyPages.ts';
import { newKey, openMasterKey, type MasterKey, type MasterKeySetting } from './masterKey.ts';
import { KeysOfMemory, type MemoryKeys } from './memoryKeys.ts';

export interface KeyFileOptions {
  /** Where the master key comes from; default: `master.key` in the folder, made when it is needed first. */
  readonly masterKey?: MasterKeySetting;
}

/** The keys of all memories of a folder. Nothing is read or made before it is needed. */
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

  /** The file itself. */
  get path(): string {
    return this.#db.path;
  }

  /** Of one memory; its keys are made as they are needed. */
  of(memoryId: string): MemoryKeys {
    return new KeysOfMemory(this.#pages, memoryId);
  }

  /** Whether there are any keys of this memory. */
  has(memoryId: string): boolean {
    if (!this.#db.exists()) return false;
    const sql =
      'SELECT 1 FROM memory_key WHERE memory_id = ?1 UNION ALL SELECT 1 FROM key_page WHERE memory_id = ?1';
    return this.#db.get(`${sql} LIMIT 1`, memoryId) !== undefined;
  }

  close(): void {
    this.#db.close();
  }

  /**
   * Encrypts all keys under a new master key: one that is made in place of the present one or, where `to` says so, one that
   * lies or is made there. Copies of `keys.db` that were made before need the master key of before.
   * @throws MemoryError KEY_MISSING, INVALID_INPUT where the present one cannot be replaced, READ_ONLY
   */
  rotate(to?: MasterKeySetting): void {
    this.#readMaster();
    if (to) {
      const place = openMasterKey(to, this.#folder);
      const next = place.read() ?? createIn(place);
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

  /** Only where nothing is encrypted yet: another key would read nothing. */
  #makeMaster(): Buffer {
    const isUsed = this.#db.get('SELECT 1 FROM memory_key UNION ALL SELECT 1 FROM key_page LIMIT 1');
    if (isUsed) {
      throw new MemoryError(
        'KEY_MISSING',
        `The master key is not in ${this.#masterKey.name}. Bring it back: without it nothing can be read.`,
      );
    }
    return createIn(this.#masterKey);
  }
}

/** The one that another process made meanwhile, if it did. @throws MemoryError KEY_MISSING, READ_ONLY */
function createIn(place: MasterKey): Buffer {
  place.create(newKey());
  const kept = place.read();
  if (!kept) throw new MemoryError('KEY_MISSING', `The master key was not kept in ${place.name}.`);
  return kept;
}
