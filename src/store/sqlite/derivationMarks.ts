import { hash } from 'node:crypto';
import type { MemoryKeys } from '../../keys/keys.ts';
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
    return this.#db.get(sql, unitId, kind, this.#shortened(fingerprint)) !== undefined;
  }

  keep({ unitId, kind, fingerprint }: DerivationMark): void {
    this.#db.run(
      'INSERT OR IGNORE INTO derivation VALUES (?, ?, ?)',
      unitId,
      kind,
      this.#shortened(fingerprint),
    );
  }

  /** Keyed, so that the input of the derivation cannot be guessed. */
  #shortened(fingerprint: string): Uint8Array {
    return keyedMark(this.#db.keys, hash('sha256', fingerprint, 'buffer').subarray(0, 16));
  }
}

/** Converts a mark from before there were keys. */
export function keyedMark(keys: MemoryKeys, mark: Uint8Array): Uint8Array {
  return Buffer.from(keys.hashWords(Buffer.from(mark).toString('hex')), 'base64url').subarray(0, 16);
}
