import type { Instant } from '../../../model/model.ts';
import type { RowRecorder } from '../rowImages.ts';
import type { TopicRows } from '../topics/topics.ts';
import type { UnitTable } from '../units.ts';
import type { SqliteVectorIndex } from '../vectorIndex.ts';

/** The dependencies of the journal. */
export interface JournalParts {
  readonly recorder: RowRecorder;
  readonly topics: TopicRows;
  readonly units: UnitTable;
  readonly vectors: SqliteVectorIndex;
  readonly now: () => Instant;
}
