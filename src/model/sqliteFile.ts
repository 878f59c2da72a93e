import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { MemoryError } from './error.ts';
import { isSqliteError, sqliteErrorCode } from './sqliteError.ts';

/** An SQLite file that is opened on first use. Errors of SQLite become a MemoryError. */
export class SqliteFile {
  readonly path: string;
  readonly #open: () => DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  #db: DatabaseSync | null = null;

  constructor(path: string, open: () => DatabaseSync) {
    this.path = path;
    this.#open = open;
  }

  get<Row>(sql: string, ...values: SQLInputValue[]): Row | undefined {
    return this.#guard(() => this.#prepare(sql).get(...values) as Row | undefined);
  }

  all<Row>(sql: string, ...values: SQLInputValue[]): Row[] {
    return this.#guard(() => this.#prepare(sql).all(...values) as Row[]);
  }

  /** Returns the number of changed rows. */
  run(sql: string, ...values: SQLInputValue[]): number {
    return this.#guard(() => Number(this.#prepare(sql).run(...values).changes));
  }

  exec(sql: string): void {
    this.#guard(() => this.#opened().exec(sql));
  }

  /** Runs `body` in a transaction; when it throws, nothing is written. */
  write<T>(body: () => T): T {
    this.exec('BEGIN IMMEDIATE');
    try {
      const result = body();
      this.exec('COMMIT');
      return result;
    } catch (error) {
      if (this.#db?.isTransaction) this.exec('ROLLBACK');
      throw error;
    }
  }

  /** This number changes when another connection has changed the file. */
  dataVersion(): number {
    return this.get<{ data_version: number }>('PRAGMA data_version')?.data_version ?? 0;
  }

  close(): void {
    this.#statements.clear();
    const db = this.#db;
    this.#db = null;
    this.#guard(() => db?.close());
  }

  #opened(): DatabaseSync {
    this.#db ??= this.#open();
    return this.#db;
  }

  #prepare(sql: string): StatementSync {
    const statement = this.#statements.get(sql) ?? this.#opened().prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
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
