import type { Instant } from '../../model/model.ts';
import type { UnitTable as Units } from '../store.ts';
import type { Database } from './database.ts';
import { applyDerivation, performNow, type SharedTables } from '../tables/tables.ts';
import type { NeighbourTable } from './neighbours.ts';
import type { UnitColumns } from './unitColumns.ts';
import type { UnitTable } from './units.ts';

export interface UnitParts {
  readonly units: UnitTable;
  readonly columns: UnitColumns;
  readonly neighbours: NeighbourTable;
  readonly tables: SharedTables;
}

export function createUnits(db: Database, parts: UnitParts): Units {
  const { units, columns, neighbours, tables } = parts;
  return {
    save: async (changes, jobKinds = []) =>
      db.write(() => performNow(tables.units.saveWithJobs(changes, jobKinds, tables.now()))),
    get: async (unitIds) => units.getMany(unitIds),
    list: async (filter, page) => units.list(filter, page),
    feelings: async (filter, page) => units.feelings(filter, page),
    filter: async (unitIds, filter) => {
      const passing = db.read(() => columns.passing(unitIds, filter));
      return unitIds.filter((unitId) => passing.has(unitId));
    },
    passages: async (unitIds) => db.read(() => units.passages(unitIds)),
    versions: async (unitId) => performNow(tables.units.listVersions(unitId)),
    countAccess: async (unitIds, at) => db.writeUnflushed(() => countAccess(db, unitIds, at)),
    link: async (from, to, relation) => db.write(() => performNow(tables.units.link(from, to, relation))),
    neighbours: async (unitIds, reach) => db.read(() => neighbours.read(unitIds, reach)),
    applyDerivation: async (result) =>
      db.writeUnflushed(() => performNow(applyDerivation(tables, result, tables.now()))),
    isDerived: async (mark) => performNow(tables.marks.has(mark)),
  };
}

function countAccess(db: Database, unitIds: readonly number[], at: Instant): void {
  for (const id of unitIds) {
    db.run('UPDATE unit SET access_count = access_count + 1, last_accessed_at = ? WHERE id = ?', at, id);
  }
}
