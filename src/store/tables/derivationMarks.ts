import type { DerivationMark } from '../store.ts';
import { markOf } from '../rows/rows.ts';
import type { Sql } from './sql.ts';
import type { Steps } from './steps.ts';

/** The marks of completed derivations. Callers hold the transaction. */
export class DerivationMarks {
  readonly #tx: Sql;

  constructor(tx: Sql) {
    this.#tx = tx;
  }

  *has({ unitId, kind, fingerprint }: DerivationMark): Steps<boolean> {
    const query =
      'SELECT 1 FROM derivation WHERE memory_id = $1 AND unit_id = ? AND kind = ? AND fingerprint = ?';
    return (yield* this.#tx.get(query, unitId, kind, markOf(this.#tx.keys, fingerprint))) !== undefined;
  }

  *keep({ unitId, kind, fingerprint }: DerivationMark): Steps<void> {
    const insert = 'INSERT INTO derivation VALUES ($1, ?, ?, ?) ON CONFLICT DO NOTHING';
    yield* this.#tx.run(insert, unitId, kind, markOf(this.#tx.keys, fingerprint));
  }
}
