import type { Episode, Instant, NewJob, Unit } from '../../model/model.ts';
import type { Row, TurnRow } from '../rows/rows.ts';
import type { ScoredId } from '../store.ts';

type Settling<T> = T | Promise<T>;

/** What shared tables need and each store does in its own way. */
export interface OwnParts {
  unit(id: number): Settling<Unit | undefined>;
  units(ids: readonly number[]): Settling<Unit[]>;
  /** The unit that a row of the table `unit` contains, with the text of its turn. */
  unitOfRow(row: Row): Settling<Unit>;
  /** An episode as its turn made it; undefined for other units, and when the turn cannot be read. */
  firstEpisode(unitId: number): Settling<Episode | undefined>;
  /** Called after a unit was inserted, and after columns changed by which units are filtered. */
  noteUnit(unitId: number, options: { readonly isNew: boolean }): Settling<void>;
  addToTextIndex(units: readonly Unit[]): Settling<void>;
  removeFromTextIndex(units: readonly Unit[]): Settling<void>;
  /** Finds episodes by their words. */
  searchEpisodes(terms: readonly string[], limit: number): Settling<ScoredId[]>;
  removeVectors(unitIds: readonly number[]): Settling<void>;
  /** Updates the columns by which vectors are filtered. */
  refreshVectorFilters(unit: Unit): Settling<void>;
  /** The row of a vector in the journal's form; the key is set and unit. */
  vectorRow(key: readonly number[]): Settling<Row | null>;
  /** The vectors of the serving set that the units have. */
  servingVectors(unitIds: readonly number[]): Settling<ReadonlyMap<number, Int8Array>>;
  /** Restores a vector of one of the sets, if the set still exists. `follows` selects topics whose centroids are updated. */
  restoreVector(
    place: { readonly setId: number; readonly unitId: number },
    vector: Int8Array,
    follows: (topicId: number) => boolean,
  ): Settling<void>;
  /** Tells copies of centroids that one, or the state of its topic, has changed; null: all of them. */
  noteCentroid(topicId: number | null): Settling<void>;
  /** Turns with their text and hashes, by id. */
  turnRows(page: { readonly afterId: number; readonly limit: number }): Settling<TurnRow[]>;
  insertJobs(jobs: readonly NewJob[], now: Instant): Settling<number>;
  /** @throws MemoryError NOT_FOUND */
  forgetTurns(turnIds: readonly number[]): Settling<void>;
}
