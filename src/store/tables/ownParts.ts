import type { Episode, Instant, NewJob, Unit } from '../../model/model.ts';
import type { DocumentTerms } from '../../text/text.ts';
import type { ScoredId, TextIndex, TextStatistics, UnitFilter, VectorIndex, Verification } from '../store.ts';
import type { VectorStorage } from './vectorSets.ts';

type Settling<T> = T | Promise<T>;

/** Fills the text index of a memory, page by page. */
export interface TextIndexFilling {
  add(units: readonly Unit[]): Settling<void>;
  finish(): Settling<void>;
}

/** What shared tables need and each store does in its own way. */
export interface OwnParts {
  /** See `TopicTable.nearest`. */
  nearestTopics(vector: Float32Array, limit: number): Settling<{ topicId: number; score: number }[]>;
  /** Called before rows that refer to one another are written or deleted in any order. */
  deferReferenceChecks(): Settling<void>;
  /** Called after units were inserted. */
  noteNewUnits(unitIds: readonly number[]): Settling<void>;
  /** Tells listeners in other processes of new episodes. */
  announce(episodes: readonly Episode[]): Settling<void>;
  addToTextIndex(units: readonly Unit[]): Settling<void>;
  removeFromTextIndex(units: readonly Unit[]): Settling<void>;
  readonly vectorStorage: VectorStorage;
  /** See `VectorIndex.query`. */
  searchVectors(vector: Float32Array, filter: UnitFilter, limit: number): Settling<ScoredId[]>;
  /** See `VectorIndex.cosines`. */
  cosines(vector: Float32Array, unitIds: readonly number[]): Settling<Map<number, number>>;
  /** The serving vectors of these units. */
  servingVectors(unitIds: readonly number[]): Settling<ReadonlyMap<number, Int8Array>>;
  /** See `VectorIndex.newestWithout`. */
  newestWithout(modelId: string, options: Parameters<VectorIndex['newestWithout']>[1]): Settling<number[]>;
  /** See `TextIndex.search`. */
  searchText(terms: readonly string[], filter: UnitFilter, limit: number): Settling<ScoredId[]>;
  /** See `TextIndex.statistics`. */
  textStatistics(about: Parameters<TextIndex['statistics']>[0]): Settling<TextStatistics>;
  /** Tells copies of centroids that one, or the state of its topic, has changed; null: all of them. */
  noteCentroid(topicId: number | null): Settling<void>;
  insertJobs(jobs: readonly NewJob[], now: Instant): Settling<number>;
  /** Names the conversations of turns anew, and destroys the keys of the turns, at once or once it is committed. */
  forgetTurns(
    turns: readonly { readonly id: number; readonly sealed: Uint8Array; readonly name: string }[],
  ): Settling<void>;
  /** Lets the statements that follow in the transaction take as long as they need. */
  allowLongStatements(): Settling<void>;
  clearTextIndex(): Settling<TextIndexFilling>;

  // For verification.
  /** Called before all turns are read: keys may have been destroyed by other processes. */
  forgetKeys(): Settling<void>;
  /** Problems of the schema and the files, at most `max` of a kind. */
  schemaProblems(max: number): Settling<Verification['problems']>;
  /** Whether an error means that data is damaged, and the checks that follow can be made nevertheless. */
  isDamage(error: unknown): boolean;
  /** Of the entries of the text index for these units. */
  postingProblems(
    documents: readonly { readonly unit: Unit; readonly document: DocumentTerms }[],
  ): Settling<string[]>;
  /** Units without an entry in the text index and entries for no unit, at most `max` of each. */
  entryProblems(max: number): Settling<string[]>;
  /** What counts the units of each term, in the words of a message. */
  readonly termSources: readonly string[];
  /** Calls `body` with every term of a source and the number of its units. */
  forEachTerm(source: string, body: (term: string, documents: number) => void): Settling<void>;
}
