import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { chmod } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import {
  errorCode,
  makePrivateFile,
  makePrivateFolder,
  MemoryError,
  PRIVATE_FILE,
  sweepTemporary,
  temporaryPath,
} from '../model/model.ts';
import { neededMasterKey } from '../keys/keys.ts';
import { copyDatabase, readCopy } from './databaseCopy.ts';
import { listFolder, listNotes, type FolderFile } from './folder.ts';
import {
  describeFile,
  MANIFEST,
  type BackupManifest,
  type BackupMasterKey,
  type BackupMemory,
} from './manifest.ts';
import { zipFolder } from './zip.ts';

export interface BackupOptions {
  readonly dataDir: string;
  /** A new or empty folder, or a new file whose name ends in `.zip`. */
  readonly to: string;
  /** Only these memories; default: the whole folder. */
  readonly memoryIds?: readonly string[];
  /** A folder of notes outside the data folder; it is restored as `notes` in the data folder. */
  readonly notes?: string;
  readonly now?: () => number;
  /** Called before anything is copied, with the master key that the backup will need. */
  readonly onMasterKey?: (key: BackupMasterKey) => void;
  readonly onProgress?: (files: number, total: number) => void;
}

export interface BackupReport {
  readonly path: string;
  /** The size of all files, or of the zip file. */
  readonly sizeBytes: number;
  readonly files: number;
  readonly memories: readonly BackupMemory[];
  /** The master key without which the backup cannot be read; null when nothing is encrypted. */
  readonly masterKey: BackupMasterKey | null;
}

/**
 * Copies a data folder while it is in use. The copy gets its name when it is complete.
 * @throws MemoryError INVALID_INPUT when the target exists, NOT_FOUND, READ_ONLY, DISK_FULL, NOT_A_MEMORY
 */
export async function writeBackup(options: BackupOptions): Promise<BackupReport> {
  const { to } = options;
  checkFree(to);
  const staging = temporaryPath(to);
  try {
    sweepTemporary(dirname(to));
    makePrivateFolder(staging);
    const manifest = await fill(staging, options);
    const paths = [MANIFEST, ...manifest.files.map(({ path }) => path)];
    if (isZip(to)) await writeZip(staging, paths, to);
    else renameSync(staging, to);
    return {
      path: to,
      sizeBytes: isZip(to) ? statSync(to).size : sum(manifest.files.map(({ bytes }) => bytes)),
      files: manifest.files.length,
      memories: manifest.memories,
      masterKey: manifest.masterKey,
    };
  } catch (cause) {
    throw asMemoryError(cause, to);
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

function isZip(path: string): boolean {
  return /\.zip$/i.test(path);
}

function checkFree(path: string): void {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats || (stats.isDirectory() && !isZip(path) && readdirSync(path).length === 0)) return;
  throw new MemoryError('INVALID_INPUT', `${path} already exists; name a new folder or file.`);
}

async function fill(
  staging: string,
  options: BackupOptions,
): Promise<BackupManifest & { readonly masterKey: BackupMasterKey | null }> {
  const masterKey = describeMasterKey(options.dataDir);
  if (masterKey) options.onMasterKey?.(masterKey);
  const { dataDir, memoryIds, notes, now = Date.now, onProgress } = options;
  const listed = listFolder(dataDir, memoryIds).map((file) => ({ file, from: join(dataDir, file.path) }));
  const elsewhere =
    notes === undefined
      ? []
      : listNotes(notes, 'notes').map((file) => ({
          file,
          from: join(notes, file.path.slice('notes/'.length)),
        }));
  const named = new Set(elsewhere.map(({ file }) => file.path));
  const all = [...listed.filter(({ file }) => !named.has(file.path)), ...elsewhere];
  const files = [];
  for (const { file, from } of all) {
    await copy(file, from, staging);
    files.push(await describeFile(staging, file.path));
    onProgress?.(files.length, all.length);
  }
  const memories = listed.flatMap(({ file }) =>
    file.kind === 'memory' ? [describeMemory(staging, file)] : [],
  );
  const manifest = {
    omoide: 'backup',
    version: 1,
    madeAt: new Date(now()).toISOString(),
    memories,
    masterKey,
    files,
  } as const;
  const text = `${JSON.stringify(manifest, null, 2)}\n`;
  writeFileSync(join(staging, MANIFEST), text, { mode: PRIVATE_FILE, flush: true });
  return manifest;
}

function describeMasterKey(dataDir: string): BackupMasterKey | null {
  const needed = neededMasterKey(dataDir);
  return needed && { id: needed.id, isIncluded: needed.isInFolder, place: needed.place };
}

function describeMemory(staging: string, { path, memoryId }: FolderFile): BackupMemory {
  const { turns, chainHead } = readCopy(join(staging, path));
  return { memoryId: memoryId ?? '', turns, chainHead };
}

async function copy({ path, kind, memoryId }: FolderFile, from: string, staging: string): Promise<void> {
  const to = join(staging, path);
  makePrivateFolder(dirname(to));
  if (kind === 'memory' || kind === 'database') {
    makePrivateFile(to);
    await copyDatabase(from, to);
  } else if (kind === 'log') {
    writeFileSync(to, cutLog(readFileSync(from, 'utf8'), signedTurnId(staging, memoryId)), {
      mode: PRIVATE_FILE,
      flush: true,
    });
  } else {
    copyFileSync(from, to);
    await chmod(to, PRIVATE_FILE);
  }
}

/** Infinity when the memory is not in the backup. */
function signedTurnId(staging: string, memoryId: string | null): number {
  const path = join(staging, `memory_${memoryId}.db`);
  return existsSync(path) ? readCopy(path).signedTurnId : Infinity;
}

/** The lines of a log up to the last checkpoint of the copied memory: later lines were added after it was copied. */
function cutLog(text: string, signedTurnId: number): string {
  const lines = text.split('\n');
  const later = lines.findIndex((line) => turnOf(line) > signedTurnId);
  return later === -1
    ? text
    : lines
        .slice(0, later)
        .map((line) => `${line}\n`)
        .join('');
}

function turnOf(line: string): number {
  try {
    const entry: unknown = JSON.parse(line);
    return typeof entry === 'object' && entry !== null && 'turnId' in entry ? Number(entry.turnId) : 0;
  } catch {
    return 0;
  }
}

async function writeZip(staging: string, paths: readonly string[], to: string): Promise<void> {
  const unfinished = temporaryPath(to);
  try {
    await zipFolder(staging, paths, unfinished);
    renameSync(unfinished, to);
  } finally {
    rmSync(unfinished, { force: true });
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function asMemoryError(cause: unknown, path: string): unknown {
  if (cause instanceof MemoryError || !(cause instanceof Error) || !('syscall' in cause)) return cause;
  const code = errorCode(cause) === 'ENOSPC' ? 'DISK_FULL' : 'READ_ONLY';
  return new MemoryError(code, `The backup ${path} cannot be written: ${cause.message}`, { cause });
}
