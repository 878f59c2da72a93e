/** Copies a memory from a file to another store and back. */
import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { KeyFile, type KeyPlace } from '../../keys/keys.ts';
import { isMemoryError, keysOf, MemoryError } from '../../model/model.ts';
import { ANALYSIS_VERSION, NAME_KEYS_VERSION } from '../../text/text.ts';
import {
  COUNTED,
  isForgotten,
  nextRows,
  readBytes,
  readSet,
  readVectors,
  summary,
  summaryText,
  TRANSFER_FORMAT,
  TRANSFERRED,
  type Row,
  type TransferredName,
  type Value,
} from '../rows/rows.ts';
import type {
  Counters,
  TransferHead,
  TransferPage,
  TransferSource,
  TransferTarget,
  WriteRows,
} from '../transfer.ts';
import type { Verification } from '../storeAdmin.ts';
import type { Store } from '../store.ts';
import { Database } from './database.ts';
import { memoryIdOf, migrate } from './migrate.ts';
import { COPYING, makeFile } from './file.ts';
import { SqliteDriver } from './dialect.ts';
import { bytesOf, performNow, Sql, VectorSets, type VectorSet } from '../tables/tables.ts';
import { SqliteVectorStorage } from './vectorStorage.ts';

type PlainName = keyof typeof TRANSFERRED;

const PLAIN = keysOf(TRANSFERRED);

export interface TransferFile {
  readonly path: string;
  readonly memoryId: string;
  readonly masterKey?: KeyPlace['masterKey'];
}

/** @throws MemoryError NOT_FOUND, KEY_MISSING */
export function openSqliteSource({ path, memoryId, masterKey }: TransferFile): TransferSource {
  const db = new Database(path);
  const keys = new KeyFile(dirname(path), masterKey ? { masterKey } : {});
  const pages = keys.pages();
  const count = (table: TransferredName): number => {
    if (table === 'key_page') return pages.countPages(memoryId);
    if (table === 'unit_vector') return countVectors(db);
    return db.get<{ n: number }>(`SELECT count(*) AS n FROM ${table}`)?.n ?? 0;
  };
  let vectors: SortedVectors[] | undefined;
  return {
    head: {
      memoryId,
      timeZone: db.get<{ value: string }>("SELECT value FROM meta WHERE key = 'timeZone'")?.value ?? 'UTC',
      memoryKey: pages.memoryKey(memoryId),
    },
    fingerprint: async () =>
      [
        TRANSFER_FORMAT,
        ...PLAIN.map((table) => summaryText(db.get(`SELECT ${summary(table)} FROM ${table}`))),
        lastHash(db),
        count('unit_vector'),
      ].join(' '),
    count: async (table) => count(table),
    async page(table, page) {
      if (table === 'key_page') {
        const { limit } = page;
        const from = 'after' in page ? { after: readBytes(page.after['id']) } : { skip: page.skip };
        return pages.listPages(memoryId, { limit, ...from }).map((one) => ({ ...one }));
      }
      if (table === 'unit_vector') return vectorPage((vectors ??= sortedVectors(db)), page);
      const { columns, order } = TRANSFERRED[table];
      const names = Object.keys(columns).join(', ');
      const { where, tail, values } = nextRows(order, 'after' in page ? page.after : undefined);
      const skip = 'skip' in page ? page.skip : 0;
      return db.all(`SELECT ${names} FROM ${table} WHERE ${where} ${tail}`, ...values, page.limit, skip);
    },
    counters: async () =>
      Object.fromEntries(
        db
          .all<{ name: string; seq: number }>('SELECT name, seq FROM sqlite_sequence')
          .map(({ name, seq }) => [name, seq]),
      ),
    async close() {
      db.close();
      keys.close();
    },
  };
}

function lastHash(db: Database): string {
  const row = db.get<{ chain_hash: Uint8Array }>('SELECT chain_hash FROM turn ORDER BY id DESC LIMIT 1');
  return row ? Buffer.from(row.chain_hash).toString('hex') : '';
}

function setsOf(db: Database): VectorSets {
  return new VectorSets(new Sql(new SqliteDriver(db)), new SqliteVectorStorage(db));
}

function vectorSets(db: Database): VectorSet[] {
  return performNow(setsOf(db).all());
}

function countVectors(db: Database): number {
  return vectorSets(db).reduce((sum, set) => sum + performNow(set.unitIds()).length, 0);
}

/** Vectors by set and unit. */
interface SortedVectors {
  readonly set: VectorSet;
  readonly ids: readonly number[];
}

/** Listing a set's units reads all of them, so it is done once and not for each page. */
function sortedVectors(db: Database): SortedVectors[] {
  const sets = vectorSets(db).sort((a, b) => a.id - b.id);
  return sets.map((set) => ({ set, ids: performNow(set.unitIds()).sort((a, b) => a - b) }));
}

function vectorPage(sets: readonly SortedVectors[], page: TransferPage): Row[] {
  const rows: Row[] = [];
  let before = 0;
  for (const { set, ids } of sets) {
    const first = 'after' in page ? placeAfter(page.after, set.id, ids) : Math.max(0, page.skip - before);
    const vectors = performNow(set.stored(ids.slice(first, first + page.limit - rows.length)));
    for (const [unitId, vector] of vectors) {
      rows.push({ set_id: set.id, unit_id: unitId, embedding: bytesOf(vector) });
    }
    before += ids.length;
  }
  return rows;
}

/** The place of the first vector of a set after a row of `unit_vector`. */
function placeAfter(row: Row, setId: number, ids: readonly number[]): number {
  const [afterSet, afterUnit] = [Number(row['set_id']), Number(row['unit_id'])];
  if (setId !== afterSet) return setId < afterSet ? ids.length : 0;
  let [low, high] = [0, ids.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ids[middle] ?? 0) <= afterUnit) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** A lock that ends with the process: a transaction in a file of its own. @throws MemoryError BUSY */
function lockCopy(path: string, memoryId: string): () => void {
  const lockPath = join(dirname(path), `copy_${memoryId}.lock`);
  makeFile(lockPath);
  const db = new Database(lockPath);
  try {
    db.exec('PRAGMA busy_timeout = 0; BEGIN EXCLUSIVE');
  } catch (cause) {
    db.close();
    if (!isMemoryError(cause) || cause.code !== 'BUSY') throw cause;
    throw new MemoryError(
      'BUSY',
      `Another process copies the memory ${memoryId} to this folder. Wait until it has finished.`,
      { cause },
    );
  }
  return () => {
    db.close();
    try {
      rmSync(lockPath, { force: true });
    } catch {
      // On Windows a file that another process has just opened cannot be removed.
    }
  };
}

/** Creates the file if it is missing. `openCopy` opens the store of the copy. */
export function createSqliteTarget(file: TransferFile, openCopy: () => Store): TransferTarget {
  makeFile(file.path);
  return new SqliteTarget(file, openCopy);
}

class SqliteTarget implements TransferTarget {
  readonly #path: string;
  readonly #memoryId: string;
  readonly #openCopy: () => Store;
  readonly #db: Database;
  readonly #keys: KeyFile;
  readonly #unlock: () => void;

  /** @throws MemoryError BUSY when another process copies to this file */
  constructor({ path, memoryId, masterKey }: TransferFile, openCopy: () => Store) {
    this.#unlock = lockCopy(path, memoryId);
    this.#path = path;
    this.#memoryId = memoryId;
    this.#openCopy = openCopy;
    this.#db = new Database(path);
    this.#keys = new KeyFile(dirname(path), masterKey ? { masterKey } : {});
  }

  async begin(head: TransferHead, fingerprint: string): Promise<{ isRestarted: boolean }> {
    const db = this.#db;
    const known = memoryIdOf(db) !== null;
    const kept = known ? this.#meta(COPYING) : undefined;
    if (known && kept === undefined) {
      throw new MemoryError('INVALID_INPUT', `${this.#path} already contains a memory.`);
    }
    db.keys = this.#keys.of(this.#memoryId);
    migrate(db);
    // Rows arrive table by table, so foreign keys are checked at the end.
    db.exec('PRAGMA journal_mode = WAL; PRAGMA foreign_keys = OFF;');
    this.#keys.pages().setMemoryKey(this.#memoryId, head.memoryKey);
    const isRestarted = kept !== undefined && kept !== fingerprint;
    db.write(() => {
      if (isRestarted) this.#clear();
      const meta = {
        memoryId: head.memoryId,
        timeZone: head.timeZone,
        analysis: String(ANALYSIS_VERSION),
        nameKeys: String(NAME_KEYS_VERSION),
        [COPYING]: fingerprint,
      };
      for (const [key, value] of Object.entries(meta)) {
        db.run('INSERT OR REPLACE INTO meta VALUES (?, ?)', key, value);
      }
    });
    return { isRestarted };
  }

  async count(table: TransferredName): Promise<number> {
    if (table === 'key_page') return this.#keys.pages().countPages(this.#memoryId);
    if (table === 'unit_vector') return countVectors(this.#db);
    return this.#db.get<{ n: number }>(`SELECT count(*) AS n FROM ${table}`)?.n ?? 0;
  }

  async write(table: TransferredName, rows: readonly Row[]): Promise<void> {
    if (table === 'key_page') {
      const pages = rows.map(({ id, keys }) => ({ id: readBytes(id), keys: readBytes(keys) }));
      this.#keys.pages().putPages(this.#memoryId, pages);
      return;
    }
    this.#db.write(() => {
      if (table === 'unit_vector') this.#writeVectors(rows);
      else if (table === 'vector_set')
        for (const row of rows) performNow(setsOf(this.#db).restore(readSet(row)));
      else for (const row of rows) this.#insert(table, row);
    });
  }

  async writeVectors(copyRows: (write: WriteRows) => Promise<void>): Promise<void> {
    await copyRows((rows) => this.write('unit_vector', rows));
  }

  async complete(counters: Counters): Promise<Verification> {
    this.#db.write(() => {
      for (const name of COUNTED) {
        const last = counters[name];
        if (last === undefined) continue;
        this.#db.run('DELETE FROM sqlite_sequence WHERE name = ?', name);
        this.#db.run('INSERT INTO sqlite_sequence VALUES (?, ?)', name, last);
      }
    });
    const store = this.#openCopy();
    try {
      await store.admin.rebuild('indexes', { jobKinds: [], now: Date.now(), dropVectors: false });
      return await store.admin.verify();
    } finally {
      await store.close();
    }
  }

  async release(): Promise<void> {
    this.#db.write(() => this.#db.run('DELETE FROM meta WHERE key = ?', COPYING));
  }

  async close(): Promise<void> {
    this.#db.close();
    this.#keys.close();
    this.#unlock();
  }

  #meta(key: string): string | undefined {
    return this.#db.get<{ value: string }>('SELECT value FROM meta WHERE key = ?', key)?.value;
  }

  #clear(): void {
    for (const set of vectorSets(this.#db)) performNow(set.drop());
    for (const table of PLAIN.filter((name) => name !== 'turn')) this.#db.exec(`DELETE FROM ${table}`);
    this.#keys.pages().deletePages(this.#memoryId);
  }

  #insert(table: PlainName, row: Row): void {
    const columns = Object.keys(TRANSFERRED[table].columns);
    const name = row['conversation_id'];
    if (table === 'turn' && typeof name === 'string' && isForgotten({ conversation_id: name })) {
      const sql = 'UPDATE turn SET conversation_id = ? WHERE id = ?';
      if (this.#db.run(sql, name, row['id'] ?? null).changes > 0) return;
    }
    this.#db.run(
      `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
      ...columns.map((column): Value => row[column] ?? null),
    );
  }

  #writeVectors(rows: readonly Row[]): void {
    for (const set of vectorSets(this.#db)) {
      const own = rows.filter((row) => row['set_id'] === set.id);
      performNow(set.put(readVectors(own)));
      performNow(set.save());
    }
  }
}
