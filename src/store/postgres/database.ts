import postgres from 'postgres';
import { MemoryError } from '../../model/model.ts';
import { Session, type Executor, type SessionMemory } from './session.ts';
import { Connection } from './connection.ts';
import { Connections } from './connections.ts';
import { CopyBudget } from './copy/copy.ts';
import { DirectConnection } from './direct.ts';
import { DueJobs } from './dueJobs.ts';
import { Erasures } from './erasures.ts';
import { hasLostConnection, isRetryable, toMemoryError } from './errors.ts';
import { Hosts } from './hosts.ts';
import { ProcessLocks } from './locks.ts';
import { connectionOptions, parseStoreUrl, type ConnectionSettings } from './settings.ts';

/** A class of advisory locks; the second key is the memory's id. Those of writers are 0x6f6d6f01. */
const JOB_LOCK = 0x6f6d6f02;
const MAX_PAUSE_MS = 500;

/** Connections to one database, shared by the memories that this process has open in it. The only file that uses the driver. */
export class Database {
  /** Without the password. */
  readonly url: string;
  /** Statements outside of any memory, each in its own transaction. */
  readonly sql: Executor;
  readonly #isPrepared: boolean;
  readonly #pool: Pool;
  #isClosed = false;

  constructor(pool: Pool) {
    this.url = pool.settings.shownUrl;
    this.#isPrepared = pool.settings.isPrepared;
    this.sql = pool.statements.executor;
    this.#pool = pool;
    pool.users += 1;
  }

  /** Whether row-level security applies to the connected role; it does not apply to the owner of the tables. */
  async isRowSecured(): Promise<boolean> {
    this.#check();
    this.#pool.isRowSecured ??= await this.read(async () => {
      const [row] = await this.sql.unsafe<{ is: boolean }[]>("SELECT row_security_active('turn') AS is");
      return row?.is === true;
    });
    return this.#pool.isRowSecured;
  }

  /** The version of the schema, once it was read: processes are stopped before it changes. 0: not read yet. */
  get schema(): { version: number } {
    return this.#pool.schema;
  }

  /** Which memories may have jobs that are due. */
  get dueJobs(): DueJobs {
    return this.#pool.dueJobs;
  }

  /** What the copies of its large memories may take. */
  get copyBudget(): CopyBudget {
    return this.#pool.copyBudget;
  }

  /** What any process erased. */
  get erasures(): Erasures {
    return this.#pool.erasures;
  }

  /** Statements of this memory, each in its own transaction on any connection. */
  session(memory: SessionMemory): Session {
    return new Session(this.sql, memory, { isPrepared: this.#isPrepared });
  }

  /** Runs `body` in one transaction. If the server aborts it before the commit for a reason that may pass, runs it again. */
  async transaction<T>(
    memory: SessionMemory,
    options: TransactionOptions,
    body: (tx: Session) => Promise<T>,
  ): Promise<T> {
    this.#check();
    return retrying(this.#pool.hosts, async (attempt) => {
      const mode = options.isReadOnly ? READING : WRITING;
      const begun = async (sql: Executor) => {
        const [row] = await sql.unsafe<{ copying: string | null }[]>(
          BEGIN_SQL[options.lock ?? 'none'],
          [String(memory.id), memory.id],
          { prepare: this.#isPrepared },
        );
        checkNotMoved(row?.copying);
        return body(new Session(sql, memory, { isPrepared: this.#isPrepared }));
      };
      return this.#pool.transactions.transaction(mode, begun, {
        // If the connection breaks after this point, it is unknown whether the transaction was committed.
        onCommit() {
          attempt.isCommitting = options.isReadOnly !== true;
        },
      });
    });
  }

  /** Runs `body` outside of any memory in one transaction, without retries. */
  async begin<T>(body: (sql: Executor) => Promise<T>): Promise<T> {
    this.#check();
    return this.#pool.transactions.transaction(WRITING, body);
  }

  async read<T>(body: () => Promise<T>): Promise<T> {
    this.#check();
    return retrying(this.#pool.hosts, body);
  }

  /** The connection for locks and notifications, opened at first use. */
  get direct(): DirectConnection {
    this.#check();
    return this.#pool.direct.connection();
  }

  /** Runs `body` while no other process runs one with this name for the memory. @throws MemoryError BUSY */
  async exclusively<T>(memory: number, name: string, body: () => Promise<T>): Promise<T> {
    this.#check();
    return this.#pool.direct.locks().run(memory, name, body);
  }

  /** See `ProcessLocks.takeIfFree`. */
  async takeLockIfFree(memory: number, name: string): Promise<(() => Promise<void>) | null> {
    this.#check();
    return this.#pool.direct.locks().takeIfFree(memory, name);
  }

  /** The last user closes the connections. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#pool.users -= 1;
    if (this.#pool.users > 0) return;
    pools.delete(this.#pool.settings.given);
    const { statements, transactions, direct } = this.#pool;
    await Promise.all([statements.end(), transactions.end(), direct.end()]);
  }

  #check(): void {
    if (this.#isClosed) throw new MemoryError('CLOSED');
  }
}

/** Connections of this process to one database, shared by any number of memories. */
interface Pool {
  readonly settings: ConnectionSettings;
  readonly hosts: Hosts;
  /** For single statements: a transaction may wait for one of them. */
  readonly statements: Connections;
  readonly transactions: Connections;
  readonly direct: LazyDirect;
  readonly dueJobs: DueJobs;
  readonly erasures: Erasures;
  readonly copyBudget: CopyBudget;
  users: number;
  readonly schema: { version: number };
  /** Set after the first query. */
  isRowSecured?: boolean;
}

/** A connection for locks and notifications that most commands do not need. */
class LazyDirect {
  readonly #settings: ConnectionSettings;
  #made: { readonly connection: DirectConnection; readonly locks: ProcessLocks } | null = null;

  constructor(settings: ConnectionSettings) {
    this.#settings = settings;
  }

  connection(): DirectConnection {
    return this.#make().connection;
  }

  locks(): ProcessLocks {
    return this.#make().locks;
  }

  async end(): Promise<void> {
    await this.#made?.connection.end();
  }

  #make() {
    if (this.#made) return this.#made;
    const connection = new DirectConnection(this.#settings);
    this.#made = { connection, locks: new ProcessLocks(connection) };
    return this.#made;
  }
}

const pools = new Map<string, Pool>();

/** Connects to the database at `url`. @throws MemoryError INVALID_INPUT */
export function connect(url: string): Database {
  const known = pools.get(url);
  if (known) return new Database(known);
  const settings = parseStoreUrl(url);
  const options = connectionOptions(settings);
  const hosts = new Hosts(settings.urls, settings.connectTimeoutMs);
  const open = () =>
    new Connection({
      hosts,
      // A connection within a transaction must not be closed because of its age.
      open: (address, onclose) => postgres(address, { ...options, max: 1, max_lifetime: null, onclose }),
    });
  const forTransactions = Math.ceil(settings.maxConnections / 2);
  const statements = new Connections(Math.max(1, settings.maxConnections - forTransactions), open);
  const pool: Pool = {
    settings,
    hosts,
    statements,
    dueJobs: new DueJobs(statements.executor),
    erasures: new Erasures(statements.executor),
    copyBudget: new CopyBudget(),
    schema: { version: 0 },
    transactions: new Connections(forTransactions, open),
    direct: new LazyDirect(settings),
    users: 0,
  };
  pools.set(url, pool);
  return new Database(pool);
}

export interface TransactionOptions {
  /** Waits until no other transaction with this lock runs for the memory. */
  readonly lock?: 'write' | 'jobs';
  readonly isReadOnly?: boolean;
}

const WRITING = 'isolation level read committed';
const READING = 'isolation level repeatable read read only';

/** Sets the memory id for row-level security and other settings of the transaction, and takes the lock, in one round trip. */
const BEGIN_SQL = {
  none: `SELECT set_config('omoide.memory', $1::text, true), $2::integer`,
  write: "SELECT set_config('omoide.memory', $1::text, true), omoide_begin_write($2::integer) AS copying",
  jobs: `SELECT set_config('omoide.memory', $1::text, true), pg_advisory_xact_lock(${JOB_LOCK}, $2::integer),
    omoide_copying($2::integer) AS copying`,
} as const;

/**
 * @param copying the mark that `omoide_hand_over` sets, among others
 * @throws MemoryError BUSY when the memory was moved to another database
 */
export function checkNotMoved(copying: string | null | undefined): void {
  if (copying !== 'moved') return;
  throw new MemoryError('BUSY', 'The memory was moved to another database. Use a server of that database.');
}

interface Attempt {
  isCommitting: boolean;
}

/** Repeats the work after a deadlock, and while the server is being replaced. */
async function retrying<T>(hosts: Hosts, body: (attempt: Attempt) => Promise<T>): Promise<T> {
  const begunAt = performance.now();
  for (let tried = 1; ; tried += 1) {
    const attempt: Attempt = { isCommitting: false };
    try {
      return await body(attempt);
    } catch (cause) {
      const isUndecided = attempt.isCommitting && hasLostConnection(cause);
      if (isUndecided) {
        throw new MemoryError(
          'BUSY',
          'The connection to the database was lost during the commit; the change may or may not be stored.',
          {
            cause,
          },
        );
      }
      if (performance.now() - begunAt >= hosts.maxWaitMs || !isRetryable(cause)) throw toMemoryError(cause);
      await new Promise((resolve) => setTimeout(resolve, Math.min(MAX_PAUSE_MS, 10 * 2 ** tried)));
    }
  }
}
