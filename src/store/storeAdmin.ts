import type { Instant, Job, Kind } from '../model/model.ts';
import type { VectorModel } from './indexes.ts';

/** Maintenance of the whole memory. */
export interface StoreAdmin {
  info(): Promise<StoreInfo>;
  /** Compares derived data with its sources, and the chain with the turns and checkpoints. */
  verify(): Promise<Verification>;
  /**
   * Rebuilds derived data. `indexes`: the text index and its statistics from the units, and the vectors' jobs.
   * `units`: also the episodes from the turns.
   */
  rebuild(what: 'indexes' | 'units', plan: RebuildPlan): Promise<RebuildReport>;
}

export interface RebuildPlan {
  /** Kinds of job to create for each episode. */
  readonly jobKinds: readonly string[];
  readonly now: Instant;
  /** Also drops the vectors, so that another model can make new ones. */
  readonly dropVectors: boolean;
  readonly onProgress?: (done: number, total: number) => void;
}

export interface RebuildReport {
  readonly unitsIndexed: number;
  readonly episodesRestored: number;
  /** Episodes whose turn does not exist. */
  readonly episodesRemoved: number;
  readonly jobsEnqueued: number;
}

export interface Verification {
  /** Including forgotten ones: the chain includes them. */
  readonly turns: number;
  /** How many of them were forgotten. */
  readonly forgotten: number;
  readonly units: number;
  /** The last chain hash: two memories with the same one contain the same turns in the same order. */
  readonly chainHead: string;
  /** Checkpoints that were compared. */
  readonly checkpoints: number;
  /** The first turn that does not match its hashes or a checkpoint. */
  readonly firstBadTurn: {
    readonly turnId: number;
    /** Null when the turn does not exist. */
    readonly conversationId: string | null;
    readonly turnIndex: number | null;
  } | null;
  /** Empty when there are none. */
  readonly problems: readonly {
    readonly code:
      | 'FILE_DAMAGED'
      | 'SCHEMA_WRONG'
      | 'CHAIN_BROKEN'
      | 'RECEIPT_WRONG'
      | 'INDEX_WRONG'
      | 'UNIT_WRONG'
      | 'ENTITY_WRONG'
      | 'TOPIC_WRONG';
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
