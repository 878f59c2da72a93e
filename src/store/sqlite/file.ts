import { makePrivateFile, makePrivateFolderOf, MemoryError } from '../../model/model.ts';
import type { Database } from './database.ts';

export const IN_MEMORY = ':memory:';

/** Created without access for others; SQLite gives its journals the same mode. */
export function makeFile(path: string): void {
  if (path === IN_MEMORY) return;
  try {
    makePrivateFolderOf(path);
    makePrivateFile(path);
  } catch (cause) {
    throw new MemoryError('READ_ONLY', `Cannot make ${path}.`, { cause });
  }
}

/** In `meta`, while the memory is being copied from another store. */
export const COPYING = 'copying';

/** @throws MemoryError BUSY for a memory that is not completely copied */
export function checkWhole(db: Database): void {
  if (!db.get('SELECT 1 FROM meta WHERE key = ?', COPYING)) return;
  throw new MemoryError(
    'BUSY',
    `The memory in ${db.path} is being copied there. If that was interrupted, run “omoide migrate” again.`,
  );
}
