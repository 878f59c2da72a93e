/** Roles as docs/postgres.md describes them: one that owns the tables, and one for servers. */
import { readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openPostgresBroadcasts, openPostgresStore } from '../../src/store/postgres/postgres.ts';
import type { Store } from '../../src/store/store.ts';
import { draft } from '../conformance/samples.ts';
import { newDatabase } from './processes.ts';
import { missingForServer } from './server.ts';
import { sharedServer, withDatabase } from './shared.ts';

const MIGRATIONS = new URL('../../src/store/postgres/migrations/', import.meta.url);
const LISTENER = { onChange() {}, onEvent() {}, onMessage() {}, onErased() {}, onBreak() {} };

async function open(url: string): Promise<Store> {
  const store = await openPostgresStore(url, {
    memoryId: 'hana',
    timeZone: 'UTC',
    partitions: 2,
    keys: { folder: tmpdir() },
  });
  onTestFinished(() => store.close());
  return store;
}

interface Roles {
  /** For the superuser. */
  readonly url: string;
  readonly owner: string;
  readonly app: string;
  readonly ownerUrl: string;
  readonly appUrl: string;
}

/** An empty database, its owner, and a role without rights. Neither is a superuser. */
async function twoRoles(extension: 'with pgvector' | 'without pgvector' = 'with pgvector'): Promise<Roles> {
  const url = await newDatabase(await sharedServer());
  const name = new URL(url).pathname.slice(1);
  const [owner, app] = [`owner_of_${name}`, `app_of_${name}`];
  await withDatabase(url, async (sql) => {
    await sql.unsafe(
      `CREATE ROLE ${owner} LOGIN; CREATE ROLE ${app} LOGIN; ALTER DATABASE ${name} OWNER TO ${owner}`,
    );
    if (extension === 'with pgvector') await sql.unsafe('CREATE EXTENSION vector');
  });
  const as = (role: string) => url.replace('postgres@', `${role}@`);
  return { url, owner, app, ownerUrl: as(owner), appUrl: as(app) };
}

/** The schema of an earlier version, without its last migration, created by the owner, who then grants the role its rights. */
async function createOldSchema({ ownerUrl, app }: Roles): Promise<number> {
  const files = readdirSync(MIGRATIONS)
    .filter((name) => name.endsWith('.sql'))
    .sort()
    .slice(0, -1);
  await withDatabase(ownerUrl, (sql) =>
    sql.begin(async (tx) => {
      await tx`SELECT set_config('omoide.partitions', '2', true)`;
      await tx`CREATE TABLE omoide_schema (version integer NOT NULL, at timestamptz NOT NULL)`;
      for (const [i, file] of files.entries()) {
        await tx.unsafe(readFileSync(new URL(file, MIGRATIONS), 'utf8'));
        await tx`INSERT INTO omoide_schema VALUES (${i + 1}, now())`;
      }
      await tx`SELECT omoide_grant(${app}::regrole), omoide_grant_work(${app}::regrole)`;
    }),
  );
  return files.length;
}

/** Everything that a migration could leave half done. */
async function schemaOf(url: string): Promise<unknown> {
  return withDatabase(url, async (sql) => ({
    versions: await sql`SELECT version FROM omoide_schema ORDER BY 1`,
    columns: await sql`SELECT table_name, column_name FROM information_schema.columns
      WHERE table_schema = 'public' ORDER BY 1, 2`,
    functions: await sql`SELECT proname FROM pg_proc WHERE pronamespace = 'public'::regnamespace ORDER BY 1`,
    memories: await sql`SELECT name FROM memory`,
  }));
}

const missing = missingForServer();
describe.skipIf(missing !== null)(`roles of a database ${missing ?? ''}`, () => {
  test('the role of servers cannot update the schema: it changes nothing, and names the command for the owner', async () => {
    const roles = await twoRoles();
    const version = await createOldSchema(roles);
    const before = await schemaOf(roles.url);
    const expected = {
      code: 'STORE_FAILED',
      message: expect.stringMatching(
        new RegExp(
          `has schema ${version}, .* the role ${roles.app} may not .*“omoide ingest FILE --store 'postgres://${roles.owner}@`,
        ),
      ) as string,
    };
    await expect(open(roles.appUrl)).rejects.toMatchObject(expected);
    await expect(openPostgresBroadcasts(roles.appUrl, LISTENER)).rejects.toMatchObject(expected);
    expect(await schemaOf(roles.url)).toEqual(before);
    await (await open(roles.ownerUrl)).close();
    const store = await open(roles.appUrl);
    await store.evidence.append([draft('The herons are back.')]);
    expect(await store.admin.verify()).toMatchObject({ turns: 1, problems: [] });
  });

  test('the command for the owner names a memory of the database', async () => {
    const roles = await twoRoles();
    await createOldSchema(roles);
    await withDatabase(roles.url, (sql) =>
      sql.unsafe(
        `INSERT INTO memory (name, time_zone, wrapped_key, analysis_version, names_version) VALUES ('ken', 'UTC', '', 1, 1)`,
      ),
    );
    await expect(open(roles.appUrl)).rejects.toThrow("“omoide jobs --memory 'ken' --store");
  });

  test('a role that may not create tables in an empty database is told who may', async () => {
    const roles = await twoRoles();
    await expect(open(roles.appUrl)).rejects.toThrow(
      new RegExp(`has no tables of Omoide, .* as the owner: .*postgres://${roles.owner}@`),
    );
  });

  test('an owner who may not create the extension is told the statement for the superuser', async () => {
    const { url, ownerUrl } = await twoRoles('without pgvector');
    await expect(open(ownerUrl)).rejects.toThrow('Run CREATE EXTENSION vector in it as a superuser');
    await withDatabase(url, (sql) => sql.unsafe('CREATE EXTENSION vector'));
    expect((await open(ownerUrl)).memoryId).toBe('hana');
  });
});
