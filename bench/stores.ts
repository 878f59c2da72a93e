/**
 * Measures SQLite and PostgreSQL side by side in one run, on a PostgreSQL server made for it in a temporary folder.
 *
 *     node bench/stores.ts [--turns 1000,10000] [--memories 1] [--clients 1] [--queries 200]
 *
 * The turns are spread evenly over the memories. Prints a table in Markdown.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { missingForServer, TestServer } from '../test/postgres/server.ts';
import { withDatabase } from '../test/postgres/shared.ts';
import type { FillResult, RecallResult, StorePlace, StoreTask } from './storeProbe.ts';

const PROBE = fileURLToPath(new URL('storeProbe.ts', import.meta.url));
const MIB = 2 ** 20;

const { values } = parseArgs({
  options: {
    turns: { type: 'string', default: '1000,10000' },
    memories: { type: 'string', default: '1' },
    clients: { type: 'string', default: '1' },
    queries: { type: 'string', default: '200' },
  },
});
const memories = wholeNumber(values.memories);
const clients = wholeNumber(values.clients);
const queries = wholeNumber(values.queries);

const missing = missingForServer();
if (missing !== null) {
  process.stderr.write(`${missing}.\n`);
  process.exitCode = 1;
} else await measure();

async function measure(): Promise<void> {
  const server = await TestServer.start('fsync = on\nshared_buffers = 512MB\nmax_wal_size = 4GB');
  process.once('exit', () => server.discard());
  print(
    `${cpus()[0]?.model.trim()}, ${cpus().length} cores, Node.js ${process.version}; load ${loadavg()[0]?.toFixed(1)}`,
  );
  print(`at the start; ${memories} memories, ${clients} clients, ${queries} queries; static embedder.\n`);
  print(
    '| turns · store | ingest /s | with vectors /s | recall p50 ms | p95 | recalls /s | MB of the process | MB on disk |',
  );
  print('| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |');
  try {
    for (const size of values.turns.split(',').map(wholeNumber)) await measureSize(server, size);
  } finally {
    await server.remove();
  }
}

async function measureSize(server: TestServer, turns: number): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'omoide-bench-'));
  const database = `bench_${turns}`;
  await withDatabase(server.url(), (sql) => sql.unsafe(`CREATE DATABASE ${database}`));
  const places: Record<string, StorePlace> = {
    SQLite: { dataDir: join(dataDir, 'sqlite') },
    PostgreSQL: { dataDir: join(dataDir, 'postgres'), store: server.url(database) },
  };
  try {
    const filled = new Map<string, FillResult>();
    for (const [name, place] of Object.entries(places)) {
      filled.set(name, await probe<FillResult>({ probe: 'fill', place, turns, memories }));
    }
    await withDatabase(server.url(database), (sql) => sql.unsafe('ANALYZE'));
    const recalled = await probe<RecallResult>({ probe: 'recall', places, memories, clients, queries });
    const bytes = {
      SQLite: folderBytes(join(dataDir, 'sqlite')),
      PostgreSQL: await databaseBytes(server.url(database)),
    };
    for (const name of ['SQLite', 'PostgreSQL'] as const) {
      printRow(`${turns.toLocaleString('en')} · ${name}`, filled.get(name), recalled[name], bytes[name]);
    }
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

function printRow(
  name: string,
  filled: FillResult | undefined,
  recalled: RecallResult[string] | undefined,
  bytes: number,
): void {
  const cells = [
    filled?.turnsPerSecond.toFixed(0),
    filled?.withVectorsPerSecond.toFixed(0),
    recalled?.ms.p50.toFixed(1),
    recalled?.ms.p95.toFixed(1),
    recalled?.perSecond.toFixed(0),
    filled?.rssMb.toFixed(0),
    (bytes / MIB).toFixed(0),
  ];
  print(`| ${name} | ${cells.join(' | ')} |`);
}

async function probe<Result>(task: StoreTask): Promise<Result> {
  const { stdout } = await promisify(execFile)(process.execPath, [PROBE, JSON.stringify(task)]);
  return JSON.parse(stdout) as Result;
}

async function databaseBytes(url: string): Promise<number> {
  return withDatabase(url, async (sql) => {
    const [row] = await sql`SELECT pg_database_size(current_database()) AS bytes`;
    return Number(row?.['bytes'] ?? 0);
  });
}

function folderBytes(folder: string): number {
  return readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function wholeNumber(text: string): number {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value > 0) return value;
  throw new Error(`${text} is no whole number above 0.`);
}
