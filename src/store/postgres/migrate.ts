import { readdirSync, readFileSync } from 'node:fs';
import { MemoryError } from '../../model/model.ts';
import type { Database } from './database.ts';
import { isForbidden } from './errors.ts';
import type { Executor } from './session.ts';

const FOLDER = new URL('migrations/', import.meta.url);
/** Advisory lock for migrations. */
const MIGRATION_LOCK = 0x6f6d6f03;
export const DEFAULT_PARTITIONS = 16;
const MAX_PARTITIONS = 1_024;
/** The first version that continues a search whose filter left too few candidates. */
const OLDEST_PGVECTOR = [0, 8] as const;
/** With Citus one: it splits each table into shards itself. */
const SET_PARTITIONS = `SELECT set_config('omoide.partitions',
  CASE WHEN EXISTS (SELECT 1 FROM pg_proc WHERE proname = 'create_distributed_table') THEN '1' ELSE $1 END, true)`;

/**
 * Updates the schema in one transaction.
 * @param partitions number of partitions of each table in a new schema; an existing schema keeps its own
 * @throws MemoryError MEMORY_TOO_NEW, NOT_A_MEMORY, INVALID_INPUT, STORE_FAILED when the role may not do this
 */
export async function migrate(
  db: Pick<Database, 'sql' | 'begin' | 'schema' | 'url'>,
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
    if (version === steps.length) return;
    await checkOwner(tx, { version, needed: steps.length, url: db.url });
    await tx.unsafe('SET LOCAL statement_timeout = 0');
    await tx.unsafe(SET_PARTITIONS, [String(partitions)]);
    await createVectorExtension(tx);
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

/** Only the owner can create or change the tables. @throws MemoryError STORE_FAILED */
async function checkOwner(
  tx: Executor,
  { version, needed, url }: { readonly version: number; readonly needed: number; readonly url: string },
): Promise<void> {
  const [row] = await tx.unsafe<{ may: boolean; role: string; owner: string }[]>(
    version === 0 ? MAY_CREATE : MAY_CHANGE,
  );
  if (!row || row.may) return;
  const [memory] =
    version === 0
      ? []
      : await tx.unsafe<{ name: string }[]>('SELECT name FROM memory WHERE copying IS NULL LIMIT 1');
  const store = url.replace(/\/\/(?:[^@/]*@)?/, `//${row.owner}@`);
  const command = memory ? `omoide jobs --memory '${memory.name}'` : 'omoide ingest FILE';
  const found = version === 0 ? 'no tables of Omoide' : `schema ${version}`;
  throw new MemoryError(
    'STORE_FAILED',
    `The database has ${found}, this version of Omoide needs schema ${needed}, and the role ${row.role} may not create it. Stop all servers and workers, then open a memory once as the owner: “${command} --store '${store}'”.`,
  );
}

const MAY_CREATE = `SELECT coalesce(has_schema_privilege(current_schema(), 'CREATE'), false) AS may,
  current_user::text AS role, pg_get_userbyid(datdba)::text AS owner
  FROM pg_database WHERE datname = current_database()`;
const MAY_CHANGE = `SELECT pg_has_role(relowner, 'USAGE') AS may, current_user::text AS role,
  pg_get_userbyid(relowner)::text AS owner FROM pg_class WHERE oid = 'omoide_schema'::regclass`;

/** @throws MemoryError STORE_FAILED when pgvector is missing or too old, or the role may not create it */
async function createVectorExtension(tx: Executor): Promise<void> {
  const [available] = await tx.unsafe<{ installed: string | null; default: string }[]>(
    `SELECT installed_version AS installed, default_version AS default
     FROM pg_available_extensions WHERE name = 'vector'`,
  );
  const found = available?.installed ?? available?.default;
  if (found === undefined || !isAtLeast(found, OLDEST_PGVECTOR)) {
    const problem = found === undefined ? 'The server has no pgvector' : `The database has pgvector ${found}`;
    const update = available?.installed ? ', then run ALTER EXTENSION vector UPDATE in the database' : '';
    throw new MemoryError(
      'STORE_FAILED',
      `${problem}; Omoide needs ${OLDEST_PGVECTOR.join('.')} or later. Install it on the server of PostgreSQL (docs/postgres.md)${update}.`,
    );
  }
  if (available?.installed) return;
  try {
    await tx.unsafe('CREATE EXTENSION vector');
  } catch (cause) {
    if (!isForbidden(cause)) throw cause;
    throw new MemoryError(
      'STORE_FAILED',
      'The database lacks the extension vector. Run CREATE EXTENSION vector in it as a superuser (docs/postgres.md).',
      { cause },
    );
  }
}

function isAtLeast(version: string, [major, minor]: readonly [number, number]): boolean {
  const [a = 0, b = 0] = version.split('.').map(Number);
  return a > major || (a === major && b >= minor);
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
