import { statSync } from 'node:fs';
import {
  KINDS,
  makePrivateFile,
  makePrivateFolderOf,
  MemoryError,
  narrow,
  type Checkpoint,
  type Instant,
  type Kind,
  type Turn,
  type Unit,
} from '../../model/model.ts';
import { ANALYSIS_VERSION, NAME_KEYS_VERSION, type Span } from '../../text/text.ts';
import type {
  AddedTurn,
  Backup,
  ConversationInfo,
  DerivationMark,
  DerivationResult,
  Neighbours,
  Passage,
  RebuildPlan,
  RebuildReport,
  ScoredId,
  Store,
  StoreInfo,
  TextStatistics,
  TurnDraft,
  UnitChange,
  UnitFilter,
  UnitPage,
  Verification,
} from '../store.ts';
import { backUp } from './backup.ts';
import { Database } from './database.ts';
import { CheckpointTable } from './checkpoints.ts';
import { DerivationMarks } from './derivationMarks.ts';
import { DerivationTable } from './derivations.ts';
import { SqliteEntityTable } from './entities.ts';
import { insertJobs, SqliteJobTable } from './jobTable.ts';
import { SqliteJournalTable } from './journal/journal.ts';
import { migrate, schemaVersion } from './migrate.ts';
import { NeighbourTable } from './neighbours.ts';
import { SqliteNoteFileTable } from './noteFiles.ts';
import { rebuildMemory } from './rebuild.ts';
import { RowRecorder } from './rowImages.ts';
import { TextIndex } from './textIndex.ts';
import { Centroids, SqliteTopicTable, TopicRows, TopicText } from './topics/topics.ts';
import { TurnTable, unitJob } from './turns.ts';
import { UnitColumns } from './unitColumns.ts';
import { UnitFeed } from './unitFeed.ts';
import { UnitTable } from './units.ts';
import { SqliteVectorIndex } from './vectorIndex.ts';
import { verifyMemory } from './verify.ts';

export interface SqliteStoreOptions {
  readonly memoryId: string;
  /** IANA zone for a memory that is being made; one that exists keeps its own. */
  readonly timeZone: string;
  /** The clock; default: the machine's. */
  readonly now?: () => Instant;
  /** From how many vectors on searches use a copy of them in memory; default 500. */
  readonly copyFromVectors?: number;
}

/**
 * Opens the memory in the SQLite file at `path`, making file and folders when they are not there.
 * @throws MemoryError NOT_A_MEMORY, MEMORY_TOO_NEW, READ_ONLY, DISK_FULL, BUSY
 */
export function openSqliteStore(path: string, options: SqliteStoreOptions): Store {
  makeFile(path);
  const db = new Database(path);
  try {
    // Another program's file must not be touched before it is recognised, so its journal mode is set after.
    migrate(db);
    db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;');
    db.exec('PRAGMA cache_size = -65536; PRAGMA mmap_size = 268435456; PRAGMA temp_store = MEMORY;');
    narrow(path);
    return new SqliteStore(db, options);
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Closed to others from its first moment; SQLite gives its journals the same mode. */
function makeFile(path: string): void {
  try {
    makePrivateFolderOf(path);
    makePrivateFile(path);
  } catch (cause) {
    throw new MemoryError('READ_ONLY', `Cannot make ${path}.`, { cause });
  }
}

/** Units read when nobody waits. More come by an import: many after them, so that what was read would be forgotten again. */
const MAX_AT_LEISURE = 100;

class SqliteStore implements Store {
  readonly memoryId: string;
  readonly timeZone: string;
  readonly jobs: SqliteJobTable;
  readonly vectors: SqliteVectorIndex;
  readonly entities: SqliteEntityTable;
  readonly topics: SqliteTopicTable;
  readonly journal: SqliteJournalTable;
  readonly noteFiles: SqliteNoteFileTable;
  readonly #db: Database;
  readonly #now: () => Instant;
  readonly #feed: UnitFeed;
  readonly #columns: UnitColumns;
  readonly #textIndex: TextIndex;
  readonly #neighbours: NeighbourTable;
  readonly #turns: TurnTable;
  readonly #units: UnitTable;
  readonly #derivations: DerivationTable;
  readonly #marks: DerivationMarks;
  readonly #topicRows: TopicRows;
  readonly #topicText: TopicText;
  readonly #checkpoints: CheckpointTable;

  constructor(db: Database, options: SqliteStoreOptions) {
    this.#db = db;
    this.#now = options.now ?? Date.now;
    this.memoryId = this.#remember('memoryId', options.memoryId);
    this.timeZone = this.#remember('timeZone', options.timeZone);
    this.jobs = new SqliteJobTable(db);
    const recorder = new RowRecorder(db);
    const centroids = new Centroids(db, recorder);
    this.#feed = new UnitFeed(db);
    this.#columns = new UnitColumns(db, this.#feed);
    this.vectors = new SqliteVectorIndex(db, this.#columns, recorder, centroids, options.copyFromVectors);
    this.#textIndex = new TextIndex(db, this.timeZone, this.#feed, this.#columns, (ids) =>
      this.#units.getMany(ids),
    );
    this.#neighbours = new NeighbourTable(db, this.#feed);
    this.#turns = new TurnTable(db, this.#textIndex);
    this.#units = new UnitTable(db, {
      feed: this.#feed,
      textIndex: this.#textIndex,
      vectors: this.vectors,
      recorder,
    });
    this.entities = new SqliteEntityTable(db, this.#units, this.#now);
    this.#marks = new DerivationMarks(db);
    this.#derivations = new DerivationTable(db, this.#units, this.entities, this.#marks);
    this.#topicText = new TopicText(db);
    this.#topicRows = new TopicRows(db, recorder, centroids, this.#topicText);
    this.topics = new SqliteTopicTable(db, {
      rows: this.#topicRows,
      text: this.#topicText,
      textIndex: this.#textIndex,
      marks: this.#marks,
      now: this.#now,
    });
    this.journal = new SqliteJournalTable(db, {
      recorder,
      topics: this.#topicRows,
      units: this.#units,
      vectors: this.vectors,
      now: this.#now,
    });
    this.noteFiles = new SqliteNoteFileTable(db, this.#units, this.#now);
    this.#checkpoints = new CheckpointTable(db, this.#turns, this.memoryId);
    this.#follow('analysis', ANALYSIS_VERSION, () => this.#reindexText());
    this.#follow('nameKeys', NAME_KEYS_VERSION, () => this.entities.names.reindex());
  }

  async appendTurns(turns: readonly TurnDraft[]): Promise<AddedTurn[]> {
    return this.#db.write(() => this.#turns.append(turns, this.#now()));
  }

  async getTurns(ids: readonly number[]): Promise<Turn[]> {
    return ids.flatMap((id) => this.#turns.get(id) ?? []);
  }

  async readTurns(page: { afterId: number; limit: number; conversationId?: string }): Promise<Turn[]> {
    return this.#turns.page(page);
  }

  async recentTurns(conversationId: string, limit: number, before?: number): Promise<Turn[]> {
    return this.#turns.recent(conversationId, limit, before);
  }

  async listConversations(page: { limit: number; offset?: number }): Promise<ConversationInfo[]> {
    return this.#turns.conversations(page);
  }

  async saveUnits(changes: readonly UnitChange[], jobKinds: readonly string[] = []): Promise<Unit[]> {
    return this.#db.write(() => {
      const now = this.#now();
      const units = changes.map((change) => this.#units.save(change, now).unit);
      const jobs = units.flatMap((unit) => jobKinds.map((kind) => unitJob(kind, unit)));
      insertJobs(this.#db, jobs, now);
      return units;
    });
  }

  async applyDerivation(result: DerivationResult): Promise<{ applied: boolean; units: Unit[] }> {
    return this.#db.writeUnflushed(() => this.#derivations.apply(result, this.#now()));
  }

  async isDerived(mark: DerivationMark): Promise<boolean> {
    return this.#marks.has(mark);
  }

  async getUnits(ids: readonly number[]): Promise<Unit[]> {
    return this.#units.getMany(ids);
  }

  async getPassages(unitIds: readonly number[]): Promise<Passage[]> {
    return this.#db.read(() => this.#units.passages(unitIds));
  }

  async listUnits(filter: UnitFilter, page: UnitPage): Promise<Unit[]> {
    return this.#units.list(filter, page);
  }

  async filterUnits(unitIds: readonly number[], filter: UnitFilter): Promise<number[]> {
    const passing = this.#db.read(() => this.#columns.passing(unitIds, filter));
    return unitIds.filter((unitId) => passing.has(unitId));
  }

  async listVersions(unitId: number) {
    return this.#units.listVersions(unitId);
  }

  async countAccess(unitIds: readonly number[], at: Instant): Promise<void> {
    this.#db.writeUnflushed(() => {
      for (const id of unitIds) {
        this.#db.run(
          'UPDATE unit SET access_count = access_count + 1, last_accessed_at = ? WHERE id = ?',
          at,
          id,
        );
      }
    });
  }

  async link(fromUnitId: number, toUnitId: number, relation: string): Promise<void> {
    this.#db.write(() => {
      for (const id of [fromUnitId, toUnitId]) {
        if (!this.#units.get(id)) throw new MemoryError('NOT_FOUND', `There is no unit ${id}.`);
      }
      this.#db.run('INSERT OR IGNORE INTO link VALUES (?, ?, ?)', fromUnitId, toUnitId, relation);
    });
  }

  async neighbours(
    unitIds: readonly number[],
    reach: { before: number; after: number },
  ): Promise<Neighbours[]> {
    return this.#db.read(() => this.#neighbours.read(unitIds, reach));
  }

  async searchText(terms: readonly string[], filter: UnitFilter, limit: number): Promise<ScoredId[]> {
    return this.#db.read(() => this.#textIndex.search(terms, filter, limit));
  }

  async searchTimes(span: Span, filter: UnitFilter, limit: number): Promise<number[]> {
    return this.#textIndex.searchTimes(span, filter, limit);
  }

  async timesOf(unitIds: readonly number[]): Promise<Map<number, Span[]>> {
    return this.#textIndex.timesOf(unitIds);
  }

  async statistics(about: {
    terms: readonly string[];
    speakers: readonly string[];
  }): Promise<TextStatistics> {
    return this.#db.read(() => this.#textIndex.statistics(about));
  }

  async catchUp(): Promise<void> {
    this.#db.read(() => {
      this.#feed.look(MAX_AT_LEISURE);
      this.vectors.catchUp();
    });
  }

  async verify(): Promise<Verification> {
    return this.#db.read(() =>
      verifyMemory(this.#db, {
        turns: this.#turns,
        units: this.#units,
        textIndex: this.#textIndex,
        vectors: this.vectors,
        entities: this.entities,
        topicText: this.#topicText,
        checkpoints: this.#checkpoints,
        timeZone: this.timeZone,
      }),
    );
  }

  async chainHead(): Promise<{ turnId: number; chainHash: string } | null> {
    return this.#turns.last();
  }

  async addCheckpoint(checkpoint: Checkpoint): Promise<void> {
    this.#db.write(() => this.#checkpoints.add(checkpoint));
  }

  async listCheckpoints(): Promise<Checkpoint[]> {
    return this.#checkpoints.list();
  }

  async rebuild(what: 'indexes' | 'units', plan: RebuildPlan): Promise<RebuildReport> {
    const parts = {
      units: this.#units,
      textIndex: this.#textIndex,
      turns: this.#turns,
      vectors: this.vectors,
      entities: this.entities,
      topics: this.#topicRows,
      topicText: this.#topicText,
    };
    return this.#db.write(() => rebuildMemory(this.#db, parts, what, plan));
  }

  async info(): Promise<StoreInfo> {
    const jobs = await this.jobs.count();
    return this.#db.read(() => {
      const units = Object.fromEntries(KINDS.map((kind) => [kind, 0])) as Record<Kind, number>;
      for (const row of this.#db.all<{ kind: number; n: number }>(
        'SELECT kind, count(*) AS n FROM unit GROUP BY kind',
      )) {
        units[KINDS[row.kind] as Kind] = row.n;
      }
      const turns = this.#db.get<{
        n: number;
        conversations: number;
        first: number | null;
        last: number | null;
      }>(
        `SELECT coalesce(sum(turns), 0) AS n, count(*) AS conversations,
           min(first_turn_at) AS first, max(last_turn_at) AS last FROM conversation`,
      );
      return {
        memoryId: this.memoryId,
        location: this.#db.path,
        schemaVersion: schemaVersion(this.#db),
        timeZone: this.timeZone,
        turns: turns?.n ?? 0,
        conversations: turns?.conversations ?? 0,
        units,
        topics: this.#topicRows.countActive(),
        vectorModel: this.vectors.modelNow(),
        jobs,
        sizeBytes: sizeOnDisk(this.#db.path),
        firstTurnAt: turns?.first ?? null,
        lastTurnAt: turns?.last ?? null,
      };
    });
  }

  async backup(path: string): Promise<Backup> {
    return backUp(this.#db, path);
  }

  async close(): Promise<void> {
    this.#db.close();
  }

  /** The value kept under `key`; the first time, `initial` is kept. */
  #remember(key: string, initial: string): string {
    const kept = () => this.#db.get<{ value: string }>('SELECT value FROM meta WHERE key = ?', key)?.value;
    const value = kept();
    if (value !== undefined) return value;
    this.#db.run('INSERT OR IGNORE INTO meta VALUES (?, ?)', key, initial);
    return kept() ?? initial;
  }

  /** When words are read another way than when this memory was last opened, what was made of them is made anew. */
  #follow(key: string, version: number, remake: () => void): void {
    if (this.#remember(key, String(version)) === String(version)) return;
    this.#db.write(() => {
      remake();
      this.#db.run('UPDATE meta SET value = ? WHERE key = ?', String(version), key);
    });
  }

  #reindexText(): void {
    this.#textIndex.clear();
    for (const page of this.#units.pages()) this.#textIndex.add(page);
    this.#topicText.remake();
  }
}

function sizeOnDisk(path: string): number {
  return [path, `${path}-wal`].reduce(
    (sum, file) => sum + (statSync(file, { throwIfNoEntry: false })?.size ?? 0),
    0,
  );
}
