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

/** All units: episodes, and units derived from them or added by hand. */
export interface UnitTable {
  /**
   * Adds, changes or archives derived units and creates their jobs; each change is a version. Returns the units in
   * the given order.
   */
  save(changes: readonly UnitChange[], jobKinds?: readonly string[]): Promise<Unit[]>;
  /** Units by id, in the order of the ids given; unknown ids are left out. */
  get(unitIds: readonly number[]): Promise<Unit[]>;
  /**
   * Units that pass the filter, newest first (by occurredAt, then id) unless `oldestFirst`; `after` a unit of an
   * earlier page.
   */
  list(filter: UnitFilter, page: UnitPage): Promise<Unit[]>;
  /** The time and the emotion of units, in the order and pages of `list`. Faster than `list`: it decrypts no text. */
  feelings(filter: UnitFilter, page: UnitPage): Promise<UnitFeeling[]>;
  /** The ids whose units pass the filter, in the given order. */
  filter(unitIds: readonly number[], filter: UnitFilter): Promise<number[]>;
  /** The data of units that scoring needs, in no order; unknown ids are left out. */
  passages(unitIds: readonly number[]): Promise<Passage[]>;
  /** Every version of a unit, oldest first; the first of an episode follows from its turn. */
  versions(unitId: number): Promise<UnitVersion[]>;
  /** Adds one access to each unit. It is not a new version. */
  countAccess(unitIds: readonly number[], at: Instant): Promise<void>;
  /** Links two units (`quote`, `contextual`, …). An existing link is not changed. */
  link(fromUnitId: number, toUnitId: number, relation: string): Promise<void>;
  /**
   * For each episode its conversation from `before` turns earlier to `after` turns later, without itself, in order,
   * and the units linked to it.
   */
  neighbours(unitIds: readonly number[], reach: { before: number; after: number }): Promise<Neighbours[]>;
  /**
   * For each episode up to `reach` turns before it and after it in its conversation, nearest first. Each side ends
   * before the first turn that does not pass the filter. In no order; unknown ids are left out.
   */
  adjacent(unitIds: readonly number[], filter: UnitFilter, reach: number): Promise<Adjacent[]>;
  /**
   * Stores the result of a derivation with its mark, all of it or nothing. When the same mark (unit, kind and
   * fingerprint) is already stored, nothing happens.
   * @throws MemoryError NOT_FOUND, VERSION_CONFLICT, INVALID_INPUT
   */
  applyDerivation(result: DerivationResult): Promise<{ applied: boolean; units: Unit[] }>;
  /** Whether a derivation with this mark is stored, so that a model need not be asked again. */
  isDerived(mark: DerivationMark): Promise<boolean>;
}

export interface DerivationResult {
  readonly mark: DerivationMark;
  readonly changes: readonly UnitChange[];
  /**
   * What the marked unit mentions; replaces its former mentions and relations. A new entity with the name and type
   * of a known one becomes that one.
   */
  readonly mentions?: readonly EntityMention[];
  /** Relations of two mentions, by their indexes in `mentions`; the marked unit is the evidence. */
  readonly relations?: readonly {
    readonly from: number;
    readonly to: number;
    readonly relation: string;
    readonly weight: number;
  }[];
  /** Kinds of job to create for each unit that was added or whose text changed. */
  readonly unitJobKinds?: readonly string[];
  /** Other jobs. */
  readonly jobs?: readonly NewJob[];
}

export interface UnitFeeling extends Pick<Unit, 'occurredAt' | 'salience' | 'emotion'> {
  readonly unitId: number;
}

/** The text of a unit, and its position. */
export interface Passage {
  readonly unitId: number;
  readonly kind: Kind;
  /** As `unitText` gives it. */
  readonly text: string;
  /** For a note that was edited: when that was, unless it belongs to a day of the journal. */
  readonly occurredAt: Instant;
  /** For an episode. */
  readonly conversationId: string | null;
  readonly turnIndex: number | null;
  readonly speaker: string | null;
  /** For a fact. */
  readonly predicate: string | null;
}

/** Selects units. An absent field does not restrict, except where stated below. */
export interface UnitFilter {
  readonly kinds?: readonly Kind[];
  /** The highest sensitivity that passes; default `private`. */
  readonly maxSensitivity?: Sensitivity;
  /** The lowest sensitivity that passes. */
  readonly minSensitivity?: Sensitivity;
  readonly scope?: Scope;
  readonly conversationId?: string;
  readonly from?: Instant;
  /** Exclusive. */
  readonly to?: Instant;
  /** The state of the memory at this instant: later events are excluded, units archived since are included. */
  readonly asOf?: Instant;
  /** Excludes units that have expired by this instant. */
  readonly aliveAt?: Instant;
  /** Excludes facts that are not true at this instant: as known now or, with `asOf`, as known then. */
  readonly validAt?: Instant;
  /** Only units from before this turn was added. */
  readonly beforeTurnId?: number;
  /** Archived units are excluded by default. */
  readonly withArchived?: boolean;
  /** For a note: its file. */
  readonly uri?: string;
  /** The current state, even with `asOf`; naming `archived` includes archived units. */
  readonly states?: readonly State[];
  readonly pinned?: boolean;
  readonly source?: string;
  /** Units that mention this entity. */
  readonly entityId?: number;
  /** Units with this topic tag. */
  readonly topicTag?: string;
  /** Episodes of this topic or of one below it. */
  readonly topicId?: number;
  /** These are excluded. */
  readonly exceptUnitIds?: readonly number[];
}

export interface UnitPage {
  readonly limit: number;
  readonly offset?: number;
  readonly after?: { readonly occurredAt: Instant; readonly unitId: number };
  readonly oldestFirst?: boolean;
}

/** The turns next to an episode, nearest first. */
export interface Adjacent {
  readonly unitId: number;
  readonly before: readonly number[];
  readonly after: readonly number[];
}

export interface Neighbours {
  readonly unitId: number;
  readonly before: readonly number[];
  readonly after: readonly number[];
  readonly linked: readonly { readonly unitId: number; readonly relation: string }[];
}
