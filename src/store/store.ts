/**
 * Where a memory is kept.
 *
 * Terminology: a *turn* is evidence, appended once; an *episode* is the unit that stands for a turn; a *derived* unit
 * is any other. *Terms* are what `text` makes of words (see `documentTerms`).
 *
 * Every method is one transaction: it happens wholly or not at all, and what it returned outlives the process. It is on
 * the disk too, and outlives the loss of power, but for what can be made again and would be: vectors, derivations,
 * accesses, and the claims and outcomes of jobs may then be lost, the latest first, so that a job comes back before
 * what it made is missing.
 */
import type {
  Checkpoint,
  Edge,
  Entity,
  EntityMention,
  Instant,
  Job,
  Kind,
  NewJob,
  Scope,
  Sensitivity,
  State,
  Turn,
  Unit,
  UnitEntity,
  UnitVersion,
} from '../model/model.ts';
import type { Span } from '../text/text.ts';
import type { DerivationMark, UnitChange } from './change.ts';
import type { JournalTable } from './journalTable.ts';
import type { NoteFileTable } from './noteFileTable.ts';
import type { TopicTable } from './topicTable.ts';

export type * from './change.ts';
export type * from './journalTable.ts';
export type * from './noteFileTable.ts';
export type * from './topicTable.ts';

export interface Store {
  readonly memoryId: string;
  /** IANA zone of the memory's wall clock, fixed when it was made. */
  readonly timeZone: string;
  readonly jobs: JobTable;
  readonly vectors: VectorIndex;
  readonly entities: EntityTable;
  readonly topics: TopicTable;
  readonly journal: JournalTable;
  readonly noteFiles: NoteFileTable;

  /**
   * Appends turns, each with its episode, its place in the text index and the jobs it calls for.
   * A turn already there (same conversation, index, speaker and text) is left alone and its ids returned.
   * @throws MemoryError TURN_CONFLICT when another text has that place; then nothing of the call is kept.
   */
  appendTurns(turns: readonly TurnDraft[]): Promise<AddedTurn[]>;
  /** Turns by id, in the order of the ids given; unknown ids are left out. */
  getTurns(ids: readonly number[]): Promise<Turn[]>;
  /** Turns in the order of their ids, from `afterId` on: the way to read everything, page by page. */
  readTurns(page: { afterId: number; limit: number; conversationId?: string }): Promise<Turn[]>;
  /** The last turns of a conversation, oldest first; those before turn index `before` when it is given. */
  recentTurns(conversationId: string, limit: number, before?: number): Promise<Turn[]>;
  /** Conversations, the one spoken in last first. */
  listConversations(page: { limit: number; offset?: number }): Promise<ConversationInfo[]>;

  /**
   * Adds, changes or archives derived units, each with the jobs it calls for; each change is a version. Returns them
   * in the order given.
   */
  saveUnits(changes: readonly UnitChange[], jobKinds?: readonly string[]): Promise<Unit[]>;
  /**
   * Keeps what a derivation made of a unit, all of it or nothing, and that it was made. When the same was made before
   * (same unit, kind and fingerprint), nothing happens.
   * @throws MemoryError NOT_FOUND, VERSION_CONFLICT, INVALID_INPUT
   */
  applyDerivation(result: DerivationResult): Promise<{ applied: boolean; units: Unit[] }>;
  /** Whether a derivation with this mark was kept: a reason not to ask a model again. */
  isDerived(mark: DerivationMark): Promise<boolean>;
  /** Units by id, in the order of the ids given; unknown ids are left out. */
  getUnits(ids: readonly number[]): Promise<Unit[]>;
  /** What a scorer reads of units, in no order; unknown ids are left out. */
  getPassages(unitIds: readonly number[]): Promise<Passage[]>;
  /**
   * Units that pass the filter, newest first (by occurredAt, then id) unless `oldestFirst`; `after` a unit of an earlier
   * page.
   */
  listUnits(filter: UnitFilter, page: UnitPage): Promise<Unit[]>;
  /** Those of the ids whose units pass the filter, in the order given. */
  filterUnits(unitIds: readonly number[], filter: UnitFilter): Promise<number[]>;
  /** Every version of a unit, oldest first; an episode's first is what its turn made it. */
  listVersions(unitId: number): Promise<UnitVersion[]>;
  /**
   * Takes note of what was written, by this process or another, since this store was searched last. The next search does
   * it otherwise, and what many units at once bring may be left to it: to be called when nobody waits for one.
   */
  catchUp(): Promise<void>;
  /** Adds one access to each unit. Not a version: a recollection changes nothing of what is remembered. */
  countAccess(unitIds: readonly number[], at: Instant): Promise<void>;

  /** Relates two units (`quote`, `contextual`, …). Doing it twice changes nothing. */
  link(fromUnitId: number, toUnitId: number, relation: string): Promise<void>;
  /**
   * For each episode its conversation from `before` turns earlier to `after` turns later, itself left out, in order,
   * and the units linked to it.
   */
  neighbours(unitIds: readonly number[], reach: { before: number; after: number }): Promise<Neighbours[]>;

  /** Units that hold any of the terms, best BM25 first. */
  searchText(terms: readonly string[], filter: UnitFilter, limit: number): Promise<ScoredId[]>;
  /** Units that talk about a time overlapping the span, newest first. */
  searchTimes(span: Span, filter: UnitFilter, limit: number): Promise<number[]>;
  /** The times that these units talk about, other than their own day; units that name none are left out. */
  timesOf(unitIds: readonly number[]): Promise<Map<number, Span[]>>;
  /** How often the memory says these terms, and how much these speakers say; exact. */
  statistics(about: { terms: readonly string[]; speakers: readonly string[] }): Promise<TextStatistics>;

  /** Compares everything that is derived with what it is derived from, and the chain with the turns and checkpoints. */
  verify(): Promise<Verification>;
  /** The last turn and its chain hash (hex), or null in an empty memory. */
  chainHead(): Promise<{ readonly turnId: number; readonly chainHash: string } | null>;
  /** Keeps a checkpoint. @throws MemoryError CHAIN_BROKEN when the chain is not what it says */
  addCheckpoint(checkpoint: Checkpoint): Promise<void>;
  /** Oldest first. */
  listCheckpoints(): Promise<Checkpoint[]>;
  /**
   * Makes derived things anew. `indexes`: the text index and its statistics from the units, and the vectors' jobs.
   * `units`: also the episodes from the turns.
   */
  rebuild(what: 'indexes' | 'units', plan: RebuildPlan): Promise<RebuildReport>;
  /**
   * Writes a consistent copy of the memory to a new file while it is in use.
   * @throws MemoryError INVALID_INPUT when there is a file already, READ_ONLY, DISK_FULL
   */
  backup(path: string): Promise<Backup>;
  info(): Promise<StoreInfo>;
  close(): Promise<void>;
}

/** A turn checked and ready to be kept. */
export interface TurnDraft {
  readonly conversationId: string;
  /** Null: the next free place. */
  readonly turnIndex: number | null;
  readonly speaker: string;
  readonly text: string;
  readonly occurredAt: Instant;
  readonly meta: Turn['meta'];
  readonly source: string;
  readonly sensitivity: Sensitivity;
  readonly scope: Scope;
  readonly imageSummary: string | null;
  /** Kinds of job to enqueue for the episode. */
  readonly jobKinds: readonly string[];
}

export interface AddedTurn {
  readonly turnId: number;
  readonly unitId: number;
  readonly turnIndex: number;
  /** False when it had been ingested before. */
  readonly isNew: boolean;
}

export interface DerivationResult {
  readonly mark: DerivationMark;
  readonly changes: readonly UnitChange[];
  /**
   * Whom and what the marked unit speaks of; replaces what was known of it, relations included. A new entity that has
   * the name and type of a known one is that one.
   */
  readonly mentions?: readonly EntityMention[];
  /** How two of the mentions relate, by their places in `mentions`; the marked unit is the evidence. */
  readonly relations?: readonly {
    readonly from: number;
    readonly to: number;
    readonly relation: string;
    readonly weight: number;
  }[];
  /** Kinds of job that each unit added, or changed in its words, calls for. */
  readonly unitJobKinds?: readonly string[];
  /** Further work. */
  readonly jobs?: readonly NewJob[];
}

export interface ConversationInfo {
  readonly conversationId: string;
  readonly turns: number;
  readonly firstTurnAt: Instant;
  readonly lastTurnAt: Instant;
}

/**
 * People, places and things that units speak of, and how they relate. The salience of an entity is n / (n + 4) where n
 * units speak of it, unless it was set. The weight of an edge is 1 − Π (1 − w) over what each of its units says.
 */
export interface EntityTable {
  /** Entities by id, in the order of the ids given; unknown ids are left out. */
  get(ids: readonly number[]): Promise<Entity[]>;
  /** For each key (`nameKeys` of `text`) the entities one of whose names has it, lowest id first; others are left out. */
  find(keys: readonly string[]): Promise<Map<string, Entity[]>>;
  /** The most spoken of first; `query` is looked for in names and aliases. */
  list(
    filter: { readonly type?: Entity['type']; readonly query?: string },
    page: { limit: number; offset?: number },
  ): Promise<Entity[]>;
  /** Units that speak of the entity, newest first. */
  mentionsOf(entityId: number, page: { limit: number; offset?: number }): Promise<UnitEntity[]>;
  ofUnits(unitIds: readonly number[]): Promise<UnitEntity[]>;
  edgesOf(entityId: number): Promise<Edge[]>;
  /** @throws MemoryError NOT_FOUND, INVALID_INPUT */
  update(
    entityId: number,
    set: Partial<Pick<Entity, 'name' | 'type' | 'aliases' | 'salience'>>,
  ): Promise<Entity>;
  /**
   * Two that turned out to be one: names, mentions, edges and the facts about it go to `into`.
   * @throws MemoryError NOT_FOUND, INVALID_INPUT when they are the same
   */
  merge(from: number, into: number): Promise<Entity>;
}

/** The words of a unit, and where they stand. */
export interface Passage {
  readonly unitId: number;
  readonly kind: Kind;
  /** As `unitText` gives it. */
  readonly text: string;
  readonly occurredAt: Instant;
  /** Of an episode. */
  readonly conversationId: string | null;
  readonly turnIndex: number | null;
  readonly speaker: string | null;
}

/** Which units may be found. Everything absent filters nothing, but for what is said below. */
export interface UnitFilter {
  readonly kinds?: readonly Kind[];
  /** The most sensitive that may be found; default `private`. */
  readonly maxSensitivity?: Sensitivity;
  readonly scope?: Scope;
  readonly conversationId?: string;
  readonly from?: Instant;
  /** Exclusive. */
  readonly to?: Instant;
  /** As the memory was at this instant: what had not happened yet is left out, what was archived since is not. */
  readonly asOf?: Instant;
  /** What has expired by this instant is left out. */
  readonly aliveAt?: Instant;
  /** Facts that do not hold at this instant are left out: as they are known or, with `asOf`, as they were known then. */
  readonly validAt?: Instant;
  /** Only what came in before this turn. */
  readonly beforeTurnId?: number;
  /** Archived units are left out unless asked for. */
  readonly withArchived?: boolean;
  /** Of a note: its file. */
  readonly uri?: string;
  /** As they are now, whatever `asOf` says; naming `archived` is asking for it. */
  readonly states?: readonly State[];
  readonly pinned?: boolean;
  readonly source?: string;
  /** Units that speak of this entity. */
  readonly entityId?: number;
  /** Units with this topic tag. */
  readonly topicTag?: string;
  /** Episodes of this topic or of one below it. */
  readonly topicId?: number;
  /** These are left out. */
  readonly exceptUnitIds?: readonly number[];
}

export interface UnitPage {
  readonly limit: number;
  readonly offset?: number;
  readonly after?: { readonly occurredAt: Instant; readonly unitId: number };
  readonly oldestFirst?: boolean;
}

export interface ScoredId {
  readonly unitId: number;
  /** Higher is better. BM25 for text, cosine (−1 to 1) for vectors. */
  readonly score: number;
}

export interface Neighbours {
  readonly unitId: number;
  readonly before: readonly number[];
  readonly after: readonly number[];
  readonly linked: readonly { readonly unitId: number; readonly relation: string }[];
}

export interface TextStatistics {
  /** Units in the text index. */
  readonly documents: number;
  /** Mean number of terms in a unit. */
  readonly averageLength: number;
  /** Of the terms asked about, those that occur at all, with the number of units that hold them. */
  readonly documentFrequency: ReadonlyMap<string, number>;
  /** Of the speakers asked about. */
  readonly speakers: ReadonlyMap<string, SpeakerHabits>;
  /** Of all speakers together. */
  readonly everyone: SpeakerHabits;
}

/** How much somebody says, and how. */
export interface SpeakerHabits {
  readonly turns: number;
  /** Terms of all of them, without name and date. */
  readonly terms: number;
  /** How many of the turns ask something. */
  readonly questions: number;
}

/** Vectors of units, all of one model. */
export interface VectorIndex {
  /** The model whose vectors are kept, or null while there are none. */
  model(): Promise<VectorModel | null>;
  /**
   * Keeps vectors (any length but zero; they are compared by angle) for units that exist; others are passed over.
   * The first ones settle the model and its dimensions.
   * @throws MemoryError MODEL_MISMATCH when other vectors are kept.
   */
  upsert(modelId: string, entries: readonly { unitId: number; vector: Float32Array }[]): Promise<void>;
  remove(unitIds: readonly number[]): Promise<void>;
  /** Nearest by cosine. */
  query(vector: Float32Array, filter: UnitFilter, limit: number): Promise<ScoredId[]>;
  /** Cosines of a vector with these units' vectors; units without one are left out. */
  cosines(vector: Float32Array, unitIds: readonly number[]): Promise<Map<number, number>>;
  /** The vectors of these units, unit length; units without one are left out. */
  get(unitIds: readonly number[]): Promise<Map<number, Float32Array>>;
  /** Sum over all vectors, each at unit length, divided by their number: what every vector has in common. */
  mean(): Promise<Float32Array | null>;

  // Another model's vectors are made beside these, which serve until all are there.
  /** The model being prepared and how many of its vectors are made, or null. */
  nextModel(): Promise<VectorModel | null>;
  /** Units for which no vector of the model being prepared was made, lowest id first. Read their words after this. */
  missingFromNext(modelId: string, limit: number): Promise<number[]>;
  /**
   * Keeps vectors of the model to come; those of a model prepared earlier are dropped. A vector of words that changed
   * since the unit was last missing is passed over; one without direction is kept as none.
   * @throws MemoryError MODEL_MISMATCH for other dimensions, INVALID_INPUT
   */
  upsertNext(modelId: string, entries: readonly { unitId: number; vector: Float32Array }[]): Promise<void>;
  /** When every unit has one, the prepared vectors take the place of the present ones. False when some are missing. */
  switchToNext(modelId: string): Promise<boolean>;
  /** Drops what was prepared. */
  dropNext(): Promise<void>;
}

export interface VectorModel {
  readonly id: string;
  readonly dimensions: number;
  /** Vectors kept. */
  readonly count: number;
}

/** Work to be done, claimed under a lease so that a worker that dies loses its lease, not the job. */
export interface JobTable {
  /**
   * Adds jobs. One whose key is there already is passed over while it waits or has failed; while it runs, it will run
   * once more when it is done, or has failed, since what it read may have changed. Returns how many were added, those
   * that will run again included.
   */
  enqueue(jobs: readonly NewJob[], now: Instant): Promise<number>;
  /**
   * Claims due jobs for `leaseMs`, oldest first. A job waits while an earlier one of its kind and conversation is
   * held by somebody or waits for its next try. All that are returned share the kind of the first.
   */
  claim(request: {
    kinds: readonly string[];
    owner: string;
    leaseMs: number;
    limit: number;
    now: Instant;
  }): Promise<Job[]>;
  /** Makes the lease of claimed jobs end at `leaseUntil`. Returns how many the owner still held. */
  renew(owner: string, jobIds: readonly number[], leaseUntil: Instant): Promise<number>;
  /** Records how claimed jobs ended. An outcome for a job whose lease passed to another owner is ignored. */
  settle(owner: string, outcomes: readonly JobOutcome[]): Promise<void>;
  list(query: { status?: Job['status']; kind?: string; limit: number; afterId?: number }): Promise<Job[]>;
  count(): Promise<Record<Job['status'], number>>;
  /** Makes failed jobs due again, their attempts forgotten: all, or these. Returns how many. */
  retryFailed(now: Instant, jobIds?: readonly number[]): Promise<number>;
  /** Makes queued jobs due at once, however long they were to wait; their order stays. Returns how many are queued. */
  runNow(now: Instant, jobIds: readonly number[]): Promise<number>;
  /** When the next waiting job is due, or null. */
  nextDue(kinds: readonly string[]): Promise<Instant | null>;
}

export type JobOutcome =
  | { readonly jobId: number; readonly result: 'done' }
  | { readonly jobId: number; readonly result: 'retry'; readonly runAfter: Instant; readonly error: string }
  | { readonly jobId: number; readonly result: 'failed'; readonly error: string }
  /** Given back because what it asks cannot be reached: the attempt does not count. */
  | {
      readonly jobId: number;
      readonly result: 'postponed';
      readonly runAfter: Instant;
      readonly error: string;
    }
  /** Given back untouched, as when a worker stops: the attempt does not count. */
  | { readonly jobId: number; readonly result: 'released' };

export interface RebuildPlan {
  /** Kinds of job to enqueue for each episode. */
  readonly jobKinds: readonly string[];
  readonly now: Instant;
  /** Also drop the vectors, so that another model can make them anew. */
  readonly dropVectors: boolean;
  readonly onProgress?: (done: number, total: number) => void;
}

export interface RebuildReport {
  readonly unitsIndexed: number;
  readonly episodesRestored: number;
  readonly jobsEnqueued: number;
}

export interface Verification {
  readonly turns: number;
  readonly units: number;
  /** The last chain hash: two memories with the same hold the same turns in the same order. */
  readonly chainHead: string;
  /** Checkpoints that were compared. */
  readonly checkpoints: number;
  /** The first turn that does not fit its hashes or a checkpoint. */
  readonly firstBadTurn: {
    readonly turnId: number;
    /** Null when the turn is gone. */
    readonly conversationId: string | null;
    readonly turnIndex: number | null;
  } | null;
  /** Empty when all is well. */
  readonly problems: readonly {
    readonly code: 'CHAIN_BROKEN' | 'INDEX_WRONG' | 'UNIT_WRONG' | 'ENTITY_WRONG' | 'TOPIC_WRONG';
    readonly message: string;
  }[];
}

export interface Backup {
  readonly path: string;
  readonly sizeBytes: number;
}

export interface StoreInfo {
  readonly memoryId: string;
  readonly location: string;
  readonly schemaVersion: number;
  readonly timeZone: string;
  readonly turns: number;
  readonly conversations: number;
  readonly units: Readonly<Record<Kind, number>>;
  /** Active ones. */
  readonly topics: number;
  readonly vectorModel: VectorModel | null;
  readonly jobs: Readonly<Record<Job['status'], number>>;
  readonly sizeBytes: number;
  readonly firstTurnAt: Instant | null;
  readonly lastTurnAt: Instant | null;
}
