import { createHmac, createSecretKey, hash, hkdfSync, type KeyObject } from 'node:crypto';
import { MemoryError, wordCache } from '../model/model.ts';
import { decrypt, encryptDeterministically, KEY_BYTES } from './cipher.ts';
import { keyBytes } from './memoryKey.ts';

/** How many keyed hashes of terms are cached. */
const MAX_HASHES = 50_000;
/** 64 bits: two of a million terms share a hash once in forty million memories. In hex, as the text index folds case. */
const TERM_HASH_BYTES = 8;
/** 72 bits: whoever has no key cannot try one, since only `verify` tells whether it is right. */
const ROW_HASH_LENGTH = 12;

interface DerivedKeys {
  readonly seal: KeyObject;
  readonly hash: string;
  readonly rows: KeyObject;
}

/** The operations of the memory key. */
export interface WordKeys {
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
  /** A keyed hash of a row, 12 characters, by which `verify` finds what was written without the key. */
  hashRow(row: string): string;
}

export class MemoryWordKeys implements WordKeys {
  readonly #memoryKey: () => Buffer;
  #derived: DerivedKeys | null = null;
  readonly #hashes = wordCache(new Map<string, string>());

  /** @param memoryKey returns the key; called on first use */
  constructor(memoryKey: () => Buffer) {
    this.#memoryKey = memoryKey;
  }

  seal(words: string): string {
    const { seal, hash: hashKey } = this.#keys();
    return encryptDeterministically(seal, hashKey, words).toString('base64');
  }

  open(sealed: string): string {
    const words = decrypt(this.#keys().seal, Buffer.from(sealed, 'base64'));
    if (words) return words.toString();
    throw new MemoryError('KEY_MISSING', 'Some text was encrypted with another key, or was changed.');
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

  hashRow(row: string): string {
    const { rows } = this.#keys();
    return createHmac('sha256', rows).update(row).digest('base64url').slice(0, ROW_HASH_LENGTH);
  }

  #keys(): DerivedKeys {
    this.#derived ??= deriveKeys(this.#memoryKey());
    return this.#derived;
  }
}

/** Separate keys for encryption and hashes, so that neither reveals anything about the other. */
function deriveKeys(memoryKey: Buffer): DerivedKeys {
  const key = keyBytes(memoryKey);
  const derive = (use: string) => Buffer.from(hkdfSync('sha256', key, '', `omoide ${use}`, KEY_BYTES));
  return {
    seal: createSecretKey(derive('words')),
    hash: derive('hashes').toString('base64'),
    rows: createSecretKey(derive('rows')),
  };
}
