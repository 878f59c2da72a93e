/** AES-256-GCM as it is used here: what comes out is `nonce · ciphertext · tag`, or without the nonce where it is fixed. */
import { createCipheriv, createDecipheriv, hash, randomBytes } from 'node:crypto';

export const KEY_BYTES = 32;
const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** For keys that encrypt one text in their life: GCM needs a nonce only once for each key and text. */
const FIXED_NONCE = new Uint8Array(NONCE_BYTES);

/** Under a random nonce. */
export function encrypt(key: Uint8Array, plain: Uint8Array): Buffer {
  return encryptUnder(key, randomBytes(NONCE_BYTES), plain);
}

/**
 * Under a nonce that a keyed hash of the text gives: the same text becomes the same bytes, so that it can be compared and
 * found without being read. Two texts share one of the 2^96 nonces by no chance that matters.
 */
export function encryptAlike(key: Uint8Array, hashKey: string, plain: string): Buffer {
  const nonce = hash('sha256', hashKey + plain, 'buffer').subarray(0, NONCE_BYTES);
  return encryptUnder(key, nonce, Buffer.from(plain));
}

/** Null when the key is another one or the bytes were changed. */
export function decrypt(key: Uint8Array, sealed: Uint8Array): Buffer | null {
  if (sealed.length < NONCE_BYTES + TAG_BYTES) return null;
  return decryptWith(key, sealed.subarray(0, NONCE_BYTES), sealed.subarray(NONCE_BYTES));
}

/** With a key that encrypts nothing else. */
export function encryptOnce(key: Uint8Array, plain: string): Buffer {
  return encryptWith(key, FIXED_NONCE, Buffer.from(plain));
}

/** Null when the key is another one or the bytes were changed. */
export function decryptOnce(key: Uint8Array, sealed: Uint8Array): Buffer | null {
  return sealed.length < TAG_BYTES ? null : decryptWith(key, FIXED_NONCE, sealed);
}

function encryptUnder(key: Uint8Array, nonce: Uint8Array, plain: Uint8Array): Buffer {
  return Buffer.concat([nonce, encryptWith(key, nonce, plain)]);
}

function encryptWith(key: Uint8Array, nonce: Uint8Array, plain: Uint8Array): Buffer {
  const cipher = createCipheriv(ALGORITHM, key, nonce);
  return Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

function decryptWith(key: Uint8Array, nonce: Uint8Array, sealed: Uint8Array): Buffer | null {
  const end = sealed.length - TAG_BYTES;
  const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAuthTag(sealed.subarray(end));
  const plain = decipher.update(sealed.subarray(0, end));
  try {
    // GCM gives all of the plain text before the tag is checked, and nothing after.
    decipher.final();
    return plain;
  } catch {
    return null;
  }
}
