import {
  keyAddress,
  keyPlaces,
  MemoryWordKeys,
  type KeyWrapping,
  makeKeyPage,
  MAX_PAGE_KEYS,
  openWithKey,
  pageSize,
  sealMoreWithKey,
  sealWithKey,
  withoutKeys,
} from '../../keys/keys.ts';
import { parseWords, type Row, type TurnWords } from '../rows/rows.ts';
import type { Single, Value } from './statement.ts';

/** Statements of one memory; see `Session`. */
export interface Statements {
  all<T extends object = Row>(sql: string, ...values: Value[]): Promise<T[]>;
  get<T extends object = Row>(sql: string, ...values: Value[]): Promise<T | undefined>;
  run(sql: string, ...values: Value[]): Promise<number>;
  insert(
    table: string,
    columns: Readonly<Record<string, string>>,
    rows: readonly (readonly Single[])[],
  ): Promise<number>;
}

/** Of the cache of decrypted pages. */
const MAX_CACHED_BYTES = 16 << 20;

/**
 * The keys of one memory. They are stored in the database, in the memory's row and in `key_page`, encrypted under the
 * master key, which is stored elsewhere. Every call that adds turns creates its own pages, in its transaction.
 */
export class PostgresKeys extends MemoryWordKeys {
  readonly #wrapping: KeyWrapping;
  /** By page id in hex. */
  readonly #pages = new Map<string, Buffer>();
  #cachedBytes = 0;

  /** @param wrappedKey the memory's encrypted key */
  constructor(wrapping: KeyWrapping, wrappedKey: Uint8Array) {
    const memoryKey = wrapping.unwrap(wrappedKey);
    super(() => memoryKey);
    this.#wrapping = wrapping;
  }

  /** Encrypts the text of turns, each under its own key, which is stored in the same transaction. */
  async sealTurns(tx: Statements, words: readonly string[]): Promise<Uint8Array[]> {
    if (words.length === 0) return [];
    // The master key may have changed since the last pages were created.
    const memory = await tx.get<{ wrapped_key: Uint8Array }>('SELECT wrapped_key FROM memory WHERE id = $1');
    if (memory) this.#wrapping.unwrap(memory.wrapped_key);
    const pages = [];
    for (let made = 0; made < words.length; made += MAX_PAGE_KEYS) {
      pages.push(makeKeyPage(Math.min(MAX_PAGE_KEYS, words.length - made)));
    }
    const rows = pages.map(({ id, keys }) => [id, this.#wrapping.wrap(keys)]);
    await tx.insert('key_page', { id: 'bytea', keys: 'bytea' }, rows);
    return pages.flatMap((page, i) =>
      Array.from({ length: pageSize(page) }, (_, place) =>
        sealWithKey(page, place, words[i * MAX_PAGE_KEYS + place] ?? ''),
      ),
    );
  }

  /** The text of turns; empty for a destroyed key or no data. */
  async openTurns(session: Statements, sealed: readonly (Uint8Array | null)[]): Promise<TurnWords[]> {
    const pages = await this.#read(session, sealed);
    return sealed.map((one) => {
      const address = one && keyAddress(one);
      const keys = address ? (pages.get(address.pageId.toString('hex')) ?? null) : null;
      return parseWords(one && openWithKey(keys, one));
    });
  }

  /** The rows with their decrypted text. */
  async withWords<Kept extends { sealed: Uint8Array | null }>(
    session: Statements,
    rows: readonly Kept[],
  ): Promise<(Kept & TurnWords)[]> {
    const words = await this.openTurns(
      session,
      rows.map(({ sealed }) => sealed),
    );
    return rows.map((row, i) => ({ ...row, ...(words[i] ?? parseWords(null)) }));
  }

  /** Encrypts more text about each turn; null when its key was destroyed. */
  async sealMore(
    session: Statements,
    turns: readonly { sealed: Uint8Array; words: string }[],
  ): Promise<(Uint8Array | null)[]> {
    const pages = await this.#read(
      session,
      turns.map(({ sealed }) => sealed),
    );
    return turns.map(({ sealed, words }) => {
      const page = pages.get(keyAddress(sealed)?.pageId.toString('hex') ?? '');
      return sealMoreWithKey(page ?? null, sealed, words);
    });
  }

  /** Destroys the keys of these turns: their text in the database can no longer be decrypted. */
  async destroyTurnKeys(tx: Statements, sealed: readonly Uint8Array[]): Promise<void> {
    for (const { pageId, places } of keyPlaces(sealed)) {
      const row = await tx.get<{ keys: Uint8Array }>(
        'SELECT keys FROM key_page WHERE memory_id = $1 AND id = ? FOR UPDATE',
        pageId,
      );
      const kept = row && withoutKeys(this.#wrapping.unwrap(row.keys), places);
      if (kept) {
        const sql = 'UPDATE key_page SET keys = ? WHERE memory_id = $1 AND id = ?';
        await tx.run(sql, this.#wrapping.wrap(kept), pageId);
      } else await tx.run('DELETE FROM key_page WHERE memory_id = $1 AND id = ?', pageId);
    }
    this.forgetPages();
  }

  /** Empties the cache: another server may have destroyed keys. */
  forgetPages(): void {
    this.#pages.clear();
    this.#cachedBytes = 0;
  }

  /** The pages that contain the keys, by id. */
  async #read(
    session: Statements,
    sealed: readonly (Uint8Array | null)[],
  ): Promise<ReadonlyMap<string, Buffer>> {
    const ids = new Set(
      sealed.flatMap((one) => (one ? (keyAddress(one)?.pageId.toString('hex') ?? []) : [])),
    );
    const found = new Map<string, Buffer>();
    for (const id of ids) {
      const page = this.#pages.get(id);
      if (page) found.set(id, page);
    }
    const missing = [...ids].filter((id) => !found.has(id));
    if (missing.length === 0) return found;
    const rows = await session.all<{ id: Uint8Array; keys: Uint8Array }>(
      'SELECT id, keys FROM key_page WHERE memory_id = $1 AND id = ANY (?::bytea[])',
      missing.map((id) => Buffer.from(id, 'hex')),
    );
    for (const { id, keys } of rows) {
      const name = Buffer.from(id).toString('hex');
      const page = this.#wrapping.unwrap(keys);
      found.set(name, page);
      this.#remember(name, page);
    }
    return found;
  }

  #remember(name: string, page: Buffer): void {
    if (this.#cachedBytes > MAX_CACHED_BYTES) this.forgetPages();
    this.#pages.set(name, page);
    this.#cachedBytes += page.length;
  }
}
