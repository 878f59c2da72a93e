/** Lists the files of a data folder that belong in a backup. */
import { readdirSync, statSync } from 'node:fs';
import { join, posix } from 'node:path';
import { errorCode, MemoryError } from '../model/model.ts';

export interface FolderFile {
  /** Path within the folder, with slashes. */
  readonly path: string;
  readonly kind: 'memory' | 'database' | 'log' | 'plain';
  /** The memory to which a memory file, log or notes belong. */
  readonly memoryId: string | null;
}

const MEMORY = /^memory_(.+)\.db$/;
const LOG = /^witness_(.+)\.log$/;
/** Keys, settings and all other databases of ours. */
const DATABASE = /^[^.].*\.db$/;
const PLAIN = /^(?:signing\.key|master\.key(?:\.next)?|omoide\.json|witness.*\.log)$/;
const NOTES = /^notes(?:_(.+))?$/;

/**
 * The files to copy, memories first: a log or key that is copied later is at least as recent as the memory.
 * @param memoryIds only these, without files that all memories share; default: everything
 * @throws MemoryError NOT_FOUND, FILE_UNREADABLE
 */
export function listFolder(dataDir: string, memoryIds?: readonly string[]): FolderFile[] {
  const files = names(dataDir).flatMap((name) => filesOf(dataDir, name));
  const wanted = files.filter(({ path, memoryId }) => {
    if (memoryIds === undefined) return true;
    return memoryId === null ? path !== 'settings.db' : memoryIds.includes(memoryId);
  });
  const isThere = (id: string) => files.some(({ kind, memoryId }) => kind === 'memory' && memoryId === id);
  const missing = memoryIds?.find((id) => !isThere(id));
  if (missing !== undefined)
    throw new MemoryError('NOT_FOUND', `There is no memory ${missing} in ${dataDir}.`);
  const order = ['memory', 'database', 'plain', 'log'];
  return wanted.toSorted((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind));
}

function names(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch (cause) {
    const code = errorCode(cause) === 'ENOENT' ? 'NOT_FOUND' : 'FILE_UNREADABLE';
    throw new MemoryError(code, `The folder ${folder} cannot be read.`, { cause });
  }
}

function filesOf(dataDir: string, name: string): FolderFile[] {
  const stats = statSync(join(dataDir, name), { throwIfNoEntry: false });
  if (stats?.isDirectory()) return listNotesOf(dataDir, name);
  const file = stats?.isFile() ? kindOf(name) : null;
  // An empty database is left over from an interrupted creation.
  const isCutOff = stats?.size === 0 && (file?.kind === 'memory' || file?.kind === 'database');
  return file && !isCutOff ? [file] : [];
}

function listNotesOf(dataDir: string, name: string): FolderFile[] {
  const match = NOTES.exec(name);
  if (!match) return [];
  const memoryId = match[1] ?? 'default';
  return listNotes(join(dataDir, name), name).map((file) => ({ ...file, memoryId }));
}

function kindOf(path: string): FolderFile | null {
  const memoryId = MEMORY.exec(path)?.[1];
  if (memoryId !== undefined) return { path, kind: 'memory', memoryId };
  const logOf = LOG.exec(path)?.[1];
  if (logOf !== undefined) return { path, kind: 'log', memoryId: logOf };
  if (DATABASE.test(path)) return { path, kind: 'database', memoryId: null };
  return PLAIN.test(path) ? { path, kind: 'plain', memoryId: null } : null;
}

/** Every regular file of a folder of notes. @param as the folder's path in the backup */
export function listNotes(folder: string, as: string): FolderFile[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => {
      const within = join(entry.parentPath, entry.name).slice(folder.length + 1);
      return { path: posix.join(as, within.replaceAll('\\', '/')), kind: 'plain', memoryId: null };
    });
}
