/** Reads and safely writes files of other programs. */
import { errorCode, makeFolder, sweepTemporary, temporaryPath, unreadable } from '../../model/model.ts';
import { closeSync, copyFileSync, fsyncSync, openSync, readFileSync, realpathSync } from 'node:fs';
import { renameSync, rmSync, statSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { MemoryError } from '../../engine/engine.ts';

/** Null when it does not exist. @throws MemoryError FILE_UNREADABLE */
export function readConfigFile(path: string): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(readFileSync(path));
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw unreadable(path, cause);
  }
}

/**
 * Atomically replaces a file that was read before, and keeps the old text in a backup next to it. Returns the path
 * of the backup; null when there was no file.
 * @throws MemoryError NOTE_CONFLICT when the file has changed since it was read
 */
export function writeConfigFile(
  path: string,
  before: string | null,
  after: string,
  now = new Date(),
): string | null {
  makeFolder(dirname(path));
  // If the file is a link, its target is replaced and the link is kept.
  const file = before === null ? path : realpathSync(path);
  if (readConfigFile(file) !== before) {
    throw new MemoryError('NOTE_CONFLICT', `${path} was changed by another program; try again.`);
  }
  const backup = before === null ? null : `${file}.${stamp(now)}.bak`;
  if (backup !== null) copyFileSync(file, backup);
  replaceFile(file, after, before === null ? NEW_FILE_MODE : statSync(file).mode);
  return backup;
}

/** Such files may contain keys. */
const NEW_FILE_MODE = 0o600;

function replaceFile(file: string, text: string, mode: number): void {
  const temporary = temporaryPath(file);
  sweepTemporary(dirname(file));
  try {
    const handle = openSync(temporary, 'wx', mode & 0o777);
    try {
      writeSync(handle, text);
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
    renameSync(temporary, file);
  } catch (cause) {
    // Windows does not replace a file that another program has open.
    if (!['EPERM', 'EACCES', 'EBUSY'].includes(errorCode(cause))) throw cause;
    const message = `${file} cannot be replaced: close the programs that have it open, and try again.`;
    throw new MemoryError('READ_ONLY', message, { cause });
  } finally {
    rmSync(temporary, { force: true });
  }
}

/** `20260301-101500` */
function stamp(now: Date): string {
  return now.toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-');
}
