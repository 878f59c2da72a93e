import { existsSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import {
  isSqliteError,
  makePrivateFile,
  makePrivateFolderOf,
  MemoryError,
  restrictModes,
  readOnlyAddress,
  sqliteErrorCode,
} from '../model/model.ts';

type Value = null | number | string | Uint8Array;

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS memory_key (
    memory_id TEXT PRIMARY KEY,
    key       BLOB NOT NULL
  ) STRICT, WITHOUT ROWID;
  -- Keys of turns side by side, 32 bytes each; zeros where one was destroyed.
  CREATE TABLE IF NOT EXISTS key_page (
    id        BLOB PRIMARY KEY,
    memory_id TEXT NOT NULL,
    keys      BLOB NOT NULL
  ) STRICT, WITHOUT ROWID;`;

/** The file `keys.db`, opened on first use. Everything written is on the disk when `write` returns. */
export class KeyDatabase {
  readonly path: string;
  #db: DatabaseSync | null = null;
  readonly #statements = new Map<string, StatementSync>();
  #dataVersion = -1;

  constructor(path: string) {
    this.path = path;
  }

  exists(): boolean {
    return existsSync(this.path);
  }

  get<T>(sql: string, ...values: Value[]): T | undefined {
    return this.#guard(() => this.#prepare(sql).get(...values) as T | undefined);
  }

  all<T>(sql: string, ...values: Value[]): T[] {
    return this.#guard(() => this.#prepare(sql).all(...values) as T[]);
  }

  run(sql: string, ...values: Value[]): void {
    this.#guard(() => this.#prepare(sql).run(...values));
  }

  write<T>(body: () => T): T {
    this.#exec('BEGIN IMMEDIATE');
    try {
      const result = body();
      this.#exec('COMMIT');
      return result;
    } catch (error) {
      if (this.#db?.isTransaction) this.#exec('ROLLBACK');
      throw error;
    }
  }

  /** Whether another connection has written since the last call. */
  wasChangedByOthers(): boolean {
    const version =
      this.get<{ data_version: number }>('PRAGMA data_version')?.data_version ?? this.#dataVersion;
    const isChanged = version !== this.#dataVersion;
    this.#dataVersion = version;
    return isChanged;
  }

  /** Rewrites the file and empties its log, so that neither contains overwritten data. */
  compact(): void {
    this.#exec('VACUUM');
    this.#exec('PRAGMA wal_checkpoint(TRUNCATE)');
  }

  close(): void {
    this.#statements.clear();
    this.#db?.close();
    this.#db = null;
  }

  #exec(sql: string): void {
    this.#guard(() => this.#open().exec(sql));
  }

  #prepare(sql: string): StatementSync {
    const known = this.#statements.get(sql);
    if (known) return known;
    const made = this.#open().prepare(sql);
    this.#statements.set(sql, made);
    return made;
  }

  #open(): DatabaseSync {
    this.#db ??= openFile(this.path);
    return this.#db;
  }

  #guard<T>(body: () => T): T {
    try {
      return body();
    } catch (cause) {
      if (!isSqliteError(cause)) throw cause;
      throw new MemoryError(sqliteErrorCode(cause), `${this.path}: ${cause.message}`, { cause });
    }
  }
}

function openFile(path: string): DatabaseSync {
  try {
    const address = readOnlyAddress(path);
    if (address) return new DatabaseSync(address, { readOnly: true, timeout: 10_000 });
    makePrivateFolderOf(path);
    makePrivateFile(path);
  } catch (cause) {
    if (cause instanceof MemoryError || isSqliteError(cause)) throw cause;
    throw new MemoryError('READ_ONLY', `Cannot make ${path}.`, { cause });
  }
  const db = new DatabaseSync(path, { timeout: 10_000 });
  try {
    db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA secure_delete = ON;');
    if (!db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'key_page'").get()) db.exec(SCHEMA);
    restrictModes(path);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}
