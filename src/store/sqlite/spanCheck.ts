import { CHAIN_START, SpanWalk } from '../rows/rows.ts';
import type { TurnTable } from './turns.ts';

/**
 * Compares the turns after one turn, up to another, with their hashes.
 * @throws MemoryError CHAIN_BROKEN, naming the first that does not match
 */
export function checkSpan(table: TurnTable, afterId: number, lastId: number): void {
  const head = afterId === 0 ? CHAIN_START : table.rows({ afterId: afterId - 1, limit: 1 })[0]?.chain_hash;
  const walk = new SpanWalk(afterId, head);
  while (walk.lastId < lastId) {
    const rows = table.rows({ afterId: walk.lastId, limit: 1_000 });
    for (const row of rows) {
      if (row.id > lastId) return;
      walk.step(row);
    }
    if (rows.length === 0) return;
  }
}
