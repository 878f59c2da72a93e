import type { EntityMention, Instant, NewJob } from '../../model/model.ts';
import type { Row, SavedUnit } from '../rows/rows.ts';
import type { DerivationResult, ScoredId, UnitChange } from '../store.ts';

type Settling<T> = T | Promise<T>;

/** What shared tables need and each store does in its own way. */
export interface OwnParts {
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
  /** Tells copies of centroids that one, or the state of its topic, has changed; of `null`, that all have. */
  noteCentroid(topicId: number | null): Settling<void>;
  /** Finds episodes by their words. */
  searchEpisodes(terms: readonly string[], limit: number): Settling<ScoredId[]>;
  saveUnits(changes: readonly UnitChange[], now: Instant): Settling<SavedUnit[]>;
  /** Writes a unit's row as it is in the journal; null deletes it. */
  putBackUnit(unitId: number, row: Row | null): Settling<void>;
  setMentions(
    unitId: number,
    mentions: readonly EntityMention[],
    relations: DerivationResult['relations'],
  ): Settling<void>;
  insertJobs(jobs: readonly NewJob[], now: Instant): Settling<number>;
}
