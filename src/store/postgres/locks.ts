import { createHash } from 'node:crypto';
import { KeyedMutex } from '../../async/async.ts';
import type { DirectConnection } from './direct.ts';

const FIRST_PAUSE_MS = 10;
const MAX_PAUSE_MS = 200;

/**
 * Locks shared by all processes of one database: advisory locks of one connection, and a mutex among the callers of
 * this process. A process that dies loses its connection and so its locks.
 */
export class ProcessLocks {
  readonly #connection: DirectConnection;
  readonly #mutex = new KeyedMutex();
  readonly #held = new Set<string>();

  constructor(connection: DirectConnection) {
    this.#connection = connection;
    connection.follow({ onNotify: () => {}, onBreak: () => void this.#reacquire() });
  }

  /**
   * Runs `body` while no other holder has the lock of this name in this memory. If the connection breaks meanwhile, the
   * lock is taken again if it is free.
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

  /** Takes the lock if it is free. Returns a function that releases it; null: another holder has it. */
  async takeIfFree(memory: number, name: string): Promise<(() => Promise<void>) | null> {
    const key = lockKey(memory, name);
    const [row] = await this.#connection.queryAgain<{ taken: boolean }>(TRY, [key]);
    if (row?.taken !== true) return null;
    this.#held.add(key);
    return () => this.#release(key);
  }

  async #take(key: string): Promise<void> {
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(MAX_PAUSE_MS, pauseMs * 2)) {
      const [row] = await this.#connection.queryAgain<{ taken: boolean }>(TRY, [key]);
      if (row?.taken) break;
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
    this.#held.add(key);
  }

  /** The lock of a broken connection is free already. */
  async #release(key: string): Promise<void> {
    this.#held.delete(key);
    await this.#connection.query('SELECT pg_advisory_unlock($1::bigint)', [key]).catch(() => {});
  }

  /** A lock that another process has taken meanwhile stays with it. */
  async #reacquire(): Promise<void> {
    for (const key of this.#held) {
      const taken = await this.#connection.queryAgain(TAKE_ONCE, [key]).catch(() => null);
      // It was released while it was being taken again.
      if (taken && !this.#held.has(key)) await this.#release(key);
    }
  }
}

const TRY = 'SELECT pg_try_advisory_lock($1::bigint) AS taken';

/** Advisory locks are counted: a lock taken twice would not be freed by one release. */
const TAKE_ONCE = `SELECT pg_try_advisory_lock($1::bigint) WHERE NOT EXISTS (SELECT 1 FROM pg_locks
  WHERE pid = pg_backend_pid() AND locktype = 'advisory' AND objsubid = 1
    AND (classid::bigint << 32) | objid::bigint = $1::bigint)`;

/** A 64-bit key in PostgreSQL's format. The locks of transactions use two keys and never collide with these. */
function lockKey(memory: number, name: string): string {
  return createHash('sha256').update(`${memory} ${name}`).digest().readBigInt64BE().toString();
}
