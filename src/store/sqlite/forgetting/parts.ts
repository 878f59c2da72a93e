import type { SqliteEntityTable } from '../entities.ts';
import type { SharedTables } from '../../tables/tables.ts';
import type { TurnTable } from '../turns.ts';
import type { UnitTable } from '../units.ts';

/** The dependencies of erasing. */
export interface ErasureParts {
  readonly turns: TurnTable;
  readonly units: UnitTable;
  readonly tables: SharedTables;
  readonly entities: SqliteEntityTable;
}
