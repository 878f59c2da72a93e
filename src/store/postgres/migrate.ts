import { readdirSync, readFileSync } from 'node:fs';
import { MemoryError } from '../../model/model.ts';
import type { Database } from './database.ts';
import type { Executor } from './session.ts';

const FOLDER = new URL('migrations/', import.meta.url);
/** Advisory lock for migrations. */
const MIGRATION_LOCK = 0x6f6d6f03;
export const DEFAULT_PARTITIONS = 16;
const MAX_PARTITIONS = 1_024;
/** With Citus one: it splits each table into shards itself. */
const SET_PARTITIONS = `SELECT set_config('omoide.partitions',
  CASE WHEN EXISTS (SELECT 1 FROM pg_proc WHERE proname = 'create_distributed_table') THEN '1' ELSE $1 END, true)`;

/**
 * Updates the schema in one transaction.
 * @param partitions number of partitions of each table in a new schema; an existing schema keeps its own
 * @throws MemoryError MEMORY_TOO_NEW, NOT_A_MEMORY, INVALID_INPUT
 */
export async function migrate(
  db: Pick<Database, 'sql' | 'begin' | 'schema'>,
  partitions: number,
): Promise<number> {
  if (!Number.isInteger(partitions) || partitions < 1 || partitions > MAX_PARTITIONS) {
    throw new MemoryError('INVALID_INPUT', `A store has 1 to ${MAX_PARTITIONS} partitions.`);
  }
  if (db.schema.version > 0) return db.schema.version;
  const steps = migrations();
  if ((await schemaVersion(db.sql)) === steps.length) return (db.schema.version = steps.length);
  await db.begin(async (tx) => {
    await tx.unsafe(`SELECT pg_advisory_xact_lock(${MIGRATION_LOCK})`);
    const version = await schemaVersion(tx);
    if (version > steps.length) {
      throw new MemoryError(
        'MEMORY_TOO_NEW',
        `The database has schema ${version}; this version of Omoide supports up to ${steps.length}. Update Omoide.`,
      );
    }
    await tx.unsafe('SET LOCAL statement_timeout = 0');
    await tx.unsafe(SET_PARTITIONS, [String(partitions)]);
    await tx.unsafe('CREATE EXTENSION IF NOT EXISTS vector');
    await tx.unsafe(
      'CREATE TABLE IF NOT EXISTS omoide_schema (version integer NOT NULL, at timestamptz NOT NULL)',
    );
    for (const [i, file] of steps.entries()) {
      if (i < version) continue;
      await tx.unsafe(readFileSync(new URL(file, FOLDER), 'utf8'));
      await tx.unsafe('INSERT INTO omoide_schema VALUES ($1, now())', [i + 1]);
    }
    await tx.unsafe('SELECT omoide_distribute()');
    await renewGrants(tx);
  });
  return (db.schema.version = steps.length);
}

/** Grants the server roles access to new tables. */
async function renewGrants(tx: Executor): Promise<void> {
  await tx.unsafe(
    `SELECT omoide_grant(grantee::text::regrole), omoide_grant_work(grantee::text::regrole) FROM information_schema.role_table_grants
     WHERE table_schema = current_schema() AND table_name = 'turn' AND privilege_type = 'INSERT'
       AND grantee <> current_user`,
  );
}

/** 0 in a database without our tables. @throws MemoryError NOT_A_MEMORY when other tables have these names */
export async function schemaVersion(sql: Executor): Promise<number> {
  const [found] = await sql.unsafe<{ ours: string | null; other: string | null }[]>(
    "SELECT to_regclass('omoide_schema')::text AS ours, to_regclass('memory')::text AS other",
  );
  if (found?.ours === null && found.other !== null) {
    throw new MemoryError('NOT_A_MEMORY', 'The database already has a table “memory” of another program.');
  }
  if (!found?.ours) return 0;
  const [row] = await sql.unsafe<{ version: number }[]>('SELECT max(version) AS version FROM omoide_schema');
  return row?.version ?? 0;
}

/** Numbered from 001 without a gap; a file's number is the schema version after it. */
function migrations(): string[] {
  return readdirSync(FOLDER)
    .filter((name) => name.endsWith('.sql'))
    .sort();
}
