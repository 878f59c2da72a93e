/** AES-256-GCM. The result is `nonce · ciphertext · tag`, without the nonce if it is fixed. */
import {
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  hash,
  randomBytes,
  type KeyObject,
} from 'node:crypto';

export const KEY_BYTES = 32;
/** A key object saves much of the time that a cipher takes: Node.js converts bytes slowly. */
export type Key = Uint8Array | KeyObject;
const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** For keys that encrypt only one text: GCM needs a unique nonce only for each text under one key. */
const FIXED_NONCE = new Uint8Array(NONCE_BYTES);

/** The length of what `encrypt` returns for so many bytes. */
export function wrappedBytes(plainBytes: number): number {
  return NONCE_BYTES + plainBytes + TAG_BYTES;
}

/** Encrypts with a random nonce. */
export function encrypt(key: Key, plain: Uint8Array): Buffer {
  return encryptUnder(key, randomBytes(NONCE_BYTES), plain);
}

/**
 * Encrypts with a nonce derived from a keyed hash of the text: the same text gives the same bytes, so that
 * encrypted texts can be compared and looked up. Collisions among 2^96 nonces are negligible.
 */
export function encryptDeterministically(key: Key, hashKey: string, plain: string): Buffer {
  const nonce = hash('sha256', hashKey + plain, 'buffer').subarray(0, NONCE_BYTES);
  return encryptUnder(key, nonce, Buffer.from(plain));
}

/** Null for another key or changed bytes. */
export function decrypt(key: Key, sealed: Uint8Array): Buffer | null {
  if (sealed.length < NONCE_BYTES + TAG_BYTES) return null;
  return decryptWith(key, sealed.subarray(0, NONCE_BYTES), sealed.subarray(NONCE_BYTES));
}

/** For a key that encrypts nothing else. */
export function encryptOnce(key: Key, plain: string): Buffer {
  return encryptWith(key, FIXED_NONCE, Buffer.from(plain));
}

/** Null for another key or changed bytes. */
export function decryptOnce(key: Key, sealed: Uint8Array): Buffer | null {
  return sealed.length < TAG_BYTES ? null : decryptWith(key, FIXED_NONCE, sealed);
}

function encryptUnder(key: Key, nonce: Uint8Array, plain: Uint8Array): Buffer {
  return Buffer.concat([nonce, encryptWith(key, nonce, plain)]);
}

function encryptWith(key: Key, nonce: Uint8Array, plain: Uint8Array): Buffer {
  const cipher = createCipheriv(ALGORITHM, keyObject(key), nonce);
  return Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

function decryptWith(key: Key, nonce: Uint8Array, sealed: Uint8Array): Buffer | null {
  const end = sealed.length - TAG_BYTES;
  const decipher = createDecipheriv(ALGORITHM, keyObject(key), nonce, { authTagLength: TAG_BYTES });
  decipher.setAuthTag(sealed.subarray(end));
  const plain = decipher.update(sealed.subarray(0, end));
  try {
    // GCM returns all of the plain text before the tag is checked.
    decipher.final();
    return plain;
  } catch {
    return null;
  }
}

function keyObject(key: Key): KeyObject {
  return key instanceof Uint8Array ? createSecretKey(key) : key;
}
