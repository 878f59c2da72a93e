import postgres from 'postgres';
import { Connection } from './connection.ts';
import { isRetryable, toMemoryError } from './errors.ts';
import { Hosts } from './hosts.ts';
import { connectionOptions, type ConnectionSettings } from './settings.ts';

/** The channel on which the processes of one database notify each other. */
export const CHANNEL = 'omoide';
const RETRY_MS = 500;

/** A lock must be released soon after its holder's machine fails; and nothing sent here needs to wait for a standby. */
const SESSION_SETTINGS = {
  tcp_keepalives_idle: 10,
  tcp_keepalives_interval: 5,
  tcp_keepalives_count: 3,
  synchronous_commit: 'off',
};

function directOptions(settings: ConnectionSettings) {
  const options = connectionOptions({ ...settings, isPrepared: true });
  return { ...options, connection: { ...options.connection, ...SESSION_SETTINGS } };
}

export interface DirectFollower {
  /** A message arrived on the channel. */
  readonly onNotify: (payload: string) => void;
  /** The connection broke: its locks are released, and messages sent meanwhile were missed. */
  readonly onBreak: () => void;
}

/**
 * One connection of this process directly to the database, past any pooler: advisory locks and notifications belong to
 * a connection.
 */
export class DirectConnection {
  readonly #hosts: Hosts;
  readonly #connection: Connection;
  readonly #followers = new Set<DirectFollower>();

  constructor(settings: ConnectionSettings) {
    this.#hosts = new Hosts(settings.directUrls, settings.connectTimeoutMs);
    const optionsWith = (onBreak: () => void) => ({
      ...directOptions(settings),
      max: 1,
      prepare: false,
      // Locks must not end because of the connection's age.
      max_lifetime: null,
      onnotify: (channel: string, payload: string) => {
        if (channel === CHANNEL) for (const { onNotify } of this.#followers) onNotify(payload);
      },
      onclose: () => {
        onBreak();
        for (const { onBreak } of this.#followers) onBreak();
      },
    });
    this.#connection = new Connection({
      hosts: this.#hosts,
      open: (url, onBreak) => postgres(url, optionsWith(onBreak)),
    });
  }

  /** @returns unsubscribes */
  follow(follower: DirectFollower): () => void {
    this.#followers.add(follower);
    return () => this.#followers.delete(follower);
  }

  /** Runs a statement once. */
  async query<T extends object>(sql: string, values: readonly (string | number | null)[] = []): Promise<T[]> {
    return [...(await this.#connection.send<T[]>({ sql, values: [...values] }))];
  }

  /** Like `query`, with retries while the database cannot be reached. @throws MemoryError BUSY */
  async queryAgain<T extends object>(
    sql: string,
    values: readonly (string | number | null)[] = [],
  ): Promise<T[]> {
    const begunAt = performance.now();
    for (;;) {
      try {
        return await this.query<T>(sql, values);
      } catch (cause) {
        if (performance.now() - begunAt >= this.#hosts.maxWaitMs || !isRetryable(cause))
          throw toMemoryError(cause);
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
    }
  }

  async end(): Promise<void> {
    await this.#connection.end();
  }
}
