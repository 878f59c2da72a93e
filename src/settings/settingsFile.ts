import { readdirSync, readFileSync } from 'node:fs';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import {
  isSqliteError,
  makePrivateFile,
  makePrivateFolderOf,
  MemoryError,
  restrictModes,
  readOnlyAddress,
  sqliteErrorCode,
  messageOf,
} from '../model/model.ts';

/** 'OmoS' in ASCII: identifies a settings file. */
const APPLICATION_ID = 0x4f6d6f53;
const MIGRATIONS = new URL('migrations/', import.meta.url);
const BUSY_TIMEOUT_MS = 5_000;

/** The SQLite file of the settings: when `write` returns, the data is on the disk. */
export class SettingsFile {
  readonly #path: string;
  readonly #db: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  /** @throws MemoryError NOT_A_MEMORY, MEMORY_TOO_NEW, READ_ONLY, DISK_FULL, BUSY */
  constructor(path: string) {
    this.#path = path;
    const address = readOnlyAddress(path);
    if (!address) makePrivate(path);
    const options = { timeout: BUSY_TIMEOUT_MS, readOnly: address !== null };
    this.#db = this.#guard(() => new DatabaseSync(address ?? path, options));
    try {
      // A file of another program must not be changed.
      this.#migrate();
      if (address) return;
      // Removed data must not remain in free pages: it may have been a key.
      this.#exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA secure_delete = ON;');
      restrictModes(path);
    } catch (error) {
      this.#db.close();
      throw error;
    }
  }

  all<Row>(sql: string, ...values: SQLInputValue[]): Row[] {
    return this.#guard(() => this.#prepare(sql).all(...values) as Row[]);
  }

  /** Returns the number of changed rows. */
  run(sql: string, ...values: SQLInputValue[]): number {
    return this.#guard(() => Number(this.#prepare(sql).run(...values).changes));
  }

  /** Runs `body` in a transaction; when it throws, nothing is written. */
  write<T>(body: () => T): T {
    this.#exec('BEGIN IMMEDIATE');
    try {
      const result = body();
      this.#exec('COMMIT');
      return result;
    } catch (error) {
      if (this.#db.isOpen && this.#db.isTransaction) this.#exec('ROLLBACK');
      throw error;
    }
  }

  /** This number changes when another process has changed the file. */
  othersVersion(): number {
    return this.#pragma('data_version');
  }

  close(): void {
    this.#statements.clear();
    if (this.#db.isOpen) this.#guard(() => this.#db.close());
  }

  #migrate(): void {
    const steps = readdirSync(MIGRATIONS)
      .filter((name) => name.endsWith('.sql'))
      .sort();
    const isOurs = () => this.#pragma('application_id') === APPLICATION_ID;
    if (isOurs() && this.#pragma('user_version') === steps.length) return;
    this.write(() => {
      const version = this.#pragma('user_version');
      const [{ count } = { count: 0 }] = this.all<{ count: number }>(
        'SELECT count(*) AS count FROM sqlite_schema',
      );
      if (!isOurs() && (count > 0 || version > 0))
        throw new MemoryError(
          'NOT_A_MEMORY',
          `${this.#path} is the database of another program, not the settings of Omoide.`,
        );
      if (version > steps.length) {
        const schemas = `has schema ${version}; this version of Omoide supports up to ${steps.length}`;
        throw new MemoryError('MEMORY_TOO_NEW', `${this.#path} ${schemas}. Update Omoide.`);
      }
      for (const step of steps.slice(version)) this.#exec(readFileSync(new URL(step, MIGRATIONS), 'utf8'));
      this.#exec(`PRAGMA user_version = ${steps.length}; PRAGMA application_id = ${APPLICATION_ID};`);
    });
  }

  #pragma(name: 'application_id' | 'user_version' | 'data_version'): number {
    const [row] = this.all<Record<string, number>>(`PRAGMA ${name}`);
    return row?.[name] ?? 0;
  }

  #exec(sql: string): void {
    this.#guard(() => this.#db.exec(sql));
  }

  #prepare(sql: string): StatementSync {
    if (!this.#db.isOpen) throw new MemoryError('CLOSED', 'The settings are closed.');
    const statement = this.#statements.get(sql) ?? this.#db.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }

  #guard<T>(body: () => T): T {
    try {
      return body();
    } catch (cause) {
      if (!isSqliteError(cause)) throw cause;
      throw new MemoryError(sqliteErrorCode(cause), `${this.#path}: ${cause.message}`, { cause });
    }
  }
}

/** Creates a missing file with access for its owner only from the beginning; SQLite gives its journals the same mode. */
function makePrivate(path: string): void {
  try {
    makePrivateFolderOf(path);
    makePrivateFile(path);
  } catch (cause) {
    throw new MemoryError('READ_ONLY', `${path} cannot be created: ${messageOf(cause)}`, { cause });
  }
}
