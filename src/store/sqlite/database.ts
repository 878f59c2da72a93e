import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { getLoadablePath } from 'sqlite-vec';
import type { MemoryKeys } from '../../keys/keys.ts';
import { isSqliteError, MemoryError, readOnlyAddress, sqliteErrorCode } from '../../model/model.ts';
import type { Row, Value } from '../rows/rows.ts';

/**
 * A thin adapter over `node:sqlite`: cached statements, transactions, and helpful errors. The only file that uses
 * the driver.
 *
 * Statements contain `LIMIT +?`: SQLite plans one with `LIMIT ?` again whenever the number is bound, which takes
 * longer than most of them run.
 */
export class Database {
  readonly path: string;
  /** Whether the file lies where this process cannot write. */
  readonly isReadOnly: boolean;
  readonly #db: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  /** FULL is SQLite's default. */
  #isFlushing = true;
  #keys: MemoryKeys | null = null;

  constructor(path: string) {
    this.path = path;
    const address = readOnlyAddress(path);
    this.isReadOnly = address !== null;
    const options = { allowExtension: true, timeout: 10_000, readOnly: this.isReadOnly };
    this.#db = guard(path, () => new DatabaseSync(address ?? path, options));
    guard(path, () => {
      this.#db.loadExtension(getLoadablePath());
      this.#db.enableLoadExtension(false);
    });
  }

  /** The keys of this memory. Set once, before anything is read. */
  get keys(): MemoryKeys {
    if (!this.#keys) throw new MemoryError('KEY_MISSING');
    return this.#keys;
  }

  set keys(keys: MemoryKeys) {
    this.#keys = keys;
  }

  /** Defines an SQL function of text and bytes. */
  define(name: string, body: (...values: Value[]) => Value): void {
    guard(this.path, () => this.#open().function(name, { varargs: true, deterministic: true }, body));
  }

  get isOpen(): boolean {
    return this.#db.isOpen;
  }

  exec(sql: string): void {
    guard(this.path, () => this.#open().exec(sql));
  }

  all<T = Row>(sql: string, ...values: Value[]): T[] {
    return guard(this.path, () => this.#prepare(sql).all(...values) as T[]);
  }

  get<T = Row>(sql: string, ...values: Value[]): T | undefined {
    return guard(this.path, () => this.#prepare(sql).get(...values) as T | undefined);
  }

  /** Changes only within `write` or `writeUnflushed`. Returns the id of the last inserted row and the number of changed rows. */
  run(sql: string, ...values: Value[]): { id: number; changes: number } {
    return guard(this.path, () => {
      const result = this.#prepare(sql).run(...values);
      return { id: Number(result.lastInsertRowid), changes: Number(result.changes) };
    });
  }

  /** Rows one by one, for large tables. Do not write to the table while reading it. */
  *iterate<T = Row>(sql: string, ...values: Value[]): Generator<T> {
    const rows = guard(
      this.path,
      () =>
        this.#open()
          .prepare(sql)
          .iterate(...values) as Iterator<T>,
    );
    for (
      let next = guard(this.path, () => rows.next());
      !next.done;
      next = guard(this.path, () => rows.next())
    ) {
      yield next.value;
    }
  }

  /**
   * Runs `body` in a write transaction; when it throws, nothing is written. Takes the write lock at once. When it
   * returns, all that was written so far is flushed to the disk and survives a power loss.
   */
  write<T>(body: () => T): T {
    this.checkWritable();
    this.#setFlushing(true);
    return this.#transaction('BEGIN IMMEDIATE', body);
  }

  /**
   * Like `write`, but without waiting for the disk, for work that can be repeated: after a power loss the last such
   * writes may be missing, the latest first; after a crash of the process none are.
   */
  writeUnflushed<T>(body: () => T): T {
    this.checkWritable();
    this.#setFlushing(false);
    return this.#transaction('BEGIN IMMEDIATE', body);
  }

  /** Runs `body` in a read transaction. */
  read<T>(body: () => T): T {
    return this.#transaction('BEGIN', body);
  }

  /** @throws MemoryError READ_ONLY */
  checkWritable(reason = 'you can recall, verify, export and copy it, but not change it'): void {
    if (!this.isReadOnly) return;
    throw new MemoryError('READ_ONLY', `${this.path} is on a read-only medium: ${reason}.`);
  }

  close(): void {
    if (!this.#db.isOpen) return;
    this.#statements.clear();
    guard(this.path, () => this.#db.close());
  }

  /** In WAL mode FULL flushes the log, including earlier writes, at every commit; NORMAL only at checkpoints. */
  #setFlushing(isFlushing: boolean): void {
    if (isFlushing === this.#isFlushing) return;
    this.exec(`PRAGMA synchronous = ${isFlushing ? 'FULL' : 'NORMAL'}`);
    this.#isFlushing = isFlushing;
  }

  #transaction<T>(begin: string, body: () => T): T {
    this.run(begin);
    try {
      const result = body();
      this.run('COMMIT');
      return result;
    } catch (error) {
      if (this.#db.isOpen && this.#db.isTransaction) this.exec('ROLLBACK');
      throw error;
    }
  }

  #prepare(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (!statement) {
      statement = this.#open().prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  #open(): DatabaseSync {
    if (!this.#db.isOpen) throw new MemoryError('CLOSED');
    return this.#db;
  }
}

function guard<T>(path: string, body: () => T): T {
  try {
    return body();
  } catch (cause) {
    throw toMemoryError(path, cause);
  }
}

function toMemoryError(path: string, cause: unknown): unknown {
  if (!isSqliteError(cause)) return cause;
  const details = { cause, sqlite: cause.errcode };
  return new MemoryError(sqliteErrorCode(cause), `${path}: ${cause.message}`, details);
}
