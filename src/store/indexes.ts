import type { Kind } from '../model/model.ts';
import type { Span } from '../text/text.ts';
import type { UnitFilter } from './unitTable.ts';

/** Search indexes. They can be rebuilt from units and, for vectors, by their model. */
export interface Indexes {
  readonly text: TextIndex;
  readonly times: TimeIndex;
  readonly vectors: VectorIndex;
}

/** The terms of units. A saved unit is found by the next search. */
export interface TextIndex {
  /** Units that contain any of the terms, best BM25 first. */
  search(terms: readonly string[], filter: UnitFilter, limit: number): Promise<ScoredId[]>;
  /** How often the memory contains these terms, and how much these speakers say; exact. */
  statistics(about: { terms: readonly string[]; speakers: readonly string[] }): Promise<TextStatistics>;
}

/** The times that units mention. */
export interface TimeIndex {
  /** Units that mention a time overlapping the span, newest first. */
  search(span: Span, filter: UnitFilter, limit: number): Promise<number[]>;
  /** The times that these units mention, other than their own day; units without any are left out. */
  of(unitIds: readonly number[]): Promise<Map<number, Span[]>>;
}

export interface ScoredId {
  readonly unitId: number;
  /** Higher is better. BM25 for text, cosine (−1 to 1) for vectors. */
  readonly score: number;
}

export interface TextStatistics {
  /** Units in the text index. */
  readonly documents: number;
  /** Mean number of terms in a unit. */
  readonly averageLength: number;
  /** Of the given terms that occur, the number of units that contain each. */
  readonly documentFrequency: ReadonlyMap<string, number>;
  /** Of the given speakers. */
  readonly speakers: ReadonlyMap<string, SpeakerHabits>;
  /** Of all speakers together. */
  readonly everyone: SpeakerHabits;
}

/** Statistics of a speaker's turns. */
export interface SpeakerHabits {
  readonly turns: number;
  /** Total number of terms, without name and date. */
  readonly terms: number;
  /** How many of the turns are questions. */
  readonly questions: number;
}

/** Vectors of units, all of one model. */
export interface VectorIndex {
  /** The model of the stored vectors, or null when there are none. */
  model(): Promise<VectorModel | null>;
  /**
   * Stores vectors (of any length except zero; they are compared by angle) for existing units; others are skipped.
   * The first vectors determine the model and its dimensions.
   * @throws MemoryError MODEL_MISMATCH when the stored vectors are of another model.
   */
  upsert(modelId: string, entries: readonly { unitId: number; vector: Float32Array }[]): Promise<void>;
  remove(unitIds: readonly number[]): Promise<void>;
  /** Units with the nearest vectors by cosine. */
  query(vector: Float32Array, filter: UnitFilter, limit: number): Promise<ScoredId[]>;
  /** Cosines of a vector with these units' vectors; units without one are left out. */
  cosines(vector: Float32Array, unitIds: readonly number[]): Promise<Map<number, number>>;
  /** The vectors of these units, unit length; units without one are left out. */
  get(unitIds: readonly number[]): Promise<Map<number, Float32Array>>;
  /**
   * Of the newest `limit` units that are not archived (of these kinds; default: all) those without a vector, newest
   * first; none of them while the stored vectors are of another model.
   */
  newestWithout(
    modelId: string,
    options: { readonly kinds?: readonly Kind[] | undefined; readonly limit: number },
  ): Promise<number[]>;
  /** The sum of all vectors at unit length, divided by their number. */
  mean(): Promise<Float32Array | null>;

  // Vectors of another model can be prepared while these are in use, until all are made.
  /** The model being prepared and the number of its vectors, or null. */
  nextModel(): Promise<VectorModel | null>;
  /** Units for which the model being prepared has no vector, lowest id first. Read their text after this call. */
  missingFromNext(modelId: string, limit: number): Promise<number[]>;
  /**
   * Stores vectors of the next model; those of a model prepared earlier are dropped. A vector is skipped if the
   * unit's text changed since the unit was last reported missing; a vector of zeros is stored as none.
   * @throws MemoryError MODEL_MISMATCH for other dimensions, INVALID_INPUT
   */
  upsertNext(modelId: string, entries: readonly { unitId: number; vector: Float32Array }[]): Promise<void>;
  /** Replaces the current vectors by the prepared ones when every unit has one. False when some are missing. */
  switchToNext(modelId: string): Promise<boolean>;
  /** Drops the prepared vectors. */
  dropNext(): Promise<void>;
}

export interface VectorModel {
  readonly id: string;
  readonly dimensions: number;
  /** Number of stored vectors. */
  readonly count: number;
}
