/**
 * The key of a memory: 32 random bytes. One more byte after them says that all rows which need a keyed hash have one. It is
 * encrypted together with the key, so nobody can remove it to have changed rows hashed again.
 */
import { KEY_BYTES, wrappedBytes } from './cipher.ts';
import { newKey } from './masterKey.ts';

const HASHED = new Uint8Array([1]);

/** Of a new memory: every row that is added has its hash. */
export function newMemoryKey(): Buffer {
  return withRowHashes(newKey());
}

export function withRowHashes(key: Uint8Array): Buffer {
  return Buffer.concat([keyBytes(key), HASHED]);
}

/** @param wrapped the encrypted key */
export function hasRowHashes(wrapped: Uint8Array): boolean {
  return wrapped.length > wrappedBytes(KEY_BYTES);
}

/** Without what the key says of rows. */
export function keyBytes(key: Uint8Array): Buffer {
  return Buffer.from(key.subarray(0, KEY_BYTES));
}
