/** Creates files that only their owner can read, whatever the umask is. */
import { chmodSync, closeSync, existsSync, mkdirSync, openSync, readdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { errorCode } from './systemError.ts';

export const PRIVATE_FILE = 0o600;
const PRIVATE_FOLDER = 0o700;
const OTHERS = 0o077;
/** Names of our files in a data folder; any other name means that the folder is also used for something else. */
const OUR_NAMES =
  /^(?:(?:memory_.+|settings|keys)\.db(?:-wal|-shm|\.partial)?|signing\.key|master\.key(?:\.next)?|witness.*\.log|omoide\.json|trace\.jsonl|notes.*|archive|\.write-probe-\d+|\.omoide-.+\.tmp)$/;

/** Creates the folder of a file, and its missing parents, with access for the owner only. @throws the system's error */
export function makePrivateFolderOf(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: PRIVATE_FOLDER });
}

/** Creates an empty file with access for the owner only, if it does not exist. @throws the system's error */
export function makePrivateFile(path: string): void {
  if (!existsSync(path)) closeSync(openSync(path, 'a', PRIVATE_FILE));
}

/**
 * Removes the rights of others to a database, its journal files and its folder. A folder that contains other files
 * is not changed. Warns about what it changed; does nothing where there are no such rights.
 */
export function narrow(databasePath: string): void {
  if (process.platform === 'win32') return;
  const files = ['', '-wal', '-shm'].map((suffix) => databasePath + suffix);
  const narrowed = files.filter((path) => narrowTo(path, PRIVATE_FILE));
  const folder = dirname(databasePath);
  if (isOurs(folder) && narrowTo(folder, PRIVATE_FOLDER)) narrowed.push(folder);
  if (narrowed.length === 0) return;
  process.emitWarning(`Others could read ${narrowed.join(', ')}; now only the owner can.`, {
    code: 'OMOIDE_NARROWED',
  });
}

/** Whether rights were removed. */
function narrowTo(path: string, mode: number): boolean {
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

function isOurs(folder: string): boolean {
  return readdirSync(folder).every((name) => OUR_NAMES.test(name));
}
