import { statSync } from 'node:fs';
import { MemoryError, messageOf } from '../../model/model.ts';
import type { StoreAdmin, Verification } from '../store.ts';
import { performNow, readInfo, rebuildMemory, verifyMemory, type SharedTables } from '../tables/tables.ts';
import type { Database } from './database.ts';
import { schemaVersion } from './migrate.ts';

export function createAdmin(db: Database, tables: SharedTables): StoreAdmin {
  return {
    info: async () =>
      db.read(() => ({
        ...performNow(readInfo(tables)),
        location: db.path,
        schemaVersion: schemaVersion(db),
        sizeBytes: sizeOnDisk(db.path),
      })),
    verify: async () => verify(db, tables),
    rebuild: async (what, plan) => db.write(() => performNow(rebuildMemory(tables, what, plan))),
  };
}

/** @throws MemoryError NOT_A_MEMORY when the file is damaged so much that it cannot be compared */
function verify(db: Database, tables: SharedTables): Verification {
  try {
    return db.read(() => performNow(verifyMemory(tables)));
  } catch (cause) {
    if (cause instanceof MemoryError) throw cause;
    const reason = messageOf(cause);
    throw new MemoryError('NOT_A_MEMORY', `${db.path} is damaged and cannot be checked: ${reason}`, {
      cause,
    });
  }
}

function sizeOnDisk(path: string): number {
  return [path, `${path}-wal`].reduce(
    (sum, file) => sum + (statSync(file, { throwIfNoEntry: false })?.size ?? 0),
    0,
  );
}
