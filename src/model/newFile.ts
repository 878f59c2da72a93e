/** Moves finished files to their final names. */
import { existsSync, linkSync, renameSync, rmSync } from 'node:fs';
import { errorCode } from './systemError.ts';

/** Error codes of file systems without hard links: exFAT, some network drives. */
const NO_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']);

/**
 * Moves a finished file to its final name, unless a file with that name exists: linking fails where a rename would
 * replace. On a file system without hard links it is renamed; then a file that another process creates at the same
 * moment is replaced.
 * @returns false when the name is taken; the finished file is deleted in any case
 * @throws the system's error
 */
export function nameNewFile(finished: string, path: string): boolean {
  try {
    linkSync(finished, path);
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    if (!NO_LINKS.has(errorCode(error))) throw error;
    if (existsSync(path)) return false;
    renameSync(finished, path);
    return true;
  } finally {
    rmSync(finished, { force: true });
  }
}
