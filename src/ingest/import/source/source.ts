/** Sources of conversations: one file, a folder, or a ZIP archive. */
import { createReadStream } from 'node:fs';
import { open, readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { unreadable } from '../../../model/model.ts';
import { openArchive } from './archive.ts';
import type { SourceFile } from './sourceFile.ts';

export type { SourceFile } from './sourceFile.ts';

export interface Source {
  /** `file`: the given path is a single file. */
  readonly kind: 'file' | 'folder' | 'archive';
  readonly files: readonly SourceFile[];
  close(): Promise<void>;
}

const CHUNK_BYTES = 262_144;
/** Only these files of a folder or an archive can contain conversations. */
const READABLE = /\.(?:jsonl?|ndjson|csv|tsv|txt|md|mbox|mbx)$/i;
const HIDDEN = /(?:^|\/)(?:\.|__MACOSX\/|node_modules\/)/;

/** @throws MemoryError FILE_UNREADABLE */
export async function openSource(path: string): Promise<Source> {
  try {
    if ((await stat(path)).isDirectory()) return await openFolder(path);
    if (await isArchive(path)) return await openZip(path);
    const file = await fileAt(path, basename(path));
    return { kind: 'file', files: [file], close: async () => undefined };
  } catch (cause) {
    throw unreadable(path, cause);
  }
}

/** Whether a file can contain conversations, judged by its name. */
function isReadable(path: string): boolean {
  return READABLE.test(path) && !HIDDEN.test(path);
}

async function openZip(path: string): Promise<Source> {
  const archive = await openArchive(path, isReadable);
  const close = async () => archive.close();
  return { kind: 'archive', files: archive.files, close };
}

async function openFolder(root: string): Promise<Source> {
  const files: SourceFile[] = [];
  const archives: { close(): void }[] = [];
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const place = path.slice(root.length).replaceAll('\\', '/').replace(/^\/+/, '');
    if (!entry.isFile() || HIDDEN.test(place)) continue;
    if (isReadable(place)) files.push(await fileAt(path, place));
    else if (/\.zip$/i.test(place) && (await isArchive(path))) {
      const archive = await openArchive(path, isReadable);
      archives.push(archive);
      for (const file of archive.files) files.push({ ...file, path: `${place}/${file.path}` });
    }
  }
  const close = async () => {
    for (const archive of archives) archive.close();
  };
  return { kind: 'folder', files, close };
}

async function fileAt(path: string, place: string): Promise<SourceFile> {
  const { mtimeMs } = await stat(path);
  return {
    path: place,
    folder: basename(join(path, '..')),
    modifiedAt: Math.trunc(mtimeMs),
    bytes: () => readBytes(path),
  };
}

/** The bytes of a file in chunks. @throws MemoryError FILE_UNREADABLE */
export async function* readBytes(path: string): AsyncGenerator<Buffer> {
  try {
    const bytes: AsyncIterable<Buffer> = createReadStream(path, { highWaterMark: CHUNK_BYTES });
    yield* bytes;
  } catch (cause) {
    throw unreadable(path, cause);
  }
}

async function isArchive(path: string): Promise<boolean> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(4), 0, 4, 0);
    const mark = buffer.subarray(0, bytesRead).toString('hex');
    return mark === '504b0304' || mark === '504b0506';
  } finally {
    await file.close();
  }
}
