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
  readonly #db: KeyDatabase;
  readonly #masterKey: MasterKey;
  readonly #pages: KeyPages;
  #master: Buffer | null = null;

  constructor(folder: string, options: KeyFileOptions = {}) {
    this.#db = new KeyDatabase(join(folder, 'keys.db'));
    this.#masterKey = openMasterKey(options.masterKey, folder);
    this.#pages = new KeyPages(this.#db, () => this.#readMaster());
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

  /** @throws MemoryError KEY_MISSING */
  #readMaster(): Buffer {
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
    this.#masterKey.create(newKey());
    const kept = this.#masterKey.read();
    if (!kept)
      throw new MemoryError('KEY_MISSING', `The master key was not kept in ${this.#masterKey.name}.`);
    return kept;
  }
}
