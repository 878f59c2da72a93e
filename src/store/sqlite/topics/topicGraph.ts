import type { Database } from '../database.ts';

/** A cycle of topics, in order, found from these upwards; null when there is none. */
export function findCycle(db: Database, from: readonly number[]): number[] | null {
  const done = new Set<number>();
  const walk = (id: number, trail: readonly number[]): number[] | null => {
    if (trail.includes(id)) return trail.slice(trail.indexOf(id));
    if (done.has(id)) return null;
    for (const parent of parentsOf(db, id)) {
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

function parentsOf(db: Database, topicId: number): number[] {
  return db
    .all<{ id: number }>('SELECT parent_id AS id FROM topic_parent WHERE topic_id = ? ORDER BY 1', topicId)
    .map((row) => row.id);
}
