/** What is kept lies in files that only their owner can read, whoever makes them and whatever the umask is. */
import { chmodSync, closeSync, existsSync, mkdirSync, openSync, readdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { errorCode } from './systemError.ts';

export const PRIVATE_FILE = 0o600;
const PRIVATE_FOLDER = 0o700;
const OTHERS = 0o077;
/** What we put into a data folder; anything else means that others use the folder, too. */
const OUR_NAMES =
  /^(?:(?:memory_.+|settings|keys)\.db(?:-wal|-shm|\.partial)?|signing\.key|master\.key(?:\.next)?|witness.*\.log|omoide\.json|trace\.jsonl|notes.*|archive|\.write-probe-\d+)$/;

/** Makes the folder of a file, and those above it, for their owner alone. @throws the error of the system */
export function makePrivateFolderOf(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: PRIVATE_FOLDER });
}

/** Makes an empty file for its owner alone where there is none. @throws the error of the system */
export function makePrivateFile(path: string): void {
  if (!existsSync(path)) closeSync(openSync(path, 'a', PRIVATE_FILE));
}

/**
 * Takes from others what rights they have to a database, its companions and its folder. A folder in which something else
 * lies is left as it is. Warns of what it narrowed; does nothing where there are no such rights to take, or to give.
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

/** Whether it had to be narrowed. */
function narrowTo(path: string, mode: number): boolean {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (!stats || (stats.mode & OTHERS) === 0) return false;
    chmodSync(path, stats.mode & mode);
    return true;
  } catch (error) {
    // Somebody else's file, or a medium that cannot be written to: whoever owns it decides.
    if (['EPERM', 'EACCES', 'EROFS', 'ENOENT'].includes(errorCode(error))) return false;
    throw error;
  }
}

function isOurs(folder: string): boolean {
  return readdirSync(folder).every((name) => OUR_NAMES.test(name));
}
