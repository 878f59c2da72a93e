/** Finds the files of notes under the roots. */
import { errorCode, sweepTemporary, TEMPORARY_PREFIX } from '../../model/model.ts';
import { lstatSync, realpathSync, type Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isNoteName, isIgnored, isWithin, type Base, type Places } from '../places.ts';
import { CONFLICT_COPY } from '../write/write.ts';

export interface FoundFile {
  readonly uri: string;
  readonly path: string;
  readonly sizeBytes: number;
  /** Milliseconds, with fraction. */
  readonly modifiedAt: number;
}

/** A file or folder that was not read, with the reason, to show to people. */
export interface Skipped {
  readonly uri: string;
  readonly reason:
    | 'too large'
    | 'not text'
    | 'unreadable'
    | 'leads out'
    | 'belongs elsewhere'
    | 'conflict copy';
  readonly message: string;
}

export interface Walk {
  readonly files: readonly FoundFile[];
  readonly skipped: readonly Skipped[];
  /** Whether a file that was not found is deleted. False when its folder could not be read or was not searched. */
  readonly hasLookedFor: (uri: string) => boolean;
}

/** Every file of notes; links are never followed. */
export async function walkNotes(places: Places): Promise<Walk> {
  const walk: OpenWalk = { files: [], skipped: [], unread: [] };
  for (const base of places.bases) {
    if (places.isFolderOfNotes(base)) await walkFolder(places, base, base.folder, walk);
    else noteLink(base, base.folder, places.uriOf(base, base.folder), walk);
  }
  const isUnread = (uri: string) =>
    walk.unread.some((folder) => folder === '' || uri.startsWith(`${folder}/`));
  return { ...walk, hasLookedFor: (uri) => !isUnread(uri) };
}

/** Only these files; null unless all of them exist. */
export function findNotes(places: Places, uris: Iterable<string>): Walk | null {
  const walk: OpenWalk = { files: [], skipped: [], unread: [] };
  for (const uri of uris) {
    const path = places.placeOf(uri);
    if (!lstatSync(path, { throwIfNoEntry: false })?.isFile()) return null;
    noteFile(path, uri, walk);
  }
  return { ...walk, hasLookedFor: () => false };
}

interface OpenWalk {
  readonly files: FoundFile[];
  readonly skipped: Skipped[];
  /** Folders that could not be read. */
  readonly unread: string[];
}

async function walkFolder(places: Places, base: Base, folder: string, walk: OpenWalk): Promise<void> {
  for (const entry of await readFolder(places, base, folder, walk)) {
    const { name } = entry;
    const path = join(folder, name);
    const uri = places.uriOf(base, path);
    if (name.startsWith(TEMPORARY_PREFIX)) sweepTemporary(folder);
    if (isIgnored(name)) continue;
    if (entry.isSymbolicLink()) noteLink(base, path, uri, walk);
    else if (!places.isAtHome(entry.isDirectory() ? `${uri}/` : uri, base.root))
      skipUserFolder(entry, uri, walk);
    else if (entry.isDirectory()) await walkFolder(places, base, path, walk);
    else if (entry.isFile() && isNoteName(name)) noteFile(path, uri, walk);
  }
}

async function readFolder(places: Places, base: Base, folder: string, walk: OpenWalk): Promise<Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error))) return [];
    const uri = places.uriOf(base, folder);
    walk.unread.push(uri);
    walk.skipped.push({
      uri,
      reason: 'unreadable',
      message: `The folder ${folder} cannot be read: ${errorCode(error)}.`,
    });
    return [];
  }
}

function noteFile(path: string, uri: string, walk: OpenWalk): void {
  if (CONFLICT_COPY.test(uri)) {
    const message = `${path} contains a change that could not be written because two programs changed the file at once. Copy what is missing into the file and delete this copy.`;
    walk.skipped.push({ uri, reason: 'conflict copy', message });
    return;
  }
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats) walk.files.push({ uri, path, sizeBytes: stats.size, modifiedAt: stats.mtimeMs });
}

/** The target of a link within the root is found at its own path. */
function noteLink(base: Base, path: string, uri: string, walk: OpenWalk): void {
  let target: string;
  try {
    target = realpathSync(path);
    if (isWithin(realpathSync(base.root), target)) return;
  } catch {
    return;
  }
  const message = `${path} is a link to ${target}, outside the notes folder, and is not followed.`;
  walk.skipped.push({ uri, reason: 'leads out', message });
}

function skipUserFolder(entry: Dirent, uri: string, walk: OpenWalk): void {
  if (!entry.isDirectory() && !isNoteName(entry.name)) return;
  const message = `${uri} is not read: user/ belongs to the global root.`;
  walk.skipped.push({ uri, reason: 'belongs elsewhere', message });
}
