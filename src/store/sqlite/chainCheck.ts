import type { Checkpoint } from '../../model/model.ts';
import type { Verification } from '../store.ts';
import type { CheckpointTable } from './checkpoints.ts';
import { CHAIN_START, chainHash, contentHash, type TurnRow, type TurnTable } from './turns.ts';

type BadTurn = Verification['firstBadTurn'];

export interface ChainCheck {
  readonly turns: number;
  readonly head: Uint8Array;
  readonly checkpoints: number;
  readonly firstBadTurn: BadTurn;
}

/** Walks the turns from the first on and holds each against its hashes, the turn before it and the checkpoints. */
export function checkChain(
  table: TurnTable,
  checkpoints: CheckpointTable,
  report: (message: string) => void,
): ChainCheck {
  const walk = new ChainWalk(checkpoints, report);
  for (let afterId = 0; ;) {
    const rows = table.rows({ afterId, limit: 1_000 });
    for (const row of rows) walk.step(row);
    const last = rows.at(-1);
    if (!last) return walk.end();
    afterId = last.id;
  }
}

class ChainWalk {
  readonly #report: (message: string) => void;
  readonly #checkpoints: ReadonlyMap<number, readonly Checkpoint[]>;
  readonly #isSigned: (checkpoint: Checkpoint) => boolean;
  #head: Uint8Array = CHAIN_START;
  #lastId = 0;
  #turns = 0;
  #firstBad: BadTurn = null;

  constructor(checkpoints: CheckpointTable, report: (message: string) => void) {
    this.#report = report;
    this.#checkpoints = Map.groupBy(checkpoints.list(), (checkpoint) => checkpoint.turnId);
    this.#isSigned = (checkpoint) => checkpoints.isSigned(checkpoint);
  }

  step(row: TurnRow): void {
    if (row.id !== this.#lastId + 1) {
      this.#lost(this.#lastId + 1, `Turns ${this.#lastId + 1} to ${row.id - 1} are missing.`);
    }
    const chain = chainHash(this.#head, row.content_hash);
    if (!isSame(contentHash(row), row.content_hash)) this.#bad(row, `Turn ${row.id} was changed.`);
    if (!isSame(chain, row.chain_hash)) {
      this.#bad(row, `Turn ${row.id} does not follow the turn before it; one was changed, added or removed.`);
    }
    const hash = Buffer.from(row.chain_hash).toString('hex');
    for (const checkpoint of this.#checkpoints.get(row.id) ?? []) this.#compare(row, checkpoint, hash);
    this.#head = row.chain_hash;
    this.#lastId = row.id;
    this.#turns += 1;
  }

  end(): ChainCheck {
    const all = [...this.#checkpoints.values()].flat();
    const beyond = all.map(({ turnId }) => turnId).filter((turnId) => turnId > this.#lastId);
    if (beyond.length > 0) {
      const last = beyond.reduce((most, turnId) => Math.max(most, turnId));
      const missing = this.#lastId + 1;
      this.#lost(missing, `Turns ${missing} to ${last} are missing: a checkpoint was made of turn ${last}.`);
    }
    return {
      turns: this.#turns,
      head: this.#head,
      checkpoints: all.length,
      firstBadTurn: this.#firstBad,
    };
  }

  #compare(row: TurnRow, checkpoint: Checkpoint, hash: string): void {
    if (!this.#isSigned(checkpoint)) {
      this.#bad(row, `The checkpoint of turn ${row.id} is not signed by its key.`);
    } else if (checkpoint.chainHash !== hash) {
      this.#bad(row, `Turn ${row.id} is not what its checkpoint says; it or one before was changed.`);
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
