import type { Unit } from '../model/model.ts';
import type { UnitFeeling, UnitFilter, UnitPage, UnitTable } from './unitTable.ts';

/** The part of a store that is read. */
interface Units {
  readonly units: Pick<UnitTable, 'list' | 'feelings'>;
}

type Pages = Pick<UnitPage, 'limit' | 'oldestFirst'>;

/** All units that the filter selects, in pages of `limit`. Each page continues after the last unit of the previous one. */
export function unitPages(store: Units, filter: UnitFilter, pages: Pages): AsyncGenerator<Unit[]> {
  return eachPage(
    pages,
    (page) => store.units.list(filter, page),
    ({ id }) => id,
  );
}

/** As `unitPages`, without the texts. */
export function feelingPages(store: Units, filter: UnitFilter, pages: Pages): AsyncGenerator<UnitFeeling[]> {
  return eachPage(
    pages,
    (page) => store.units.feelings(filter, page),
    ({ unitId }) => unitId,
  );
}

async function* eachPage<Item extends Pick<Unit, 'occurredAt'>>(
  pages: Pages,
  read: (page: UnitPage) => Promise<Item[]>,
  idOf: (item: Item) => number,
): AsyncGenerator<Item[]> {
  for (let after: UnitPage['after']; ;) {
    const page = await read({ ...pages, ...(after && { after }) });
    const last = page.at(-1);
    if (!last) return;
    yield page;
    if (page.length < pages.limit) return;
    after = { occurredAt: last.occurredAt, unitId: idOf(last) };
  }
}
