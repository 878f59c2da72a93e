/** Turn keys are grouped in pages; a sealed turn begins with the page and the index of its key. */
import { hkdfSync, randomBytes } from 'node:crypto';
import { decrypt, decryptOnce, encrypt, encryptOnce, KEY_BYTES } from './cipher.ts';

const PAGE_ID_BYTES = 8;
/** The page and the index in it. */
const ADDRESS_BYTES = PAGE_ID_BYTES + 2;
export const MAX_PAGE_KEYS = 256;

export interface KeyPage {
  readonly id: Buffer;
  /** 32 bytes each; zeros for a destroyed key. */
  readonly keys: Buffer;
}

/** New keys, at most 256. */
export function makeKeyPage(size: number): KeyPage {
  return { id: randomBytes(PAGE_ID_BYTES), keys: randomBytes(size * KEY_BYTES) };
}

/** The number of keys in a page. */
export function pageSize({ keys }: KeyPage): number {
  return keys.length / KEY_BYTES;
}

/** Encrypts the text of one turn. A key must be used only once. */
export function sealWithKey(page: KeyPage, place: number, words: string): Buffer {
  const address = Buffer.alloc(ADDRESS_BYTES);
  page.id.copy(address);
  address.writeUInt16BE(place, PAGE_ID_BYTES);
  return Buffer.concat([address, encryptOnce(keyOf(page.keys, place), words)]);
}

/** Null when there is no such key, when it was destroyed, or the bytes were changed. */
export function openWithKey(keys: Buffer | null, sealed: Uint8Array): string | null {
  const key = keyFor(keys, sealed);
  return key && (decryptOnce(key, sealed.subarray(ADDRESS_BYTES))?.toString() ?? null);
}

/** Encrypts more text about a turn, which becomes unreadable together with the turn. Null when its key was destroyed. */
export function sealMoreWithKey(keys: Buffer | null, sealed: Uint8Array, words: string): Uint8Array | null {
  const key = keyFor(keys, sealed);
  return key && encrypt(additionalKey(key), Buffer.from(words));
}

/** The text given to `sealMoreWithKey` for the same turn; null when the key was destroyed, or the bytes were changed. */
export function openMoreWithKey(keys: Buffer | null, sealed: Uint8Array, more: Uint8Array): string | null {
  const key = keyFor(keys, sealed);
  return key && (decrypt(additionalKey(key), more)?.toString() ?? null);
}

/** The position of the key of a turn; null when there is none. */
export function keyAddress(sealed: Uint8Array): { readonly pageId: Buffer; readonly place: number } | null {
  if (sealed.length <= ADDRESS_BYTES) return null;
  const address = Buffer.from(sealed.buffer, sealed.byteOffset, ADDRESS_BYTES);
  return { pageId: address.subarray(0, PAGE_ID_BYTES), place: address.readUInt16BE(PAGE_ID_BYTES) };
}

/** The positions of the keys of these turns, by page. */
export function keyPlaces(sealed: readonly Uint8Array[]): { pageId: Buffer; places: number[] }[] {
  const addresses = sealed.flatMap((one) => keyAddress(one) ?? []);
  return [...Map.groupBy(addresses, ({ pageId }) => pageId.toString('hex'))].map(([id, ofPage]) => ({
    pageId: Buffer.from(id, 'hex'),
    places: ofPage.map(({ place }) => place),
  }));
}

/** The keys of a page after destroying some; null when none is left. */
export function withoutKeys(keys: Buffer, places: readonly number[]): Buffer | null {
  const kept = Buffer.from(keys);
  for (const place of places) kept.fill(0, place * KEY_BYTES, (place + 1) * KEY_BYTES);
  return kept.every((byte) => byte === 0) ? null : kept;
}

/** Null when there is no such key, or it was destroyed. */
function keyFor(keys: Buffer | null, sealed: Uint8Array): Buffer | null {
  const address = keyAddress(sealed);
  if (!keys || !address || (address.place + 1) * KEY_BYTES > keys.length) return null;
  const key = keyOf(keys, address.place);
  return key.every((byte) => byte === 0) ? null : key;
}

/** A second key derived from the turn key, which itself encrypts only one text. */
function additionalKey(turnKey: Uint8Array): Buffer {
  return Buffer.from(hkdfSync('sha256', turnKey, '', 'omoide more', KEY_BYTES));
}

function keyOf(keys: Buffer, place: number): Buffer {
  return keys.subarray(place * KEY_BYTES, (place + 1) * KEY_BYTES);
}
