/**
 * Measures partitions on other servers (foreign tables of postgres_fdw) against local ones, side by side in one run:
 * three PostgreSQL servers on loopback, one of them without rows of its own.
 *
 *     node bench/shards.ts [--turns 1000] [--queries 40]
 *
 * Prints Markdown; docs/decisions/0030 draws the conclusions.
 */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { internals, openMemory, type Memory } from '../src/engine/engine.ts';
import { missingForServer, TestServer } from '../test/postgres/server.ts';
import { withDatabase } from '../test/postgres/shared.ts';
import { generateQueries, generateTurns } from './generate.ts';
import { spread } from './spread.ts';

const SETTINGS = "fsync = off\nshared_buffers = 256MB\nshared_preload_libraries = 'pg_stat_statements'";
/** Number of partitions of each table in a new schema. */
const PARTITIONS = 16;
const WARM_UP = 10;
const STATEMENTS = 200;

/** The ids of memories differ between databases; here all have the same id. */
const FIRST_MEMORY = `CREATE TEMP TABLE kept AS SELECT * FROM memory; DELETE FROM memory;
  INSERT INTO memory OVERRIDING SYSTEM VALUE SELECT 1, name, time_zone, wrapped_key, copying, analysis_version,
    names_version FROM kept`;

const ONE_ROW = "SELECT id, model FROM vector_set WHERE memory_id = 1 AND role = 'serving'";

const { values } = parseArgs({
  options: { turns: { type: 'string', default: '1000' }, queries: { type: 'string', default: '40' } },
});

const dataDir = mkdtempSync(join(tmpdir(), 'omoide-shards-'));
const servers: TestServer[] = [];
const missing = missingForServer();
if (missing === null) {
  try {
    await measure(Number(values.turns), Number(values.queries));
  } finally {
    await clear();
  }
} else {
  process.stderr.write(`${missing}.\n`);
  process.exitCode = 1;
}

async function measure(turns: number, queries: number): Promise<void> {
  for (let i = 0; i < 3; i += 1) servers.push(await TestServer.start(SETTINGS));
  const [coordinator, ...shards] = servers.map((server) => server.url());
  if (!coordinator) return;
  for (const url of [coordinator, ...shards]) {
    await (await open(url)).close();
    await withDatabase(url, (sql) => sql.unsafe(FIRST_MEMORY));
  }
  const partition = await partitionOfFirst(coordinator);
  const shard = shards[partition % shards.length] ?? '';
  await fill(shard, turns);
  await useForeignPartitions(coordinator, servers.slice(1));
  print(
    `${cpus()[0]?.model.trim()}, ${cpus().length} cores, load ${loadavg()[0]?.toFixed(1)}; ${turns} turns.\n`,
  );
  print('| | local partitions | foreign partitions | times |');
  print('| --- | ---: | ---: | ---: |');
  await measureRecall(shard, coordinator, queries);
  // Without it, sorting is not sent to a shard.
  await withDatabase(coordinator, (sql) =>
    sql.unsafe(
      shards.map((_, i) => `ALTER SERVER shard_${i} OPTIONS (ADD use_remote_estimate 'true')`).join(';'),
    ),
  );
  const near = `SELECT unit_id FROM unit_vector WHERE memory_id = 1 AND set_id = 1 AND dimensions = 256
    ORDER BY embedding::halfvec(256) <=> '[${[...randomBytes(256)].join(',')}]'::halfvec(256) LIMIT 20`;
  const named = near.replace('FROM unit_vector', `FROM unit_vector_${partition}`);
  await measureStatement('one row by its key, ms', { shard, coordinator }, ONE_ROW);
  await measureStatement('20 nearest vectors, ms', { shard, coordinator }, near);
  await measureStatement('the same, of a partition by its name', { shard, coordinator }, named);
  print('\nWhat the coordinator sends to the shard:\n');
  for (const sql of [ONE_ROW, near, named]) print(`- ${await remoteStatements(coordinator, sql)}`);
  print(`\nAdding a turn through the coordinator: ${await tryToAdd(coordinator)}`);
}

async function open(store: string): Promise<Memory> {
  const embedder = { provider: 'static' } as const;
  return openMemory({ dataDir, store, memoryId: 'bench', embedder, worker: false, learn: false });
}

async function fill(url: string, turns: number): Promise<void> {
  const memory = await open(url);
  await memory.add([...generateTurns(turns)]);
  await internals(memory).settle();
  await memory.close();
  await withDatabase(url, (sql) => sql.unsafe('ANALYZE; CREATE EXTENSION pg_stat_statements'));
}

/** The partition of the first memory of a database. */
async function partitionOfFirst(url: string): Promise<number> {
  return withDatabase(url, async (sql) => {
    const [row] = await sql`SELECT n FROM generate_series(0, ${PARTITIONS - 1}) n
      WHERE satisfies_hash_partition('turn'::regclass, ${PARTITIONS}, n, 1)`;
    return Number(row?.['n']);
  });
}

/**
 * Replaces the partitions with foreign tables, those with odd numbers on the second server. PostgreSQL does not allow
 * unique indexes, and so primary keys, or the trigger on turns with foreign partitions: these are dropped.
 */
async function useForeignPartitions(coordinator: string, shards: readonly TestServer[]): Promise<void> {
  await withDatabase(coordinator, async (sql) => {
    await sql.unsafe('CREATE EXTENSION postgres_fdw');
    for (const [i, { port }] of shards.entries()) {
      await sql.unsafe(`CREATE SERVER shard_${i} FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '127.0.0.1',
        port '${port}', dbname 'postgres', extensions 'vector', batch_size '1000', fetch_size '10000');
        CREATE USER MAPPING FOR postgres SERVER shard_${i} OPTIONS (user 'postgres')`);
    }
    await sql.unsafe(`
      ALTER DATABASE postgres SET enable_partitionwise_join = on;
      ALTER DATABASE postgres SET plan_cache_mode = force_custom_plan;
      DROP TRIGGER turn_is_never_changed ON turn;
      DO $$ DECLARE t record; part integer; BEGIN
        FOR t IN SELECT c.oid, c.relname FROM pg_class c WHERE c.relkind = 'p' LOOP
          FOR part IN SELECT i.indexrelid FROM pg_index i WHERE i.indrelid = t.oid LOOP
            EXECUTE coalesce((SELECT format('ALTER TABLE %I DROP CONSTRAINT %I', t.relname, conname)
              FROM pg_constraint WHERE conindid = part), format('DROP INDEX %s', part::regclass));
          END LOOP;
          FOR part IN 0 .. ${PARTITIONS - 1} LOOP
            EXECUTE format('DROP TABLE %I', t.relname || '_' || part);
            EXECUTE format('CREATE FOREIGN TABLE %I PARTITION OF %I
              FOR VALUES WITH (MODULUS ${PARTITIONS}, REMAINDER %s) SERVER shard_%s',
              t.relname || '_' || part, t.relname, part, part % ${shards.length});
          END LOOP;
        END LOOP;
      END $$;
      ANALYZE`);
  });
  const keys = await withDatabase(
    servers[1 + ((await partitionOfFirst(coordinator)) % 2)]?.url() ?? '',
    (sql) => sql<{ key: string }[]>`SELECT encode(wrapped_key, 'hex') AS key FROM memory`,
  );
  await withDatabase(
    coordinator,
    (sql) => sql`UPDATE memory SET wrapped_key = decode(${keys[0]?.key ?? ''}, 'hex')`,
  );
}

async function measureRecall(shard: string, coordinator: string, count: number): Promise<void> {
  const memories = { local: await open(shard), foreign: await open(coordinator) };
  const taken = { local: [] as number[], foreign: [] as number[] };
  const sent = { local: 0, foreign: 0 };
  for (const [i, { text, context }] of generateQueries(WARM_UP + count).entries()) {
    for (const place of ['local', 'foreign'] as const) {
      const before = await statementsOf(shard);
      const startedAt = performance.now();
      await memories[place].recall(text, { context });
      if (i < WARM_UP) continue;
      taken[place].push(performance.now() - startedAt);
      sent[place] += (await statementsOf(shard)) - before;
    }
  }
  await Promise.all(Object.values(memories).map((memory) => memory.close()));
  const [local, foreign] = [spread(taken.local), spread(taken.foreign)];
  printRow('recall, median, ms', local.p50, foreign.p50);
  printRow('recall, p95, ms', local.p95, foreign.p95);
  printRow('statements that the shard ran for a recall', sent.local / count, sent.foreign / count);
}

async function statementsOf(url: string): Promise<number> {
  return withDatabase(url, async (sql) => {
    const [row] = await sql`SELECT sum(calls) AS calls FROM pg_stat_statements
      WHERE query !~ 'pg_stat_statements|pg_catalog'`;
    return Number(row?.['calls'] ?? 0);
  });
}

async function measureStatement(
  name: string,
  places: { shard: string; coordinator: string },
  statement: string,
): Promise<void> {
  const times = async (url: string) =>
    withDatabase(url, async (sql) => {
      const taken: number[] = [];
      for (let i = 0; i < WARM_UP + STATEMENTS; i += 1) {
        const startedAt = performance.now();
        await sql.unsafe(statement, [], { prepare: true });
        if (i >= WARM_UP) taken.push(performance.now() - startedAt);
      }
      return spread(taken).p50;
    });
  printRow(name, await times(places.shard), await times(places.coordinator));
}

/** From the query plan: the statements sent to the servers, and what the coordinator does with the rows. */
async function remoteStatements(url: string, statement: string): Promise<string> {
  return withDatabase(url, async (sql) => {
    const rows = await sql.unsafe(`EXPLAIN (VERBOSE, COSTS OFF) ${statement}`);
    const lines = rows.map((row) => String(row['QUERY PLAN']).replaceAll(/\[[\d,]+\]/g, '[…]'));
    const remote = lines.flatMap((line) => /Remote SQL: (.*)/.exec(line)?.[1] ?? []);
    const isSortedHere = lines.some((line) => line.includes('Sort Key'));
    return `\`${remote.join('`, `')}\`${isSortedHere ? '; sorted on the coordinator' : ''}`;
  });
}

async function tryToAdd(url: string): Promise<string> {
  const memory = await open(url);
  try {
    const [turn] = generateTurns(1);
    if (turn) await memory.add([{ ...turn, conversationId: 'new' }]);
    return 'kept.';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    await memory.close();
  }
}

async function clear(): Promise<void> {
  for (const server of servers) await server.remove();
  rmSync(dataDir, { recursive: true, force: true });
}

function printRow(name: string, local: number, foreign: number): void {
  print(`| ${name} | ${local.toFixed(2)} | ${foreign.toFixed(2)} | ${(foreign / local).toFixed(1)} |`);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
