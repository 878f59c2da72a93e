/** What can be done with a memory, and how one is opened. */
import type { ArchiveCheck, ArchiveReport } from '../archive/archive.ts';
import type { BackupReport } from '../backup/backup.ts';
import type { FactPeriod, Outage, WorkerEvent } from '../derive/derive.ts';
import type {
  DateOrder,
  ImportFormat,
  IngestOptions,
  IngestReport,
  SensitivePolicy,
} from '../ingest/ingest.ts';
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
  JournalEntry,
  NewJob,
  NewTurn,
  NewUnit,
  ReorganizationPlan,
  Sensitivity,
  Turn,
  Unit,
  UnitOf,
  UnitVersion,
} from '../model/model.ts';
import type { Erased, ForgetRequest } from './forgetting/forgetting.ts';
import type { VerifyOptions } from './checkpoints/checkpoints.ts';
import type { NotesAccess, RememberedNote, RememberOptions, ScanReport } from '../notes/notes.ts';
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
  RecallDefaults,
  RecallOptions,
  RecallOutcome,
  RecallResult,
} from '../recall/recall.ts';
import type {
  AddedTurn,
  ConversationInfo,
  EntityTable,
  JobTable,
  Neighbours,
  RebuildReport,
  StoreInfo,
  TopicTable,
  UnitChange,
  UnitFilter,
  UnitPage,
  VectorModel,
  Verification,
} from '../store/store.ts';

export interface MemoryOptions {
  /** Folder of the memory's file; default: the platform's data folder. */
  readonly dataDir?: string;
  /**
   * A PostgreSQL database in which the memory is kept, in place of a file: `postgres://user@host:port/database`. The
   * folder then holds what is not shared: the key that signs, the witness log. See docs/postgres.md.
   */
  readonly store?: string;
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
  /** What holds for every recall, pack and bundle that does not say otherwise; a function is asked for each of them. */
  readonly recall?: RecallDefaults | (() => RecallDefaults);
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
  readonly onRecall?: (metadata: RecallMetadata, outcome: RecallOutcome) => void;
  /** Told how many new turns were kept. */
  readonly onIngest?: (added: number) => void;
  /**
   * A file or an http(s) URL to which signed heads of the chain are appended, in addition to `witness_<memoryId>.log` in
   * the data folder: best where whoever can write to that folder cannot. Several memories may share it. A URL is asked
   * by GET for all lines and given one by POST.
   */
  readonly witness?: string;
  /**
   * A folder, or `s3://BUCKET/PREFIX?endpoint=URL&region=REGION&days=N`, to which turns are copied as they lie, encrypted,
   * by the process that runs background jobs. See docs/archive.md.
   */
  readonly archive?: string;
  /**
   * Where the key comes from that protects all others: `file:PATH`, `env:VARIABLE` or `keychain`. Default: `master.key` in the
   * data folder, made when it is needed first.
   */
  readonly masterKey?: string;
  /**
   * What becomes of turns in which personal data or secrets are found; default `mark`: they are `private` or `secret`.
   * See docs/sensitive.md.
   */
  readonly sensitive?: SensitivePolicy;
  /** The clock; default: the machine's. */
  readonly now?: () => Instant;
}

/** Where a remembered statement is kept. */
export interface Remembered extends Omit<RememberedNote, 'uri'> {
  /** Its file of notes; null in a memory without files. */
  readonly uri: string | null;
}

export interface Forgotten {
  readonly unitId: number;
  readonly sensitivity: Sensitivity;
  /**
   * `archived`: no longer recalled; the unit and its versions are still stored and can be restored. `removed`: taken out
   * of its file of notes; the archived version is still stored. `unchanged`: it had been forgotten before.
   */
  readonly outcome: 'archived' | 'removed' | 'unchanged';
  /** What was forgotten. */
  readonly text: string;
  /** The file of notes it was taken out of. */
  readonly uri: string | null;
}

/** What became of many turns that were added. */
export interface AddReport extends IngestReport {
  /** Those that are kept, in the order given; those in `problems` are left out. */
  readonly turns: readonly AddedTurn[];
}

/** One memory, open. Close it when done. */
export interface Memory {
  readonly memoryId: string;
  /** IANA zone of the memory's wall clock. */
  readonly timeZone: string;

  /**
   * Adds one turn of a conversation, word for word; when this returns it is on the disk. A turn that is there already is
   * left alone.
   * @throws MemoryError EMPTY_TEXT, TEXT_TOO_LONG, INVALID_TEXT, INVALID_ID, INVALID_TIME, INVALID_INPUT, TURN_CONFLICT
   */
  add(turn: NewTurn): Promise<AddedTurn>;
  /** Adds many turns, batch by batch. What cannot be kept is reported by its place, and the rest goes in. */
  add(turns: Iterable<NewTurn> | AsyncIterable<NewTurn>, options?: IngestOptions): Promise<AddReport>;
  /**
   * Finds what matters for an utterance, with reasons.
   * @throws MemoryError INVALID_INPUT, EMPTY_TEXT, INVALID_TIME
   */
  recall(utterance: string, options?: RecallOptions & { readonly view?: 'hits' }): Promise<RecallResult>;
  /** The same as a bundle: turns quoted, the topics they belong to, and why. */
  recall(utterance: string, options: AutoRecallOptions & { readonly view: 'bundle' }): Promise<Bundle>;
  /**
   * The memory's part of a prompt, within a token budget.
   * @throws MemoryError INVALID_INPUT, EMPTY_TEXT, INVALID_TIME
   */
  pack(utterance: string, options?: PackOptions): Promise<Pack>;
  /**
   * Keeps a statement for later: a preference, an instruction, a decision. It becomes a line in a file of notes or,
   * in a memory without files, a unit of kind `note`. What is known already is reinforced, not kept twice.
   * `units.add` keeps a fact, summary, open loop or capsule with every field of its own.
   * @throws MemoryError EMPTY_TEXT, TEXT_TOO_LONG, INVALID_INPUT
   */
  remember(text: string, options?: RememberOptions): Promise<Remembered>;
  /**
   * Has one unit recalled no more. It archives: the words stay stored, and `units.restore` brings the unit back. A note
   * is taken out of its file.
   * @param options `item`: of a note with several list items, the words of the one that is meant
   * @throws MemoryError NOT_FOUND; INVALID_INPUT when it is not clear which item is meant; the message lists them
   */
  forget(unitId: number, options?: { readonly item?: string }): Promise<Forgotten>;
  /**
   * Forgets for good: a turn, unit, conversation, person, period, or everything, with all that was learnt from it alone.
   * The turns' keys are destroyed; the chain goes on and still verifies. Nothing brings it back. With `dryRun` it only
   * says what would go. Notes that say it stay, and are listed.
   * @throws MemoryError NOT_FOUND, INVALID_INPUT, INVALID_TIME, READ_ONLY, DISK_FULL, BUSY
   */
  forget(request: ForgetRequest): Promise<Erased>;
  /**
   * Looks through the memory on purpose: by words, period, feeling, topic, entity, or several at once.
   * @throws MemoryError INVALID_INPUT, NOT_FOUND for an id that nothing has
   */
  explore(query: ExploreQuery, options?: ExploreOptions): Promise<Exploration>;
  /** Stops background work and closes the file. Can be called again. */
  close(): Promise<void>;

  /** Everything remembered, one by one. */
  readonly units: Units;
  /** What was said, in order. */
  readonly conversations: Conversations;
  /** Experiences and themes. */
  readonly topics: Topics;
  /** People, places and things spoken of. */
  readonly entities: EntityTable;
  /** What holds, and what held before. */
  readonly facts: Facts;
  /** The files of notes; null when the memory was opened without. */
  readonly notes: NotesAccess | null;
  /** Reorganisations of topics, and how they are undone. */
  readonly journal: Journal;
  /** Background work that is not done. */
  readonly jobs: Jobs;
  /** Care of the file: proofs, repairs, copies. */
  readonly admin: Admin;
}

export interface Units {
  /**
   * Adds a fact, summary, open loop, capsule or note of one's own.
   * @throws MemoryError INVALID_INPUT, EMPTY_TEXT, TEXT_TOO_LONG, INVALID_TEXT
   */
  add(unit: NewUnit): Promise<Unit>;
  /** Units by id, in the order given; unknown ids are left out. */
  get(unitIds: readonly number[]): Promise<Unit[]>;
  /** Units that pass the filter, newest first, 100 unless `limit` says otherwise; `after` a unit of an earlier page. */
  list(filter?: UnitFilter, page?: Partial<UnitPage>): Promise<Unit[]>;
  /**
   * Changes fields of a unit; that is a new version.
   * @throws MemoryError NOT_FOUND, INVALID_INPUT, VERSION_CONFLICT
   */
  update(change: UnitUpdate): Promise<Unit>;
  /**
   * Makes a unit as it was in an earlier version; that is a new version, too.
   * @throws MemoryError NOT_FOUND, VERSION_CONFLICT
   */
  restore(change: UnitRestore): Promise<Unit>;
  /** Every version, oldest first. */
  versions(unitId: number): Promise<UnitVersion[]>;
  /** The turns before and after each episode in its conversation, and the units linked to it. Default: one each way. */
  neighbours(
    unitIds: readonly number[],
    reach?: { readonly before: number; readonly after: number },
  ): Promise<Neighbours[]>;
  /** Relates two units (`quote`, `contextual`, …). Doing it twice changes nothing. Default: `contextual`. */
  link(fromUnitId: number, toUnitId: number, relation?: string): Promise<void>;
}

/** Default reason: `edited`. */
export type UnitUpdate = Omit<Extract<UnitChange, { type: 'update' }>, 'type' | 'reason'> & {
  readonly reason?: string;
};
/** Default reason: `restored version N`. */
export type UnitRestore = Omit<Extract<UnitChange, { type: 'restore' }>, 'type' | 'reason'> & {
  readonly reason?: string;
};

export interface Conversations {
  /** The one spoken in last first. */
  list(page: { readonly limit: number; readonly offset?: number }): Promise<ConversationInfo[]>;
  /** The last turns of a conversation, oldest first; those before turn index `before` when it is given. */
  recent(conversationId: string, limit: number, before?: number): Promise<Turn[]>;
  /** Every turn of the memory, oldest first, as it was added; forgotten ones are left out. */
  turns(): AsyncGenerator<Turn>;
}

export type Topics = Pick<TopicTable, 'get' | 'list' | 'search' | 'membersOf' | 'ofUnits' | 'update'>;

export interface Facts {
  /** Those that hold now, newest first. Default: 100. */
  list(page?: { readonly limit?: number }): Promise<UnitOf<'fact'>[]>;
  /**
   * Everything that was held of the same subject in the same respect, oldest first.
   * @throws MemoryError NOT_FOUND
   */
  history(factId: number): Promise<FactPeriod[]>;
}

export interface Journal {
  /** What a reorganisation would do now, in words, too: nothing is changed. */
  plan(): Promise<{ plan: ReorganizationPlan; lines: string[] }>;
  /**
   * What a plan does, or did, in words, in the language of the topics.
   * @throws MemoryError INVALID_INPUT when it is no plan
   */
  describe(plan: ReorganizationPlan): Promise<string[]>;
  /**
   * Reorganises: by the plan given, or by one made now.
   * @throws MemoryError INVALID_INPUT, VERSION_CONFLICT when the memory is no longer what the plan was made for
   */
  reorganize(plan?: ReorganizationPlan): Promise<JournalEntry>;
  /** Newest first. */
  list(page: { readonly limit: number; readonly beforeId?: number }): Promise<JournalEntry[]>;
  get(entryId: number): Promise<JournalEntry | null>;
  /** Undoes a reorganisation. @throws MemoryError NOT_FOUND, JOURNAL_CONFLICT */
  rollback(entryId: number): Promise<JournalEntry>;
}

export type Jobs = Pick<JobTable, 'list' | 'count'> & {
  /** Kinds of job of this process that wait because the model or server they ask cannot be reached. */
  outages(): readonly Outage[];
  /** Makes failed jobs due again: all, or these. Returns how many. */
  retry(jobIds?: readonly number[]): Promise<number>;
  /** Makes waiting jobs due at once. Returns how many. */
  runNow(jobIds: readonly number[]): Promise<number>;
  /** Asks for work (`summarize`, `refresh_capsule`). False when the same is already waiting. */
  request(job: NewJob): Promise<boolean>;
};

export interface Admin {
  info(): Promise<MemoryInfo>;
  /**
   * Compares the chain with the turns, the signed checkpoints and the witness logs, and what is derived with the turns.
   * Changes and signs nothing.
   * @throws MemoryError FILE_UNREADABLE when a witness log cannot be read
   */
  verify(options?: VerifyOptions): Promise<Verification>;
  /**
   * Signs what the turns are now, so that `verify` can tell if they are rewritten later, hashes and all. Done unasked
   * after every hundred turns that this process adds, and when it closes the memory. Null when nothing was said since.
   * @throws MemoryError CHAIN_BROKEN when a break is found; READ_ONLY, DISK_FULL, FILE_UNREADABLE where the key or a
   * witness log cannot be kept or read
   */
  checkpoint(): Promise<Checkpoint | null>;
  /** Rebuilds indexes (and, from turns, episodes); vectors too when the embedding model has changed. */
  rebuild(what?: 'indexes' | 'units', options?: RebuildOptions): Promise<RebuildReport>;
  /**
   * Copies the memory while it is in use, with its key, witness log and notes and a manifest of hashes, into a new folder,
   * or into one file when the path ends in `.zip`. “omoide restore” checks such a copy and brings it back.
   * @throws MemoryError INVALID_INPUT when there is something already, READ_ONLY, DISK_FULL
   */
  backup(path: string): Promise<BackupReport>;
  /**
   * Copies to the archive the turns that are not in it yet; done unasked where background jobs run.
   * @throws MemoryError INVALID_INPUT when the memory was opened without one; READ_ONLY, DISK_FULL, FILE_UNREADABLE
   */
  archive(options?: { readonly onProgress?: (turns: number) => void }): Promise<ArchiveReport>;
  /**
   * Compares every turn with its copy in the archive.
   * @throws MemoryError INVALID_INPUT when the memory was opened without one
   */
  verifyArchive(): Promise<ArchiveCheck>;
  /**
   * Adds the conversations of a file of any known form.
   * @throws MemoryError FILE_UNREADABLE, UNKNOWN_FORMAT
   */
  importFile(path: string, options?: ImportOptions): Promise<IngestReport>;
}

export interface RebuildOptions {
  /** Whether all vectors are made again. */
  readonly vectors?: boolean;
  readonly onProgress?: (done: number, total: number) => void;
}

export interface ImportOptions extends IngestOptions {
  /** Default: told from the file. */
  readonly format?: ImportFormat;
  /** Of messages that name none; default: the file's name. */
  readonly conversationId?: string;
  /** The names under which the user speaks in the file, in any case of letters: they become `user`. */
  readonly me?: readonly string[];
  /** How dates in numbers alone are read (`5/1/24`). Default: found out from the whole file. */
  readonly dateOrder?: DateOrder;
}

export type MemoryInfo = StoreInfo & {
  readonly embedder: string | null;
  /** The model whose vectors are being made to take over, and how far that is. */
  readonly nextVectorModel: VectorModel | null;
  /** The language model, if there is one. */
  readonly model: string | null;
};
