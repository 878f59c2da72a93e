/** Puts a file in another's place without losing what somebody else put there at the same moment. */
import { errorCode } from '../../model/model.ts';
import { randomBytes } from 'node:crypto';
import {
  accessSync,
  chownSync,
  closeSync,
  constants,
  fchmodSync,
  linkSync,
  openSync,
  renameSync,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { dirname, join, parse } from 'node:path';
import type { HeldFile } from './heldFile.ts';

/** Files of ours that are not notes begin so; they are hidden and are passed over. */
export const OWN_PREFIX = '.omoide-';
/** Makes a file beside `path` with these bytes, and with mode and owner of the one it is to replace. */
export function writeBeside(path: string, bytes: Uint8Array, replaced: HeldFile | null): string {
  const temporary = join(dirname(path), `${OWN_PREFIX}${randomBytes(6).toString('hex')}.tmp`);
  const descriptor = openSync(temporary, 'wx', 0o666);
  try {
    for (let at = 0; at < bytes.length;) at += writeSync(descriptor, bytes, at);
    if (replaced) {
      fchmodSync(descriptor, Number(replaced.stats.mode) & 0o7777);
      keepOwner(temporary, replaced);
    }
  } catch (error) {
    discard(temporary);
    throw error;
  } finally {
    closeSync(descriptor);
  }
  return temporary;
}

/** Only root can give a file away; for others it becomes the writer’s, as with any editor that replaces files. */
function keepOwner(path: string, { stats }: HeldFile): void {
  if (process.getuid?.() !== 0) return;
  try {
    chownSync(path, Number(stats.uid), Number(stats.gid));
  } catch {
    // A file system without owners.
  }
}

export function discard(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
  }
}

/** Waits until what is written in a file, or which files a folder has, is on the disk. */
export async function flush(path: string): Promise<void> {
  let file: FileHandle;
  try {
    file = await open(path, 'r');
  } catch {
    // It has been replaced, or is a folder, which Windows does not open.
    return;
  }
  try {
    await file.sync();
  } catch (error) {
    if (!['EISDIR', 'EINVAL', 'EPERM', 'EBADF'].includes(errorCode(error))) throw error;
  } finally {
    await file.close();
  }
}

/**
 * Gives the temporary file the name `path`, in one step, if what is there is still what was read. Between the last look
 * and that step lie a few microseconds, which no file system call of Node.js closes. What another program writes into
 * the replaced file then is seen in `held`; a file that it renames to `path` then is lost.
 * @returns false when something else is there; then the temporary file is gone
 */
export function replace(temporary: string, path: string, held: HeldFile): boolean {
  try {
    if (!isAsRead(path, held)) return false;
    renameSync(temporary, path);
    return true;
  } catch (error) {
    // Windows keeps a file that another program has open.
    if (['EPERM', 'EACCES', 'EBUSY', 'ENOENT'].includes(errorCode(error))) return false;
    throw error;
  } finally {
    discard(temporary);
  }
}

/** Whether the name still leads to the file that was read, and it holds what was read. */
function isAsRead(path: string, held: HeldFile): boolean {
  return held.read().bytes.equals(held.bytes) && isStillThere(path, held);
}

function isStillThere(path: string, held: HeldFile): boolean {
  const now = statSync(path, { bigint: true, throwIfNoEntry: false });
  return now?.ino === held.stats.ino && now.dev === held.stats.dev && now.size === held.stats.size;
}

/**
 * Puts the temporary file where nothing is: linking fails where there is a file, which renaming would replace.
 * @returns false when something is there; the temporary file is gone in any case
 */
export function create(temporary: string, path: string): boolean {
  try {
    linkSync(temporary, path);
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'].includes(errorCode(error))) throw error;
    // A file system without links.
    if (statSync(path, { throwIfNoEntry: false })) return false;
    renameSync(temporary, path);
    return true;
  } finally {
    discard(temporary);
  }
}

/** Takes a file away, if it is still what was read. */
export function takeAway(path: string, held: HeldFile): boolean {
  if (!isAsRead(path, held)) return false;
  discard(path);
  return true;
}

/** `TASKS.conflict-20260301T093000.123Z.md` */
export function conflictPath(path: string): string {
  const time = new Date().toISOString().replace(/[-:]/g, '');
  const { dir, name, ext } = parse(path);
  return join(dir, `${name}.conflict-${time}${ext}`);
}

/** @throws as `node:fs` does when the file may not be changed: that it could be replaced does not count */
export function checkWritable(path: string): void {
  accessSync(path, constants.W_OK);
}

/** A file of ours is left behind when it is so old, in milliseconds. */
const ABANDONED_MS = 60_000;

/** Removes what a process that died left in a folder. @param name of a file whose name is one of ours */
export function tidyUp(folder: string, name: string, now = Date.now()): void {
  const path = join(folder, name);
  const stats = statSync(path, { throwIfNoEntry: false });
  const isAbandoned = stats !== undefined && now - stats.ctimeMs >= ABANDONED_MS;
  if (isAbandoned && /^\.omoide-[0-9a-f]{12}\.tmp$/.test(name)) discard(path);
}
