import { MemoryError, type Instant, type Unit } from '../../model/model.ts';
import { unitJob } from '../rows/rows.ts';
import type { DerivationResult } from '../store.ts';
import type { DerivationMarks } from './derivationMarks.ts';
import type { EntityRows } from './entities.ts';
import type { JobRows } from './jobRows.ts';
import type { UnitTable } from './units.ts';

interface DerivationParts {
  readonly marks: DerivationMarks;
  readonly units: UnitTable;
  readonly entities: EntityRows;
  readonly jobs: JobRows;
}

/** What derivations made, and that they did. */
export class DerivationTable {
  readonly #parts: DerivationParts;

  constructor(parts: DerivationParts) {
    this.#parts = parts;
  }

  async apply(result: DerivationResult, now: Instant): Promise<{ applied: boolean; units: Unit[] }> {
    const { mark, changes, mentions, relations, unitJobKinds = [], jobs = [] } = result;
    const { marks, units, entities } = this.#parts;
    if (await marks.has(mark)) return { applied: false, units: [] };
    if (!(await units.get(mark.unitId))) {
      throw new MemoryError('NOT_FOUND', `There is no unit ${mark.unitId}.`);
    }
    const saved = await units.saveAll(changes, now);
    if (mentions) await entities.setMentions(mark.unitId, mentions, relations);
    else if (relations?.length) throw new MemoryError('INVALID_INPUT', 'Relations are between mentions.');
    await marks.keep(mark);
    const reworded = saved.flatMap(({ unit, hasNewWords }) => (hasNewWords ? unit : []));
    const unitJobs = reworded.flatMap((unit) => unitJobKinds.map((kind) => unitJob(kind, unit)));
    await this.#parts.jobs.insert([...unitJobs, ...jobs], now);
    return { applied: true, units: saved.map(({ unit }) => unit) };
  }
}
