/** Memories in PostgreSQL: the public entry of this folder. */
import { MemoryError, type Instant, receiptSchema } from '../../model/model.ts';
import { ANALYSIS_VERSION, NAME_KEYS_VERSION } from '../../text/text.ts';
import { hasRowHashes, KeyWrapping, newMemoryKey, withRowHashes, type KeyPlace } from '../../keys/keys.ts';
import type {
  BroadcastListener,
  Broadcasts,
  Erasure,
  Evidence,
  Forgetting,
  Indexes,
  JobTable,
  Store,
  StoreAdmin,
} from '../store.ts';
import { PostgresBroadcasts } from './broadcasts.ts';
import { MemoryContext } from './context.ts';
import { withCopies, type CopyLimits } from './copy/copy.ts';
import { checkNotMoved, connect, type Database } from './database.ts';
import { memoriesWithWork } from './dueJobs.ts';
import { noteErasure } from './outbox.ts';
import { createJobs } from './jobs.ts';
import { PostgresKeys } from './keys.ts';
import { DEFAULT_PARTITIONS, migrate, schemaVersion } from './migrate.ts';
import { PostgresRawTurns } from './rawTurns.ts';
import type { Tables } from './tables.ts';
import {
  createGroups,
  eraseRows,
  hashRows,
  perform,
  readInfo,
  rebuildMemory,
  reindexText,
  removeHistory,
  verifyMemory,
  type Runner,
} from '../tables/tables.ts';

export { rotatePostgresKeys } from './rotate.ts';
export { openPostgresSource, openPostgresTarget } from './transfer.ts';

export interface PostgresStoreOptions {
  readonly memoryId: string;
  /** IANA time zone of a new memory; an existing one keeps its own. */
  readonly timeZone: string;
  /** The clock; default: the machine's. */
  readonly now?: () => Instant;
  /** Where the master key is stored. It encrypts the keys of all memories of the database. */
  readonly keys: KeyPlace;
  /** Number of partitions of each table in a new schema; default 16. */
  readonly partitions?: number;
  /** How large a memory is of which this process keeps a copy. */
  readonly copies?: Partial<CopyLimits>;
}

/**
 * Opens a memory in the PostgreSQL database at `url` and creates schema and memory if they are missing.
 * @throws MemoryError INVALID_INPUT, NOT_A_MEMORY, MEMORY_TOO_NEW, KEY_MISSING, READ_ONLY, DISK_FULL, BUSY
 */
export async function openPostgresStore(url: string, options: PostgresStoreOptions): Promise<Store> {
  const db = connect(url);
  try {
    const schemaVersion = await db.read(() => migrate(db, options.partitions ?? DEFAULT_PARTITIONS));
    const wrapping = new KeyWrapping(options.keys);
    const kept = await db.read(() => findMemory(db, options, wrapping));
    const now = options.now ?? Date.now;
    const { memoryId } = options;
    const keys = new PostgresKeys(wrapping, kept.wrapped_key);
    const facts = { memoryId, timeZone: kept.time_zone, now, copies: options.copies };
    const memory = new MemoryContext(db, { id: kept.id, keys }, facts);
    await bringUpToDate(memory, kept);
    if (!hasRowHashes(kept.wrapped_key)) await addRowHashes(memory, wrapping);
    return new PostgresStore(memory, schemaVersion);
  } catch (error) {
    await db.close();
    throw error;
  }
}

/** Starts exchanging broadcasts with the other processes of this database. @throws MemoryError */
export async function openPostgresBroadcasts(url: string, listener: BroadcastListener): Promise<Broadcasts> {
  const db = connect(url);
  try {
    await db.read(() => migrate(db, DEFAULT_PARTITIONS));
    const broadcasts = new PostgresBroadcasts(db, listener);
    await db.read(() => broadcasts.begin());
    return broadcasts;
  } catch (error) {
    await db.close();
    throw error;
  }
}

/** The names of the memories in the database at `url`; none if there is no schema. @throws MemoryError */
export async function listPostgresMemories(url: string): Promise<string[]> {
  return withNames(url, async (db) => {
    const rows = await db.sql.unsafe<{ name: string }[]>(
      'SELECT name FROM memory WHERE copying IS NULL ORDER BY name',
    );
    return rows.map((row) => row.name);
  });
}

/**
 * The names of memories with jobs that are due, or whose lease has run out.
 * @param modelId also those with vectors of another model
 * @throws MemoryError
 */
export async function postgresMemoriesWithWork(
  url: string,
  now: Instant,
  modelId?: string,
): Promise<string[]> {
  return withNames(url, async (db) => {
    const due = (await memoriesWithWork(db.sql, now)).values();
    if (modelId === undefined) return [...due];
    const sql = 'SELECT omoide_memories_of_other_models($1) AS name';
    const others = await db.sql.unsafe<{ name: string }[]>(sql, [modelId]);
    return [...new Set([...due, ...others.map(({ name }) => name)])];
  });
}

/** @throws MemoryError */
export async function postgresMemoryExists(url: string, memoryId: string): Promise<boolean> {
  const found = await withNames(url, async (db) => {
    const rows = await db.sql.unsafe<{ name: string }[]>(
      'SELECT name FROM memory WHERE name = $1 AND copying IS NULL',
      [memoryId],
    );
    return rows.map((row) => row.name);
  });
  return found.length > 0;
}

async function withNames(url: string, body: (db: Database) => Promise<string[]>): Promise<string[]> {
  const db = connect(url);
  try {
    return await db.read(async () => {
      const version = db.schema.version || (await schemaVersion(db.sql));
      return version === 0 ? [] : body(db);
    });
  } finally {
    await db.close();
  }
}

interface MemoryRow {
  id: number;
  time_zone: string;
  wrapped_key: Uint8Array;
  copying: string | null;
  analysis_version: number;
  names_version: number;
}

async function findMemory(
  db: Database,
  options: PostgresStoreOptions,
  wrapping: KeyWrapping,
): Promise<MemoryRow> {
  const find = () =>
    db.sql.unsafe<MemoryRow[]>(
      'SELECT id, time_zone, wrapped_key, copying, analysis_version, names_version FROM memory WHERE name = $1',
      [options.memoryId],
    );
  const [kept] = await find();
  const [any] = kept ? [kept] : await db.sql.unsafe('SELECT 1 FROM memory LIMIT 1');
  checkNotMoved(kept?.copying);
  if (kept && kept.copying !== null) {
    throw new MemoryError(
      'BUSY',
      `The memory ${options.memoryId} is being copied to the database. If that was interrupted, run “omoide migrate” again.`,
    );
  }
  wrapping.open({ isUsed: any !== undefined });
  if (kept) return kept;
  await db.sql.unsafe(
    `INSERT INTO memory (name, time_zone, wrapped_key, analysis_version, names_version) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (name) DO NOTHING`,
    [options.memoryId, options.timeZone, wrapping.wrap(newMemoryKey()), ANALYSIS_VERSION, NAME_KEYS_VERSION],
  );
  const [made] = await find();
  if (!made) throw new MemoryError('NOT_FOUND', `The memory ${options.memoryId} could not be created.`);
  return made;
}

/** Rebuilds the text indexes if the tokenizer has changed since this memory was last opened. */
async function bringUpToDate(memory: MemoryContext, kept: MemoryRow): Promise<void> {
  if (kept.analysis_version === ANALYSIS_VERSION && kept.names_version === NAME_KEYS_VERSION) return;
  await memory.write(async (tables, tx) => {
    if (kept.analysis_version !== ANALYSIS_VERSION) {
      await perform(reindexText(tables.shared));
    }
    if (kept.names_version !== NAME_KEYS_VERSION) await perform(tables.shared.entities.names.reindex());
    const sql = 'UPDATE memory SET analysis_version = ?, names_version = ? WHERE id = $1';
    await tx.run(sql, ANALYSIS_VERSION, NAME_KEYS_VERSION);
  });
}

/** Gives the rows of a memory of an earlier version their hashes, and notes that in the memory's key. */
async function addRowHashes(memory: MemoryContext, wrapping: KeyWrapping): Promise<void> {
  await memory.write(async ({ shared }, tx) => {
    const sql = 'SELECT wrapped_key FROM memory WHERE id = $1';
    const kept = await tx.get<Pick<MemoryRow, 'wrapped_key'>>(sql);
    // Another process may have done so meanwhile.
    if (!kept || hasRowHashes(kept.wrapped_key)) return;
    await tx.allowLongStatements();
    await perform(hashRows(shared.tx));
    const key = withRowHashes(wrapping.unwrap(kept.wrapped_key));
    await tx.run('UPDATE memory SET wrapped_key = ? WHERE id = $1', wrapping.wrap(key));
  });
}

class PostgresStore implements Store {
  readonly memoryId: string;
  readonly timeZone: string;
  readonly evidence: Evidence;
  readonly units: Store['units'];
  readonly entities: Store['entities'];
  readonly topics: Store['topics'];
  readonly noteFiles: Store['noteFiles'];
  readonly indexes: Indexes;
  readonly jobs: JobTable;
  readonly journal: Store['journal'];
  readonly forgetting: Forgetting;
  readonly admin: StoreAdmin;
  readonly isReadOnly = false;
  readonly rawTurns: Store['rawTurns'];
  readonly #memory: MemoryContext;

  constructor(memory: MemoryContext, schemaVersion: number) {
    this.#memory = memory;
    this.memoryId = memory.memoryId;
    this.timeZone = memory.timeZone;
    const write: Runner['write'] = (body) => memory.write(({ shared }) => perform(body(shared)));
    const groups = createGroups({
      ask: (body) => memory.ask(({ shared }) => perform(body(shared))),
      write,
      writeUnflushed: write,
      countAccess: (unitIds, at) => memory.countAccess(unitIds, at),
    });
    this.evidence = groups.evidence;
    const { units, topics, indexes } = withCopies(groups, memory.copies);
    this.units = units;
    this.entities = groups.entities;
    this.topics = topics;
    this.noteFiles = groups.noteFiles;
    this.journal = groups.journal;
    this.indexes = indexes;
    this.jobs = createJobs(memory);
    this.forgetting = createForgetting(memory);
    this.rawTurns = new PostgresRawTurns(memory);
    this.admin = createAdmin(memory, schemaVersion);
  }

  async together<T>(work: () => Promise<T>): Promise<T> {
    return this.#memory.copies.together(work);
  }

  get copiedBytes(): number {
    return this.#memory.copies.size.bytes;
  }

  get copiedArrayBytes(): number {
    return this.#memory.copies.size.arrayBytes;
  }

  async exclusively<T>(name: string, body: () => Promise<T>): Promise<T> {
    return this.#memory.db.exclusively(this.#memory.memory.id, name, body);
  }

  async close(): Promise<void> {
    this.#memory.copies.drop();
    await this.#memory.db.close();
  }
}

function createForgetting(memory: MemoryContext): Forgetting {
  return {
    erase: (erasure) => memory.write((tables) => erase(tables, erasure)),
    dropCaches() {
      memory.memory.keys.forgetPages();
      memory.copies.drop();
    },
    erasureState: () => memory.db.erasures.stateOf(memory.memory.id),
    removeHistory: (before) => memory.write((tables) => perform(removeHistory(tables.shared, before))),
    receipts: async () => {
      const sql = 'SELECT receipt FROM receipt WHERE memory_id = $1 ORDER BY id';
      const rows = await memory.ask((_, session) => session.all<{ receipt: string }>(sql));
      return rows.map(({ receipt }) => receiptSchema.parse(JSON.parse(receipt)));
    },
  };
}

async function erase({ shared, session }: Tables, erasure: Erasure): Promise<void> {
  await perform(eraseRows(shared, erasure));
  await noteErasure(session);
}

function createAdmin(memory: MemoryContext, version: number): StoreAdmin {
  return {
    info: () =>
      memory.read(async (tables) => ({
        ...(await perform(readInfo(tables.shared))),
        location: memory.db.url,
        schemaVersion: version,
        sizeBytes: await sizeOf(tables),
      })),
    verify: () => memory.read(({ shared }) => perform(verifyMemory(shared))),
    rebuild: (what, plan) => memory.write(({ shared }) => perform(rebuildMemory(shared, what, plan))),
  };
}

/** Size of text and vectors, without indexes and dead rows: a memory shares its pages with others. */
async function sizeOf({ session }: Tables): Promise<number> {
  const row = await session.get<{ bytes: number }>(
    `SELECT (SELECT coalesce(sum(pg_column_size(t.*)), 0) FROM turn t WHERE t.memory_id = $1)
       + (SELECT coalesce(sum(pg_column_size(u.*)), 0) FROM unit u WHERE u.memory_id = $1)
       + (SELECT coalesce(sum(pg_column_size(p.*)), 0) FROM posting p WHERE p.memory_id = $1)
       + (SELECT coalesce(sum(pg_column_size(v.*)), 0) FROM unit_vector v WHERE v.memory_id = $1) AS bytes`,
  );
  return row?.bytes ?? 0;
}
