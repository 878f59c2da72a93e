import type postgres from 'postgres';
import { createSemaphore, type Semaphore } from '../../async/async.ts';
import { hasLostConnection } from './errors.ts';
import type { Executor, Types } from './session.ts';

type Client = postgres.Sql<Types>;

/**
 * Connections, each used by one caller at a time, and each a client of postgres.js of its own.
 *
 * postgres.js's pool and its `begin` are not used because of their behaviour when a connection breaks (3.4.9): `begin`
 * sends `ROLLBACK` to a closed connection, which ends the process (porsager/postgres issue 1154), and lets a running
 * body continue on the new connection outside of any transaction. A statement sent while a connection closes is never
 * answered, and the answers to later statements go to the wrong ones. So each statement is sent after the previous
 * answer, and a client whose connection broke is not used again.
 */
export class Connections {
  readonly #open: (onBreak: () => void) => Client;
  readonly #free: Connection[] = [];
  readonly #all: Connection[] = [];
  readonly #semaphore: Semaphore;

  /** @param max maximum number of connections @param open creates a client with one connection; called again after a break */
  constructor(max: number, open: (onBreak: () => void) => Client) {
    this.#open = open;
    this.#semaphore = createSemaphore(max);
  }

  /** Runs statements, each in its own transaction. */
  readonly executor: Executor = {
    unsafe: <R extends object[]>(...[sql, values, options]: Parameters<Executor['unsafe']>) =>
      this.#lend((connection) => connection.send<R>({ sql, values, options })),
  };

  /**
   * Runs `body` between `BEGIN` and `COMMIT`; rolls back when it throws.
   * @param hooks `onCommit` is called just before the commit
   */
  async transaction<T>(
    mode: string,
    body: (tx: Executor) => Promise<T>,
    hooks: { onCommit?(): void } = {},
  ): Promise<T> {
    return this.#lend((connection) => runTransaction(connection, { mode, body, hooks }));
  }

  async end(): Promise<void> {
    await Promise.all(this.#all.map((connection) => connection.end()));
  }

  async #lend<T>(use: (connection: Connection) => Promise<T>): Promise<T> {
    const release = await this.#semaphore.acquire();
    const connection = this.#free.pop() ?? this.#make();
    try {
      return await use(connection);
    } finally {
      this.#free.push(connection);
      release();
    }
  }

  #make(): Connection {
    const connection = new Connection(this.#open);
    this.#all.push(connection);
    return connection;
  }
}

/** A connection, opened at first use and again after a break. It runs one statement at a time. */
export class Connection {
  readonly #open: (onBreak: () => void) => Client;
  #client: Client | null = null;
  /** Rejects the work that is waited for. */
  readonly #waiting = new Set<(reason: Error) => void>();
  /** Resolves after the last statement sent. */
  #last: Promise<void> = Promise.resolve();
  #breaks = 0;

  constructor(open: (onBreak: () => void) => Client) {
    this.#open = open;
  }

  /** How often the connection has broken. */
  get breaks(): number {
    return this.#breaks;
  }

  /** @param unbroken rejects the statement if the connection has broken more often than this */
  async send<T extends object[]>(statement: Statement, unbroken?: number) {
    const before = this.#last;
    const turn = Promise.withResolvers<void>();
    this.#last = turn.promise;
    await before;
    try {
      if (unbroken !== undefined && unbroken !== this.#breaks) throw brokenConnection();
      this.#client ??= this.#make();
      const { sql, values = [], options } = statement;
      return await this.unlessBroken(this.#client.unsafe<T>(sql, values, options));
    } finally {
      turn.resolve();
    }
  }

  /**
   * Waits for the work, but rejects when the connection breaks: the answer would never come. Not by `Promise.race` with a
   * promise of the connection, which would keep the result of every work until it settles.
   */
  async unlessBroken<T>(work: PromiseLike<T>): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    this.#waiting.add(reject);
    work.then(resolve, reject);
    try {
      return await promise;
    } finally {
      this.#waiting.delete(reject);
    }
  }

  async end(): Promise<void> {
    await this.#client?.end({ timeout: 5 });
  }

  #make(): Client {
    const client = this.#open(() => {
      if (this.#client === client) this.#onBreak(client);
    });
    return client;
  }

  #onBreak(client: Client): void {
    this.#breaks += 1;
    this.#client = null;
    for (const reject of this.#waiting) reject(brokenConnection());
    void client.end({ timeout: 0 }).catch(() => {});
  }
}

interface Statement {
  readonly sql: string;
  readonly values?: (null | number | string | Uint8Array)[] | undefined;
  readonly options?: { readonly prepare: boolean } | undefined;
}

interface Transaction<T> {
  readonly mode: string;
  readonly body: (tx: Executor) => Promise<T>;
  readonly hooks: { onCommit?(): void };
}

async function runTransaction<T>(connection: Connection, { mode, body, hooks }: Transaction<T>): Promise<T> {
  await connection.send({ sql: `BEGIN ${mode}` });
  const begun = connection.breaks;
  let isEnded = false;
  const tx: Executor = {
    unsafe: async <R extends object[]>(...[sql, values, options]: Parameters<Executor['unsafe']>) => {
      if (isEnded) throw new Error('A statement was sent after the end of its transaction.');
      return connection.send<R>({ sql, values, options }, begun);
    },
  };
  let made: T;
  try {
    made = await connection.unlessBroken(body(tx));
  } catch (error) {
    isEnded = true;
    // If the connection is lost, the server rolls back by itself.
    if (!hasLostConnection(error)) await connection.send({ sql: 'ROLLBACK' }, begun).catch(() => {});
    throw error;
  }
  isEnded = true;
  if (connection.breaks !== begun) throw brokenConnection();
  hooks.onCommit?.();
  const { command } = await connection.send({ sql: 'COMMIT' }, begun);
  if (command !== 'COMMIT')
    throw new Error('A statement of the transaction failed: the transaction was rolled back.');
  return made;
}

/** The error that postgres.js gives. */
function brokenConnection(): Error {
  return Object.assign(new Error('The connection was lost.'), { code: 'CONNECTION_CLOSED' });
}
