import { readdirSync, readFileSync } from 'node:fs';
import { MemoryError } from '../../model/model.ts';
import type { Database } from './database.ts';
import { defineEncryption } from './encryptOld.ts';

/** 'Omoi' in ASCII: identifies our files among SQLite files. */
const APPLICATION_ID = 0x4f6d6f69;
/** The schema version since which memories have keys. */
const ENCRYPTED = 4;
const FOLDER = new URL('migrations/', import.meta.url);
/** The result of all migrations. */
const SCHEMA = new URL('schema.sql', import.meta.url);

/**
 * Creates the schema of a new memory, or updates that of an existing one, in one transaction.
 * @throws MemoryError NOT_A_MEMORY for another program's file, MEMORY_TOO_NEW for a later version's.
 */
export function migrate(db: Database): void {
  const steps = migrations();
  if (schemaVersion(db) === steps.length && applicationId(db) === APPLICATION_ID) return;
  if (db.isReadOnly) checkOwner(db, schemaVersion(db));
  db.checkWritable('open this memory of an earlier version once where it can be written');
  db.write(() => {
    const version = schemaVersion(db);
    checkOwner(db, version);
    if (version > steps.length) {
      throw new MemoryError(
        'MEMORY_TOO_NEW',
        `${db.path} has schema ${version}; this version of Omoide supports up to ${steps.length}. Update Omoide.`,
      );
    }
    if (version === 0) db.exec(readFileSync(SCHEMA, 'utf8'));
    else update(db, version, steps);
    db.exec(`PRAGMA user_version = ${steps.length}; PRAGMA application_id = ${APPLICATION_ID};`);
  });
}

function update(db: Database, version: number, steps: readonly string[]): void {
  defineEncryption(db);
  if (version < ENCRYPTED) db.keys.makeForOldRows();
  for (const file of steps.slice(version)) db.exec(readFileSync(new URL(file, FOLDER), 'utf8'));
}

/** Null when there is no memory yet. */
export function memoryIdOf(db: Database): string | null {
  if (applicationId(db) !== APPLICATION_ID || schemaVersion(db) === 0) return null;
  return db.get<{ value: string }>("SELECT value FROM meta WHERE key = 'memoryId'")?.value ?? null;
}

function checkOwner(db: Database, version: number): void {
  const isEmpty = db.get<{ n: number }>('SELECT count(*) AS n FROM sqlite_schema')?.n === 0;
  const isOurs = applicationId(db) === APPLICATION_ID && version > 0;
  if (!isEmpty && !isOurs)
    throw new MemoryError('NOT_A_MEMORY', `${db.path} is the database of another program.`);
}

/** Numbered from 001 without gaps; the number of a file is the schema version after it. */
function migrations(): string[] {
  return readdirSync(FOLDER)
    .filter((name) => name.endsWith('.sql'))
    .sort();
}

export function schemaVersion(db: Database): number {
  return db.get<{ user_version: number }>('PRAGMA user_version')?.user_version ?? 0;
}

function applicationId(db: Database): number {
  return db.get<{ application_id: number }>('PRAGMA application_id')?.application_id ?? 0;
}
