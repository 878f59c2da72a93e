/** Replaces a file without losing what another program writes at the same moment. */
import { errorCode, temporaryPath } from '../../model/model.ts';
import {
  accessSync,
  chownSync,
  closeSync,
  constants,
  fchmodSync,
  openSync,
  renameSync,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { join, parse } from 'node:path';
import type { HeldFile } from './heldFile.ts';

/** Creates a file next to `path` with these bytes, and with mode and owner of the file that it will replace. */
export function writeTemporaryFile(path: string, bytes: Uint8Array, replaced: HeldFile | null): string {
  const temporary = temporaryPath(path);
  const descriptor = openSync(temporary, 'wx', 0o666);
  try {
    for (let at = 0; at < bytes.length;) at += writeSync(descriptor, bytes, at);
    if (replaced) {
      fchmodSync(descriptor, Number(replaced.stats.mode) & 0o7777);
      copyOwner(temporary, replaced);
    }
  } catch (error) {
    discard(temporary);
    throw error;
  } finally {
    closeSync(descriptor);
  }
  return temporary;
}

/** Only root can change the owner; otherwise the file belongs to the writer, as with any editor that replaces files. */
function copyOwner(path: string, { stats }: HeldFile): void {
  if (process.getuid?.() !== 0) return;
  try {
    chownSync(path, Number(stats.uid), Number(stats.gid));
  } catch {
    // The file system has no owners.
  }
}

export function discard(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
  }
}

/** Waits until a file's content, or a folder's list of files, is on the disk. */
export async function flush(path: string): Promise<void> {
  let file: FileHandle;
  try {
    file = await open(path, 'r');
  } catch {
    // It has been replaced, or is a folder, which Windows cannot open.
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
 * Atomically renames the temporary file to `path`, if the file there is unchanged since it was read. Between the
 * last check and the rename are a few microseconds, which no file system call of Node.js closes. What another
 * program then writes into the replaced file is seen in `held`; a file that it renames to `path` then is lost.
 * @returns false when another file is there; the temporary file is then deleted
 */
export function replace(temporary: string, path: string, held: HeldFile): boolean {
  try {
    if (!isAsRead(path, held)) return false;
    renameSync(temporary, path);
    return true;
  } catch (error) {
    // Windows does not replace a file that another program has open.
    if (['EPERM', 'EACCES', 'EBUSY', 'ENOENT'].includes(errorCode(error))) return false;
    throw error;
  } finally {
    discard(temporary);
  }
}

/** Whether the name still refers to the file that was read, with the same content. */
function isAsRead(path: string, held: HeldFile): boolean {
  return held.read().bytes.equals(held.bytes) && isStillThere(path, held);
}

function isStillThere(path: string, held: HeldFile): boolean {
  const now = statSync(path, { bigint: true, throwIfNoEntry: false });
  return now?.ino === held.stats.ino && now.dev === held.stats.dev && now.size === held.stats.size;
}

/** Deletes a file, if it is unchanged since it was read. */
export function removeIfUnchanged(path: string, held: HeldFile): boolean {
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

/** @throws as `node:fs` does when the file is not writable, even if it could be replaced */
export function checkWritable(path: string): void {
  accessSync(path, constants.W_OK);
}
