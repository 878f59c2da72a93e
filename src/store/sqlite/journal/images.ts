import type { Database, Row } from '../database.ts';
import { formatRow, parseRow, type ImagedTable, type RowImage } from '../rowImages.ts';

/** What of a topic's row is more than figures that follow its members; a rollback gives it back whatever those are. */
export const WORDS_AND_STATE = ['title', 'summary', 'source', 'state', 'successor_id'] as const;

interface ImageRow {
  of_table: string;
  row_key: string;
  before: string | null;
  after: string | null;
}

/** The images of what entries touched. Callers hold the transaction. */
export class JournalImages {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  keep(entryId: number, images: readonly RowImage[]): void {
    for (const { table, key, before, after } of images) {
      this.#db.run(
        'INSERT INTO journal_image VALUES (?, ?, ?, ?, ?)',
        entryId,
        table,
        JSON.stringify(key),
        formatRow(before),
        formatRow(after),
      );
    }
  }

  of(entryId: number): RowImage[] {
    return this.#db.all<ImageRow>('SELECT * FROM journal_image WHERE entry_id = ?', entryId).map((row) => ({
      table: row.of_table as ImagedTable,
      key: JSON.parse(row.row_key) as number[],
      before: parseRow(row.before),
      after: parseRow(row.after),
    }));
  }
}

/** Topics whose words, state, members, parents or children the images change, and units that they do. */
export function touchesOf(images: readonly RowImage[]): { topic: Set<number>; unit: Set<number> } {
  const touches = { topic: new Set<number>(), unit: new Set<number>() };
  for (const { table, key, before, after } of images) {
    const [first = 0] = key;
    if (table === 'unit') touches.unit.add(first);
    if (table === 'topic' && hasNewWordsOrState(before, after)) touches.topic.add(first);
    if (table === 'topic_member' && !(before && after)) touches.topic.add(first);
    if (table === 'topic_parent') for (const id of key) touches.topic.add(id);
  }
  return touches;
}

export function hasNewWordsOrState(before: Row | null, after: Row | null): boolean {
  if (!before || !after) return true;
  return WORDS_AND_STATE.some((column) => before[column] !== after[column]);
}
