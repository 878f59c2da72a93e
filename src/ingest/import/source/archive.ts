import { basename, dirname } from 'node:path/posix';
import { openPromise, type Entry, type ZipFile } from 'yauzl';
import { unreadable } from '../../../model/model.ts';
import type { SourceFile } from './sourceFile.ts';

/** A ZIP archive whose files are read from the disk on demand. */
export interface Archive {
  readonly files: readonly SourceFile[];
  close(): void;
}

/** @param isWanted takes the path within the archive; other files are ignored */
export async function openArchive(path: string, isWanted: (path: string) => boolean): Promise<Archive> {
  const zip = await openPromise(path, { lazyEntries: true, autoClose: false });
  const files: SourceFile[] = [];
  try {
    for await (const entry of zip.eachEntry()) {
      if (isWanted(entry.fileName)) files.push(toFile(zip, entry, path));
    }
  } catch (error) {
    zip.close();
    throw error;
  }
  return { files, close: () => zip.close() };
}

function toFile(zip: ZipFile, entry: Entry, archivePath: string): SourceFile {
  const folder = basename(dirname(entry.fileName));
  return {
    path: entry.fileName,
    folder: folder === '.' ? basename(archivePath).replace(/\.zip$/i, '') : folder,
    modifiedAt: entry.getLastModDate().getTime(),
    bytes: () => readEntry(zip, entry),
  };
}

async function* readEntry(zip: ZipFile, entry: Entry): AsyncGenerator<Buffer> {
  try {
    if (entry.isEncrypted()) throw new Error('it is encrypted; unpack the archive with its password first');
    for await (const chunk of await zip.openReadStreamPromise(entry)) yield chunk as Buffer;
  } catch (cause) {
    throw unreadable(entry.fileName, cause);
  }
}
