import type { Instant } from '../../../model/model.ts';
import type { Database } from '../database.ts';
import type { RowImage } from '../../rows/rows.ts';
import type { JournalImages } from './images.ts';
import type { JournalParts } from './parts.ts';
import { checkNothingDepends } from './conflicts.ts';
import { TopicRestoration } from './restoreTopics.ts';

/**
 * Undoes an entry. Rows are deleted after the rows that they had replaced are restored. The caller holds the
 * transaction.
 * @throws MemoryError JOURNAL_CONFLICT
 */
export function rollBack(
  db: Database,
  parts: JournalParts,
  kept: JournalImages,
  entryId: number,
  now: Instant,
): void {
  // Rows refer to one another, and may be restored in any order.
  db.exec('PRAGMA defer_foreign_keys = ON');
  const images = kept.of(entryId);
  checkNothingDepends(db, entryId, images);
  const topics = new TopicRestoration(db, parts.topics, images, now);
  restoreUnits(db, parts, images, (topicId) => !topics.isMadeExact(topicId));
  topics.restore(entryId);
}

/** @param follows topics whose centroids are updated with the vectors; the others are restored later */
function restoreUnits(
  db: Database,
  parts: JournalParts,
  images: readonly RowImage[],
  follows: (topicId: number) => boolean,
): void {
  const units = images.filter((image) => image.table === 'unit');
  const [changed, added] = [units.filter((image) => image.before), units.filter((image) => !image.before)];
  for (const { key, before } of changed) parts.units.putBack(key[0] ?? 0, before);
  for (const { table, key } of images) {
    if (table !== 'unit_version') continue;
    db.run('DELETE FROM unit_version WHERE unit_id = ? AND version = ?', ...key);
  }
  for (const { table, key, before } of images) {
    const [setId = 0, unitId = 0] = key;
    const vector = table === 'unit_vector' ? before?.['embedding'] : undefined;
    if (vector instanceof Uint8Array) {
      const bytes = new Int8Array(vector.buffer, vector.byteOffset, vector.byteLength);
      parts.vectors.restore(setId, unitId, bytes, follows);
    }
  }
  for (const { key } of added) parts.units.putBack(key[0] ?? 0, null);
}
