/** Verifies the chain of turns. */
import { createPublicKey, verify } from 'node:crypto';
import { checkpointText, MemoryError, witnessedCheckpointText, type Checkpoint } from '../../model/model.ts';
import type { Verification } from '../storeAdmin.ts';
import { CHAIN_START, chainHash, contentHash, isForgotten, isReadable, type TurnRow } from './turnRows.ts';

type BadTurn = Verification['firstBadTurn'];

export interface ChainCheck {
  readonly turns: number;
  /** How many of them were forgotten. */
  readonly forgotten: number;
  readonly head: Uint8Array;
  readonly checkpoints: number;
  readonly firstBadTurn: BadTurn;
}

/** Compares turns, given in order from the first, with their hashes, the previous turn and the checkpoints. */
export class ChainWalk {
  readonly #report: (message: string) => void;
  readonly #checkpoints: ReadonlyMap<number, readonly Checkpoint[]>;
  readonly #isSigned: (checkpoint: Checkpoint) => boolean;
  #head: Uint8Array = CHAIN_START;
  #lastId = 0;
  #turns = 0;
  #forgotten = 0;
  #firstBad: BadTurn = null;

  constructor(
    checkpoints: readonly Checkpoint[],
    isSigned: (checkpoint: Checkpoint) => boolean,
    report: (message: string) => void,
  ) {
    this.#report = report;
    this.#checkpoints = Map.groupBy(checkpoints, (checkpoint) => checkpoint.turnId);
    this.#isSigned = isSigned;
  }

  step(row: TurnRow): void {
    if (row.id !== this.#lastId + 1) {
      this.#lost(this.#lastId + 1, `Turns ${this.#lastId + 1} to ${row.id - 1} are missing.`);
    }
    const chain = chainHash(this.#head, row.content_hash);
    this.#checkWords(row);
    if (!isSame(chain, row.chain_hash)) {
      this.#bad(row, `Turn ${row.id} does not follow the turn before it; one was changed, added or removed.`);
    }
    const hash = Buffer.from(row.chain_hash).toString('hex');
    for (const checkpoint of this.#checkpoints.get(row.id) ?? []) this.#compare(row, checkpoint, hash);
    this.#head = row.chain_hash;
    this.#lastId = row.id;
    this.#turns += 1;
  }

  /** A forgotten turn must be unreadable; the content of any other must match its hash. */
  #checkWords(row: TurnRow): void {
    if (isForgotten(row)) {
      this.#forgotten += 1;
      if (isReadable(row))
        this.#bad(row, `Turn ${row.id} is marked as forgotten, but its words can still be read.`);
    } else if (!isReadable(row)) {
      this.#bad(row, `Turn ${row.id} cannot be read: its key is missing, or it was changed.`);
    } else if (!isSame(contentHash(row), row.content_hash)) {
      this.#bad(row, `Turn ${row.id} was changed.`);
    }
  }

  end(): ChainCheck {
    const all = [...this.#checkpoints.values()].flat();
    const beyond = all.map(({ turnId }) => turnId).filter((turnId) => turnId > this.#lastId);
    if (beyond.length > 0) {
      const last = beyond.reduce((max, turnId) => Math.max(max, turnId));
      const missing = this.#lastId + 1;
      this.#lost(
        missing,
        `Turns ${missing} to ${last} are missing, although there is a checkpoint of turn ${last}.`,
      );
    }
    return {
      turns: this.#turns,
      forgotten: this.#forgotten,
      head: this.#head,
      checkpoints: all.length,
      firstBadTurn: this.#firstBad,
    };
  }

  #compare(row: TurnRow, checkpoint: Checkpoint, hash: string): void {
    if (!this.#isSigned(checkpoint)) {
      this.#bad(row, `The checkpoint of turn ${row.id} has an invalid signature.`);
    } else if (checkpoint.chainHash !== hash) {
      this.#bad(row, `Turn ${row.id} does not match its checkpoint; it or an earlier turn was changed.`);
    }
  }

  #bad(row: TurnRow, message: string): void {
    this.#firstBad ??= { turnId: row.id, conversationId: row.conversation_id, turnIndex: row.turn_index };
    this.#report(message);
  }

  #lost(turnId: number, message: string): void {
    this.#firstBad ??= { turnId, conversationId: null, turnIndex: null };
    this.#report(message);
  }
}

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0;
}

/** Compares consecutive turns of a range with their hashes. */
export class SpanWalk {
  #lastId: number;
  #head: Uint8Array | undefined;

  /** @param head the chain hash of the turn before the range; undefined when that turn is missing */
  constructor(afterId: number, head: Uint8Array | undefined) {
    this.#lastId = afterId;
    this.#head = head;
  }

  get lastId(): number {
    return this.#lastId;
  }

  /** @throws MemoryError CHAIN_BROKEN when the turn does not match */
  step(row: TurnRow): void {
    const isWhole =
      row.id === this.#lastId + 1 &&
      this.#head !== undefined &&
      (isForgotten(row) || isSame(contentHash(row), row.content_hash)) &&
      isSame(chainHash(this.#head, row.content_hash), row.chain_hash);
    if (!isWhole) {
      throw new MemoryError('CHAIN_BROKEN', `Turn ${row.id} does not match its hashes: nothing was signed.`, {
        turnId: row.id,
      });
    }
    this.#head = row.chain_hash;
    this.#lastId = row.id;
  }
}

/** Whether a checkpoint of this memory has a valid signature of its key. */
export function isSignedCheckpoint(memoryId: string, checkpoint: Checkpoint): boolean {
  try {
    const key = createPublicKey({
      key: Buffer.from(checkpoint.publicKey, 'base64'),
      format: 'der',
      type: 'spki',
    });
    const signature = Buffer.from(checkpoint.signature, 'base64');
    return [witnessedCheckpointText, checkpointText].some((textOf) =>
      verify(null, Buffer.from(textOf(memoryId, checkpoint)), key, signature),
    );
  } catch {
    // The key is invalid.
    return false;
  }
}
