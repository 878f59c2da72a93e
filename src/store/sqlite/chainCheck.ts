import { type ChainCheck, ChainWalk } from '../rows/rows.ts';
import { performNow, type SharedTables } from '../tables/tables.ts';
import type { TurnTable } from './turns.ts';

/** Compares all turns, from the first, with their hashes, the previous turn and the checkpoints. */
export function checkChain(
  table: TurnTable,
  checkpoints: SharedTables['checkpoints'],
  report: (message: string) => void,
): ChainCheck {
  const walk = new ChainWalk(
    performNow(checkpoints.list()),
    (checkpoint) => checkpoints.isSigned(checkpoint),
    report,
  );
  for (let afterId = 0; ;) {
    const rows = table.rows({ afterId, limit: 1_000 });
    for (const row of rows) walk.step(row);
    const last = rows.at(-1);
    if (!last) return walk.end();
    afterId = last.id;
  }
}
