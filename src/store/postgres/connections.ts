import { createSemaphore, type Semaphore } from '../../async/async.ts';
import { brokenConnection, type Connection } from './connection.ts';
import { hasLostConnection } from './errors.ts';
import type { Executor } from './session.ts';

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
  readonly #open: () => Connection;
  readonly #free: Connection[] = [];
  readonly #all: Connection[] = [];
  readonly #semaphore: Semaphore;

  /** @param max maximum number of connections */
  constructor(max: number, open: () => Connection) {
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
    const connection = this.#open();
    this.#all.push(connection);
    return connection;
  }
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
