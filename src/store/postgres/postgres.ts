/** Memories in PostgreSQL: the public entry of this folder. */
import { MemoryError, type Instant, KINDS, receiptSchema, recordOf } from '../../model/model.ts';
import type { CodeOf } from '../rows/rows.ts';
import { ANALYSIS_VERSION, NAME_KEYS_VERSION } from '../../text/text.ts';
import { KeyWrapping, newMemoryKey, type KeyPlace } from '../../keys/keys.ts';
import type {
  BroadcastListener,
  Broadcasts,
  Erasure,
  Evidence,
  Forgetting,
  Indexes,
  JobTable,
  NoteFileTable,
  Store,
  StoreAdmin,
  StoreInfo,
  VectorIndex,
} from '../store.ts';
import { PostgresBroadcasts } from './broadcasts.ts';
import { MemoryContext } from './context.ts';
import { checkNotMoved, connect, type Database } from './database.ts';
import { memoriesWithWork } from './dueJobs.ts';
import { noteErasure } from './outbox.ts';
import { createJobs } from './jobs.ts';
import { PostgresKeys } from './keys.ts';
import { DEFAULT_PARTITIONS, migrate, schemaVersion } from './migrate.ts';
import { readNeighbours } from './neighbours.ts';
import { PostgresRawTurns } from './rawTurns.ts';
import { rebuildMemory } from './rebuild.ts';
import type { Tables } from './tables.ts';
import {
  applyDerivation,
  applyToNoteFiles,
  assignTopics,
  listNoteFiles,
  listTopics,
  eraseRows,
  perform,
  removeHistory,
  searchTopics,
  topicDirections,
  topicMembers,
  topicsOfUnits,
  updateTopic,
} from '../tables/tables.ts';
import { nearestTopics } from './nearestTopics.ts';
import { PostgresVectorIndex } from './vectorIndex.ts';
import { verifyMemory } from './verify.ts';

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
    const memory = new MemoryContext(db, { id: kept.id, keys }, { memoryId, timeZone: kept.time_zone, now });
    await bringUpToDate(memory, kept);
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
      await tables.textIndex.remake(tables.units.pages());
      await perform(tables.shared.topicText.remake());
    }
    if (kept.names_version !== NAME_KEYS_VERSION) await perform(tables.shared.entities.names.reindex());
    const sql = 'UPDATE memory SET analysis_version = ?, names_version = ? WHERE id = $1';
    await tx.run(sql, ANALYSIS_VERSION, NAME_KEYS_VERSION);
  });
}

class PostgresStore implements Store {
  readonly memoryId: string;
  readonly timeZone: string;
  readonly evidence: Evidence;
  readonly units: Store['units'];
  readonly entities: Store['entities'];
  readonly topics: Store['topics'];
  readonly noteFiles: NoteFileTable;
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
    this.evidence = createEvidence(memory);
    this.units = createUnits(memory);
    this.entities = createEntities(memory);
    this.topics = createTopics(memory);
    this.noteFiles = createNoteFiles(memory);
    this.indexes = createIndexes(memory);
    this.jobs = createJobs(memory);
    this.journal = {
      apply: (change) => memory.write((tables) => perform(tables.shared.journal.apply(change))),
      list: (page) => memory.ask((tables) => perform(tables.shared.journal.list(page))),
      get: (id) => memory.ask(async (tables) => (await perform(tables.shared.journal.get(id))) ?? null),
      rollback: (id) => memory.write((tables) => perform(tables.shared.journal.rollback(id))),
    };
    this.forgetting = createForgetting(memory);
    this.rawTurns = new PostgresRawTurns(memory);
    this.admin = createAdmin(memory, this.jobs, schemaVersion);
  }

  async exclusively<T>(name: string, body: () => Promise<T>): Promise<T> {
    return this.#memory.db.exclusively(this.#memory.memory.id, name, body);
  }

  async close(): Promise<void> {
    await this.#memory.db.close();
  }
}

function createEvidence(memory: MemoryContext): Evidence {
  return {
    append: (drafts) => memory.write((tables) => tables.turns.append(drafts, memory.now())),
    get: (turnIds) => memory.ask((tables) => tables.turns.getMany(turnIds)),
    page: (page) => memory.ask((tables) => tables.turns.page(page)),
    recent: (conversationId, limit, before) =>
      memory.ask((tables) => tables.turns.recent(conversationId, limit, before)),
    conversations: (page) => memory.ask((tables) => tables.turns.conversations(page)),
    head: () => memory.ask((tables) => tables.turns.head()),
    addCheckpoint: (checkpoint, after) =>
      memory.write(({ shared }) => perform(shared.checkpoints.add(checkpoint, after))),
    checkpoints: () => memory.ask(({ shared }) => perform(shared.checkpoints.list())),
  };
}

function createUnits(memory: MemoryContext): Store['units'] {
  return {
    save: (changes, jobKinds = []) =>
      memory.write((tables) => perform(tables.shared.units.saveWithJobs(changes, jobKinds, memory.now()))),
    get: (unitIds) => memory.ask((tables) => tables.units.getMany(unitIds)),
    list: (filter, page) => memory.ask((tables) => tables.units.list(filter, page)),
    feelings: (filter, page) => memory.ask((tables) => tables.units.feelings(filter, page)),
    filter: async (unitIds, filter) => {
      const passing = await memory.ask((tables) => tables.units.passing(unitIds, filter));
      return unitIds.filter((unitId) => passing.has(unitId));
    },
    passages: (unitIds) => memory.ask((tables) => tables.units.passages(unitIds)),
    versions: (unitId) => memory.ask((tables) => perform(tables.shared.units.listVersions(unitId))),
    countAccess: (unitIds, at) => memory.write((tables) => tables.units.countAccess(unitIds, at)),
    link: (from, to, relation) =>
      memory.write((tables) => perform(tables.shared.units.link(from, to, relation))),
    neighbours: (unitIds, reach) => memory.ask((_, session) => readNeighbours(session, unitIds, reach)),
    applyDerivation: (result) =>
      memory.write((tables) => perform(applyDerivation(tables.shared, result, memory.now()))),
    isDerived: (mark) => memory.ask((tables) => perform(tables.shared.marks.has(mark))),
  };
}

function createEntities(memory: MemoryContext): Store['entities'] {
  return {
    get: (ids) => memory.ask(({ shared }) => perform(shared.entities.getMany(ids))),
    find: (keys) => memory.ask(({ shared }) => perform(shared.entities.find(keys))),
    list: (filter, page) => memory.ask(({ shared }) => perform(shared.entities.list(filter, page))),
    mentionsOf: (entityId, page) =>
      memory.ask(({ shared }) => perform(shared.entities.mentionsOf(entityId, page))),
    ofUnits: (unitIds) => memory.ask(({ shared }) => perform(shared.entities.ofUnits(unitIds))),
    edgesOf: (entityId) => memory.ask(({ shared }) => perform(shared.entities.edgesOf(entityId))),
    update: (entityId, set) => memory.write(({ shared }) => perform(shared.entities.update(entityId, set))),
    merge: (from, into) => memory.write(({ shared }) => perform(shared.entities.merge(from, into))),
  };
}

function createNoteFiles(memory: MemoryContext): NoteFileTable {
  return {
    list: () => memory.ask(({ shared }) => perform(listNoteFiles(shared.tx))),
    apply: (change) => memory.write(({ shared }) => perform(applyToNoteFiles(shared, change))),
  };
}

function createTopics(memory: MemoryContext): Store['topics'] {
  return {
    get: (ids) => memory.ask((tables) => perform(tables.shared.topics.getMany(ids))),
    list: (filter, page) => memory.ask((tables) => perform(listTopics(tables.shared, filter, page))),
    nearest: (vector, limit) => memory.ask((tables) => nearestTopics(tables.shared.centroids, vector, limit)),
    centroids: (ids) => memory.ask((tables) => perform(topicDirections(tables.shared, ids))),
    search: (terms, limit) => memory.ask((tables) => perform(searchTopics(tables.shared, terms, limit))),
    membersOf: (topicId, page) => memory.ask(({ shared }) => perform(topicMembers(shared.tx, topicId, page))),
    ofUnits: (unitIds) => memory.ask(({ shared }) => perform(topicsOfUnits(shared.tx, unitIds))),
    assign: (entries) =>
      memory.write((tables) => perform(assignTopics(tables.shared, entries, memory.now()))),
    update: (topicId, set, expectedVersion) =>
      memory.write(({ shared }) => perform(updateTopic(shared, topicId, set, expectedVersion))),
  };
}

function createIndexes(memory: MemoryContext): Indexes & { vectors: VectorIndex } {
  return {
    text: {
      search: (terms, filter, limit) => memory.ask((tables) => tables.textIndex.search(terms, filter, limit)),
      statistics: (about) => memory.ask((tables) => tables.textIndex.statistics(about)),
    },
    times: {
      search: (span, filter, limit) =>
        memory.ask((tables) => tables.textIndex.searchTimes(span, filter, limit)),
      of: (unitIds) => memory.ask((tables) => tables.textIndex.timesOf(unitIds)),
    },
    vectors: new PostgresVectorIndex(memory),
  };
}

function createForgetting(memory: MemoryContext): Forgetting {
  return {
    erase: (erasure) => memory.write((tables) => erase(tables, erasure)),
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

function createAdmin(memory: MemoryContext, jobs: JobTable, schemaVersion: number): StoreAdmin {
  return {
    async info() {
      const counts = await jobs.count();
      return memory.read(async (tables) => ({
        ...(await readInfo(tables)),
        memoryId: memory.memoryId,
        timeZone: memory.timeZone,
        location: memory.db.url,
        schemaVersion,
        jobs: counts,
      }));
    },
    verify: () => memory.read((tables) => verifyMemory(tables)),
    rebuild: (what, plan) => memory.write((tables) => rebuildMemory(tables, what, plan)),
  };
}

type CountedInfo = Omit<StoreInfo, 'jobs' | 'memoryId' | 'timeZone' | 'location' | 'schemaVersion'>;

async function readInfo(tables: Tables): Promise<CountedInfo> {
  const { session } = tables;
  const units = recordOf(KINDS, () => 0);
  const kinds = await session.all<{ kind: CodeOf<typeof KINDS>; n: number }>(
    'SELECT kind, count(*) AS n FROM unit WHERE memory_id = $1 GROUP BY kind',
  );
  for (const { kind, n } of kinds) units[KINDS[kind]] = n;
  const turns = await session.get<{
    n: number;
    conversations: number;
    first: number | null;
    last: number | null;
  }>(
    `SELECT coalesce(sum(turns), 0)::bigint AS n, count(*) AS conversations, min(first_turn_at) AS first,
       max(last_turn_at) AS last FROM conversation WHERE memory_id = $1`,
  );
  const set = await tables.vectors.filled();
  return {
    turns: turns?.n ?? 0,
    conversations: turns?.conversations ?? 0,
    units,
    topics: await perform(tables.shared.topics.countActive()),
    vectorModel: set ? { id: set.model, dimensions: set.dimensions, count: set.count } : null,
    sizeBytes: await sizeOf(tables),
    firstTurnAt: turns?.first ?? null,
    lastTurnAt: turns?.last ?? null,
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
