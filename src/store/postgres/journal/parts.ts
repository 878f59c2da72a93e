import type { Instant } from '../../../model/model.ts';
import type { JobRows } from '../jobRows.ts';
import type { RowRecorder } from '../rowImages.ts';
import type { Session } from '../session.ts';
import type { TopicRows } from '../topics/topics.ts';
import type { UnitTable } from '../units.ts';
import type { VectorRows } from '../vectors.ts';

/** What the journal carries its changes out with. */
export interface JournalParts {
  readonly session: Session;
  readonly now: () => Instant;
  readonly recorder: RowRecorder;
  readonly jobs: JobRows;
  readonly topics: TopicRows;
  readonly units: UnitTable;
  readonly vectors: VectorRows;
}
