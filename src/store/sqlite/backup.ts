import { existsSync, renameSync, rmSync, statSync } from 'node:fs';
import { makePrivateFile, makePrivateFolderOf, MemoryError } from '../../model/model.ts';
import type { Backup } from '../store.ts';
import type { Database } from './database.ts';

/**
 * Copies the database to a new file by SQLite's online backup, while it is read and written. The copy gets its name when
 * it is whole.
 */
export async function backUp(db: Database, path: string): Promise<Backup> {
  if (existsSync(path)) {
    throw new MemoryError('INVALID_INPUT', `There is a file ${path} already; name a new one.`);
  }
  const unfinished = `${path}.partial`;
  rmSync(unfinished, { force: true });
  try {
    makePrivateFolderOf(path);
    makePrivateFile(unfinished);
  } catch (cause) {
    throw new MemoryError('READ_ONLY', `Cannot make ${unfinished}.`, { cause });
  }
  try {
    await db.backUp(unfinished);
    renameSync(unfinished, path);
  } finally {
    rmSync(unfinished, { force: true });
  }
  return { path, sizeBytes: statSync(path).size };
}
