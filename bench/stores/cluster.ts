/** The PostgreSQL server of the benchmark, on a free port of loopback, with a permanent data folder. */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { serverPrograms } from '../../test/postgres/binaries.ts';
import { freePort } from '../../test/postgres/server.ts';
import { withDatabase } from '../../test/postgres/shared.ts';

/** PostgreSQL refuses to run as root. */
const NOBODY = 65_534;
const identity = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
const MAX_START_MS = 120_000;

/** Settings for a machine with 16 GB; every commit is written to the disk. */
const SETTINGS = `
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
max_connections = 200
max_locks_per_transaction = 1024
shared_buffers = 2GB
maintenance_work_mem = 1GB
max_wal_size = 8GB
checkpoint_timeout = 15min
wal_compression = on
effective_cache_size = 8GB
timezone = 'UTC'
`;

export class Cluster {
  readonly #port: number;
  readonly #process: ChildProcess;

  private constructor(port: number, process: ChildProcess) {
    this.#port = port;
    this.#process = process;
  }

  /** Starts the server in the folder; creates the database cluster if it is missing. */
  static async start(folder: string): Promise<Cluster> {
    if (!existsSync(join(folder, 'initialized'))) make(folder);
    const port = await freePort();
    const args = ['-D', folder, '-c', `port=${port}`, '-c', 'log_min_messages=fatal'];
    const child = spawn(join(serverPrograms(), 'postgres'), args, {
      ...identity,
      cwd: '/',
      stdio: ['ignore', 'ignore', 'ignore'],
    });
    const cluster = new Cluster(port, child);
    process.once('exit', () => child.kill('SIGQUIT'));
    for (const deadline = Date.now() + MAX_START_MS; !(await cluster.#answers());) {
      if (child.exitCode !== null || Date.now() > deadline) throw new Error('PostgreSQL did not start.');
      await pause(100);
    }
    return cluster;
  }

  url(database = 'postgres'): string {
    return `postgres://postgres@127.0.0.1:${this.#port}/${database}`;
  }

  /** The URL of the database, which is created if it is missing. */
  async database(name: string): Promise<string> {
    await withDatabase(this.url(), async (sql) => {
      const [kept] = await sql`SELECT 1 FROM pg_database WHERE datname = ${name}`;
      if (!kept) await sql.unsafe(`CREATE DATABASE ${name}`);
    });
    return this.url(name);
  }

  async bytesOf(database: string): Promise<number> {
    return withDatabase(this.url(), async (sql) => {
      const [row] = await sql`SELECT pg_database_size(${database}) AS bytes`;
      return Number(row?.['bytes'] ?? 0);
    });
  }

  /** Memory of all its processes, with shared memory counted once. */
  memoryBytes(): number {
    const pid = this.#process.pid ?? 0;
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
    return [String(pid), ...children].reduce((sum, one) => sum + proportionalBytes(one), 0);
  }

  /** CPU seconds of its processes, including ended ones. */
  cpuSeconds(): number {
    const pid = this.#process.pid ?? 0;
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
    return [String(pid), ...children].reduce((sum, one) => sum + cpuSecondsOf(one), 0);
  }

  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.#process.once('exit', resolve));
    this.#process.kill('SIGINT');
    await ended;
  }

  async #answers(): Promise<boolean> {
    try {
      await withDatabase(this.url(), (sql) => sql`SELECT 1`);
      return true;
    } catch {
      return false;
    }
  }
}

function make(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (identity.uid !== undefined) chownSync(folder, identity.uid, identity.gid);
  const args = ['-D', folder, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '-N'];
  execFileSync(join(serverPrograms(), 'initdb'), args, { ...identity, cwd: '/', stdio: 'ignore' });
  writeFileSync(join(folder, 'postgresql.conf'), SETTINGS);
  writeFileSync(join(folder, 'initialized'), '');
}

function proportionalBytes(pid: string): number {
  try {
    const [, kb = '0'] = /^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')) ?? [];
    return Number(kb) * 1_024;
  } catch {
    return 0;
  }
}

const TICKS_PER_SECOND = 100;

/** CPU seconds of a process, including its ended children. */
export function cpuSecondsOf(pid: string): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / TICKS_PER_SECOND;
  } catch {
    return 0;
  }
}
