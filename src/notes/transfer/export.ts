import { readdir, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { makePrivateFolder, MemoryError, PRIVATE_FILE } from '../../model/model.ts';
import { isWithin } from '../places.ts';
import { readNote, type TransferredNotes } from './files.ts';

export interface NotesExport {
  /** By uri, the path in the folder. */
  readonly files: readonly string[];
}

/**
 * Writes every file of notes, and further texts, to a new or empty folder, each at its uri.
 * @param more texts by uri: learnt units, as `formatLearnt` writes them
 * @throws MemoryError INVALID_INPUT when the folder is not empty, READ_ONLY, DISK_FULL
 */
export async function exportNotes(
  notes: TransferredNotes,
  folder: string,
  more: ReadonlyMap<string, string> = new Map(),
): Promise<NotesExport> {
  const root = resolve(folder);
  try {
    makePrivateFolder(root);
    if ((await readdir(root)).length > 0) {
      throw new MemoryError(
        'INVALID_INPUT',
        `${folder} is not empty; choose a new folder, so that nothing is overwritten.`,
      );
    }
    const files: string[] = [];
    for (const { uri } of await notes.list()) {
      const text = await readNote(notes, uri);
      if (text !== null) files.push(await write(root, uri, text));
    }
    for (const [uri, text] of more) files.push(await write(root, uri, text));
    return { files };
  } catch (cause) {
    if (cause instanceof MemoryError || !(cause instanceof Error && 'syscall' in cause)) throw cause;
    const code = 'code' in cause && cause.code === 'ENOSPC' ? 'DISK_FULL' : 'READ_ONLY';
    throw new MemoryError(code, `${folder} cannot be written: ${cause.message}`, { cause });
  }
}

async function write(root: string, uri: string, text: string): Promise<string> {
  const path = join(root, ...uri.split('/'));
  if (!isWithin(root, path)) throw new MemoryError('OUTSIDE_ROOT', `${uri} leads out of ${root}.`);
  makePrivateFolder(dirname(path));
  // Fails if a note has the same name as a file of learnt units.
  await writeFile(path, text, { flag: 'wx', mode: PRIVATE_FILE });
  return uri;
}
