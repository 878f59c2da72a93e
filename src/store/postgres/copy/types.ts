import type { Instant, Unit } from '../../../model/model.ts';
import type { Span } from '../../../text/text.ts';
import type {
  Adjacent,
  Passage,
  ScoredId,
  TextStatistics,
  UnitFilter,
  UnitPage,
  VectorIndex,
  VectorModel,
} from '../../store.ts';
import type { Session } from '../session.ts';
import type { Tables } from '../tables.ts';

/** The memory that is copied. */
export interface CopySource {
  readonly memory: Pick<Session, 'keys'>;
  /** Runs a read-only `body` that needs no consistent snapshot. */
  ask<T>(body: (tables: Tables, session: Session) => Promise<T>): Promise<T>;
  /** Runs `body` on a consistent snapshot. */
  read<T>(body: (tables: Tables, session: Session) => Promise<T>): Promise<T>;
}

export interface CopySize {
  readonly bytes: number;
  /** The part of it in typed arrays, outside of V8's heap. */
  readonly arrayBytes: number;
}

/** How often units were recalled, and when last. */
export type Accesses = readonly (readonly [unitId: number, count: number, lastAt: Instant | null])[];

/** Undefined where the copy does not suffice. */
export type Answer<T> = T | undefined | Promise<T | undefined>;

/**
 * A copy of a memory, or of a part of it, as it was at a revision. Each method returns what the method of the store of the same
 * name does; what a copy does not contain, it does not answer.
 */
export interface Copy {
  get?(unitIds: readonly number[]): Answer<Unit[]>;
  passages?(unitIds: readonly number[]): Answer<Passage[]>;
  list?(filter: UnitFilter, page: UnitPage): Answer<Unit[]>;
  filter?(unitIds: readonly number[], filter: UnitFilter): Answer<number[]>;
  adjacent?(unitIds: readonly number[], filter: UnitFilter, reach: number): Answer<Adjacent[]>;
  searchText?(terms: readonly string[], filter: UnitFilter, limit: number): Answer<ScoredId[]>;
  statistics?(about: { terms: readonly string[]; speakers: readonly string[] }): Answer<TextStatistics>;
  searchTimes?(span: Span, filter: UnitFilter, limit: number): Answer<number[]>;
  timesOf?(unitIds: readonly number[]): Answer<Map<number, Span[]>>;
  topicsOf?(unitIds: readonly number[]): Answer<Map<number, number[]>>;
  model?(): Answer<VectorModel | null>;
  mean?(): Answer<Float32Array | null>;
  searchVectors?(vector: Float32Array, filter: UnitFilter, limit: number): Answer<ScoredId[]>;
  cosines?(vector: Float32Array, unitIds: readonly number[]): Answer<Map<number, number>>;
  unitVectors?(unitIds: readonly number[]): Answer<Map<number, Float32Array>>;
  newestWithout?(modelId: string, options: Parameters<VectorIndex['newestWithout']>[1]): Answer<number[]>;
}
