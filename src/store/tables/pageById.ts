import type { Sql } from './sql.ts';
import type { Steps } from './steps.ts';

const PAGE_SIZE = 1_000;

/** The ids that a page covers: above `after`, up to and including `to`; the last page has no end. */
export interface IdRange {
  readonly after: number;
  readonly to: number;
}

/**
 * Calls `body` with all rows of a statement, whose condition names the memory, in pages by id: those of a large table do
 * not fit in memory, and `body` may write. The last page may be empty; its range has no end.
 * @param column that is selected as `id`
 */
export function* forEachPageById<T extends { readonly id: number }>(
  tx: Sql,
  select: string,
  body: (rows: readonly T[], range: IdRange) => Steps<unknown> | void,
  column = 'id',
): Steps<void> {
  for (let after = Number.MIN_SAFE_INTEGER; ;) {
    const rows = yield* tx.all<T>(`${select} AND ${column} > ? ORDER BY ${column} LIMIT ${PAGE_SIZE}`, after);
    const last = rows.length < PAGE_SIZE ? undefined : rows.at(-1);
    const steps = body(rows, { after, to: last?.id ?? Number.MAX_SAFE_INTEGER });
    if (steps) yield* steps;
    if (!last) return;
    after = last.id;
  }
}
