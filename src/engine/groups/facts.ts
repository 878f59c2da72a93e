import { factHistory } from '../../derive/derive.ts';
import type { Instant, UnitOf } from '../../model/model.ts';
import type { Store, UnitPage } from '../../store/store.ts';
import type { Facts } from '../memory.ts';
import { checkOptions } from '../options.ts';

const DEFAULT_LIMIT = 100;

export function createFacts(store: Store, now: () => Instant): Facts {
  return {
    async list(page = {}) {
      checkOptions('facts.list', page);
      return listCurrent(store, now(), page.limit ?? DEFAULT_LIMIT);
    },
    history: async (factId) => factHistory(store, factId),
  };
}

const PAGE = 200;

/** The store applies validity only in searches, so facts that are no longer true are skipped here. */
async function listCurrent(store: Store, at: Instant, limit: number): Promise<UnitOf<'fact'>[]> {
  const facts: UnitOf<'fact'>[] = [];
  for (let after: UnitPage['after']; ;) {
    const units = await store.units.list({ kinds: ['fact'] }, { limit: PAGE, ...(after && { after }) });
    for (const unit of units) {
      if (unit.kind === 'fact' && (unit.payload.validTo ?? Infinity) > at) facts.push(unit);
    }
    const last = units.at(-1);
    if (facts.length >= limit || units.length < PAGE || !last) return facts.slice(0, limit);
    after = { occurredAt: last.occurredAt, unitId: last.id };
  }
}
