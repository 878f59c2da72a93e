/** SQLite files on media that cannot be written. */
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { MemoryError } from './error.ts';

/**
 * The address by which SQLite opens an existing file that this process cannot change; null for any other file.
 * @throws MemoryError READ_ONLY when its log has changes that cannot be read
 */
export function readOnlyAddress(path: string): URL | null {
  if (!existsSync(path) || canOpenForWriting(path)) return null;
  const address = pathToFileURL(path);
  // Another process writes to the file, or was killed. SQLite needs the index of the log to read it.
  const hasLog = (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
  if (hasLog && !existsSync(`${path}-shm`)) {
    throw new MemoryError(
      'READ_ONLY',
      `${path} was not closed cleanly, and its log ${path}-wal cannot be read in a read-only place. Copy the folder to a writable place.`,
    );
  }
  // Without a log nothing changes the file; SQLite then needs no locks, which some media do not have.
  if (!hasLog) address.searchParams.set('immutable', '1');
  return address;
}

/** SQLite creates the log next to the file, unless another process has done so. */
function canOpenForWriting(path: string): boolean {
  return isWritable(path) && (isWritable(dirname(path)) || isWritable(`${path}-wal`));
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
