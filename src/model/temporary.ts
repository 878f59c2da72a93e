/**
 * Temporary files and folders. Their names contain the id of the process that made them, so that those of killed
 * processes can be recognised and removed.
 */
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  lstatSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  writeSync,
  type Stats,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { nameNewFile } from './newFile.ts';
import { PRIVATE_FILE } from './privateFiles.ts';
import { errorCode } from './systemError.ts';

/** Files with this prefix are hidden, and not notes. */
export const TEMPORARY_PREFIX = '.omoide-';
/** Next to the file that they will become (files of earlier versions name no process), or tests whether a folder is writable. */
const NAME = /^\.(?:omoide-(?:(\d+)-)?[0-9a-f]{12}\.tmp|write-probe-(\d+))$/;
/** In the system's folder for temporary files. */
const FOLDER_NAME = /^omoide-[a-z]+-(\d+)-\w{6}$/;
/** Processes in another container cannot be seen, but what they write changes. */
const ABANDONED_MS = 60_000;

/** A new name next to `path`, in the same file system. */
export function temporaryPath(path: string): string {
  const name = `${TEMPORARY_PREFIX}${process.pid}-${randomBytes(6).toString('hex')}.tmp`;
  return join(dirname(path), name);
}

/** A new folder in the system's folder for temporary files. Removes those of killed processes. @param use one word */
export function makeTemporaryFolder(use: string): string {
  sweep(tmpdir(), FOLDER_NAME);
  return mkdtempSync(join(tmpdir(), `omoide-${use}-${process.pid}-`));
}

/** Creates a private file with this text; other processes see all of it or nothing. An existing file is kept. @throws the system's error */
export function writeNewFile(path: string, text: string): boolean {
  sweepTemporary(dirname(path));
  const temporary = temporaryPath(path);
  const file = openSync(temporary, 'wx', PRIVATE_FILE);
  try {
    writeSync(file, text);
    fsyncSync(file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
  return nameNewFile(temporary, path);
}

/** Removes what processes that were killed left in a folder while they wrote files there. */
export function sweepTemporary(folder: string): void {
  sweep(folder, NAME);
}

function sweep(folder: string, pattern: RegExp): void {
  for (const name of namesIn(folder)) {
    const match = pattern.exec(name);
    if (match) removeAbandoned(join(folder, name), match[1] ?? match[2]);
  }
}

/** @param pid as in the name */
function removeAbandoned(path: string, pid: string | undefined): void {
  try {
    if (isAbandoned(path, pid)) rmSync(path, { recursive: true, force: true });
  } catch {
    // Another user's.
  }
}

function isAbandoned(path: string, pid: string | undefined): boolean {
  const changedAt = lastChangeIn(path);
  if (changedAt === null || Date.now() - changedAt < ABANDONED_MS) return false;
  // An earlier process can have had our id: in a container it is always the same.
  if (Number(pid) === process.pid) return changedAt < performance.timeOrigin;
  return pid === undefined || !isRunning(Number(pid));
}

/** The time of the last change of a file, or of anything in a folder; null when it no longer exists. */
function lastChangeIn(path: string): number | null {
  const stats = statsOf(path);
  if (!stats?.isDirectory()) return stats && stats.mtimeMs;
  const inside = namesIn(path).map((name) => lastChangeIn(join(path, name)) ?? 0);
  return Math.max(stats.mtimeMs, ...inside);
}

function statsOf(path: string): Stats | null {
  return lstatSync(path, { throwIfNoEntry: false }) ?? null;
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) !== 'ESRCH';
  }
}

/** None of a folder that cannot be read. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
