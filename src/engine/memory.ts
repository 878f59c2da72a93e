/** What can be done with a memory, and how one is opened. */
import type { FactPeriod, Outage, WorkerEvent } from '../derive/derive.ts';
import type { ImportFormat, IngestOptions, IngestReport } from '../ingest/ingest.ts';
import type {
  Embedder,
  EmbedderSettings,
  LanguageModel,
  LanguageModelSettings,
  Reranker,
  RerankerSettings,
} from '../llm/llm.ts';
import type {
  Checkpoint,
  Instant,
  Job,
  JournalEntry,
  NewJob,
  NewTurn,
  NewUnit,
  ReorganizationPlan,
  Turn,
  Unit,
  UnitVersion,
} from '../model/model.ts';
import type { NotesAccess, ScanReport } from '../notes/notes.ts';
import type { ReorganizeSchedule } from '../organize/organize.ts';
import type { Pack, PackOptions } from '../pack/pack.ts';
import type {
  AutoRecallOptions,
  Bundle,
  Exploration,
  ExploreOptions,
  ExploreQuery,
  ProfileFile,
  RecallMetadata,
  RecallOptions,
  RecallResult,
} from '../recall/recall.ts';
import type {
  AppendedTurn,
  EntityTable,
  JobTable,
  JournalTable,
  Neighbours,
  RebuildReport,
  Store,
  StoreInfo,
  TopicTable,
  UnitChange,
  VectorModel,
  Verification,
} from '../store/store.ts';

export interface MemoryOptions {
  /** Folder of the memory's file; default: the platform's data folder. */
  readonly dataDir?: string;
  /** Which memory; default `default`. */
  readonly memoryId?: string;
  /** IANA zone of the wall clock, settled when the memory is made; default: the machine's. */
  readonly timeZone?: string;
  /** Which model makes the vectors; default: the bundled one. Null: recall by words alone. */
  readonly embedder?: Embedder | EmbedderSettings | null;
  /** A cross-encoder that looks at the best hits again; default: none. */
  readonly reranker?: Reranker | RerankerSettings | null;
  /** The language model of background work and deep recall; default: none, and what is learnt is learnt by rules. */
  readonly model?: LanguageModel | LanguageModelSettings | null;
  /** Whether turns are learnt from (facts, people, open loops, summaries); default true. False: they are kept and found. */
  readonly learn?: boolean;
  /** When topics are reorganised unasked, at half past three at night; default `nightly`. */
  readonly reorganize?: ReorganizeSchedule | 'never';
  /** Profiles of one's own (`omoide eval --tune` makes them), which a recall may name beside the shipped ones. */
  readonly profiles?: readonly ProfileFile[];
  /**
   * Folders of Markdown files that are part of the memory, and follow whoever edits them: `user/…` lies under `global`,
   * the rest under `project`, or under `global` too when there is none. Default: none.
   */
  readonly notes?: { readonly global: string; readonly project?: string };
  /** Told what became of the files of notes: at the opening, and whenever they were changed. */
  readonly onNotes?: (report: ScanReport) => void;
  /** Whether background jobs run in this process; default true. */
  readonly worker?: boolean;
  readonly onWorkerEvent?: (event: WorkerEvent) => void;
  /** Told of every recall that ended. */
  readonly onRecall?: (metadata: RecallMetadata) => void;
  /** Told how many new turns were kept. */
  readonly onIngest?: (added: number) => void;
  /** The clock; default: the machine's. */
  readonly now?: () => Instant;
}

/** What may be done with jobs from outside. */
export type JobAccess = Pick<JobTable, 'list' | 'count'> & {
  /** Kinds of job of this process that wait because the model or server they ask cannot be reached. */
  outages(): readonly Outage[];
  /** Makes failed jobs due again: all, or these. Returns how many. */
  retry(jobIds?: readonly number[]): Promise<number>;
  /** Makes waiting jobs due at once. Returns how many. */
  runNow(jobIds: readonly number[]): Promise<number>;
  /** Asks for work (`summarize`, `refresh_capsule`). False when the same is already waiting. */
  request(job: NewJob): Promise<boolean>;
};

/** What may be done with topics from outside. */
export type TopicAccess = Pick<TopicTable, 'get' | 'list' | 'search' | 'membersOf' | 'ofUnits' | 'update'>;

/** One kind of jobs that the caller carries out in this process. */
export interface JobService {
  /** There may be new jobs: look now rather than at the next poll. */
  wake(): void;
  /** Lets the job in hand end or, when it takes too long, gives it back. */
  stop(): Promise<void>;
}

/** One memory, open. Close it when done. */
export interface Memory {
  readonly memoryId: string;
  readonly timeZone: string;
  /** Keeps one turn; when this returns it is on the disk. */
  ingestTurn(turn: NewTurn): Promise<AppendedTurn>;
  /** Keeps many turns; what cannot be kept is reported, and the rest goes in. */
  ingestConversation(
    turns: Iterable<NewTurn> | AsyncIterable<NewTurn>,
    options?: IngestOptions,
  ): Promise<IngestReport>;
  /** Keeps the conversations of a file of any known form. */
  importFile(
    path: string,
    options?: IngestOptions & { format?: ImportFormat; conversationId?: string },
  ): Promise<IngestReport>;
  /** Relates two units (`quote`, `contextual`, …). */
  linkEpisodes(fromUnitId: number, toUnitId: number, relation?: string): Promise<void>;
  /** Finds what matters for an utterance, with reasons. */
  recall(utterance: string, options?: RecallOptions): Promise<RecallResult>;
  /** What an utterance calls to mind: turns quoted, the topics they belong to, and why. */
  autoRecall(utterance: string, options?: AutoRecallOptions): Promise<Bundle>;
  /**
   * Looks through the memory on purpose: by words, period, feeling, topic, entity, or several at once.
   * @throws MemoryError INVALID_INPUT, NOT_FOUND for an id that nothing has
   */
  explore(query: ExploreQuery, options?: ExploreOptions): Promise<Exploration>;
  /**
   * Everything that was held of the same subject in the same respect, oldest first.
   * @throws MemoryError NOT_FOUND
   */
  factHistory(factId: number): Promise<FactPeriod[]>;
  /** The memory's part of a prompt, within a token budget. */
  pack(utterance: string, options?: PackOptions): Promise<Pack>;
  /**
   * Has the first questions answered as fast as all others, which otherwise take several times as long: what they need is
   * loaded and compiled now, within a few seconds, giving way to whoever asks meanwhile. Changes nothing in the memory,
   * and is done once, however often it is called. Closing the memory ends it.
   * @throws MemoryError CLOSED, and what a recall throws
   */
  warmUp(): Promise<void>;
  /**
   * Keeps a fact, summary, open loop, capsule or note of one's own.
   * @throws MemoryError INVALID_INPUT, EMPTY_TEXT, TEXT_TOO_LONG, INVALID_TEXT
   */
  remember(unit: NewUnit): Promise<Unit>;
  getUnits(unitIds: readonly number[]): Promise<Unit[]>;
  /** Units that pass the filter, newest first; `after` a unit of an earlier page. */
  listUnits: Store['listUnits'];
  /**
   * Changes a unit, or makes it as it was in an earlier version; either is a version.
   * @throws MemoryError NOT_FOUND, INVALID_INPUT, VERSION_CONFLICT
   */
  changeUnit(change: Exclude<UnitChange, { type: 'add' }>): Promise<Unit>;
  listVersions(unitId: number): Promise<UnitVersion[]>;
  /** The turns before and after each episode in its conversation, and the units linked to it. Default: one each way. */
  neighbours(unitIds: readonly number[], reach?: { before: number; after: number }): Promise<Neighbours[]>;
  /** People, places and things spoken of. */
  readonly entities: EntityTable;
  /** Every turn, oldest first, as it was taken in. */
  readTurns(): AsyncGenerator<Turn>;
  /** The last turns of a conversation, oldest first. */
  recentTurns: Store['recentTurns'];
  listConversations: Store['listConversations'];
  /** The files of notes; null when the memory was opened without. */
  readonly notes: NotesAccess | null;
  /** Experiences and themes. */
  readonly topics: TopicAccess;
  /** What a reorganisation would do now, in the words of a person too: nothing is changed. */
  planReorganization(): Promise<{ plan: ReorganizationPlan; lines: string[] }>;
  /**
   * What a plan does, or did, in the words of a person, in the language of the topics.
   * @throws MemoryError INVALID_INPUT when it is no plan
   */
  describePlan(plan: ReorganizationPlan): Promise<string[]>;
  /**
   * Reorganises: by the plan given, or by one made now.
   * @throws MemoryError INVALID_INPUT, VERSION_CONFLICT when the memory is no longer what the plan was made for
   */
  reorganize(plan?: ReorganizationPlan): Promise<JournalEntry>;
  /** The record of every reorganisation. */
  readonly journal: Pick<JournalTable, 'list' | 'get'>;
  /** Undoes a reorganisation. @throws MemoryError NOT_FOUND, JOURNAL_CONFLICT */
  rollback(entryId: number): Promise<JournalEntry>;
  /** Background work that is not done: to look at, to try again, to do now. */
  readonly jobs: JobAccess;
  /**
   * Carries out one more kind of job in this process, beside the memory's own.
   * @param run does the jobs or throws; may be called twice for the same job
   */
  serveJobs(service: {
    readonly kind: string;
    readonly batchSize: number;
    run(jobs: readonly Job[], signal: AbortSignal): Promise<void>;
  }): JobService;
  /**
   * Has background work of this process wait a little while somebody waits for an answer: until the function returned
   * is called, no batch is begun but now and then.
   */
  beginForegroundWork(): () => void;
  /** Another language model (null: none), from now on. */
  setModel(model: LanguageModel | null): void;
  /**
   * Makes every vector anew with another embedder, in the background, while the present ones serve; then that embedder
   * takes over. With the one in use, drops what was prepared; null: recall by words alone, from now on.
   */
  setEmbedder(embedder: Embedder | null): Promise<void>;
  /** Works until no background job is due and the vectors are all of the embedder that was set. */
  settle(onProgress?: (done: number) => void): Promise<void>;
  verify(): Promise<Verification>;
  /**
   * Signs what the turns are now, so that `verify` can tell if they are rewritten later, hashes and all. Done unasked
   * too, every thousand turns. Null when nothing was said since the last one.
   * @throws MemoryError READ_ONLY, FILE_UNREADABLE where the key cannot be kept or read
   */
  checkpoint(): Promise<Checkpoint | null>;
  /** Makes indexes (and, from turns, episodes) anew; vectors too when the embedding model has changed. */
  rebuild(
    what?: 'indexes' | 'units',
    options?: { vectors?: boolean; onProgress?: (done: number, total: number) => void },
  ): Promise<RebuildReport>;
  info(): Promise<MemoryInfo>;
  close(): Promise<void>;
}

export type MemoryInfo = StoreInfo & {
  readonly embedder: string | null;
  /** The model whose vectors are being made to take over, and how far that is. */
  readonly nextVectorModel: VectorModel | null;
  /** The language model, if there is one. */
  readonly model: string | null;
};
