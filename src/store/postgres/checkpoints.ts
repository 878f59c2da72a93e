import { MemoryError, type Checkpoint } from '../../model/model.ts';
import { CHAIN_START, isSignedCheckpoint, SpanWalk } from '../rows/rows.ts';
import type { Session } from './session.ts';
import type { TurnTable } from './turns.ts';

const MANY = 1_000;

/** Signed states of the hash chain of turns. */
export class CheckpointTable {
  readonly #tx: Session;
  readonly #turns: TurnTable;
  readonly #memoryId: string;

  constructor(tx: Session, turns: TurnTable, memoryId: string) {
    this.#tx = tx;
    this.#turns = turns;
    this.#memoryId = memoryId;
  }

  /**
   * @param after the last checkpoint that the caller knows, null for none; undefined: no check
   * @throws MemoryError CHAIN_BROKEN, VERSION_CONFLICT, INVALID_INPUT when the signature does not match its key
   */
  async add(checkpoint: Checkpoint, after?: Checkpoint | null): Promise<void> {
    const known = await this.list();
    if (after !== undefined && known.at(-1)?.signature !== after?.signature) {
      throw new MemoryError('VERSION_CONFLICT', 'Another process has added a checkpoint meanwhile.');
    }
    const { turnId, chainHash, at, publicKey, signature } = checkpoint;
    if ((await this.#turns.getMany([turnId]))[0]?.chainHash !== chainHash) {
      throw new MemoryError('CHAIN_BROKEN', `The chain is not what the checkpoint says of turn ${turnId}.`, {
        turnId,
      });
    }
    const before = known.findLast((kept) => kept.turnId < turnId);
    await this.#checkSpan(before?.turnId ?? 0, turnId);
    if (!this.isSigned(checkpoint)) {
      throw new MemoryError('INVALID_INPUT', 'The signature of the checkpoint is not that of its key.');
    }
    if (known.some((kept) => kept.signature === signature)) return;
    const id = await this.#tx.nextIds('checkpoint');
    const sql = 'INSERT INTO checkpoint VALUES ($1, ?, ?, ?, ?, ?, ?)';
    await this.#tx.run(sql, id, turnId, chainHash, at, publicKey, signature);
  }

  /** Oldest first. */
  async list(): Promise<Checkpoint[]> {
    return this.#tx.all<Checkpoint>(
      `SELECT turn_id AS "turnId", chain_hash AS "chainHash", at, public_key AS "publicKey", signature
       FROM checkpoint WHERE memory_id = $1 ORDER BY at, id`,
    );
  }

  isSigned(checkpoint: Checkpoint): boolean {
    return isSignedCheckpoint(this.#memoryId, checkpoint);
  }

  async #checkSpan(afterId: number, lastId: number): Promise<void> {
    const head =
      afterId === 0
        ? CHAIN_START
        : (await this.#turns.rows({ afterId: afterId - 1, limit: 1 }))[0]?.chain_hash;
    const walk = new SpanWalk(afterId, head);
    while (walk.lastId < lastId) {
      const rows = await this.#turns.rows({ afterId: walk.lastId, limit: MANY });
      for (const row of rows) {
        if (row.id > lastId) return;
        walk.step(row);
      }
      if (rows.length === 0) return;
    }
  }
}
