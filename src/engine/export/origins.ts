import { MemoryError } from '../../model/model.ts';
import type { Memory } from '../memory.ts';
import type { Origin } from './form.ts';

const UNITS_PER_PAGE = 1_000;

export interface OriginReader {
  /**
   * How a turn came in, read from its episode; once for each turn.
   * @throws MemoryError NOT_FOUND when no episode stands for it
   */
  read(turnId: number): Promise<Origin>;
}

/** Reads units in the order of their ids, in which episodes follow nearly the order of the turns. */
export function createOriginReader(memory: Memory): OriginReader {
  const origins = new Map<number, Origin>();
  let lastId = 0;
  let unitsRead = 0;
  let unitsThere = 0;

  const readPage = async () => {
    const ids = Array.from({ length: UNITS_PER_PAGE }, (_, i) => lastId + i + 1);
    lastId += UNITS_PER_PAGE;
    const units = await memory.units.get(ids);
    unitsRead += units.length;
    for (const unit of units) {
      if (unit.kind !== 'episode') continue;
      const { source, sensitivity, scope, payload } = unit;
      origins.set(payload.turnId, { source, sensitivity, scope, imageSummary: payload.imageSummary });
    }
  };
  const hasMore = async () => {
    if (unitsRead === unitsThere) unitsThere = await countUnits(memory);
    return unitsRead < unitsThere;
  };

  return {
    async read(turnId) {
      while (!origins.has(turnId) && (await hasMore())) await readPage();
      const origin = origins.get(turnId);
      origins.delete(turnId);
      if (origin) return origin;
      throw new MemoryError(
        'NOT_FOUND',
        `Turn ${turnId} has no episode. “omoide rebuild --from turns” makes it anew.`,
      );
    },
  };
}

async function countUnits(memory: Memory): Promise<number> {
  const { units } = await memory.admin.info();
  return Object.values(units).reduce((sum, count) => sum + count, 0);
}
