import type { WordKeys } from '../../keys/keys.ts';
import type { Row, TurnWords, Value } from '../rows/rows.ts';
import { settled, type Steps } from './steps.ts';

/** A value of a statement; a list stands for `= ANY (?::type[])`. */
export type SqlValue = Value | readonly Value[];

/**
 * Runs the statements that both stores share, in a transaction of the caller's. They are written for PostgreSQL, with the
 * memory as `$1` and values as `?`; `sqlite/dialect.ts` translates them. Joins are in the order in which SQLite should
 * read them.
 */
export interface Driver {
  readonly keys: WordKeys;
  all<T extends object>(sql: string, ...values: SqlValue[]): T[] | Promise<T[]>;
  /** Returns the number of changed rows. */
  run(sql: string, ...values: SqlValue[]): number | Promise<number>;
  /** Inserts rows whose keys are known. `columns` are names and types, in the order of the values. */
  insert(
    table: string,
    columns: Readonly<Record<string, string>>,
    rows: readonly (readonly Value[])[],
    tail?: string,
  ): number | Promise<number>;
  /** Inserts a row under a new id, which it returns. */
  insertNew(table: string, row: Readonly<Record<string, Value>>): number | Promise<number>;
  /** Inserts rows, whose columns are as those of `insert`, under new consecutive ids. Returns the first. */
  insertAll(
    table: string,
    columns: Readonly<Record<string, string>>,
    rows: readonly (readonly Value[])[],
  ): number | Promise<number>;
  /** Encrypts the text of turns, each with its own new key. */
  sealTurns(words: readonly string[]): Uint8Array[] | Promise<Uint8Array[]>;
  /** The rows with their decrypted text, which is empty where it cannot be read. */
  withWords<Kept extends Sealed>(rows: readonly Kept[]): (Kept & TurnWords)[] | Promise<(Kept & TurnWords)[]>;
}

interface Sealed {
  readonly sealed: Uint8Array | null;
}

/** A driver's statements as steps. */
export class Sql {
  readonly #driver: Driver;

  constructor(driver: Driver) {
    this.#driver = driver;
  }

  /** Asked for when needed: a memory is copied without its keys. */
  get keys(): WordKeys {
    return this.#driver.keys;
  }

  *all<T extends object = Row>(sql: string, ...values: SqlValue[]): Steps<T[]> {
    return yield* settled(this.#driver.all<T>(sql, ...values));
  }

  *get<T extends object = Row>(sql: string, ...values: SqlValue[]): Steps<T | undefined> {
    return (yield* this.all<T>(sql, ...values))[0];
  }

  *run(sql: string, ...values: SqlValue[]): Steps<number> {
    return yield* settled(this.#driver.run(sql, ...values));
  }

  *insert(...given: Parameters<Driver['insert']>): Steps<number> {
    return yield* settled(this.#driver.insert(...given));
  }

  *insertNew(table: string, row: Readonly<Record<string, Value>>): Steps<number> {
    return yield* settled(this.#driver.insertNew(table, row));
  }

  *insertAll(...given: Parameters<Driver['insertAll']>): Steps<number> {
    return yield* settled(this.#driver.insertAll(...given));
  }

  *sealTurns(words: readonly string[]): Steps<Uint8Array[]> {
    return yield* settled(this.#driver.sealTurns(words));
  }

  *withWords<Kept extends Sealed>(rows: readonly Kept[]): Steps<(Kept & TurnWords)[]> {
    return yield* settled(this.#driver.withWords(rows));
  }
}
