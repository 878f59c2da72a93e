/** Creates files that only their owner can read, whatever the umask is. */
import { chmodSync, closeSync, existsSync, mkdirSync, openSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { MemoryError, messageOf } from './error.ts';
import { errorCode } from './systemError.ts';

export const PRIVATE_FILE = 0o600;
const PRIVATE_FOLDER = 0o700;
const OTHERS = 0o077;
/** Names of our files in a data folder; any other name means that the folder is also used for something else. */
const OUR_NAMES =
  /^(?:(?:memory_.+|settings|keys)\.db(?:-wal|-shm|\.partial)?|signing\.key|master\.key(?:\.next)?|witness.*\.log|omoide\.json|trace\.jsonl|notes.*|archive|\.write-probe-\d+|\.omoide-.+\.tmp)$/;
const KEYS_AND_LOGS = /^(?:signing\.key|master\.key(?:\.next)?|witness.*\.log|trace\.jsonl)$/;

/** Creates a folder and its missing parents, with access for the owner only. @throws the system's error */
export function makePrivateFolder(path: string): void {
  makeFolder(path, PRIVATE_FOLDER);
}

/** The same for a folder that somebody named. @throws MemoryError READ_ONLY, DISK_FULL */
export function makeDataFolder(path: string): void {
  try {
    makePrivateFolder(path);
  } catch (cause) {
    const code = errorCode(cause) === 'ENOSPC' ? 'DISK_FULL' : 'READ_ONLY';
    throw new MemoryError(code, `The folder ${path} cannot be created: ${messageOf(cause)}`, { cause });
  }
}

/** Creates the folder of a file, and its missing parents, with access for the owner only. @throws the system's error */
export function makePrivateFolderOf(path: string): void {
  makePrivateFolder(dirname(path));
}

/**
 * Creates a folder and its missing parents. With its option `recursive`, Node.js tries for ever where an existing
 * folder answers that it does not exist, as `/proc` does.
 * @throws the system's error
 */
export function makeFolder(path: string, mode = 0o777): void {
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    if (isFolder(path)) return;
    const parent = dirname(path);
    if (errorCode(error) !== 'ENOENT' || parent === path || isFolder(parent)) throw error;
    makeFolder(parent, mode);
    makeFolder(path, mode);
  }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

/** Creates an empty file with access for the owner only, if it does not exist. @throws the system's error */
export function makePrivateFile(path: string): void {
  if (!existsSync(path)) closeSync(openSync(path, 'a', PRIVATE_FILE));
}

/**
 * Removes the rights of others to a database, its journal files, the keys and logs next to it, and its folder. A
 * folder that contains other files is not changed. Warns about what it changed; does nothing where there are no such
 * rights.
 */
export function restrictModes(databasePath: string): void {
  if (process.platform === 'win32') return;
  const folder = dirname(databasePath);
  const names = readdirSync(folder);
  const files = [
    ...['', '-wal', '-shm'].map((suffix) => databasePath + suffix),
    ...names.filter((name) => KEYS_AND_LOGS.test(name)).map((name) => join(folder, name)),
  ];
  const narrowed = files.filter((path) => restrictMode(path, PRIVATE_FILE));
  if (names.every((name) => OUR_NAMES.test(name)) && restrictMode(folder, PRIVATE_FOLDER))
    narrowed.push(folder);
  if (narrowed.length === 0) return;
  process.emitWarning(`Others could read ${narrowed.join(', ')}; now only the owner can.`, {
    code: 'OMOIDE_NARROWED',
  });
}

/** Whether rights were removed. */
function restrictMode(path: string, mode: number): boolean {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (!stats || (stats.mode & OTHERS) === 0) return false;
    chmodSync(path, stats.mode & mode);
    return true;
  } catch (error) {
    // The file belongs to another user, or the medium is read-only: its owner decides.
    if (['EPERM', 'EACCES', 'EROFS', 'ENOENT'].includes(errorCode(error))) return false;
    throw error;
  }
}
