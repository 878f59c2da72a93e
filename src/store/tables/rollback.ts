import type { Instant } from '../../model/model.ts';
import type { RowImage } from '../rows/rows.ts';
import type { TableParts } from './parts.ts';
import type { Steps } from './steps.ts';
import { checkNothingDepends } from './journalConflicts.ts';
import { TopicRestoration } from './restoreTopics.ts';

/**
 * Undoes an entry. Rows are deleted after the rows that they had replaced are restored. The caller holds the
 * transaction.
 * @throws MemoryError JOURNAL_CONFLICT
 */
export function* rollBack(
  tables: TableParts,
  entryId: number,
  images: readonly RowImage[],
  now: Instant,
): Steps<void> {
  yield* checkNothingDepends(tables.tx, entryId, images);
  const topics = yield* TopicRestoration.begin(tables, images, now);
  yield* restoreUnits(tables, images, (topicId) => !topics.isMadeExact(topicId));
  yield* topics.restore(entryId);
}

/** @param follows topics whose centroids are updated with the vectors; the others are restored later */
function* restoreUnits(
  { tx, units: table, vectors }: TableParts,
  images: readonly RowImage[],
  follows: (topicId: number) => boolean,
): Steps<void> {
  const units = images.filter((image) => image.table === 'unit');
  const [changed, added] = [units.filter((image) => image.before), units.filter((image) => !image.before)];
  for (const { key, before } of changed) yield* table.putBack(key[0] ?? 0, before);
  for (const { table: imaged, key } of images) {
    if (imaged !== 'unit_version') continue;
    yield* tx.run('DELETE FROM unit_version WHERE memory_id = $1 AND unit_id = ? AND version = ?', ...key);
  }
  for (const { table: imaged, key, before } of images) {
    const [setId = 0, unitId = 0] = key;
    const vector = imaged === 'unit_vector' ? before?.['embedding'] : undefined;
    if (vector instanceof Uint8Array) {
      const bytes = new Int8Array(vector.buffer, vector.byteOffset, vector.byteLength);
      yield* vectors.restore({ setId, unitId }, bytes, follows);
    }
  }
  for (const { key } of added) yield* table.putBack(key[0] ?? 0, null);
}
