import { MemoryError, type Instant, type Unit } from '../../model/model.ts';
import type { DerivationResult } from '../store.ts';
import { unitJob } from '../rows/rows.ts';
import type { Database } from './database.ts';
import type { DerivationMarks } from './derivationMarks.ts';
import type { SqliteEntityTable } from './entities.ts';
import { insertJobs } from './jobTable.ts';
import type { UnitTable } from './units.ts';

/** Stores results of derivations with their marks. Callers hold the transaction. */
export class DerivationTable {
  readonly #db: Database;
  readonly #units: UnitTable;
  readonly #entities: SqliteEntityTable;
  readonly #marks: DerivationMarks;

  constructor(db: Database, units: UnitTable, entities: SqliteEntityTable, marks: DerivationMarks) {
    this.#db = db;
    this.#units = units;
    this.#entities = entities;
    this.#marks = marks;
  }

  apply(result: DerivationResult, now: Instant): { applied: boolean; units: Unit[] } {
    const { mark, changes, mentions, relations, unitJobKinds = [], jobs = [] } = result;
    if (this.#marks.has(mark)) return { applied: false, units: [] };
    if (!this.#units.get(mark.unitId)) throw new MemoryError('NOT_FOUND', `There is no unit ${mark.unitId}.`);
    const saved = changes.map((change) => this.#units.save(change, now));
    if (mentions) this.#entities.setMentions(mark.unitId, mentions, relations);
    else if (relations?.length) throw new MemoryError('INVALID_INPUT', 'Relations are between mentions.');
    this.#marks.keep(mark);
    const reworded = saved.flatMap(({ unit, hasNewWords }) => (hasNewWords ? unit : []));
    const unitJobs = reworded.flatMap((unit) => unitJobKinds.map((kind) => unitJob(kind, unit)));
    insertJobs(this.#db, [...unitJobs, ...jobs], now);
    return { applied: true, units: saved.map(({ unit }) => unit) };
  }
}
