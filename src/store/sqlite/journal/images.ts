import type { Database } from '../database.ts';
import { formatRow, type ImagedTable, parseRow, type RowImage } from '../../rows/rows.ts';

interface ImageRow {
  of_table: string;
  row_key: string;
  before: string | null;
  after: string | null;
}

/** Images of the rows that entries changed. Callers hold the transaction. */
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
