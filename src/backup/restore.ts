import { cpSync, readdirSync, renameSync, rmSync, rmdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makePrivateFolder, MemoryError } from '../model/model.ts';
import { neededMasterKey } from '../keys/keys.ts';
import { checkManifest, MANIFEST, readManifest, type BackupManifest } from './manifest.ts';
import { unzipTo } from './zip.ts';

/** The folder within a data folder into which a backup is unpacked before it is checked. */
export const RESTORING = '.restoring';

/**
 * Unpacks a backup into a new folder and compares every file with its hash. The folder is deleted when there is an
 * error.
 * @throws MemoryError FILE_UNREADABLE, naming what is missing or damaged; KEY_MISSING, naming the master key
 */
export async function unpackBackup(backup: string, folder: string): Promise<BackupManifest> {
  const stats = statSync(backup, { throwIfNoEntry: false });
  if (!stats) throw new MemoryError('FILE_UNREADABLE', `There is no ${backup}.`);
  try {
    rmSync(folder, { recursive: true, force: true });
    makePrivateFolder(folder);
    if (stats.isDirectory()) copyListed(backup, folder);
    else await unzipTo(backup, folder);
    const problems = await checkManifest(folder);
    if (problems.length > 0)
      throw new MemoryError('FILE_UNREADABLE', `The backup ${backup} is incomplete: ${problems.join(' ')}`);
    const manifest = readManifest(folder);
    checkMasterKey(backup, folder, manifest);
    return manifest;
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

/** @throws MemoryError KEY_MISSING */
function checkMasterKey(backup: string, folder: string, { masterKey }: BackupManifest): void {
  const needed = neededMasterKey(folder);
  if (!needed || needed.id !== null) return;
  const id = masterKey?.id ? `the master key ${masterKey.id}` : 'the master key with which it was made';
  const isOurs = needed.place.startsWith(folder);
  const looked = isOurs ? '' : ` It was looked for in ${needed.place}: ${needed.problem}.`;
  throw new MemoryError(
    'KEY_MISSING',
    `${backup} can only be read with ${id}, which it does not contain.${looked} Set OMOIDE_MASTER_KEY to the place of that key: file:PATH, env:VARIABLE or keychain.`,
  );
}

function copyListed(backup: string, folder: string): void {
  const { files } = readManifest(backup);
  for (const path of [MANIFEST, ...files.map((file) => file.path)]) {
    if (!statSync(join(backup, path), { throwIfNoEntry: false })) continue;
    makePrivateFolder(dirname(join(folder, path)));
    cpSync(join(backup, path), join(folder, path));
  }
}

/**
 * Moves the files from {@link RESTORING} to its data folder, which must contain nothing else.
 * @throws MemoryError INVALID_INPUT
 */
export function moveRestored(dataDir: string): void {
  const staging = join(dataDir, RESTORING);
  const others = readdirSync(dataDir).filter((name) => name !== RESTORING);
  if (others.length > 0) {
    throw new MemoryError('INVALID_INPUT', `${dataDir} is not empty: it holds ${others[0]}.`);
  }
  const names = readdirSync(staging).filter((name) => name !== MANIFEST);
  for (const name of names) renameSync(join(staging, name), join(dataDir, name));
  rmSync(join(staging, MANIFEST), { force: true });
  rmdirSync(staging);
}
