import type { Instant } from '../../model/model.ts';
import type { DerivationMarks } from './derivationMarks.ts';
import type { EntityRows } from './entities.ts';
import type { OwnParts } from './ownParts.ts';
import type { RowRecorder } from './rowImages.ts';
import type { Sql } from './sql.ts';
import type { Centroids } from './centroids.ts';
import type { TopicRows } from './topicRows.ts';
import type { TurnRows } from './turns.ts';
import type { TopicText } from './topicText.ts';
import type { UnitReading } from './unitReading.ts';
import type { VectorRows } from './vectors.ts';
import type { UnitRows } from './unitRows.ts';

/** The shared tables, as they use one another; see `sharedTables.ts`. */
export interface TableParts {
  readonly tx: Sql;
  readonly own: OwnParts;
  readonly now: () => Instant;
  readonly reading: UnitReading;
  readonly turns: TurnRows;
  readonly recorder: RowRecorder;
  readonly marks: DerivationMarks;
  readonly units: UnitRows;
  readonly entities: EntityRows;
  readonly centroids: Centroids;
  readonly topicText: TopicText;
  readonly topics: TopicRows;
  readonly vectors: VectorRows;
}
