import type { Instant } from '../../../model/model.ts';
import type { Erasure } from '../../store.ts';
import type { Database } from '../database.ts';
import { writeRow } from '../rowImages.ts';
import type { TopicRows } from '../topics/topics.ts';

/** Gives topics their new texts and figures; deletes those without members. */
export function eraseTopics(
  db: Database,
  rows: TopicRows,
  topics: { readonly touched: readonly number[]; readonly reworded: Erasure['topics'] },
  now: Instant,
): void {
  for (const { id, ...words } of topics.reworded) if (rows.get(id)) rows.update(id, words, now);
  for (const id of topics.touched) {
    rows.recompute(id, now);
    if (rows.get(id)?.members === 0) removeTopic(db, rows, id);
  }
}

/** Its subtopics become children of its parents. */
function removeTopic(db: Database, rows: TopicRows, id: number): void {
  const parents = rows.parentsOf(id);
  for (const childId of rows.childrenOf(id)) {
    rows.unlink(childId, id);
    for (const parentId of parents) rows.linkTo(childId, parentId);
  }
  for (const parentId of parents) rows.unlink(id, parentId);
  db.run('UPDATE topic SET successor_id = NULL WHERE successor_id = ?', id);
  writeRow(db, 'topic_centroid', [id], null);
  writeRow(db, 'topic', [id], null);
  rows.reindex(id);
  rows.centroids.noteChange(id);
}
