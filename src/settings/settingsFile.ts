import { readdirSync, readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import {
  makePrivateFile,
  makePrivateFolderOf,
  MemoryError,
  restrictModes,
  readOnlyAddress,
  SqliteFile,
  messageOf,
} from '../model/model.ts';

/** 'OmoS' in ASCII: identifies a settings file. */
const APPLICATION_ID = 0x4f6d6f53;
const MIGRATIONS = new URL('migrations/', import.meta.url);
const BUSY_TIMEOUT_MS = 5_000;

/** The SQLite file of the settings: when `write` returns, the data is on the disk. */
export class SettingsFile extends SqliteFile {
  /** @throws MemoryError NOT_A_MEMORY, MEMORY_TOO_NEW, READ_ONLY, DISK_FULL, BUSY */
  constructor(path: string) {
    const address = readOnlyAddress(path);
    let isOpened = false;
    super(path, () => {
      if (isOpened) throw new MemoryError('CLOSED', 'The settings are closed.');
      isOpened = true;
      if (!address) makePrivate(path);
      return new DatabaseSync(address ?? path, { timeout: BUSY_TIMEOUT_MS, readOnly: address !== null });
    });
    try {
      // A file of another program must not be changed.
      this.#migrate();
      if (address) return;
      // Removed data must not remain in free pages: it may have been a key.
      this.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA secure_delete = ON;');
      restrictModes(path);
    } catch (error) {
      this.close();
      throw error;
    }
  }

  #migrate(): void {
    const steps = readdirSync(MIGRATIONS)
      .filter((name) => name.endsWith('.sql'))
      .sort();
    const isOurs = () => this.#pragma('application_id') === APPLICATION_ID;
    if (isOurs() && this.#pragma('user_version') === steps.length) return;
    this.write(() => {
      const version = this.#pragma('user_version');
      const [{ count } = { count: 0 }] = this.all<{ count: number }>(
        'SELECT count(*) AS count FROM sqlite_schema',
      );
      if (!isOurs() && (count > 0 || version > 0))
        throw new MemoryError(
          'NOT_A_MEMORY',
          `${this.path} is the database of another program, not the settings of Omoide.`,
        );
      if (version > steps.length) {
        const schemas = `has schema ${version}; this version of Omoide supports up to ${steps.length}`;
        throw new MemoryError('MEMORY_TOO_NEW', `${this.path} ${schemas}. Update Omoide.`);
      }
      for (const step of steps.slice(version)) this.exec(readFileSync(new URL(step, MIGRATIONS), 'utf8'));
      this.exec(`PRAGMA user_version = ${steps.length}; PRAGMA application_id = ${APPLICATION_ID};`);
    });
  }

  #pragma(name: 'application_id' | 'user_version'): number {
    const [row] = this.all<Record<string, number>>(`PRAGMA ${name}`);
    return row?.[name] ?? 0;
  }
}

/** Creates a missing file with access for its owner only from the beginning; SQLite gives its journals the same mode. */
function makePrivate(path: string): void {
  try {
    makePrivateFolderOf(path);
    makePrivateFile(path);
  } catch (cause) {
    throw new MemoryError('READ_ONLY', `${path} cannot be created: ${messageOf(cause)}`, { cause });
  }
}
