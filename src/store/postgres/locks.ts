import { createHash } from 'node:crypto';
import { KeyedMutex } from '../../async/async.ts';
import type { DirectConnection } from './direct.ts';

const FIRST_PAUSE_MS = 10;
const MAX_PAUSE_MS = 200;

/**
 * Locks that hold for all processes in front of one database. They are advisory locks of one connection; among the
 * callers of this process a mutex decides. A process that dies loses its connection, and so its locks.
 */
export class ProcessLocks {
  readonly #connection: DirectConnection;
  readonly #mutex = new KeyedMutex();
  readonly #held = new Set<string>();

  constructor(connection: DirectConnection) {
    this.#connection = connection;
    connection.follow({ onNotify: () => {}, onBreak: () => void this.#takeAgain() });
  }

  /**
   * Runs `body` while no other holds the lock of this name in this memory. When the connection breaks meanwhile the lock is
   * taken again, if it is free.
   * @throws MemoryError BUSY when the database cannot be reached
   */
  async run<T>(memory: number, name: string, body: () => Promise<T>): Promise<T> {
    const key = lockKey(memory, name);
    return this.#mutex.run(key, async () => {
      await this.#take(key);
      try {
        return await body();
      } finally {
        await this.#release(key);
      }
    });
  }

  async #take(key: string): Promise<void> {
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(MAX_PAUSE_MS, pauseMs * 2)) {
      const [row] = await this.#connection.queryAgain<{ taken: boolean }>(
        'SELECT pg_try_advisory_lock($1::bigint) AS taken',
        [key],
      );
      if (row?.taken) break;
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
    this.#held.add(key);
  }

  /** A lock whose connection broke is free already. */
  async #release(key: string): Promise<void> {
    this.#held.delete(key);
    await this.#connection.query('SELECT pg_advisory_unlock($1::bigint)', [key]).catch(() => {});
  }

  /** What another has taken meanwhile is left to it. */
  async #takeAgain(): Promise<void> {
    for (const key of this.#held) {
      const taken = await this.#connection.queryAgain(TAKE_ONCE, [key]).catch(() => null);
      // It was released while it was being taken again.
      if (taken && !this.#held.has(key)) await this.#release(key);
    }
  }
}

/** Counted twice, a lock would not go with one release. */
const TAKE_ONCE = `SELECT pg_try_advisory_lock($1::bigint) WHERE NOT EXISTS (SELECT 1 FROM pg_locks
  WHERE pid = pg_backend_pid() AND locktype = 'advisory' AND objsubid = 1
    AND (classid::bigint << 32) | objid::bigint = $1::bigint)`;

/** 64 bits, as PostgreSQL reads them. Locks of two keys, which transactions take, are others. */
function lockKey(memory: number, name: string): string {
  return createHash('sha256').update(`${memory} ${name}`).digest().readBigInt64BE().toString();
}
