import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import {
  isSqliteError,
  makePrivateFile,
  makePrivateFolderOf,
  MemoryError,
  restrictModes,
  readOnlyAddress,
  SqliteFile,
} from '../model/model.ts';

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS memory_key (
    memory_id TEXT PRIMARY KEY,
    key       BLOB NOT NULL
  ) STRICT, WITHOUT ROWID;
  -- Keys of turns side by side, 32 bytes each; zeros where one was destroyed.
  CREATE TABLE IF NOT EXISTS key_page (
    id        BLOB PRIMARY KEY,
    memory_id TEXT NOT NULL,
    keys      BLOB NOT NULL
  ) STRICT, WITHOUT ROWID;`;

/** The file `keys.db`, opened on first use. Everything written is on the disk when `write` returns. */
export class KeyDatabase extends SqliteFile {
  #dataVersion = -1;

  constructor(path: string) {
    super(path, () => openFile(path));
  }

  exists(): boolean {
    return existsSync(this.path);
  }

  /** Whether another connection has written since the last call. */
  wasChangedByOthers(): boolean {
    const version = this.dataVersion();
    const isChanged = version !== this.#dataVersion;
    this.#dataVersion = version;
    return isChanged;
  }

  /** Rewrites the file and empties its log, so that neither contains overwritten data. */
  compact(): void {
    this.exec('VACUUM');
    this.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  }
}

function openFile(path: string): DatabaseSync {
  try {
    const address = readOnlyAddress(path);
    if (address) return new DatabaseSync(address, { readOnly: true, timeout: 10_000 });
    makePrivateFolderOf(path);
    makePrivateFile(path);
  } catch (cause) {
    if (cause instanceof MemoryError || isSqliteError(cause)) throw cause;
    throw new MemoryError('READ_ONLY', `Cannot make ${path}.`, { cause });
  }
  const db = new DatabaseSync(path, { timeout: 10_000 });
  try {
    db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA secure_delete = ON;');
    if (!db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'key_page'").get()) db.exec(SCHEMA);
    restrictModes(path);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}
