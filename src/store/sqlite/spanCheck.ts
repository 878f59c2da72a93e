import { MemoryError } from '../../model/model.ts';
import { CHAIN_START, chainHash, contentHash, type TurnTable } from './turns.ts';

/**
 * Holds the turns after one turn, up to another, against their hashes.
 * @throws MemoryError CHAIN_BROKEN, naming the first that does not fit
 */
export function checkSpan(table: TurnTable, afterId: number, lastId: number): void {
  let head = afterId === 0 ? CHAIN_START : table.rows({ afterId: afterId - 1, limit: 1 })[0]?.chain_hash;
  for (let readId = afterId; readId < lastId;) {
    const rows = table.rows({ afterId: readId, limit: 1_000 });
    for (const row of rows) {
      if (row.id > lastId) return;
      const isWhole =
        row.id === readId + 1 &&
        head !== undefined &&
        isSame(contentHash(row), row.content_hash) &&
        isSame(chainHash(head, row.content_hash), row.chain_hash);
      if (!isWhole) {
        throw new MemoryError('CHAIN_BROKEN', `Turn ${row.id} does not fit its hashes: nothing is signed.`, {
          turnId: row.id,
        });
      }
      head = row.chain_hash;
      readId = row.id;
    }
    if (rows.length === 0) return;
  }
}

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0;
}
