/** A backup as one zip file. */
import { createWriteStream } from 'node:fs';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { openPromise } from 'yauzl';
import { ZipFile } from 'yazl';
import { makePrivateFolder, PRIVATE_FILE, unreadable } from '../model/model.ts';

/** @param paths within the folder, in the order of writing */
export async function zipFolder(folder: string, paths: readonly string[], to: string): Promise<void> {
  const zip = new ZipFile();
  for (const path of paths) zip.addFile(join(folder, path), path, { mode: 0o100_600 });
  zip.end();
  await pipeline(zip.outputStream, createWriteStream(to, { mode: PRIVATE_FILE, flush: true }));
}

/** @throws MemoryError FILE_UNREADABLE */
export async function unzipTo(path: string, folder: string): Promise<void> {
  try {
    const zip = await openPromise(path, { lazyEntries: true, autoClose: false });
    try {
      // yauzl rejects names that lead out of the folder.
      for await (const entry of zip.eachEntry()) {
        if (entry.fileName.endsWith('/')) continue;
        const to = join(folder, entry.fileName);
        makePrivateFolder(dirname(to));
        const bytes = await zip.openReadStreamPromise(entry);
        await pipeline(bytes, createWriteStream(to, { mode: PRIVATE_FILE, flush: true }));
      }
    } finally {
      zip.close();
    }
  } catch (cause) {
    throw unreadable(path, cause);
  }
}
