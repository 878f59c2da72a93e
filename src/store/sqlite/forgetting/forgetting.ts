/** Forgetting in SQLite: rows first, in one transaction; then keys, free pages and the log. */
import { MemoryError, receiptSchema, type Receipt } from '../../../model/model.ts';
import type { Erasure, Forgetting } from '../../store.ts';
import type { Database } from '../database.ts';
import { insertJobs } from '../jobTable.ts';
import { eraseFromJournal, eraseTopics, performNow } from '../../tables/tables.ts';
import { FORGOTTEN, isForgotten } from '../../rows/rows.ts';
import type { TurnTable } from '../turns.ts';
import { eraseFromEntities, eraseUnused, touchedEntities } from './entities.ts';
import type { ErasureParts } from './parts.ts';

export type { ErasureParts } from './parts.ts';

/** A key in `meta` while erasing is not finished: the turns whose keys are to be destroyed, JSON. */
const ERASING = 'erasing';

export class SqliteForgetting implements Forgetting {
  readonly #db: Database;
  readonly #parts: ErasureParts;

  constructor(db: Database, parts: ErasureParts) {
    this.#db = db;
    this.#parts = parts;
  }

  async erase(erasure: Erasure): Promise<void> {
    this.#db.write(() => this.#eraseRows(erasure));
    finishErasing(this.#db, this.#parts.turns);
  }

  async receipts(): Promise<Receipt[]> {
    return this.#db
      .all<{ receipt: string }>('SELECT receipt FROM receipt ORDER BY id')
      .map(({ receipt }) => receiptSchema.parse(JSON.parse(receipt)));
  }

  #eraseRows({ turnIds, unitIds, reworded, topics, jobs, receipt }: Erasure): void {
    // Rows refer to one another, and may be deleted in any order.
    this.#db.exec('PRAGMA defer_foreign_keys = ON');
    const { units, tables } = this.#parts;
    const at = tables.now();
    const gone = [...this.#episodesOf(turnIds), ...unitIds];
    const places = this.#topicsOf(gone);
    const entities = touchedEntities(this.#db, gone);
    const touched = {
      unitIds: [...gone, ...reworded.map(({ unitId }) => unitId)],
      topicIds: [...places, ...topics.map(({ id }) => id)],
    };
    performNow(eraseFromJournal(tables, touched, at));
    for (const unitId of gone) {
      this.#db.run('DELETE FROM topic_member WHERE unit_id = ?', unitId);
      this.#db.run('DELETE FROM job WHERE input = ?', JSON.stringify({ unitId }));
      units.putBack(unitId, null);
    }
    for (const { unitId, payload } of reworded) units.reword(unitId, payload, at);
    performNow(eraseTopics(tables, { touched: places, reworded: topics }, at));
    eraseFromEntities(this.#db, this.#parts.entities, entities);
    eraseUnused(
      this.#db,
      this.#parts.entities,
      entities.map(({ id }) => id),
    );
    this.#forgetTurns(turnIds);
    insertJobs(this.#db, jobs, at);
    this.#db.run('INSERT INTO receipt (receipt) VALUES (?)', JSON.stringify(receipt));
    noteErasing(this.#db, turnIds);
  }

  #episodesOf(turnIds: readonly number[]): number[] {
    return this.#db
      .all<{ id: number }>(
        'SELECT u.id FROM json_each(?) j CROSS JOIN unit u ON u.turn_id = j.value ORDER BY j.key',
        JSON.stringify(turnIds),
      )
      .map(({ id }) => id);
  }

  #topicsOf(unitIds: readonly number[]): number[] {
    return this.#db
      .all<{ id: number }>(
        `SELECT DISTINCT m.topic_id AS id FROM json_each(?) j CROSS JOIN topic_member m ON m.unit_id = j.value`,
        JSON.stringify(unitIds),
      )
      .map(({ id }) => id);
  }

  #forgetTurns(turnIds: readonly number[]): void {
    for (const id of turnIds) {
      const row = this.#parts.turns.kept(id);
      if (!row || isForgotten(row)) throw new MemoryError('NOT_FOUND', `There is no turn ${id}.`);
      const name = FORGOTTEN + this.#db.keys.hashWords(row.conversation_id);
      this.#db.run('UPDATE turn SET conversation_id = ? WHERE id = ?', name, id);
    }
    this.#parts.turns.recount();
  }
}

function noteErasing(db: Database, turnIds: readonly number[]): void {
  const all = [...(pendingTurns(db) ?? []), ...turnIds];
  db.run('INSERT OR REPLACE INTO meta VALUES (?, ?)', ERASING, JSON.stringify(all));
}

/** Null when nothing is pending. */
function pendingTurns(db: Database): number[] | null {
  const kept = db.get<{ value: string }>('SELECT value FROM meta WHERE key = ?', ERASING);
  return kept ? (JSON.parse(kept.value) as number[]) : null;
}

/** Finishes what a crash may have interrupted: destroys keys, and removes deleted data from the file and its log. */
export function finishErasing(db: Database, turns: TurnTable): void {
  const pending = pendingTurns(db);
  if (!pending) return;
  const sealed = pending.flatMap((id) => turns.kept(id)?.sealed ?? []);
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
    throw new MemoryError('BUSY', `${db.path} is being read: what was forgotten is still in its log.`);
}
