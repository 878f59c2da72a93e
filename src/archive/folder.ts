import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import {
  errorCode,
  makePrivateFolder,
  MemoryError,
  nameNewFile,
  sweepTemporary,
  temporaryPath,
} from '../model/model.ts';
import type { ArchivedObject, ArchivePlace } from './place.ts';

const READ_ONLY_FILE = 0o400;

/** Files in a folder. They are only made read-only: choose a folder from which they cannot be deleted. */
export function openFolder(root: string): ArchivePlace {
  const pathOf = (name: string) => join(root, name);
  return {
    name: root,
    async list(prefix) {
      const folder = dirname(`${prefix}x`);
      return namesIn(pathOf(folder))
        .map((name) => `${folder}/${name}`)
        .filter((name) => name.startsWith(prefix))
        .map((name) => ({ name, version: null }));
    },
    read: async ({ name }) => readFile(pathOf(name)),
    write: async (name, content) => {
      const object: ArchivedObject = { name, version: null };
      return writeNew(pathOf(name), content) ? object : null;
    },
    isLocked: async () => null,
  };
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch (cause) {
    if (errorCode(cause) === 'ENOENT') return [];
    throw new MemoryError('FILE_UNREADABLE', `The archive ${folder} cannot be read.`, { cause });
  }
}

function readFile(path: string): Uint8Array | null {
  try {
    return readFileSync(path);
  } catch (cause) {
    if (errorCode(cause) === 'ENOENT') return null;
    throw new MemoryError('FILE_UNREADABLE', `${path} cannot be read.`, { cause });
  }
}

/** The file gets its name when it is complete; an existing file is not changed. */
function writeNew(path: string, content: Uint8Array): boolean {
  const unfinished = temporaryPath(path);
  try {
    if (existsSync(path)) return false;
    makePrivateFolder(dirname(path));
    sweepTemporary(dirname(path));
    writeFileSync(unfinished, content, { mode: READ_ONLY_FILE, flush: true });
    if (!nameNewFile(unfinished, path)) return false;
    flushFolder(dirname(path));
    return true;
  } catch (cause) {
    const code = errorCode(cause) === 'ENOSPC' ? 'DISK_FULL' : 'READ_ONLY';
    throw new MemoryError(code, `The archive ${path} cannot be written.`, { cause });
  } finally {
    rmSync(unfinished, { force: true });
  }
}

/** Makes the name survive a power loss; Windows cannot open folders. */
function flushFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const opened = openSync(folder, 'r');
  try {
    fsyncSync(opened);
  } finally {
    closeSync(opened);
  }
}
