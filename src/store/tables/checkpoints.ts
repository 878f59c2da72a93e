import { MemoryError, type Checkpoint } from '../../model/model.ts';
import { CHAIN_START, isSignedCheckpoint, SpanWalk } from '../rows/rows.ts';
import type { Sql } from './sql.ts';
import type { Steps } from './steps.ts';
import type { TurnRows } from './turns.ts';

/** Turns that are compared at a time. */
const PAGE_SIZE = 1_000;

/** Signed states of the chain of turns. */
export class CheckpointTable {
  readonly #tx: Sql;
  readonly #turns: TurnRows;
  readonly #memoryId: string;

  constructor(tx: Sql, turns: TurnRows, memoryId: string) {
    this.#tx = tx;
    this.#turns = turns;
    this.#memoryId = memoryId;
  }

  /**
   * @param after the last checkpoint that the caller knows, null for none; undefined: whatever it is
   * @throws MemoryError CHAIN_BROKEN, VERSION_CONFLICT, INVALID_INPUT when the signature is invalid
   */
  *add(checkpoint: Checkpoint, after?: Checkpoint | null): Steps<void> {
    const known = yield* this.list();
    if (after !== undefined && known.at(-1)?.signature !== after?.signature) {
      throw new MemoryError('VERSION_CONFLICT', 'Another process added a checkpoint at the same time.');
    }
    const { turnId, chainHash, at, publicKey, signature } = checkpoint;
    const [turn] = yield* this.#turns.rows({ afterId: turnId - 1, limit: 1 });
    if (turn?.id !== turnId || Buffer.from(turn.chain_hash).toString('hex') !== chainHash) {
      throw new MemoryError('CHAIN_BROKEN', `The chain does not match the checkpoint of turn ${turnId}.`, {
        turnId,
      });
    }
    const before = known.findLast((kept) => kept.turnId < turnId);
    yield* this.#checkSpan(before?.turnId ?? 0, turnId);
    if (!this.isSigned(checkpoint)) {
      throw new MemoryError('INVALID_INPUT', 'The signature of the checkpoint is invalid.');
    }
    if (known.some((kept) => kept.signature === signature)) return;
    yield* this.#tx.insertNew('checkpoint', {
      turn_id: turnId,
      chain_hash: chainHash,
      at,
      public_key: publicKey,
      signature,
    });
  }

  /** Oldest first. */
  *list(): Steps<Checkpoint[]> {
    const rows = yield* this.#tx.all<Checkpoint>(
      `SELECT turn_id AS "turnId", chain_hash AS "chainHash", at, public_key AS "publicKey", signature
       FROM checkpoint WHERE memory_id = $1 ORDER BY at, id`,
    );
    return rows.map((row) => ({ ...row }));
  }

  isSigned(checkpoint: Checkpoint): boolean {
    return isSignedCheckpoint(this.#memoryId, checkpoint);
  }

  /** Compares the turns after one turn, up to another, with their hashes. @throws MemoryError CHAIN_BROKEN */
  *#checkSpan(afterId: number, lastId: number): Steps<void> {
    const before = yield* this.#turns.rows({ afterId: afterId - 1, limit: 1 });
    const walk = new SpanWalk(afterId, afterId === 0 ? CHAIN_START : before[0]?.chain_hash);
    while (walk.lastId < lastId) {
      const rows = yield* this.#turns.rows({ afterId: walk.lastId, limit: PAGE_SIZE });
      for (const row of rows) {
        if (row.id > lastId) return;
        walk.step(row);
      }
      if (rows.length === 0) return;
    }
  }
}
