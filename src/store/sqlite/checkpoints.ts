import { MemoryError, type Checkpoint } from '../../model/model.ts';
import { isSignedCheckpoint } from '../rows/rows.ts';
import type { Database } from './database.ts';
import { checkSpan } from './spanCheck.ts';
import type { TurnTable } from './turns.ts';

/** Signed states of the chain of turns. Callers hold the transaction. */
export class CheckpointTable {
  readonly #db: Database;
  readonly #turns: TurnTable;
  readonly #memoryId: string;

  constructor(db: Database, turns: TurnTable, memoryId: string) {
    this.#db = db;
    this.#turns = turns;
    this.#memoryId = memoryId;
  }

  /** @throws MemoryError CHAIN_BROKEN, INVALID_INPUT when the signature is invalid */
  add(checkpoint: Checkpoint): void {
    const { turnId, chainHash, at, publicKey, signature } = checkpoint;
    if (this.#turns.get(turnId)?.chainHash !== chainHash) {
      throw new MemoryError('CHAIN_BROKEN', `The chain is not what the checkpoint says of turn ${turnId}.`, {
        turnId,
      });
    }
    const before = this.list().findLast((kept) => kept.turnId < turnId);
    checkSpan(this.#turns, before?.turnId ?? 0, turnId);
    if (!this.isSigned(checkpoint)) {
      throw new MemoryError('INVALID_INPUT', 'The signature of the checkpoint is not that of its key.');
    }
    this.#db.run(
      `INSERT OR IGNORE INTO checkpoint (turn_id, chain_hash, at, public_key, signature) VALUES (?, ?, ?, ?, ?)`,
      turnId,
      chainHash,
      at,
      publicKey,
      signature,
    );
  }

  /** @throws MemoryError VERSION_CONFLICT when the last checkpoint is another one */
  checkLast(expected: Checkpoint | null): void {
    if (this.list().at(-1)?.signature === expected?.signature) return;
    throw new MemoryError('VERSION_CONFLICT', 'Another process has added a checkpoint meanwhile.');
  }

  /** Oldest first. */
  list(): Checkpoint[] {
    return this.#db
      .all<Checkpoint>(
        `SELECT turn_id AS turnId, chain_hash AS chainHash, at, public_key AS publicKey, signature
         FROM checkpoint ORDER BY at, id`,
      )
      .map((row) => ({ ...row }));
  }

  isSigned(checkpoint: Checkpoint): boolean {
    return isSignedCheckpoint(this.#memoryId, checkpoint);
  }
}
