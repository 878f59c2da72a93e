import type { WordKeys } from '../../keys/keys.ts';
import type { RawTurn } from '../rawTurns.ts';
import type { SealedTurnRow } from './sealed.ts';
import { FORGOTTEN, isForgotten } from './turnRows.ts';

/** @param sealedName the conversation's name, encrypted with the key of the turn; null for a forgotten turn */
export function toRawTurn(row: SealedTurnRow, sealedName: Uint8Array | null, keys: WordKeys): RawTurn {
  const { id, conversation_id: name, sealed } = row;
  return {
    id,
    turnIndex: row.turn_index,
    occurredAt: row.occurred_at,
    sealed,
    contentHash: Buffer.from(row.content_hash).toString('hex'),
    chainHash: Buffer.from(row.chain_hash).toString('hex'),
    conversation: isForgotten(row)
      ? { hash: name.slice(FORGOTTEN.length), sealed: null }
      : { hash: keys.hashWords(name), sealed: sealedName },
    rawPointer: row.raw_pointer,
  };
}
