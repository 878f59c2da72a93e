/** Changes the text of turns directly in the database, as an attacker with the keys could. */
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { KeyFile } from '../src/keys/keys.ts';
import { CHAIN_START, chainHash, contentHash } from '../src/store/rows/rows.ts';
import { formatWords, openTurn, type SealedTurnRow, type TurnWords } from '../src/store/rows/rows.ts';

/** Encrypts another text for a turn; its hashes stay. The triggers must be dropped first. */
export function forgeTurn(db: DatabaseSync, turnId: number, change: Partial<TurnWords>): void {
  withKeys(db, (keys) => {
    const turn = readTurns(db, keys).find(({ id }) => id === turnId);
    if (!turn) throw new Error(`There is no turn ${turnId}.`);
    const sealed = keys.sealTurn(formatWords({ ...turn, ...change }));
    db.prepare('UPDATE turn SET sealed = ? WHERE id = ?').run(sealed, turnId);
  });
}

/** Recomputes all hashes from the current text of the turns. */
export function rewriteHashes(db: DatabaseSync): void {
  withKeys(db, (keys) => {
    let chain: Uint8Array = CHAIN_START;
    for (const row of readTurns(db, keys)) {
      const content = contentHash(row);
      chain = chainHash(chain, content);
      db.prepare('UPDATE turn SET content_hash = ?, chain_hash = ? WHERE id = ?').run(content, chain, row.id);
    }
  });
}

type Keys = ReturnType<KeyFile['of']>;

function readTurns(db: DatabaseSync, keys: Keys): (SealedTurnRow & TurnWords)[] {
  const rows = db.prepare('SELECT * FROM turn ORDER BY id').all();
  return rows.map((row) => openTurn(keys, row as unknown as SealedTurnRow));
}

export function withKeys(db: DatabaseSync, body: (keys: Keys) => void): void {
  const file = new KeyFile(dirname(db.location() ?? ''));
  const memoryId = db.prepare("SELECT value FROM meta WHERE key = 'memoryId'").get()?.['value'];
  try {
    body(file.of(String(memoryId)));
  } finally {
    file.close();
  }
}
