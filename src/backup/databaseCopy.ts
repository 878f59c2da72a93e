import { existsSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { backup, DatabaseSync } from 'node:sqlite';
import { isSqliteError, MemoryError, readOnlyAddress, sqliteErrorCode } from '../model/model.ts';

const BUSY_TIMEOUT_MS = 10_000;
/** The log of the database grows while it is copied, so copying must not wait in between: 64 MB of pages. */
const PAGES_AT_ONCE = 16_384;

/**
 * Copies a database to a new file by SQLite's online backup. The copy is a snapshot of the beginning, so continuous
 * writes do not matter.
 * @throws MemoryError NOT_A_MEMORY, DISK_FULL, BUSY, READ_ONLY
 */
export async function copyDatabase(from: string, to: string): Promise<void> {
  try {
    const db = new DatabaseSync(readOnlyAddress(from) ?? from, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
    try {
      db.exec('BEGIN');
      db.prepare('SELECT count(*) FROM sqlite_schema').get();
      await backup(db, to, { rate: PAGES_AT_ONCE });
      db.exec('COMMIT');
    } finally {
      db.close();
    }
  } catch (cause) {
    throw isSqliteError(cause)
      ? new MemoryError(sqliteErrorCode(cause), `${from} cannot be copied: ${cause.message}`, { cause })
      : cause;
  }
}

export interface CopiedMemory {
  readonly turns: number;
  /** The last chain hash, hex; empty without turns. */
  readonly chainHead: string;
  /** The last turn that a checkpoint covers; 0 without any. */
  readonly signedTurnId: number;
}

/** Reads the figures of a copied memory. @throws MemoryError NOT_A_MEMORY */
export function readCopy(path: string): CopiedMemory {
  if (!existsSync(path)) throw new MemoryError('FILE_UNREADABLE', `${path} does not exist.`);
  const address = pathToFileURL(path);
  // Nothing changes the copy, and no log and its index are to be created next to it.
  address.searchParams.set('immutable', '1');
  const db = new DatabaseSync(address, { readOnly: true });
  try {
    const head = db.prepare('SELECT id, hex(chain_hash) AS hash FROM turn ORDER BY id DESC LIMIT 1').get();
    const turns = db.prepare('SELECT count(*) AS n FROM turn').get();
    const signed = db.prepare('SELECT max(turn_id) AS id FROM checkpoint').get();
    return {
      turns: Number(turns?.['n'] ?? 0),
      chainHead: String(head?.['hash'] ?? '').toLowerCase(),
      signedTurnId: Number(signed?.['id'] ?? 0),
    };
  } catch (cause) {
    throw new MemoryError('NOT_A_MEMORY', `${path} is not a readable memory.`, { cause });
  } finally {
    db.close();
  }
}
