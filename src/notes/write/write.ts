/** Writes files that people and other programs write too. */
import { basename, dirname, join } from 'node:path';
import { errorCode, MemoryError, TEMPORARY_PREFIX } from '../../model/model.ts';
import { EditedFile, type Edit } from './editedFile.ts';

export type { Edit } from './editedFile.ts';
export { holdFile } from './heldFile.ts';
export { acquireLock } from './lock.ts';

/** Matches the names of conflict copies. */
export const CONFLICT_COPY = /\.conflict-\d{8}T\d{6}\.\d{3}Z\.[^.]+$/;

export class Writer {
  readonly #files = new Map<string, EditedFile>();
  readonly #onWritten: (path: string) => void;

  /** @param onWritten called after every write of a file, including repeated ones */
  constructor(onWritten: (path: string) => void) {
    this.#onWritten = onWritten;
  }

  /**
   * Edits a file; edits of one file run one after the other. Resolves when the edit is on the disk, with the new
   * content of the file. Byte order mark, line ends, mode and everything outside the edit are kept; null deletes
   * the file.
   * @param path the file itself, not a link to it
   * @throws MemoryError NOTE_CONFLICT when another program changes the file again and again (details: `path`,
   * `conflictPath`), READ_ONLY, DISK_FULL, FILE_UNREADABLE, INVALID_TEXT, TEXT_TOO_LONG; or what `edit` throws
   */
  async edit(path: string, edit: Edit): Promise<string | null> {
    for (const [path, file] of this.#files) if (file.isIdle) this.#files.delete(path);
    const file = this.#files.get(path) ?? this.#open(path);
    try {
      return await file.edit(edit);
    } catch (error) {
      throw toMemoryError(error, path);
    }
  }

  #open(path: string): EditedFile {
    const lockPath = join(dirname(path), `${TEMPORARY_PREFIX}${basename(path)}.lock`);
    const file = new EditedFile(path, lockPath, () => this.#onWritten(path));
    this.#files.set(path, file);
    return file;
  }

  /** Resolves when no file needs watching any more: half a second after the last edit. */
  async settled(): Promise<void> {
    for (const file of this.#files.values()) await file.settled();
  }
}

function toMemoryError(error: unknown, path: string): unknown {
  const code = errorCode(error);
  if (['EACCES', 'EPERM', 'EROFS'].includes(code)) {
    return new MemoryError('READ_ONLY', `${path} cannot be written to.`, { path, cause: error });
  }
  if (['ENOSPC', 'EDQUOT', 'EFBIG'].includes(code)) {
    return new MemoryError('DISK_FULL', `There is no space left for ${path}.`, { path, cause: error });
  }
  if (['EISDIR', 'ENXIO', 'EIO', 'ELOOP', 'ENOTDIR', 'ENAMETOOLONG'].includes(code)) {
    return new MemoryError('FILE_UNREADABLE', `${path} cannot be read as a file.`, { path, cause: error });
  }
  return error;
}
