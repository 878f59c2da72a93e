import type { Span } from '../text/text.ts';
import type { UnitFilter } from './unitTable.ts';

/** What finds units. All of it can be rebuilt from units and, for vectors, by their model. */
export interface Indexes {
  readonly text: TextIndex;
  readonly times: TimeIndex;
  readonly vectors: VectorIndex;
}

/** The terms of units. What was saved is found by the next search. */
export interface TextIndex {
  /** Units that hold any of the terms, best BM25 first. */
  search(terms: readonly string[], filter: UnitFilter, limit: number): Promise<ScoredId[]>;
  /** How often the memory says these terms, and how much these speakers say; exact. */
  statistics(about: { terms: readonly string[]; speakers: readonly string[] }): Promise<TextStatistics>;
}

/** The times that units talk about. */
export interface TimeIndex {
  /** Units that talk about a time overlapping the span, newest first. */
  search(span: Span, filter: UnitFilter, limit: number): Promise<number[]>;
  /** The times that these units talk about, other than their own day; units that name none are left out. */
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
