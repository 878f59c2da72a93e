import type { Instant } from '../../model/model.ts';
import { checkNotMoved, type Database, type TransactionOptions } from './database.ts';
import { Copies, type CopyLimits } from './copy/copy.ts';
import type { Session, SessionMemory } from './session.ts';
import { Tables } from './tables.ts';
import type { ServingSet } from './vectorSearch.ts';

export interface MemoryOptions {
  readonly memoryId: string;
  readonly timeZone: string;
  readonly now: () => Instant;
  readonly copies?: Partial<CopyLimits> | undefined;
}

/** One memory in a database: reads and writes its tables. */
export class MemoryContext {
  readonly memoryId: string;
  readonly timeZone: string;
  readonly now: () => Instant;
  readonly db: Database;
  readonly memory: SessionMemory;
  readonly servingSet: ServingSet = { seen: null };
  readonly copies: Copies;

  constructor(db: Database, memory: SessionMemory, options: MemoryOptions) {
    this.db = db;
    this.memory = memory;
    this.memoryId = options.memoryId;
    this.timeZone = options.timeZone;
    this.now = options.now;
    this.copies = new Copies(this, db.copyBudget, options.copies);
  }

  /** Runs a read-only `body` that does not need a consistent snapshot. */
  async ask<T>(body: (tables: Tables, session: Session) => Promise<T>): Promise<T> {
    // Row-level security takes the memory id from a setting of the transaction.
    if (await this.db.isRowSecured()) return this.#transaction({}, body);
    const session = this.db.session(this.memory);
    return this.db.read(() => body(this.#tables(session), session));
  }

  /** Runs `body` on a consistent snapshot of the memory. */
  async read<T>(body: (tables: Tables, tx: Session) => Promise<T>): Promise<T> {
    return this.#transaction({ isReadOnly: true }, body);
  }

  /** Runs `body` in one transaction, serialised with all other writers of this memory. */
  async write<T>(body: (tables: Tables, tx: Session) => Promise<T>): Promise<T> {
    this.db.dueJobs.note(this.memory.id);
    const written = this.#transaction({ lock: 'write' }, body);
    return written.finally(() => {
      this.copies.noteWrite();
      this.db.dueJobs.note(this.memory.id);
    });
  }

  /** See `UnitTable.countAccess`; in one statement. @throws MemoryError BUSY when the memory was moved */
  async countAccess(unitIds: readonly number[], at: Instant): Promise<void> {
    const session = this.db.session(this.memory);
    const row = await this.db.read(() =>
      session.get<{ calls: number | null }>(
        'SELECT omoide_count_accesses($1, ?::bigint[], ?::bigint) AS calls',
        unitIds,
        at,
      ),
    );
    checkNotMoved(row?.calls === null ? 'moved' : null);
    await this.copies.noteAccesses(unitIds, at, row?.calls ?? 0);
  }

  /** Like `write`, for jobs only: workers are not blocked by other writers. */
  async writeJobs<T>(body: (tables: Tables, tx: Session) => Promise<T>): Promise<T> {
    return this.#transaction({ lock: 'jobs' }, body).finally(() => this.db.dueJobs.note(this.memory.id));
  }

  async #transaction<T>(
    options: TransactionOptions,
    body: (tables: Tables, tx: Session) => Promise<T>,
  ): Promise<T> {
    return this.db.transaction(this.memory, options, (tx) => body(this.#tables(tx), tx));
  }

  #tables(session: Session): Tables {
    return new Tables(session, this);
  }
}
