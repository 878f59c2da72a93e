import { markOf } from '../rows/rows.ts';
import type { DerivationMark } from '../store.ts';
import type { Database } from './database.ts';

/** The marks of completed derivations. Callers hold the transaction. */
export class DerivationMarks {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  has({ unitId, kind, fingerprint }: DerivationMark): boolean {
    const sql = 'SELECT 1 FROM derivation WHERE unit_id = ? AND kind = ? AND fingerprint = ?';
    return this.#db.get(sql, unitId, kind, markOf(this.#db.keys, fingerprint)) !== undefined;
  }

  keep({ unitId, kind, fingerprint }: DerivationMark): void {
    this.#db.run(
      'INSERT OR IGNORE INTO derivation VALUES (?, ?, ?)',
      unitId,
      kind,
      markOf(this.#db.keys, fingerprint),
    );
  }
}
