/** Forgetting in SQLite: rows first, in one transaction; then keys, free pages and the log. */
import { MemoryError, receiptSchema, type Receipt } from '../../../model/model.ts';
import { parseNumbers } from '../../rows/rows.ts';
import type { Erasure, Forgetting, HistoryLimits } from '../../store.ts';
import type { Database } from '../database.ts';
import { eraseRows, performNow, removeHistory, type SharedTables } from '../../tables/tables.ts';

/** A key in `meta` while erasing is not finished: the turns whose keys are to be destroyed, JSON. */
const ERASING = 'erasing';

export class SqliteForgetting implements Forgetting {
  readonly #db: Database;
  readonly #tables: SharedTables;

  constructor(db: Database, tables: SharedTables) {
    this.#db = db;
    this.#tables = tables;
  }

  async erase(erasure: Erasure): Promise<void> {
    this.#db.write(() => {
      performNow(eraseRows(this.#tables, erasure));
      noteErasing(this.#db, erasure.turnIds);
    });
    finishErasing(this.#db);
  }

  dropCaches(): void {
    this.#db.keys.dropCaches();
  }

  /** Differs again when the keys are destroyed: until then, erased turns can still be read. */
  async erasureState(): Promise<string> {
    const sql = 'SELECT max(id) AS last, EXISTS (SELECT 1 FROM meta WHERE key = ?) AS pending FROM receipt';
    return JSON.stringify(this.#db.get(sql, ERASING));
  }

  async removeHistory(before: HistoryLimits): Promise<void> {
    this.#db.write(() => performNow(removeHistory(this.#tables, before)));
  }

  async receipts(): Promise<Receipt[]> {
    return this.#db
      .all<{ receipt: string }>('SELECT receipt FROM receipt ORDER BY id')
      .map(({ receipt }) => receiptSchema.parse(JSON.parse(receipt)));
  }
}

function noteErasing(db: Database, turnIds: readonly number[]): void {
  const all = [...(pendingTurns(db) ?? []), ...turnIds];
  db.run('INSERT OR REPLACE INTO meta VALUES (?, ?)', ERASING, JSON.stringify(all));
}

/** Null when nothing is pending. */
function pendingTurns(db: Database): number[] | null {
  const kept = db.get<{ value: string }>('SELECT value FROM meta WHERE key = ?', ERASING);
  return kept ? parseNumbers(kept.value) : null;
}

/** Finishes what a crash may have interrupted: destroys keys, and removes deleted data from the file and its log. */
export function finishErasing(db: Database): void {
  const pending = pendingTurns(db);
  if (!pending) return;
  const sql = 'SELECT sealed FROM turn WHERE id = ?';
  const sealed = pending.flatMap((id) => db.get<{ sealed: Uint8Array }>(sql, id)?.sealed ?? []);
  if (sealed.length > 0) db.keys.destroyTurnKeys(sealed);
  // Deleted terms stay in the segments of FTS5 until these are merged.
  db.exec("INSERT INTO unit_text (unit_text) VALUES ('optimize')");
  db.exec('VACUUM');
  emptyLog(db);
  db.run('DELETE FROM meta WHERE key = ?', ERASING);
}

/** @throws MemoryError BUSY while another process is reading */
function emptyLog(db: Database): void {
  const result = db.get<{ busy: number }>('PRAGMA wal_checkpoint(TRUNCATE)');
  if (result?.busy === 1)
    throw new MemoryError(
      'BUSY',
      `${db.path} is being read by another process: forgotten text is still in its log.`,
    );
}
