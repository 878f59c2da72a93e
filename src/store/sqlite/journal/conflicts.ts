import { MemoryError } from '../../../model/model.ts';
import type { Database } from '../database.ts';
import { hasNewWordsOrState, type RowImage } from '../../rows/rows.ts';

const LATER = `SELECT DISTINCT o.entry_id AS id FROM journal_touch t
  CROSS JOIN journal_touch o ON o.kind = t.kind AND o.id = t.id CROSS JOIN journal j ON j.id = o.entry_id
  WHERE t.entry_id = ?1 AND o.entry_id > ?1 AND j.rolled_back_at IS NULL ORDER BY 1`;

/** @throws MemoryError JOURNAL_CONFLICT when something later depends on the entry's changes */
export function checkNothingDepends(db: Database, entryId: number, images: readonly RowImage[]): void {
  const entryIds = db.all<{ id: number }>(LATER, entryId).map((row) => row.id);
  if (entryIds.length > 0) {
    throw conflict(`Entries ${entryIds.join(', ')} changed the same since; roll those back first.`, {
      entryIds,
    });
  }
  const unitIds = images.filter((image) => image.table === 'unit' && isEdited(db, image)).map(keyOf);
  if (unitIds.length > 0) {
    throw conflict(`Units ${unitIds.join(', ')} were changed since.`, { unitIds });
  }
  const topicIds = images.filter((image) => image.table === 'topic' && isRenamed(db, image)).map(keyOf);
  if (topicIds.length > 0) {
    throw conflict(`Topics ${topicIds.join(', ')} were given other words by hand since.`, { topicIds });
  }
}

export function conflict(
  message: string,
  details: { entryIds?: readonly number[]; unitIds?: readonly number[]; topicIds?: readonly number[] },
): MemoryError {
  return new MemoryError('JOURNAL_CONFLICT', message, details);
}

function isEdited(db: Database, { key, after }: RowImage): boolean {
  const now = db.get<{ version: number }>('SELECT version FROM unit WHERE id = ?', ...key);
  return now?.version !== after?.['version'];
}

/** A text that a person gave a topic after the entry changed it or created the topic must not be lost. */
function isRenamed(db: Database, { key, before, after }: RowImage): boolean {
  if (!hasNewWordsOrState(before, after)) return false;
  const now = db.get<{ title: string; summary: string | null; source: string }>(
    "SELECT title, summary, source FROM topic WHERE id = ? AND source = 'user'",
    ...key,
  );
  return now !== undefined && (now.title !== after?.['title'] || now.summary !== after['summary']);
}

function keyOf({ key }: RowImage): number {
  return key[0] ?? 0;
}
