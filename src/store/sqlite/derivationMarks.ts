import { hash } from 'node:crypto';
import type { DerivationMark } from '../store.ts';
import type { Database } from './database.ts';

/** Which derivations were made. Callers hold the transaction. */
export class DerivationMarks {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  has({ unitId, kind, fingerprint }: DerivationMark): boolean {
    const sql = 'SELECT 1 FROM derivation WHERE unit_id = ? AND kind = ? AND fingerprint = ?';
    return this.#db.get(sql, unitId, kind, shortened(fingerprint)) !== undefined;
  }

  keep({ unitId, kind, fingerprint }: DerivationMark): void {
    this.#db.run('INSERT OR IGNORE INTO derivation VALUES (?, ?, ?)', unitId, kind, shortened(fingerprint));
  }
}

function shortened(fingerprint: string): Uint8Array {
  return hash('sha256', fingerprint, 'buffer').subarray(0, 16);
}
