import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeTemporaryFolder, MemoryError, narrow, type Instant } from '../../model/model.ts';
import { KeyedMutex } from '../../async/async.ts';
import { ANALYSIS_VERSION, NAME_KEYS_VERSION } from '../../text/text.ts';
import { KeyFile, type MasterKeySetting } from '../../keys/keys.ts';
import type { Evidence, Forgetting, Indexes, RawTurns, Store, StoreAdmin } from '../store.ts';
import { createAdmin } from './admin.ts';
import { Database } from './database.ts';
import { SqliteDriver } from './dialect.ts';
import { createEvidence } from './evidence.ts';
import { createJobs, insertJobs } from './jobTable.ts';
import { checkWhole, IN_MEMORY, makeFile } from './file.ts';
import { finishErasing, SqliteForgetting } from './forgetting/forgetting.ts';
import { memoryIdOf, migrate } from './migrate.ts';
import { NeighbourTable } from './neighbours.ts';
import { SqliteRawTurns } from './rawTurns.ts';
import { createUnits } from './unitTable.ts';
import { TextIndex } from './textIndex.ts';
import { createSqliteTarget, type TransferFile } from './transfer.ts';
import type { TransferTarget } from '../transfer.ts';
import { performNow, SharedTables } from '../tables/tables.ts';
import { createEntities, createJournal, createNoteFiles, createTopics, noteCentroid } from './groups.ts';
import { TurnTable } from './turns.ts';
import { UnitColumns } from './unitColumns.ts';
import { UnitFeed } from './unitFeed.ts';
import { UnitTable } from './units.ts';
import { SqliteVectorIndex } from './vectorIndex.ts';

export { openSqliteSource } from './transfer.ts';

export interface SqliteStoreOptions {
  readonly memoryId: string;
  /** IANA zone for a new memory; an existing one keeps its own. */
  readonly timeZone: string;
  /** The clock; default: the machine's. */
  readonly now?: () => Instant;
  /** Protects the memory's keys, which are in `keys.db` in its folder; default: `master.key` in that folder. */
  readonly masterKey?: MasterKeySetting;
  /** The number of vectors from which searches use a copy in memory; default 500. */
  readonly copyFromVectors?: number;
  /** Opens a memory that is not completely copied. */
  readonly isCopy?: true;
}

/**
 * Opens the memory in the SQLite file at `path`; creates the file and folders when they are missing.
 * @throws MemoryError NOT_A_MEMORY, MEMORY_TOO_NEW, KEY_MISSING, READ_ONLY, DISK_FULL, BUSY
 */
export function openSqliteStore(path: string, options: SqliteStoreOptions): Store {
  makeFile(path);
  const db = new Database(path);
  const folder = keyFolder(path);
  const keys = new KeyFile(folder, options.masterKey ? { masterKey: options.masterKey } : {});
  try {
    const memoryId = memoryIdOf(db);
    db.keys = keys.of(memoryId ?? options.memoryId);
    // A file of another program must not be changed, so its journal mode is set after it was recognised.
    migrate(db);
    if (memoryId !== null) checkKeys(db, keys, memoryId);
    if (!options.isCopy) checkWhole(db);
    if (!db.isReadOnly) db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;');
    db.exec(
      'PRAGMA foreign_keys = ON; PRAGMA cache_size = -65536; PRAGMA mmap_size = 268435456; PRAGMA temp_store = MEMORY; PRAGMA secure_delete = ON;',
    );
    // After a long reader the log is truncated to this size when it is reset.
    db.exec(`PRAGMA journal_size_limit = ${MAX_LOG_BYTES};`);
    narrow(path);
    return new SqliteStore(db, options, () => {
      keys.close();
      if (path === IN_MEMORY) rmSync(folder, { recursive: true, force: true });
    });
  } catch (error) {
    db.close();
    keys.close();
    throw error;
  }
}

/** The keys of a store in memory are in their own folder, which is deleted with it. */
function keyFolder(path: string): string {
  return path === IN_MEMORY ? makeTemporaryFolder('keys') : dirname(path);
}

/** @throws MemoryError KEY_MISSING for a memory that was copied without its keys */
function checkKeys(db: Database, keys: KeyFile, memoryId: string): void {
  if (keys.has(memoryId) || !db.get('SELECT 1 FROM unit LIMIT 1')) return;
  throw new MemoryError(
    'KEY_MISSING',
    `${keys.path} holds no keys of the memory ${memoryId}. Restore it: without it ${db.path} cannot be read.`,
  );
}

const MAX_LOG_BYTES = 67_108_864;

/** Where a memory is copied to. */
export function openSqliteTarget(file: TransferFile): TransferTarget {
  const { path, memoryId, masterKey } = file;
  return createSqliteTarget(file, () =>
    openSqliteStore(path, { memoryId, timeZone: 'UTC', isCopy: true, ...(masterKey && { masterKey }) }),
  );
}

/** Mutexes of the stores in this process, by memory and name. */
const exclusive = new KeyedMutex();

class SqliteStore implements Store {
  readonly memoryId: string;
  readonly timeZone: string;
  readonly isReadOnly: boolean;
  readonly evidence: Evidence;
  readonly units: Store['units'];
  readonly entities: Store['entities'];
  readonly topics: Store['topics'];
  readonly noteFiles: Store['noteFiles'];
  readonly indexes: Indexes;
  readonly jobs: Store['jobs'];
  readonly journal: Store['journal'];
  readonly admin: StoreAdmin;
  readonly forgetting: Forgetting;
  readonly rawTurns: RawTurns;
  readonly #db: Database;
  readonly #onClose: () => void;
  /** Identifies a memory that is open in this process. */
  readonly #place: string;

  constructor(db: Database, options: SqliteStoreOptions, onClose: () => void) {
    const now = options.now ?? Date.now;
    this.#db = db;
    this.isReadOnly = db.isReadOnly;
    this.#place = db.path === IN_MEMORY ? randomUUID() : db.path;
    this.#onClose = onClose;
    this.memoryId = this.#remember('memoryId', options.memoryId);
    this.timeZone = this.#remember('timeZone', options.timeZone);
    const tables = new SharedTables(
      new SqliteDriver(db),
      {
        vectorRow: (key) => vectors.row(key),
        servingVectors: (unitIds) => vectors.serving(unitIds),
        restoreVector: ({ setId, unitId }, vector, follows) =>
          vectors.restore(setId, unitId, vector, follows),
        noteCentroid: (topicId) => noteCentroid(db, topicId),
        searchEpisodes: (terms, limit) => textIndex.search(terms, { kinds: ['episode'] }, limit),
        unit: (id) => units.get(id),
        units: (ids) => units.getMany(ids),
        unitOfRow: (row) => units.ofRow(row),
        firstEpisode: (unitId) => units.firstEpisode(unitId),
        // A trigger notes new units for the vectors that are being prepared; caches of filters read them by their ids.
        noteUnit: (unitId, { isNew }) => (isNew ? undefined : feed.note(unitId)),
        addToTextIndex: (added) => textIndex.add(added),
        removeFromTextIndex: (removed) => textIndex.remove(removed),
        removeVectors: (unitIds) => vectors.removeNow(unitIds),
        refreshVectorFilters: (unit) => vectors.refreshMetadata(unit),
        turnRows: (page) => turns.rows(page),
        insertJobs: (jobs, at) => insertJobs(db, jobs, at),
        forgetTurns: (turnIds) => turns.forget(turnIds),
      },
      { memoryId: this.memoryId, now },
    );
    const feed = new UnitFeed(db);
    const columns = new UnitColumns(db, feed);
    const vectors = new SqliteVectorIndex(db, columns, tables, options.copyFromVectors);
    const textIndex = new TextIndex(db, {
      timeZone: this.timeZone,
      feed,
      columns,
      readUnits: (ids) => units.getMany(ids),
    });
    const turns = new TurnTable(db, textIndex);
    const units = new UnitTable(db);
    this.jobs = createJobs(db, tables.jobs);
    this.entities = createEntities(db, tables);
    this.topics = createTopics(db, tables);
    this.journal = createJournal(db, tables);
    this.noteFiles = createNoteFiles(db, tables);
    const neighbours = new NeighbourTable(db, feed);
    this.evidence = createEvidence(db, turns, tables);
    this.units = createUnits(db, { units, columns, neighbours, tables });
    this.indexes = createIndexes(db, textIndex, vectors);
    this.admin = createAdmin(db, {
      memoryId: this.memoryId,
      timeZone: this.timeZone,
      jobs: this.jobs,
      turns,
      units,
      textIndex,
      vectors,
      tables,
    });
    this.forgetting = new SqliteForgetting(db, tables, turns);
    this.rawTurns = new SqliteRawTurns(db);
    this.#follow('analysis', ANALYSIS_VERSION, () => {
      textIndex.clear();
      for (const page of units.pages()) textIndex.add(page);
      performNow(tables.topicText.remake());
    });
    this.#follow('nameKeys', NAME_KEYS_VERSION, () => performNow(tables.entities.names.reindex()));
    if (!db.isReadOnly) finishErasing(db, turns);
  }

  exclusively<T>(name: string, body: () => Promise<T>): Promise<T> {
    return exclusive.run(`${this.#place} ${name}`, body);
  }

  async close(): Promise<void> {
    this.#db.close();
    this.#onClose();
  }

  /** The value stored under `key`; on the first call, `initial` is stored. */
  #remember(key: string, initial: string): string {
    const kept = () => this.#db.get<{ value: string }>('SELECT value FROM meta WHERE key = ?', key)?.value;
    const value = kept();
    if (value !== undefined) return value;
    this.#db.run('INSERT OR IGNORE INTO meta VALUES (?, ?)', key, initial);
    return kept() ?? initial;
  }

  /** When text is analysed differently than when this memory was last opened, rebuilds what depends on it. */
  #follow(key: string, version: number, remake: () => void): void {
    if (this.#remember(key, String(version)) === String(version)) return;
    this.#db.checkWritable('open this memory of an earlier version once where it can be written');
    this.#db.write(() => {
      remake();
      this.#db.run('UPDATE meta SET value = ? WHERE key = ?', String(version), key);
    });
  }
}

function createIndexes(db: Database, text: TextIndex, vectors: SqliteVectorIndex): Indexes {
  return {
    text: {
      search: async (terms, filter, limit) => db.read(() => text.search(terms, filter, limit)),
      statistics: async (about) => db.read(() => text.statistics(about)),
    },
    times: {
      search: async (span, filter, limit) => text.searchTimes(span, filter, limit),
      of: async (unitIds) => text.timesOf(unitIds),
    },
    vectors,
  };
}
