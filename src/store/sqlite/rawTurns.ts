import { MemoryError, type Receipt } from '../../model/model.ts';
import { FORGOTTEN, isForgotten, toRawTurn, type SealedTurnRow } from '../rows/rows.ts';
import type { RawTurn, RawTurns } from '../store.ts';
import type { Database } from './database.ts';

/** The stored rows of the table `turn`. */
export class SqliteRawTurns implements RawTurns {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  async state() {
    const state = this.#db.get<{ archived: number; pending: number; archivedTo: number | null }>(
      `SELECT count(raw_pointer) AS archived, count(*) - count(raw_pointer) AS pending,
         max(CASE WHEN raw_pointer IS NOT NULL THEN occurred_at END) AS archivedTo FROM turn`,
    );
    return state ?? { archived: 0, pending: 0, archivedTo: null };
  }

  async page(page: { afterId: number; limit: number; unarchived?: true }): Promise<RawTurn[]> {
    const { afterId, limit, unarchived } = page;
    const condition = unarchived ? 'id > ? AND raw_pointer IS NULL' : 'id > ?';
    const sql = `SELECT * FROM turn WHERE ${condition} ORDER BY id LIMIT +?`;
    return this.#db.all<SealedTurnRow>(sql, afterId, limit).map((row) => this.#read(row));
  }

  async setPointers(turnIds: readonly number[], pointer: string): Promise<void> {
    this.#db.write(() => {
      for (const id of turnIds)
        this.#db.run('UPDATE turn SET raw_pointer = ? WHERE id = ? AND raw_pointer IS NULL', pointer, id);
    });
  }

  async restore(turns: readonly RawTurn[], receipts: readonly Receipt[]): Promise<number> {
    return this.#db.write(() => {
      const restored = turns.filter((turn) => this.#restore(turn)).length;
      for (const receipt of receipts) this.#keepReceipt(receipt);
      return restored;
    });
  }

  #read(row: SealedTurnRow): RawTurn {
    const { keys } = this.#db;
    const name = isForgotten(row) ? null : keys.sealMore(row.sealed, row.conversation_id);
    return toRawTurn(row, name, keys);
  }

  #restore(turn: RawTurn): boolean {
    const contentHash = Buffer.from(turn.contentHash, 'hex');
    const there = this.#db.get<SealedTurnRow>('SELECT * FROM turn WHERE id = ?', turn.id);
    if (there) {
      if (contentHash.equals(there.content_hash)) return false;
      throw new MemoryError('CHAIN_BROKEN', `Turn ${turn.id} exists twice, with different contents.`);
    }
    this.#db.run(
      `INSERT INTO turn (id, conversation_id, turn_index, occurred_at, sealed, content_hash, chain_hash, raw_pointer)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
      turn.id,
      this.#conversationOf(turn),
      turn.turnIndex,
      turn.occurredAt,
      turn.sealed,
      contentHash,
      Buffer.from(turn.chainHash, 'hex'),
      turn.rawPointer,
    );
    return true;
  }

  #conversationOf({ sealed, conversation }: RawTurn): string {
    const name = conversation.sealed && this.#db.keys.openMore(sealed, conversation.sealed);
    return name ?? FORGOTTEN + conversation.hash;
  }

  /** Prevents new units from getting the id of a unit that was erased according to the receipt. */
  #keepReceipt(receipt: Receipt): void {
    const kept = JSON.stringify(receipt);
    if (this.#db.get('SELECT 1 FROM receipt WHERE receipt = ?', kept)) return;
    this.#db.run('INSERT INTO receipt (receipt) VALUES (?)', kept);
    const last = Math.max(0, ...receipt.units.map(([, end]) => end));
    this.#db.run(
      `INSERT INTO sqlite_sequence (name, seq) SELECT 'unit', 0
       WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'unit')`,
    );
    this.#db.run("UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = 'unit'", last);
  }
}
