import type { Instant } from '../../../model/model.ts';
import type { SqliteEntityTable } from '../entities.ts';
import type { TopicRows } from '../topics/topics.ts';
import type { TurnTable } from '../turns.ts';
import type { UnitTable } from '../units.ts';

/** The dependencies of erasing. */
export interface ErasureParts {
  readonly turns: TurnTable;
  readonly units: UnitTable;
  readonly topics: TopicRows;
  readonly entities: SqliteEntityTable;
  readonly now: () => Instant;
}
