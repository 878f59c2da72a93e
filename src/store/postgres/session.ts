import type { Row, TurnWords } from '../rows/rows.ts';
import type { PostgresKeys, Statements } from './keys.ts';
import { arrayText, escapeText, numbered, type Single, type Value } from './statement.ts';

export type { Value } from './statement.ts';

/** Runs statements on any connection, or on the connection of a transaction. Without values, several statements are allowed. */
export interface Executor {
  unsafe<T extends object[] = object[]>(
    sql: string,
    values?: Single[],
    options?: { readonly prepare: boolean },
  ): Promise<T & { readonly count: number }>;
}

/**
 * Statements of one memory, on one connection or on any. A statement refers to the memory as `$1`, which is always
 * bound, and to its values as `?`, in order. PostgreSQL rejects a statement without `$1`, so none can omit the memory.
 */
export class Session implements Statements {
  /** The memory's id in the database; see the table `memory`. */
  readonly memory: number;
  /** The keys that encrypt its text. */
  readonly keys: PostgresKeys;
  readonly #sql: Executor;
  readonly #isPrepared: boolean;

  constructor(sql: Executor, memory: SessionMemory, options: { readonly isPrepared: boolean }) {
    this.#sql = sql;
    this.memory = memory.id;
    this.keys = memory.keys;
    this.#isPrepared = options.isPrepared;
  }

  async all<T extends object = Row>(sql: string, ...values: Value[]): Promise<T[]> {
    return [...(await this.#send<T>(sql, values))];
  }

  async get<T extends object = Row>(sql: string, ...values: Value[]): Promise<T | undefined> {
    return (await this.#send<T>(sql, values))[0];
  }

  /** Returns the number of changed rows. */
  async run(sql: string, ...values: Value[]): Promise<number> {
    return (await this.#send(sql, values)).count;
  }

  /**
   * Inserts rows with one statement. `columns` gives each column with its type, in the order of the values.
   * @param tail appended to the statement, such as `ON CONFLICT …`
   */
  async insert(
    table: string,
    columns: Readonly<Record<string, string>>,
    rows: readonly (readonly Single[])[],
    tail = '',
  ): Promise<number> {
    let inserted = 0;
    const names = Object.keys(columns);
    const types = Object.values(columns);
    const sql = `INSERT INTO ${table} (memory_id, ${names.join(', ')})
      SELECT $1, * FROM unnest(${types.map((type) => `?::${type}[]`).join(', ')}) ${tail}`;
    for (let at = 0; at < rows.length; at += MAX_ROWS) {
      const some = rows.slice(at, at + MAX_ROWS);
      const arrays = types.map((_, column) => some.map((row) => row[column] ?? null));
      inserted += await this.run(sql, ...arrays);
    }
    return inserted;
  }

  /** Inserts a row under the next id of its table, which it returns. */
  async insertNew(table: string, row: Readonly<Record<string, Single>>): Promise<number> {
    const id = await this.nextIds(table);
    const names = Object.keys(row);
    await this.run(
      `INSERT INTO ${table} (memory_id, id, ${names.join(', ')}) VALUES ($1, ?, ${names.map(() => '?').join(', ')})`,
      id,
      ...Object.values(row),
    );
    return id;
  }

  /** Inserts rows under new consecutive ids. Returns the first. */
  async insertAll(
    table: string,
    columns: Readonly<Record<string, string>>,
    rows: readonly (readonly Single[])[],
  ): Promise<number> {
    const firstId = await this.nextIds(table, rows.length);
    const withIds = rows.map((row, i) => [firstId + i, ...row]);
    await this.insert(table, { id: 'bigint', ...columns }, withIds);
    return firstId;
  }

  sealTurns(words: readonly string[]): Promise<Uint8Array[]> {
    return this.keys.sealTurns(this, words);
  }

  /** The first of `many` consecutive ids that were never used in this memory. Call it in a transaction. */
  async nextIds(name: string, many = 1): Promise<number> {
    const row = await this.get<{ last: number }>(
      `INSERT INTO counter AS c VALUES ($1, ?, ?) ON CONFLICT (memory_id, name)
       DO UPDATE SET last = c.last + excluded.last RETURNING last`,
      name,
      many,
    );
    return (row?.last ?? 0) - many + 1;
  }

  /** The rows with their decrypted text, which is empty where it cannot be read. */
  withWords<Kept extends { readonly sealed: Uint8Array | null }>(
    rows: readonly Kept[],
  ): Promise<(Kept & TurnWords)[]> {
    return this.keys.withWords(this, rows);
  }

  /** Lets statements of this transaction take as long as they need, and plans each for the size of the memory. */
  async allowLongStatements(): Promise<void> {
    await this.get(
      "SELECT set_config('statement_timeout', '0', true), set_config('plan_cache_mode', 'auto', true), $1::integer",
    );
  }

  /** A statement that takes no parameters, not even the memory, such as DROP INDEX. */
  async runPlain(sql: string): Promise<void> {
    await this.#sql.unsafe(sql, [], { prepare: false });
  }

  #send<T extends object>(sql: string, values: readonly Value[]) {
    const bound = values.map((value) => {
      if (isList(value)) return arrayText(value);
      return typeof value === 'string' ? escapeText(value) : value;
    });
    return this.#sql.unsafe<T[]>(numbered(sql), [this.memory, ...bound], { prepare: this.#isPrepared });
  }
}

export interface SessionMemory {
  readonly id: number;
  readonly keys: PostgresKeys;
}

/** The mapping of types for postgres.js: 64-bit integers are numbers, JSON is text. */
export type Types = { text: string; bigint: number; json: string; bytea: Uint8Array<ArrayBuffer> };

/** Maximum number of rows in one statement: limits the message size; more rows would not be faster. */
const MAX_ROWS = 5_000;

function isList(value: Value): value is readonly Single[] {
  return Array.isArray(value);
}
