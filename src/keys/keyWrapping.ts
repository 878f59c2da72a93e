import { MemoryError } from '../model/model.ts';
import { decrypt, encrypt } from './cipher.ts';
import { createMasterKey, openMasterKey, type MasterKey, type MasterKeySetting } from './masterKey.ts';

export interface KeyPlace {
  /** Folder of `master.key`, unless `masterKey` names another place. */
  readonly folder: string;
  readonly masterKey?: MasterKeySetting | undefined;
}

/** The master key, for stores that themselves store the keys encrypted with it. */
export class KeyWrapping {
  readonly #given: KeyPlace;
  readonly #place: MasterKey;
  #key: Buffer | null = null;

  constructor(given: KeyPlace) {
    this.#given = given;
    this.#place = openMasterKey(given.masterKey, given.folder);
  }

  /**
   * Reads the master key, or creates it when nothing is encrypted yet.
   * @throws MemoryError KEY_MISSING, READ_ONLY, FILE_UNREADABLE, INVALID_INPUT
   */
  open(options: { readonly isUsed: boolean }): void {
    const key = this.#place.read() ?? this.#place.unfinished();
    this.#key ??= key && ownCopy(key);
    if (this.#key) return;
    if (options.isUsed) {
      throw new MemoryError(
        'KEY_MISSING',
        `The master key is not in ${this.#place.name}. Copy it from the server that created it: without it nothing can be decrypted.`,
      );
    }
    this.#key = createMasterKey(this.#place);
  }

  wrap(keys: Uint8Array): Buffer {
    return encrypt(this.#opened(), keys);
  }

  /** @throws MemoryError KEY_MISSING when it was encrypted with another master key */
  unwrap(wrapped: Uint8Array): Buffer {
    const keys = decrypt(this.#opened(), wrapped) ?? this.#unwrapOtherwise(wrapped);
    if (keys) return keys;
    throw new MemoryError('KEY_MISSING', `The master key in ${this.#place.name} did not encrypt this data.`);
  }

  /** Encrypts a key of the present wrapping with this one; unchanged if that was done. @throws MemoryError KEY_MISSING */
  rewrap(wrapped: Uint8Array, present: KeyWrapping): Uint8Array {
    return decrypt(this.#opened(), wrapped) ? wrapped : this.wrap(present.unwrap(wrapped));
  }

  /**
   * The wrapping with a new master key: a new one in place of the current one or, with `to`, the one that exists or
   * is created there. Call `finish` when all keys are encrypted with it.
   */
  next(to?: MasterKeySetting): { readonly wrapping: KeyWrapping; finish(): void } {
    if (!to) {
      const made = this.#place.unfinished();
      const next = made ? this.#place.resume(made) : this.#place.replace();
      const wrapping = new KeyWrapping(this.#given);
      wrapping.#key = next.key;
      return { wrapping, finish: () => next.finish() };
    }
    const wrapping = new KeyWrapping({ folder: this.#given.folder, masterKey: to });
    wrapping.open({ isUsed: false });
    return { wrapping, finish: () => undefined };
  }

  /** Another process may have changed the master key, or may be changing it. */
  #unwrapOtherwise(wrapped: Uint8Array): Buffer | null {
    for (const key of [this.#place.unfinished(), this.#place.read()]) {
      const keys = key && decrypt(key, wrapped);
      if (!keys) continue;
      this.#key = ownCopy(key);
      return keys;
    }
    return null;
  }

  #opened(): Buffer {
    if (this.#key) return this.#key;
    throw new MemoryError('KEY_MISSING');
  }
}

/** Node.js makes short buffers as parts of one of 64 KB, which each of thousands of open memories would keep. */
function ownCopy(key: Buffer): Buffer {
  const copy = Buffer.alloc(key.length);
  copy.set(key);
  return copy;
}
