/** Profiles given by flags: a shipped one by its name, or one's own by its file. */
import { messageOf } from '../model/model.ts';
import { readFile } from 'node:fs/promises';
import {
  isMemoryError,
  MemoryError,
  parseProfile,
  PROFILE_NAMES,
  type ProfileFile,
} from '../engine/engine.ts';

export const PROFILE_HINT = `${PROFILE_NAMES.join(', ')}, or a file that --tune wrote`;

export interface NamedProfile {
  readonly name: string;
  /** Null for a shipped one. */
  readonly file: ProfileFile | null;
}

/** @throws MemoryError FILE_UNREADABLE, INVALID_INPUT with the file and the error in it */
export async function readProfile(nameOrPath: string): Promise<NamedProfile> {
  if (PROFILE_NAMES.some((name) => name === nameOrPath)) return { name: nameOrPath, file: null };
  const file = await readProfileFile(nameOrPath);
  return { name: parseProfile(file).name, file };
}

/**
 * Several files with profiles of different names.
 * @throws MemoryError FILE_UNREADABLE, INVALID_INPUT with the file and the error in it
 */
export async function readProfileFiles(paths: readonly string[]): Promise<ProfileFile[]> {
  const byName = new Map<string, { path: string; file: ProfileFile }>();
  for (const path of paths) {
    const file = await readProfileFile(path);
    const { name } = parseProfile(file);
    const other = byName.get(name);
    if (other) {
      throw new MemoryError(
        'INVALID_INPUT',
        `${path}: its profile has the same name "${name}" as that of ${other.path}.`,
      );
    }
    byName.set(name, { path, file });
  }
  return [...byName.values()].map(({ file }) => file);
}

async function readProfileFile(path: string): Promise<ProfileFile> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (cause) {
    const message = `${path} is not a shipped profile (${PROFILE_NAMES.join(', ')}), and as a file it cannot be read: ${messageOf(cause)}`;
    throw new MemoryError('FILE_UNREADABLE', message, { cause });
  }
  try {
    const value = JSON.parse(text) as ProfileFile;
    parseProfile(value);
    return value;
  } catch (cause) {
    if (isMemoryError(cause)) throw new MemoryError(cause.code, `${path}: ${cause.message}`, { cause });
    throw new MemoryError('INVALID_INPUT', `${path} is not JSON: ${messageOf(cause)}`, { cause });
  }
}
