/** The public interface of a memory, and the options to open one. */
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
  Kind,
  NewJob,
  NewTurn,
  NewUnit,
  ReorganizationPlan,
  SensitiveKind,
  SensitiveSpan,
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
  /** Folder of the memory's file; default: the platform's folder for application data. */
  readonly dataDir?: string;
  /**
   * A PostgreSQL database for the memory instead of a file: `postgres://user@host:port/database`. The folder then
   * contains what is not shared: the signing key, the witness log. See docs/postgres.md.
   */
  readonly store?: string;
  /**
   * A Qdrant server that is searched for vectors: `qdrant://host:port/prefix`. The vectors are stored with the memory, too;
   * they are searched while the server cannot be reached. See docs/qdrant.md.
   */
  readonly vectorIndex?: string;
  /** The id of the memory; default `default`. */
  readonly memoryId?: string;
  /** IANA zone of the wall clock, set when the memory is created; default: the machine's. */
  readonly timeZone?: string;
  /** The model for vectors; default: the bundled one. Null: recall by keywords alone. */
  readonly embedder?: Embedder | EmbedderSettings | null;
  /** A cross-encoder that reranks the best hits; default: none. */
  readonly reranker?: Reranker | RerankerSettings | null;
  /** The language model for background work and deep recall; default: none, and learning uses rules. */
  readonly model?: LanguageModel | LanguageModelSettings | null;
  /** Whether to learn from turns (facts, people, open loops, summaries); default true. Otherwise turns are only stored. */
  readonly learn?: boolean;
  /** When topics are reorganised automatically, at 03:30 local time; default `nightly`. */
  readonly reorganize?: ReorganizeSchedule | 'never';
  /** One's own profiles (from `omoide eval --tune`), which a recall may name in addition to the shipped ones. */
  readonly profiles?: readonly ProfileFile[];
  /** Defaults for every recall, pack and bundle; a function is called for each of them. */
  readonly recall?: RecallDefaults | (() => RecallDefaults);
  /**
   * Folders of Markdown files that are part of the memory and can be edited by any program: `user/…` is under
   * `global`, other files under `project`, or also under `global` when there is none. Default: none.
   */
  readonly notes?: { readonly global: string; readonly project?: string };
  /** Called with the changes of the files of notes: when the memory is opened, and whenever they change. */
  readonly onNotes?: (report: ScanReport) => void;
  /** Whether background jobs run in this process; default true. */
  readonly worker?: boolean;
  readonly onWorkerEvent?: (event: WorkerEvent) => void;
  /** Called after every recall. */
  readonly onRecall?: (metadata: RecallMetadata, outcome: RecallOutcome) => void;
  /** Called with the number of new turns. */
  readonly onIngest?: (added: number) => void;
  /**
   * A file or an http(s) URL to which signed checkpoints are appended, in addition to `witness_<memoryId>.log` in
   * the data folder; best at a place that users of that folder cannot change. Several memories may share it. A URL
   * returns all lines for GET and stores one for POST.
   */
  readonly witness?: string;
  /**
   * A folder, or `s3://BUCKET/PREFIX?endpoint=URL&region=REGION&days=N`, to which the process that runs background
   * jobs copies turns, encrypted as they are stored. See docs/archive.md.
   */
  readonly archive?: string;
  /**
   * The source of the key that protects all others: `file:PATH`, `env:VARIABLE` or `keychain`. Default:
   * `master.key` in the data folder, created on first use.
   */
  readonly masterKey?: string;
  /**
   * What happens to turns with personal data or secrets; default `mask`: they become `private` or `secret`, and what
   * was found is masked wherever they are searched, learnt from or recalled. A function is called each time. See
   * docs/sensitive.md.
   */
  readonly sensitive?: SensitivePolicy | (() => SensitivePolicy);
  /**
   * Forgets turns permanently, as `forget` does, with a receipt, once they were said more than `turnsDays` (1 to 36,500) days
   * ago, where background jobs run. This includes imported turns with old dates. Default: nothing is forgotten by age.
   */
  readonly retention?: {
    readonly turnsDays?: number;
    /** Number of days (1 to 36,500) in which reorganisations can be undone. Default: no limit. */
    readonly journalDays?: number;
    /** Number of days (1 to 36,500) after which earlier versions of units are removed. Default: never. */
    readonly versionsDays?: number;
  };
  /** The clock; default: the machine's. */
  readonly now?: () => Instant;
}

/** Where a remembered statement is stored. */
export interface Remembered extends Omit<RememberedNote, 'uri'> {
  /** Its file of notes; null in a memory without files. */
  readonly uri: string | null;
}

export interface Forgotten {
  readonly unitId: number;
  readonly sensitivity: Sensitivity;
  /**
   * `archived`: no longer recalled; the unit and its versions are still stored and can be restored. `removed`:
   * removed from its file of notes; the archived version is still stored. `unchanged`: it was already forgotten.
   */
  readonly outcome: 'archived' | 'removed' | 'unchanged';
  /** The forgotten text. */
  readonly text: string;
  /** The file of notes from which it was removed. */
  readonly uri: string | null;
}

/** The result of adding many turns. */
export interface AddReport extends IngestReport {
  /** The stored turns, in the given order; those in `problems` are left out. */
  readonly turns: readonly AddedTurn[];
}

/** An open memory. Close it after use. */
export interface Memory {
  readonly memoryId: string;
  /** IANA zone of the memory's wall clock. */
  readonly timeZone: string;

  /**
   * Adds one turn of a conversation, word for word; when this returns it is on the disk. A turn that exists already is
   * not changed.
   * @throws MemoryError EMPTY_TEXT, TEXT_TOO_LONG, INVALID_TEXT, INVALID_ID, INVALID_TIME, INVALID_INPUT, TURN_CONFLICT,
   * CHAIN_BROKEN when the last turns are missing
   */
  add(turn: NewTurn): Promise<AddedTurn>;
  /** Adds many turns in batches. Turns that cannot be added are reported with their position, and the others are added. */
  add(turns: Iterable<NewTurn> | AsyncIterable<NewTurn>, options?: IngestOptions): Promise<AddReport>;
  /**
   * Finds what is relevant to an utterance, with reasons.
   * @throws MemoryError INVALID_INPUT, EMPTY_TEXT, INVALID_TIME
   */
  recall(utterance: string, options?: RecallOptions & { readonly view?: 'hits' }): Promise<RecallResult>;
  /** The same as a bundle: quoted turns, their topics, and reasons. */
  recall(utterance: string, options: AutoRecallOptions & { readonly view: 'bundle' }): Promise<Bundle>;
  /**
   * The memory's part of a prompt, within a token budget.
   * @throws MemoryError INVALID_INPUT, EMPTY_TEXT, INVALID_TIME
   */
  pack(utterance: string, options?: PackOptions): Promise<Pack>;
  /**
   * Stores a statement: a preference, an instruction, a decision. It becomes a line in a file of notes or, in a
   * memory without files, a unit of kind `note`. A known statement is reinforced and not stored twice. To store a
   * fact, summary, open loop or capsule with its own fields, use `units.add`.
   * @throws MemoryError EMPTY_TEXT, TEXT_TOO_LONG, INVALID_INPUT
   */
  remember(text: string, options?: RememberOptions): Promise<Remembered>;
  /**
   * Archives one unit, so that it is no longer recalled. Its text stays stored, and `units.restore` restores the
   * unit. A note is removed from its file.
   * @param options `item`: of a note with several list items, the text of one of them
   * @throws MemoryError NOT_FOUND; INVALID_INPUT when it is not clear which item is meant; the message lists them
   */
  forget(unitId: number, options?: { readonly item?: string }): Promise<Forgotten>;
  /**
   * Erases permanently: a turn, one or several units, a conversation, person, period, or everything, with everything learnt only from
   * it. The turns' keys are destroyed; the chain continues and can still be verified. This cannot be undone. With
   * `dryRun` it only reports what would be erased, and with the `plan` of that report it erases exactly this. Notes with
   * the same content are kept, and listed.
   * @throws MemoryError NOT_FOUND, INVALID_INPUT, INVALID_TIME, VERSION_CONFLICT, READ_ONLY, DISK_FULL, BUSY
   */
  forget(request: ForgetRequest): Promise<Erased>;
  /**
   * Explores the memory: by words, period, emotion, topic, entity, or several at once.
   * @throws MemoryError INVALID_INPUT, NOT_FOUND for an unknown id
   */
  explore(query: ExploreQuery, options?: ExploreOptions): Promise<Exploration>;
  /** Stops background work and closes the file. May be called again. */
  close(): Promise<void>;

  /** All units. */
  readonly units: Units;
  /** The conversations, in order. */
  readonly conversations: Conversations;
  /** Experiences and themes. */
  readonly topics: Topics;
  /** People, places and things that were mentioned. */
  readonly entities: EntityTable;
  /** Current and former facts. */
  readonly facts: Facts;
  /** The files of notes; null when the memory was opened without. */
  readonly notes: NotesAccess | null;
  /** Reorganisations of topics, and undoing them. */
  readonly journal: Journal;
  /** Unfinished background work. */
  readonly jobs: Jobs;
  /** Maintenance: verification, repair, copies. */
  readonly admin: Admin;
}

export interface Units {
  /**
   * Adds a fact, summary, open loop, capsule or note by hand.
   * @throws MemoryError INVALID_INPUT, EMPTY_TEXT, TEXT_TOO_LONG, INVALID_TEXT
   */
  add(unit: NewUnit): Promise<Unit>;
  /** Units by id, in the given order; unknown ids are left out. */
  get(unitIds: readonly number[]): Promise<Unit[]>;
  /** Units that pass the filter, newest first, at most `limit` (default 100); `after` a unit of an earlier page. */
  list(filter?: UnitFilter, page?: Partial<UnitPage>): Promise<Unit[]>;
  /**
   * Changes fields of a unit, which creates a new version.
   * @throws MemoryError NOT_FOUND, INVALID_INPUT, VERSION_CONFLICT
   */
  update(change: UnitUpdate): Promise<Unit>;
  /**
   * Restores a unit to an earlier version, which creates a new version.
   * @throws MemoryError NOT_FOUND, VERSION_CONFLICT
   */
  restore(change: UnitRestore): Promise<Unit>;
  /**
   * Turns, notes and other units with personal data or secrets, newest first, with what was found and where, word for
   * word. For people who may see them: nothing of this is meant for a prompt.
   */
  sensitive(page?: SensitivePage): Promise<SensitiveUnit[]>;
  /**
   * Corrects the masks of a turn or another unit: what is none is unmasked, what was missed is masked, in the search indexes and in what
   * was learnt from it, too. Earlier versions of units keep the words, encrypted, until they are forgotten.
   * @throws MemoryError NOT_FOUND, INVALID_INPUT, VERSION_CONFLICT
   */
  mask(request: MaskRequest): Promise<SensitiveUnit>;
  /** Masks what the rules find in turns and other units that were added without masks. Returns the number that changed. */
  maskOld(): Promise<number>;
  /** Every version, oldest first. */
  versions(unitId: number): Promise<UnitVersion[]>;
  /** The turns before and after each episode in its conversation, and the units linked to it. Default: one each way. */
  neighbours(
    unitIds: readonly number[],
    reach?: { readonly before: number; readonly after: number },
  ): Promise<Neighbours[]>;
  /** Links two units (`quote`, `contextual`, …). An existing link is not changed. Default: `contextual`. */
  link(fromUnitId: number, toUnitId: number, relation?: string): Promise<void>;
}

export interface SensitivePage {
  /** Only units in which this was found. */
  readonly found?: SensitiveKind;
  /** Only units of this sensitivity. */
  readonly level?: 'private' | 'secret';
  /** Default: 100. */
  readonly limit?: number;
  /** The last unit of the page before. */
  readonly after?: { readonly occurredAt: Instant; readonly unitId: number };
}

/** A turn, a note or another unit with personal data or secrets. */
export interface SensitiveUnit {
  readonly unitId: number;
  readonly kind: Kind;
  /** This and the next three fields: only for a turn; else null. */
  readonly turnId: number | null;
  readonly conversationId: string | null;
  readonly turnIndex: number | null;
  readonly speaker: string | null;
  /** The file of a note; else null. */
  readonly uri: string | null;
  readonly occurredAt: Instant;
  readonly sensitivity: Sensitivity;
  readonly version: number;
  /** Word for word; the fields of a fact, and the headings and text of a note, one after the other. */
  readonly text: string;
  /** False: it was only marked, so its words are searched, learnt from and recalled as they are. */
  readonly isMasked: boolean;
  /** What was found, in order; empty when the caller alone set the sensitivity. */
  readonly places: readonly (SensitiveSpan & { readonly text: string })[];
}

export interface MaskRequest {
  /** For a turn: the id of its episode. */
  readonly unitId: number;
  /** Everything in the text that is to be masked; none: nothing in it is personal or secret. `detect`: what the rules find. */
  readonly places: readonly SensitiveSpan[] | 'detect';
  /** Default: that of the kinds of the places. */
  readonly sensitivity?: Sensitivity;
  /** The version that was read; if the current one differs, VERSION_CONFLICT is thrown. */
  readonly expectedVersion?: number;
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
  /** The most recent first. */
  list(page: { readonly limit: number; readonly offset?: number }): Promise<ConversationInfo[]>;
  /** The last turns of a conversation, oldest first; with `before`, only those before this turn index. */
  recent(conversationId: string, limit: number, before?: number): Promise<Turn[]>;
  /** Every turn of the memory, oldest first; forgotten ones are left out. */
  turns(): AsyncGenerator<Turn>;
}

export type Topics = Pick<TopicTable, 'get' | 'list' | 'search' | 'membersOf' | 'ofUnits' | 'update'>;

export interface Facts {
  /** Facts that are true now, newest first. Default: 100. */
  list(page?: { readonly limit?: number }): Promise<UnitOf<'fact'>[]>;
  /**
   * All facts with the same subject and predicate, oldest first.
   * @throws MemoryError NOT_FOUND
   */
  history(factId: number): Promise<FactPeriod[]>;
}

export interface Journal {
  /** The plan of a reorganisation, with its description; nothing is changed. */
  plan(): Promise<{ plan: ReorganizationPlan; lines: string[] }>;
  /**
   * Describes what a plan does or did, in the language of the topics.
   * @throws MemoryError INVALID_INPUT when it is not a plan
   */
  describe(plan: ReorganizationPlan): Promise<string[]>;
  /**
   * Reorganises by the given plan, or by a new one.
   * @throws MemoryError INVALID_INPUT, VERSION_CONFLICT when the memory has changed since the plan was made
   */
  reorganize(plan?: ReorganizationPlan): Promise<JournalEntry>;
  /** Newest first. */
  list(page: { readonly limit: number; readonly beforeId?: number }): Promise<JournalEntry[]>;
  get(entryId: number): Promise<JournalEntry | null>;
  /** Undoes a reorganisation. @throws MemoryError NOT_FOUND, JOURNAL_CONFLICT */
  rollback(entryId: number): Promise<JournalEntry>;
}

export type Jobs = Pick<JobTable, 'list' | 'count'> & {
  /** Kinds of job that wait because their model or server is unreachable. */
  outages(): readonly Outage[];
  /** Makes failed jobs due again: all of them, or these. Returns how many. */
  retry(jobIds?: readonly number[]): Promise<number>;
  /** Makes waiting jobs due at once. Returns how many. */
  runNow(jobIds: readonly number[]): Promise<number>;
  /** Requests work (`summarize`, `refresh_capsule`). False when the same job is already waiting. */
  request(job: NewJob): Promise<boolean>;
};

export interface Admin {
  info(): Promise<MemoryInfo>;
  /**
   * Compares the chain with the turns, the signed checkpoints and the witness logs, and derived data with the
   * turns. Changes and signs nothing.
   * @throws MemoryError FILE_UNREADABLE when a witness log cannot be read
   */
  verify(options?: VerifyOptions): Promise<Verification>;
  /**
   * Signs the current turns, so that `verify` can detect later changes, even with new hashes. Done automatically after
   * every hundred turns that this process adds, and when it closes the memory. Null when there are no new turns.
   * @throws MemoryError CHAIN_BROKEN when a break is found; READ_ONLY, DISK_FULL, FILE_UNREADABLE when the key or a
   * witness log cannot be written or read
   */
  checkpoint(): Promise<Checkpoint | null>;
  /** Rebuilds indexes (and, from turns, episodes); also vectors when the embedding model has changed. */
  rebuild(what?: 'indexes' | 'units', options?: RebuildOptions): Promise<RebuildReport>;
  /**
   * Copies the memory while it is in use, with its key, witness log and notes and a manifest of hashes, into a new
   * folder, or into one file when the path ends in `.zip`. “omoide restore” checks and restores such a copy.
   * @throws MemoryError INVALID_INPUT when the target exists, READ_ONLY, DISK_FULL
   */
  backup(path: string): Promise<BackupReport>;
  /**
   * Copies turns that are not in the archive yet; done automatically where background jobs run.
   * @throws MemoryError INVALID_INPUT when the memory was opened without an archive; READ_ONLY, DISK_FULL,
   * FILE_UNREADABLE
   */
  archive(options?: { readonly onProgress?: (turns: number) => void }): Promise<ArchiveReport>;
  /**
   * Compares every turn with its copy in the archive.
   * @throws MemoryError INVALID_INPUT when the memory was opened without an archive
   */
  verifyArchive(): Promise<ArchiveCheck>;
  /**
   * Adds the conversations of a file in any supported format.
   * @throws MemoryError FILE_UNREADABLE, UNKNOWN_FORMAT
   */
  importFile(path: string, options?: ImportOptions): Promise<IngestReport>;
}

export interface RebuildOptions {
  /** Whether to make all vectors again. */
  readonly vectors?: boolean;
  readonly onProgress?: (done: number, total: number) => void;
}

export interface ImportOptions extends IngestOptions {
  /** Default: detected from the file. */
  readonly format?: ImportFormat;
  /** For messages that do not name a conversation; default: the file's name. */
  readonly conversationId?: string;
  /** The names that belong to the user in the file, case-insensitive: they become `user`. */
  readonly me?: readonly string[];
  /** How purely numeric dates are read (`5/1/24`). Default: derived from the whole file. */
  readonly dateOrder?: DateOrder;
}

export type MemoryInfo = StoreInfo & {
  readonly embedder: string | null;
  /** The model whose vectors are being prepared, and the progress. */
  readonly nextVectorModel: VectorModel | null;
  /** The language model, if there is one. */
  readonly model: string | null;
};
