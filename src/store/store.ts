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
  Emotion,
  Entity,
  EntityMention,
  Instant,
  Job,
  JournalEntry,
  Kind,
  NewJob,
  NewUnitParsed,
  Payloads,
  ReorganizationPlan,
  Scope,
  Sensitivity,
  State,
  Topic,
  Turn,
  Unit,
  UnitEntity,
  UnitVersion,
} from '../model/model.ts';
import type { Span } from '../text/text.ts';

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
  appendTurns(turns: readonly TurnDraft[]): Promise<AppendedTurn[]>;
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
  /** Units that pass the filter, newest first (by occurredAt, then id); `after` a unit of an earlier page. */
  listUnits(
    filter: UnitFilter,
    page: { limit: number; offset?: number; after?: { occurredAt: Instant; unitId: number } },
  ): Promise<Unit[]>;
  /** Those of the ids whose units pass the filter, in the order given. */
  filterUnits(unitIds: readonly number[], filter: UnitFilter): Promise<number[]>;
  /** Every version of a unit, oldest first; an episode's first is what its turn made it. */
  listVersions(unitId: number): Promise<UnitVersion[]>;
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

export interface AppendedTurn {
  readonly turnId: number;
  readonly unitId: number;
  readonly turnIndex: number;
  /** False when it had been ingested before. */
  readonly isNew: boolean;
}

export type UnitChange =
  | { readonly type: 'add'; readonly unit: NewUnitParsed; readonly reason: string }
  | {
      readonly type: 'update';
      readonly unitId: number;
      /** Only these fields change. */
      readonly set: Partial<
        Pick<
          Unit,
          | 'state'
          | 'confidence'
          | 'salience'
          | 'sensitivity'
          | 'pinned'
          | 'topicTags'
          | 'expiresAt'
          | 'reinforcement'
          | 'emotion'
        >
      > & {
        /** Of a derived unit. */
        readonly content?: NewUnitParsed['content'];
        /** Of an episode: what is noted beside its words. */
        readonly notes?: Partial<Pick<Payloads['episode'], 'imageSummary' | 'contextNote' | 'reflection'>>;
      };
      readonly reason: string;
      /** The version it was read at: another one is a VERSION_CONFLICT. */
      readonly expectedVersion?: number;
    }
  /** Makes a unit as it was in an earlier version; that is a version too, whose parent is the earlier one. */
  | {
      readonly type: 'restore';
      readonly unitId: number;
      readonly version: number;
      readonly reason: string;
      readonly expectedVersion?: number;
    };

/** What a derivation was made of: the same again makes the same again. */
export interface DerivationMark {
  readonly unitId: number;
  /** The derivation: `extract_facts`. */
  readonly kind: string;
  /** Of everything that went in: form, prompt version, model, words. */
  readonly fingerprint: string;
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

/**
 * Experiences and themes, which group episodes. Their graph has no cycle. A centroid is the sum of its members' vectors
 * (unit length, those recalled often counting more), kept up to date as members come and go; topics are compared by its
 * direction. Centroids are of the serving vectors' model; when that changes they are made anew by `refresh`.
 */
export interface TopicTable {
  /** Topics by id, in the order of the ids given; unknown ids are left out. */
  get(ids: readonly number[]): Promise<Topic[]>;
  /** Strongest first, then lowest id; active ones unless another state is asked for. */
  list(filter: TopicFilter, page: { limit: number; offset?: number }): Promise<Topic[]>;
  /** Active topics with their centroids' cosine, nearest first. */
  nearest(vector: Float32Array, limit: number): Promise<{ topicId: number; score: number }[]>;
  /** Directions of centroids, unit length; topics without one are left out. */
  centroids(ids: readonly number[]): Promise<Map<number, Float32Array>>;
  /** Active topics whose title, summary or members' words hold any of the terms, best first. */
  search(terms: readonly string[], limit: number): Promise<{ topicId: number; score: number }[]>;
  /** Its own episodes in order of time, and those of the topics below it when asked for. */
  membersOf(
    topicId: number,
    page: { limit: number; after?: { occurredAt: Instant; unitId: number }; withDescendants?: boolean },
  ): Promise<number[]>;
  /** For each unit its topics, strongest first; units without any are left out. */
  ofUnits(unitIds: readonly number[]): Promise<Map<number, number[]>>;
  /**
   * Puts episodes into topics, in order, all or none. An entry whose mark was kept before changes nothing. A unit's
   * earlier topics by assignment are left. Returns the topic of each entry.
   * @throws MemoryError NOT_FOUND, INVALID_INPUT, VERSION_CONFLICT when the topic is archived
   */
  assign(entries: readonly TopicAssignment[]): Promise<number[]>;
  /**
   * Changes words or strength of a topic by hand.
   * @throws MemoryError NOT_FOUND, VERSION_CONFLICT
   */
  update(
    topicId: number,
    set: Partial<Pick<Topic, 'title' | 'summary' | 'strength' | 'source'>>,
    expectedVersion?: number,
  ): Promise<Topic>;
}

export interface TopicFilter {
  readonly state?: Topic['state'];
  /** Children of this topic; null: topics without a parent. */
  readonly parentId?: number | null;
  /** With a member since, and before (exclusive), these instants. */
  readonly from?: Instant;
  readonly to?: Instant;
}

export interface TopicAssignment {
  readonly mark: DerivationMark;
  readonly topic:
    | { readonly id: number }
    | { readonly title: string; readonly summary: string | null; readonly source: string }
    /** That of an earlier entry of the same call, by its place. */
    | { readonly sameAs: number };
  /** The episode's vector, unit length; null: it has none. */
  readonly vector: Float32Array | null;
}

/** A change of the graph of topics, as a journal entry carries it out. A `ref` names a topic that the entry adds. */
export type TopicRef = number | { readonly ref: string };
export type TopicChange =
  | {
      readonly type: 'add';
      readonly ref: string;
      readonly topic: Pick<Topic, 'title' | 'summary' | 'source'>;
    }
  | {
      readonly type: 'update';
      readonly topicId: TopicRef;
      readonly set: Partial<Pick<Topic, 'title' | 'summary' | 'source'>>;
      /** The version it was read at: another one is a VERSION_CONFLICT. */
      readonly expectedVersion?: number;
    }
  /** @throws VERSION_CONFLICT when a unit is not in `from` */
  | { readonly type: 'move'; readonly unitIds: readonly number[]; readonly from: TopicRef; readonly to: TopicRef }
  | { readonly type: 'setParents'; readonly topicId: TopicRef; readonly parentIds: readonly TopicRef[] }
  /** After its members are gone. @throws VERSION_CONFLICT when it has members or children */
  | { readonly type: 'archive'; readonly topicId: number; readonly successorId: TopicRef }
  /** Strength, centroid and feeling as they were computed anew. */
  | {
      readonly type: 'refresh';
      readonly topicId: TopicRef;
      readonly strength: number;
      readonly centroid: Float32Array | null;
      readonly centroidEmotion: Emotion | null;
    };

/** The record of every reorganisation, by which it can be undone. */
export interface JournalTable {
  /**
   * Carries out a reorganisation, all of it or nothing, and writes what was there before. With a key that was applied
   * before, nothing happens and that entry is returned.
   * @throws MemoryError NOT_FOUND, VERSION_CONFLICT, INVALID_INPUT when a cycle would come about or an episode would
   * be left without a topic
   */
  apply(change: {
    readonly key: string | null;
    readonly plan: ReorganizationPlan;
    readonly topics: readonly TopicChange[];
    readonly units: readonly UnitChange[];
    /** Kinds of job that a unit with new words calls for. */
    readonly unitJobKinds?: readonly string[];
  }): Promise<JournalEntry>;
  /** Newest first. */
  list(page: { limit: number; beforeId?: number }): Promise<JournalEntry[]>;
  get(id: number): Promise<JournalEntry | null>;
  /**
   * Makes everything the entry touched as it was. Episodes assigned since to a topic that goes away move to the one
   * from which its members came. What was refreshed since by others keeps its own figures.
   * @throws MemoryError NOT_FOUND, JOURNAL_CONFLICT (details: `entryIds`, `topicIds`, `unitIds`) when something later
   * depends on it, or it was rolled back before
   */
  rollback(id: number): Promise<JournalEntry>;
}

/** Which files of notes are indexed, and as what they were read. */
export interface NoteFileTable {
  list(): Promise<NoteFile[]>;
  /**
   * Notes that files were read, with what became of their sections, all of it or nothing. Returns the units of
   * `changes`, in their order.
   */
  apply(change: {
    readonly upserts: readonly NoteFile[];
    /** By `uri`. */
    readonly removals: readonly string[];
    readonly changes: readonly UnitChange[];
    /** Kinds of job that each unit added, or changed in its words, calls for. */
    readonly unitJobKinds: readonly string[];
  }): Promise<Unit[]>;
}

export interface NoteFile {
  /** Path under its root, with `/`. */
  readonly uri: string;
  readonly scope: Scope;
  /** SHA-256 of the bytes, hex. */
  readonly hash: string;
  readonly sizeBytes: number;
  /** Modification time, milliseconds, with fraction. */
  readonly modifiedAt: number;
  /** Its sections' units, in the order of the file. */
  readonly unitIds: readonly number[];
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
