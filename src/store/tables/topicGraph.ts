import type { Sql } from './sql.ts';
import type { Steps } from './steps.ts';

/** A cycle of topics, in order, found from these upwards; null when there is none. */
export function* findCycle(tx: Sql, from: readonly number[]): Steps<number[] | null> {
  if (from.length === 0) return null;
  const rows = yield* tx.all<{ id: number; parent: number }>(
    'SELECT topic_id AS id, parent_id AS parent FROM topic_parent WHERE memory_id = $1 ORDER BY 1, 2',
  );
  const parents = Map.groupBy(rows, (row) => row.id);
  const done = new Set<number>();
  const walk = (id: number, trail: readonly number[]): number[] | null => {
    if (trail.includes(id)) return trail.slice(trail.indexOf(id));
    if (done.has(id)) return null;
    for (const { parent } of parents.get(id) ?? []) {
      const cycle = walk(parent, [...trail, id]);
      if (cycle) return cycle;
    }
    done.add(id);
    return null;
  };
  for (const id of from) {
    const cycle = walk(id, []);
    if (cycle) return cycle;
  }
  return null;
}
