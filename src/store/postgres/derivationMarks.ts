import type { DerivationMark } from '../store.ts';
import { markOf } from '../rows/rows.ts';
import type { Session } from './session.ts';

/** Which derivations were made. */
export class DerivationMarks {
  readonly #tx: Session;

  constructor(tx: Session) {
    this.#tx = tx;
  }

  async has({ unitId, kind, fingerprint }: DerivationMark): Promise<boolean> {
    const sql =
      'SELECT 1 FROM derivation WHERE memory_id = $1 AND unit_id = ? AND kind = ? AND fingerprint = ?';
    return (await this.#tx.get(sql, unitId, kind, markOf(this.#tx.keys, fingerprint))) !== undefined;
  }

  async keep({ unitId, kind, fingerprint }: DerivationMark): Promise<void> {
    const sql = 'INSERT INTO derivation VALUES ($1, ?, ?, ?) ON CONFLICT DO NOTHING';
    await this.#tx.run(sql, unitId, kind, markOf(this.#tx.keys, fingerprint));
  }
}
