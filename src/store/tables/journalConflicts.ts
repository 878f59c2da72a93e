import { MemoryError } from '../../model/model.ts';
import type { Sql } from './sql.ts';
import type { Steps } from './steps.ts';
import { hasNewWordsOrState, type RowImage } from '../rows/rows.ts';

const LATER = `SELECT DISTINCT o.entry_id AS id FROM journal_touch t
  JOIN journal_touch o ON o.memory_id = $1 AND o.kind = t.kind AND o.id = t.id
  JOIN journal j ON j.memory_id = $1 AND j.id = o.entry_id
  WHERE t.memory_id = $1 AND t.entry_id = ? AND o.entry_id > t.entry_id AND j.rolled_back_at IS NULL ORDER BY 1`;

/** @throws MemoryError JOURNAL_CONFLICT when something later depends on the entry's changes */
export function* checkNothingDepends(tx: Sql, entryId: number, images: readonly RowImage[]): Steps<void> {
  const entryIds = (yield* tx.all<{ id: number }>(LATER, entryId)).map((row) => row.id);
  if (entryIds.length > 0) {
    throw conflict(`Entries ${entryIds.join(', ')} changed the same rows later; roll those back first.`, {
      entryIds,
    });
  }
  const unitIds = yield* keysOf(images, 'unit', (image) => isEdited(tx, image));
  if (unitIds.length > 0) {
    throw conflict(`Units ${unitIds.join(', ')} were changed later.`, { unitIds });
  }
  const topicIds = yield* keysOf(images, 'topic', (image) => isRenamed(tx, image));
  if (topicIds.length > 0) {
    throw conflict(`Topics ${topicIds.join(', ')} were renamed or reworded by hand later.`, { topicIds });
  }
}

export function conflict(
  message: string,
  details: { entryIds?: readonly number[]; unitIds?: readonly number[]; topicIds?: readonly number[] },
): MemoryError {
  return new MemoryError('JOURNAL_CONFLICT', message, details);
}

function* isEdited(tx: Sql, { key, after }: RowImage): Steps<boolean> {
  const sql = 'SELECT version FROM unit WHERE memory_id = $1 AND id = ?';
  const now = yield* tx.get<{ version: number }>(sql, ...key);
  return now?.version !== after?.['version'];
}

/** A text that a person gave a topic after the entry changed it or created the topic must not be lost. */
function* isRenamed(tx: Sql, { key, before, after }: RowImage): Steps<boolean> {
  if (!hasNewWordsOrState(before, after)) return false;
  const now = yield* tx.get<{ title: string; summary: string | null; source: string }>(
    "SELECT title, summary, source FROM topic WHERE memory_id = $1 AND id = ? AND source = 'user'",
    ...key,
  );
  return now !== undefined && (now.title !== after?.['title'] || now.summary !== after['summary']);
}

function* keysOf(
  images: readonly RowImage[],
  table: RowImage['table'],
  isMeant: (image: RowImage) => Steps<boolean>,
): Steps<number[]> {
  const keys: number[] = [];
  for (const image of images) {
    if (image.table === table && (yield* isMeant(image))) keys.push(image.key[0] ?? 0);
  }
  return keys;
}
