/** Builds the databases of the benchmark. Each step runs once: an interrupted run continues. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type postgres from 'postgres';
import { internals, migrateMemory } from '../../src/engine/engine.ts';
import { openPostgresTarget } from '../../src/store/postgres/postgres.ts';
import type { Types } from '../../src/store/postgres/session.ts';
import { withDatabase } from '../../test/postgres/shared.ts';
import type { Cluster } from './cluster.ts';
import {
  askedMemories,
  nameOf,
  openBenchMemory,
  sqliteFolder,
  TEMPLATES,
  templatesOf,
  type Layout,
  type StoreName,
} from './layouts.ts';

type Sql = postgres.Sql<Types>;

/** Number of memories copied in one transaction. */
const COPIES = 50;
const NEAR = 'unit_vector_near_256';

export interface Building {
  readonly kept: string;
  readonly cluster: Cluster;
  readonly report: (line: string) => void;
}

export async function build(layout: Layout, store: StoreName, building: Building): Promise<void> {
  const done = doneFile(building.kept, layout, store);
  if (existsSync(done)) return;
  const startedAt = performance.now();
  await (store === 'SQLite' ? buildSqlite(layout, building) : buildPostgres(layout, building));
  mkdirSync(join(building.kept, 'done'), { recursive: true });
  writeFileSync(done, '');
  building.report(`${layout.name} ${store}: ${((performance.now() - startedAt) / 1_000).toFixed(0)} s`);
}

export function isBuilt(kept: string, layout: Layout, store: StoreName): boolean {
  return existsSync(doneFile(kept, layout, store));
}

function doneFile(kept: string, { name }: Layout, store: StoreName): string {
  return join(kept, 'done', `${name}-${store}`);
}

/** Fills every memory through the library. Memories that are not queried are left out, because each is a separate file. */
async function buildSqlite(
  layout: Layout,
  { kept }: Building,
  memories: readonly number[] = askedMemories(layout),
): Promise<void> {
  const templates = templatesOf(layout);
  const dataDir = sqliteFolder(kept, layout);
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  for (const i of memories) {
    if (existsSync(join(dataDir, `complete_${i}`))) continue;
    const memory = await openBenchMemory({ dataDir }, i);
    await memory.add(templates[i % templates.length] ?? []);
    await internals(memory).settle();
    await memory.close();
    writeFileSync(join(dataDir, `complete_${i}`), '');
  }
}

/** The first memories are moved from SQLite, like `omoide migrate`; the others are copies within the database. */
async function buildPostgres(layout: Layout, building: Building): Promise<void> {
  const templates = Math.min(layout.memories, TEMPLATES);
  await buildSqlite(layout, building, [...Array(templates).keys()]);
  const { kept, cluster, report } = building;
  const from = { dataDir: sqliteFolder(kept, layout) };
  const store = await cluster.database(layout.name);
  const target = await openPostgresTarget({ url: store, memoryId: nameOf(0), keys: { folder: kept } });
  await target.close();
  await withDatabase(store, async (sql) => {
    for (let i = 0; i < templates; i += 1) {
      const [known] = await sql`SELECT 1 FROM memory WHERE name = ${nameOf(i)} AND copying IS NULL`;
      if (!known) {
        await migrateMemory({ memoryId: nameOf(i), from, to: { dataDir: kept, store } });
        report(`${layout.name} PostgreSQL: ${nameOf(i)}`);
      }
      // The first copy builds the index at once. Of the others, that would take a tenth of the time of updating it, too; the
      // view prevents it from being created earlier.
      const [index] = await sql`SELECT 1 FROM pg_class WHERE relname = ${NEAR} AND relkind = 'I'`;
      if (index && layout.memories > 1)
        await sql.unsafe(`DROP INDEX ${NEAR}; CREATE VIEW ${NEAR} AS SELECT 1`);
    }
    await repeat(sql, templates, layout.memories);
    if (layout.memories > 1) await sql.unsafe(`DROP VIEW ${NEAR}; SELECT omoide_index_vectors(256)`);
    await sql.unsafe('VACUUM ANALYZE');
  });
}

/** Copies the first `templates` memories until there are `count`. */
async function repeat(sql: Sql, templates: number, count: number): Promise<void> {
  const tables = await copiedTables(sql);
  const [row] = await sql<{ count: string }[]>`SELECT count(*) FROM memory`;
  for (let at = Number(row?.count ?? 0); at < count; at += COPIES) {
    const names = Array.from({ length: Math.min(COPIES, count - at) }, (_, i) => at + i);
    await sql.begin(async (tx) => {
      await tx.unsafe('SET LOCAL synchronous_commit = off');
      await tx.unsafe(
        `CREATE TEMP TABLE copied ON COMMIT DROP AS WITH made AS (
           INSERT INTO memory (name, time_zone, wrapped_key, analysis_version, names_version)
           SELECT 'bench-' || n, m.time_zone, m.wrapped_key, m.analysis_version, m.names_version
           FROM unnest($1::integer[]) n JOIN memory m ON m.name = 'bench-' || (n % $2::integer)
           RETURNING id, name)
         SELECT made.id, m.id AS template FROM made
         JOIN memory m ON m.name = 'bench-' || (substr(made.name, 7)::integer % $2::integer)`,
        [names, templates],
      );
      for (const { name, columns } of tables) {
        await tx.unsafe(
          `INSERT INTO ${name} (memory_id, ${columns}) SELECT c.id, ${columns.replaceAll(/(\w+)/g, 't.$1')}
           FROM copied c JOIN ${name} t ON t.memory_id = c.template`,
        );
      }
    });
  }
}

async function copiedTables(sql: Sql): Promise<{ name: string; columns: string }[]> {
  return sql<{ name: string; columns: string }[]>`
    SELECT c.relname AS name, string_agg(a.attname, ', ' ORDER BY a.attnum) AS columns
    FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND a.attname <> 'memory_id'
    WHERE c.relkind = 'p' AND c.relnamespace = 'public'::regnamespace GROUP BY 1 ORDER BY 1`;
}
