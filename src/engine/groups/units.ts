import { checkText, unitText } from '../../model/model.ts';
import type { Units } from '../memory.ts';
import type { MemoryCore } from '../memoryCore.ts';
import { checkOptions } from '../options.ts';
import { correctMasks, listSensitive, maskOld } from '../sensitive/sensitive.ts';

const DEFAULT_LIMIT = 100;
const ADJACENT = { before: 1, after: 1 };

export function createUnits(core: MemoryCore): Units {
  const { store } = core;
  return {
    add: async (unit) => core.addUnit(unit),
    get: async (unitIds) => store.units.get(unitIds),
    async list(filter = {}, page = {}) {
      checkOptions('the filter of units.list', filter);
      checkOptions('the page of units.list', page);
      return store.units.list(filter, { ...page, limit: page.limit ?? DEFAULT_LIMIT });
    },
    async update({ reason = 'edited', ...change }) {
      checkOptions('units.update', change);
      checkOptions('set of units.update', change.set);
      if (change.set.content) checkText(unitText(change.set.content));
      return core.saveUnit({ type: 'update', ...change, reason });
    },
    async restore({ reason, ...change }) {
      checkOptions('units.restore', change);
      const why = reason ?? `restored version ${change.version}`;
      return core.saveUnit({ type: 'restore', ...change, reason: why });
    },
    async sensitive(page = {}) {
      checkOptions('units.sensitive', page);
      return listSensitive(core, page);
    },
    async mask(request) {
      checkOptions('units.mask', request);
      return correctMasks(core, request);
    },
    maskOld: async () => maskOld(core),
    versions: async (unitId) => store.units.versions(unitId),
    neighbours: async (unitIds, reach = ADJACENT) => store.units.neighbours(unitIds, reach),
    link: async (fromUnitId, toUnitId, relation = 'contextual') =>
      store.units.link(fromUnitId, toUnitId, relation),
  };
}
