import type postgres from 'postgres';
import { hasLostConnection, isRetryable, UnreachableError } from './errors.ts';
import type { Hosts } from './hosts.ts';
import type { Types } from './session.ts';

type Client = postgres.Sql<Types>;

/** A server that has not answered a statement for this long is asked on another connection whether it still runs. */
const PROBE_AFTER_MS = 5_000;
/** A busy server may leave one probe unanswered. */
const MAX_FAILED_PROBES = 2;
const PROBE = 'SELECT 1';

interface Statement {
  readonly sql: string;
  readonly values?: (null | number | string | Uint8Array)[] | undefined;
  readonly options?: { readonly prepare: boolean } | undefined;
}

export interface ConnectionSource {
  readonly hosts: Hosts;
  /** Creates a client with one connection to one host; called again after a break. */
  open(url: string, onBreak: () => void): Client;
}

/** A connection, opened at first use and again after a break. It runs one statement at a time. */
export class Connection {
  readonly #source: ConnectionSource;
  #client: Client | null = null;
  /** The host of the client. */
  #url = '';
  /** Rejects the work that is waited for. */
  readonly #waiting = new Set<(reason: Error) => void>();
  /** Resolves after the last statement sent. */
  #last: Promise<void> = Promise.resolve();
  #breaks = 0;

  constructor(source: ConnectionSource) {
    this.#source = source;
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
      if (unbroken === undefined) this.#leaveFormerPrimary();
      else if (unbroken !== this.#breaks) throw brokenConnection();
      const client = this.#client ?? (await this.#connect());
      const { sql, values = [], options } = statement;
      return await this.#watched(client, this.unlessBroken(client.unsafe<T>(sql, values, options)));
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

  /**
   * Tries each host once. postgres.js is given one host at a time: with several, it tries for ever when none answers, and
   * a new client begins with the first one, even if that one never answers (3.4.9).
   * @throws UnreachableError
   */
  async #connect(): Promise<Client> {
    const failures = [];
    for (const url of this.#source.hosts.inOrder()) {
      const client = this.#make(url);
      try {
        await ask(client, this.#source.hosts.connectTimeoutMs);
        this.#source.hosts.noteConnected(url);
        return client;
      } catch (error) {
        if (this.#client === client) this.#onBreak(client);
        if (!isRetryable(error)) throw error;
        failures.push({ url, error });
      }
    }
    throw new UnreachableError(failures);
  }

  #make(url: string): Client {
    const client = this.#source.open(url, () => {
      if (this.#client === client) this.#onBreak(client);
    });
    this.#url = url;
    this.#client = client;
    return client;
  }

  /** A machine that lost its power or network does not close its connections: the answer would never come. */
  async #watched<T>(client: Client, work: Promise<T>): Promise<T> {
    let failed = 0;
    let isProbing = false;
    const probe = async () => {
      this.#leaveFormerPrimary();
      if (isProbing || this.#client !== client) return;
      isProbing = true;
      failed = (await this.#isAnswering(this.#url)) ? 0 : failed + 1;
      isProbing = false;
      if (failed < MAX_FAILED_PROBES || this.#client !== client) return;
      this.#source.hosts.noteStalled(this.#url);
      this.#onBreak(client);
    };
    const timer = setInterval(() => void probe(), PROBE_AFTER_MS).unref();
    try {
      return await work;
    } finally {
      clearInterval(timer);
    }
  }

  /** Another connection found that another host is writable now. */
  #leaveFormerPrimary(): void {
    if (this.#client && this.#url !== this.#source.hosts.current) this.#onBreak(this.#client);
  }

  async #isAnswering(url: string): Promise<boolean> {
    const client = this.#source.open(url, () => {});
    try {
      await ask(client, this.#source.hosts.connectTimeoutMs);
      return true;
    } catch (error) {
      return !hasLostConnection(error);
    } finally {
      void client.end({ timeout: 0 }).catch(() => {});
    }
  }

  #onBreak(client: Client): void {
    this.#breaks += 1;
    this.#client = null;
    for (const reject of this.#waiting) reject(brokenConnection());
    void client.end({ timeout: 0 }).catch(() => {});
  }
}

/** Resolves when the server of a new client answers. @throws when it does not, or is a standby */
async function ask(client: Client, limitMs: number): Promise<void> {
  const late = Promise.withResolvers<never>();
  // postgres.js has the same limit, but begins again when the server closes the connection without a word.
  const timer = setTimeout(() => late.reject(connectTimeout()), limitMs + 1_000);
  try {
    await Promise.race([client.unsafe(PROBE), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

function connectTimeout(): Error {
  return Object.assign(new Error('The server did not answer.'), { code: 'CONNECT_TIMEOUT' });
}

/** The error that postgres.js gives. */
export function brokenConnection(): Error {
  return Object.assign(new Error('The connection was lost.'), { code: 'CONNECTION_CLOSED' });
}
