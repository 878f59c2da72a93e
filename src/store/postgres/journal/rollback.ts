import type { Instant } from '../../../model/model.ts';
import type { RowImage } from '../../rows/rows.ts';
import type { JournalParts } from './parts.ts';
import { checkNothingDepends } from './conflicts.ts';
import { TopicRestoration } from './restoreTopics.ts';

/**
 * Makes everything an entry touched as it was. What goes, goes after what it had replaced is back. The caller holds the
 * transaction.
 * @throws MemoryError JOURNAL_CONFLICT
 */
export async function rollBack(
  tables: JournalParts,
  entryId: number,
  images: readonly RowImage[],
  now: Instant,
): Promise<void> {
  await checkNothingDepends(tables.session, entryId, images);
  const topics = await TopicRestoration.begin(tables, images, now);
  await restoreUnits(tables, images, (topicId) => !topics.isMadeExact(topicId));
  await topics.restore(entryId);
}

/** @param follows topics whose centroids follow the vectors; the others are given theirs back after */
async function restoreUnits(
  { session, units: table, vectors }: JournalParts,
  images: readonly RowImage[],
  follows: (topicId: number) => boolean,
): Promise<void> {
  const units = images.filter((image) => image.table === 'unit');
  const [changed, added] = [units.filter((image) => image.before), units.filter((image) => !image.before)];
  for (const { key, before } of changed) await table.putBack(key[0] ?? 0, before);
  for (const { table: imaged, key } of images) {
    if (imaged !== 'unit_version') continue;
    await session.run(
      'DELETE FROM unit_version WHERE memory_id = $1 AND unit_id = ? AND version = ?',
      ...key,
    );
  }
  for (const { table: imaged, key, before } of images) {
    const [setId = 0, unitId = 0] = key;
    const vector = imaged === 'unit_vector' ? before?.['embedding'] : undefined;
    if (vector instanceof Uint8Array) {
      const bytes = new Int8Array(vector.buffer, vector.byteOffset, vector.byteLength);
      await vectors.restore(setId, unitId, bytes, follows);
    }
  }
  for (const { key } of added) await table.putBack(key[0] ?? 0, null);
}
