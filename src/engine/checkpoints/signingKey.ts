import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  sign,
  verify,
  type KeyObject,
} from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { errorCode, makePrivateFolderOf, MemoryError, writeNewFile } from '../../model/model.ts';

/** An Ed25519 key in a separate file in the data folder. */
export class SigningKey {
  readonly #path: string;
  #key: KeyObject | null = null;

  constructor(path: string) {
    this.#path = path;
  }

  get path(): string {
    return this.#path;
  }

  exists(): boolean {
    return existsSync(this.#path);
  }

  /**
   * The public part, base64 of its SPKI DER form; the key is created when there is none.
   * @throws MemoryError READ_ONLY, FILE_UNREADABLE
   */
  publicKey(): string {
    return createPublicKey(this.#open()).export({ type: 'spki', format: 'der' }).toString('base64');
  }

  /** The signature, base64. @throws MemoryError READ_ONLY, FILE_UNREADABLE */
  sign(text: string): string {
    return sign(null, Buffer.from(text), this.#open()).toString('base64');
  }

  #open(): KeyObject {
    this.#key ??= this.#read() ?? this.#make();
    return this.#key;
  }

  #read(): KeyObject | null {
    try {
      return createPrivateKey(readFileSync(this.#path));
    } catch (cause) {
      if (errorCode(cause) === 'ENOENT') return null;
      throw new MemoryError('FILE_UNREADABLE', `${this.#path} is not a readable signing key.`, {
        cause,
      });
    }
  }

  #make(): KeyObject {
    const { privateKey } = generateKeyPairSync('ed25519');
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' });
    try {
      makePrivateFolderOf(this.#path);
      // Another process may have created one in the meantime; then that one is used.
      if (writeNewFile(this.#path, String(pem))) return privateKey;
    } catch (cause) {
      throw new MemoryError('READ_ONLY', `The signing key ${this.#path} cannot be written.`, { cause });
    }
    return this.#open();
  }
}

/** Whether `signature` is that of `publicKey` over `text`; false for an invalid key. */
export function isSignedBy(publicKey: string, text: string, signature: string): boolean {
  try {
    const key = createPublicKey({ key: Buffer.from(publicKey, 'base64'), format: 'der', type: 'spki' });
    return verify(null, Buffer.from(text), key, Buffer.from(signature, 'base64'));
  } catch {
    return false;
  }
}
