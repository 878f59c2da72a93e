import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeTemporaryFolder, MemoryError, restrictModes, type Instant } from '../../model/model.ts';
import { KeyedMutex } from '../../async/async.ts';
import { ANALYSIS_VERSION, NAME_KEYS_VERSION } from '../../text/text.ts';
import { KeyFile, type MasterKeySetting } from '../../keys/keys.ts';
import type { Evidence, Forgetting, Indexes, RawTurns, Store, StoreAdmin } from '../store.ts';
import { createAdmin } from './admin.ts';
import { Database } from './database.ts';
import { SqliteDriver } from './dialect.ts';
import { createJobs, insertJobs } from './jobTable.ts';
import type { FilterUnits } from './filter.ts';
import { checkWhole, IN_MEMORY, makeFile } from './file.ts';
import { fileProblems, schemaProblems } from './schemaCheck.ts';
import { termParts } from './termProblems.ts';
import { finishErasing, SqliteForgetting } from './forgetting/forgetting.ts';
import { memoryIdOf, migrate } from './migrate.ts';
import { SqliteRawTurns } from './rawTurns.ts';
import { TextIndex } from './textIndex.ts';
import { createSqliteTarget, type TransferFile } from './transfer.ts';
import type { TransferTarget } from '../transfer.ts';
import {
  createGroups,
  hashRows,
  performNow,
  reindexText,
  SharedTables,
  type Runner,
} from '../tables/tables.ts';
import { nearestTopics, noteCentroid, TopicCopy } from './topicCopy.ts';
import { VectorSearch } from './vectorSearch.ts';
import { SqliteVectorStorage } from './vectorStorage.ts';

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
    restrictModes(path);
    return new SqliteStore(db, keys, options, () => {
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
  readonly copiedBytes = 0;
  readonly copiedArrayBytes = 0;
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

  constructor(db: Database, keys: KeyFile, options: SqliteStoreOptions, onClose: () => void) {
    const now = options.now ?? Date.now;
    this.#db = db;
    this.isReadOnly = db.isReadOnly;
    this.#place = db.path === IN_MEMORY ? randomUUID() : db.path;
    this.#onClose = onClose;
    this.memoryId = this.#remember('memoryId', options.memoryId);
    this.timeZone = this.#remember('timeZone', options.timeZone);
    const vectorStorage = new SqliteVectorStorage(db);
    const tables = new SharedTables(
      new SqliteDriver(db),
      {
        vectorStorage,
        searchVectors: (vector, filter, limit) => vectors.search(vector, filter, limit),
        cosines: (vector, unitIds) => vectors.cosines(vector, unitIds),
        servingVectors: (unitIds) => vectors.vectors(unitIds),
        newestWithout: (modelId, options) => vectors.newestWithout(modelId, options),
        searchText: (terms, filter, limit) => textIndex.search(terms, filter, limit),
        textStatistics: (about) => textIndex.statistics(about),
        noteCentroid: (topicId) => noteCentroid(db, topicId),
        nearestTopics: (vector, limit) => nearestTopics(db, tables, topicCopy, { vector, limit }),
        deferReferenceChecks: () => db.exec('PRAGMA defer_foreign_keys = ON'),
        // A trigger notes them for the vectors that are being prepared.
        noteNewUnits: () => {},
        // Other processes poll.
        announce: () => {},
        addToTextIndex: (added) => textIndex.add(added),
        removeFromTextIndex: (removed) => textIndex.remove(removed),
        insertJobs: (jobs, at) => insertJobs(db, jobs, at),
        // Their keys are destroyed by `finishErasing`.
        forgetTurns(turns) {
          for (const { id, name } of turns)
            db.run('UPDATE turn SET conversation_id = ? WHERE id = ?', name, id);
        },
        allowLongStatements: () => {},
        clearTextIndex() {
          textIndex.clear();
          return { add: (units) => textIndex.add(units), finish: () => {} };
        },
        // Their file tells.
        forgetKeys: () => {},
        schemaProblems: (max) => [
          ...fileProblems(db, max).map((message) => ({ code: 'FILE_DAMAGED', message }) as const),
          ...schemaProblems(db).map((message) => ({ code: 'SCHEMA_WRONG', message }) as const),
        ],
        isDamage: () => true,
        ...termParts(db),
      },
      { memoryId: this.memoryId, timeZone: this.timeZone, now },
    );
    const filterUnits: FilterUnits = (unitIds, filter) =>
      performNow(tables.reading.matching(unitIds, filter));
    const { sets } = tables.vectors;
    const parts = { storage: vectorStorage, sets, filterUnits };
    const vectors = new VectorSearch(db, parts, options.copyFromVectors);
    const textIndex = new TextIndex(db, {
      timeZone: this.timeZone,
      filterUnits,
      unitsPassing: (filter, limit) => performNow(tables.reading.passing(filter, limit)),
      readUnits: (ids) => performNow(tables.reading.getMany(ids)),
    });
    const topicCopy = new TopicCopy(db);
    const writeUnflushed: Runner['writeUnflushed'] = async (body) =>
      db.writeUnflushed(() => performNow(body(tables)));
    const groups = createGroups({
      ask: async (body) => db.read(() => performNow(body(tables))),
      write: async (body) => db.write(() => performNow(body(tables))),
      writeUnflushed,
      countAccess: (unitIds, at) => writeUnflushed(({ reading }) => reading.countAccess(unitIds, at)),
    });
    this.evidence = groups.evidence;
    this.units = groups.units;
    this.entities = groups.entities;
    this.topics = groups.topics;
    this.journal = groups.journal;
    this.noteFiles = groups.noteFiles;
    this.indexes = groups.indexes;
    this.jobs = createJobs(db, tables.jobs);
    this.admin = createAdmin(db, tables);
    this.forgetting = new SqliteForgetting(db, tables);
    this.rawTurns = new SqliteRawTurns(db);
    this.#follow('analysis', ANALYSIS_VERSION, () => performNow(reindexText(tables)));
    this.#follow('nameKeys', NAME_KEYS_VERSION, () => performNow(tables.entities.names.reindex()));
    if (!keys.hasRowHashes(this.memoryId)) {
      this.#bringUpToDate(() => performNow(hashRows(tables.tx)));
      keys.noteRowHashes(this.memoryId);
    }
    if (!db.isReadOnly) finishErasing(db);
  }

  /** Copies in memory are made current by each search. */
  together<T>(work: () => Promise<T>): Promise<T> {
    return work();
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
  #follow(key: string, version: number, rebuild: () => void): void {
    if (this.#remember(key, String(version)) === String(version)) return;
    this.#bringUpToDate(() => {
      rebuild();
      this.#db.run('UPDATE meta SET value = ? WHERE key = ?', String(version), key);
    });
  }

  #bringUpToDate(body: () => void): void {
    this.#db.checkWritable('open this memory of an earlier version once where it can be written');
    this.#db.write(body);
  }
}
