import type {
  EntityMention,
  Instant,
  Kind,
  NewJob,
  Scope,
  Sensitivity,
  State,
  Unit,
  UnitVersion,
} from '../model/model.ts';
import type { DerivationMark, UnitChange } from './change.ts';

/** Everything remembered: episodes, and what is derived from them or added by hand. */
export interface UnitTable {
  /**
   * Adds, changes or archives derived units, each with the jobs it calls for; each change is a version. Returns them
   * in the order given.
   */
  save(changes: readonly UnitChange[], jobKinds?: readonly string[]): Promise<Unit[]>;
  /** Units by id, in the order of the ids given; unknown ids are left out. */
  get(unitIds: readonly number[]): Promise<Unit[]>;
  /**
   * Units that pass the filter, newest first (by occurredAt, then id) unless `oldestFirst`; `after` a unit of an earlier
   * page.
   */
  list(filter: UnitFilter, page: UnitPage): Promise<Unit[]>;
  /** Those of the ids whose units pass the filter, in the order given. */
  filter(unitIds: readonly number[], filter: UnitFilter): Promise<number[]>;
  /** What a scorer reads of units, in no order; unknown ids are left out. */
  passages(unitIds: readonly number[]): Promise<Passage[]>;
  /** Every version of a unit, oldest first; an episode's first is what its turn made it. */
  versions(unitId: number): Promise<UnitVersion[]>;
  /** Adds one access to each unit. Not a version: a recollection changes nothing of what is remembered. */
  countAccess(unitIds: readonly number[], at: Instant): Promise<void>;
  /** Relates two units (`quote`, `contextual`, …). Doing it twice changes nothing. */
  link(fromUnitId: number, toUnitId: number, relation: string): Promise<void>;
  /**
   * For each episode its conversation from `before` turns earlier to `after` turns later, itself left out, in order,
   * and the units linked to it.
   */
  neighbours(unitIds: readonly number[], reach: { before: number; after: number }): Promise<Neighbours[]>;
  /**
   * Keeps what a derivation made of a unit, all of it or nothing, and that it was made. When the same was made before
   * (same unit, kind and fingerprint), nothing happens.
   * @throws MemoryError NOT_FOUND, VERSION_CONFLICT, INVALID_INPUT
   */
  applyDerivation(result: DerivationResult): Promise<{ applied: boolean; units: Unit[] }>;
  /** Whether a derivation with this mark was kept: a reason not to ask a model again. */
  isDerived(mark: DerivationMark): Promise<boolean>;
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

/** The words of a unit, and where they stand. */
export interface Passage {
  readonly unitId: number;
  readonly kind: Kind;
  /** As `unitText` gives it. */
  readonly text: string;
  /** Of a note that was edited: when that was, unless it is of a day of the journal. */
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

export interface Neighbours {
  readonly unitId: number;
  readonly before: readonly number[];
  readonly after: readonly number[];
  readonly linked: readonly { readonly unitId: number; readonly relation: string }[];
}
