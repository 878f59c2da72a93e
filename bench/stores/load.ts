/** Many clients and several servers on one database. */
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { generateQueries } from '../generate.ts';
import { spread } from '../spread.ts';
import { cpuSecondsOf, type Cluster } from './cluster.ts';
import { nameOf, type Layout } from './layouts.ts';

const CLI = fileURLToPath(new URL('../../src/cli/cli.ts', import.meta.url));
const TOKEN = 'a-token-of-the-benchmark-and-nothing-else';
const CLIENTS = 32;
const PER_SECOND = 200;
const WARM_UP_MS = 5_000;
/** Share of a core for each compared server: two of them, the database and the clients fit on two cores. */
const SERVER_SHARE = 0.3;
const QUERIES = generateQueries(1_000, 5);

export interface Loading {
  readonly kept: string;
  readonly cluster: Cluster;
  readonly seconds: number;
}

/**
 * Each memory is recalled once, as fast as the recalls are answered. Then recalls arrive at a steady rate, whether or not
 * earlier ones have finished, each at a random memory of the layout.
 */
export async function measureOpenLoop(layout: Layout, loading: Loading): Promise<string[]> {
  const servers = await startServers(layout, loading, { count: 1 });
  const measured = async (what: string, load: Load): Promise<string> => {
    const before = { server: servers[0]?.cpuSeconds() ?? 0, database: loading.cluster.cpuSeconds() };
    const { ms, failed } = await recallAll(load, servers);
    const used = {
      server: (servers[0]?.cpuSeconds() ?? 0) - before.server,
      database: loading.cluster.cpuSeconds() - before.database,
    };
    const { p50, p95, max } = spread(ms);
    const each = (seconds: number) => ((seconds * 1_000) / Math.max(1, ms.length)).toFixed(1);
    const times = [p50.toFixed(1), p95.toFixed(1), max.toFixed(0)];
    const megabytes = ((servers[0]?.residentBytes() ?? 0) / 2 ** 20).toFixed(0);
    const cells = [ms.length, failed, ...times, each(used.server), each(used.database), megabytes];
    return `| ${what} | ${cells.join(' | ')} |`;
  };
  try {
    const first = await measured('the first of each memory', {
      count: layout.memories,
      perSecond: null,
      memoryOf: (n) => n,
    });
    const later = await measured(`later, ${PER_SECOND} a second`, {
      ...atRandom(layout, PER_SECOND),
      count: PER_SECOND * loading.seconds,
    });
    return [
      `${layout.memories.toLocaleString('en')} memories, ${CLIENTS} clients, one server:\n`,
      '| recalls | answered | failed | p50 ms | p95 | max | CPU ms of the server | of PostgreSQL | MB of the server |',
      '| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |',
      first,
      later,
    ];
  } finally {
    for (const server of servers) await server.stop();
  }
}

/** Sends recalls as fast as they are answered, to one server and to two, each with the same share of a core. */
export async function compareServers(layout: Layout, loading: Loading): Promise<string[]> {
  const rows: string[] = [];
  for (const count of [1, 2]) {
    const servers = await startServers(layout, loading, { count, share: SERVER_SHARE });
    try {
      await recallAll({ ...atRandom(layout, null), forMs: WARM_UP_MS }, servers);
      const before = loading.cluster.cpuSeconds();
      const load = { ...atRandom(layout, null), forMs: loading.seconds * 1_000 };
      const { ms, failed } = await recallAll(load, servers);
      const cores = (loading.cluster.cpuSeconds() - before) / loading.seconds;
      const { p50, p95 } = spread(ms);
      const cells = [
        count,
        (ms.length / loading.seconds).toFixed(1),
        failed,
        p50.toFixed(0),
        p95.toFixed(0),
        cores.toFixed(2),
      ];
      rows.push(`| ${cells.join(' | ')} |`);
    } finally {
      for (const server of servers) await server.stop();
    }
  }
  return [
    `${CLIENTS} clients that wait for each answer, servers with ${SERVER_SHARE} of a core each, ${loading.seconds} s:\n`,
    '| servers | recalls /s | failed | p50 ms | p95 | cores of PostgreSQL |',
    '| ---: | ---: | ---: | ---: | ---: | ---: |',
    ...rows,
  ];
}

interface Loaded {
  /** The time from the planned start of each to its answer. */
  readonly ms: number[];
  readonly failed: number;
}

/** Which recalls are sent. */
interface Load {
  /** Null: each client sends the next request after its answer. */
  readonly perSecond: number | null;
  /** The memory of the n-th recall. */
  readonly memoryOf: (n: number) => number;
  /** One of these ends it. */
  readonly count?: number;
  readonly forMs?: number;
}

function atRandom({ memories }: Layout, perSecond: number | null): Load {
  return { perSecond, memoryOf: () => Math.floor(Math.random() * memories) };
}

async function recallAll(load: Load, servers: readonly Server[]): Promise<Loaded> {
  const { perSecond, memoryOf, count = Infinity, forMs = Infinity } = load;
  const ms: number[] = [];
  let [failed, sent] = [0, 0];
  const startedAt = performance.now();
  const dueAt = (n: number) => (perSecond === null ? performance.now() : startedAt + (n * 1_000) / perSecond);
  const client = async () => {
    for (;;) {
      const n = sent++;
      const due = dueAt(n);
      if (n >= count || due - startedAt > forMs) return;
      if (due > performance.now()) await pause(due - performance.now());
      const isAnswered = await servers[n % servers.length]?.recall(nameOf(memoryOf(n)), n).catch(() => false);
      if (isAnswered) ms.push(performance.now() - due);
      else failed += 1;
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  return { ms, failed };
}

class Server {
  readonly #child: ChildProcess;
  readonly #url: string;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: CLIENTS });
  readonly #group: string | null;

  constructor(child: ChildProcess, url: string, group: string | null) {
    this.#child = child;
    this.#url = url;
    this.#group = group;
  }

  async recall(memory: string, n: number): Promise<boolean> {
    const query = QUERIES[n % QUERIES.length];
    const body = JSON.stringify({ utterance: query?.text, context: query?.context });
    const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };
    const path = `${this.#url}/api/memories/${memory}/recall`;
    return new Promise((resolve, reject) => {
      const sent = request(path, { method: 'POST', agent: this.#agent, headers }, (response) => {
        response.resume().once('end', () => resolve(response.statusCode === 200));
      });
      sent.once('error', reject).end(body);
    });
  }

  cpuSeconds(): number {
    return cpuSecondsOf(String(this.#child.pid));
  }

  residentBytes(): number {
    const [, kb = '0'] =
      /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${this.#child.pid}/status`, 'utf8')) ?? [];
    return Number(kb) * 1_024;
  }

  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#child.kill('SIGTERM');
    await ended;
    this.#agent.destroy();
    if (this.#group) rmdirSync(this.#group);
  }
}

/** @param options `share`: of a core for each; default: no limit */
async function startServers(
  layout: Layout,
  { kept, cluster }: Loading,
  { count, share }: { readonly count: number; readonly share?: number },
): Promise<Server[]> {
  return Promise.all(
    Array.from({ length: count }, async (_, i) => {
      const dataDir = join(kept, 'server');
      mkdirSync(dataDir, { recursive: true, mode: 0o700 });
      const place = ['--data', dataDir, '--store', cluster.url(layout.name), '--port', '0'];
      const words = ['serve', '--json', '--no-worker', '--embedder', 'static', ...place];
      const env = {
        ...process.env,
        OMOIDE_TOKEN: TOKEN,
        OMOIDE_RATE_LIMIT_PER_MINUTE: '10000000',
        OMOIDE_LOG_LEVEL: 'error',
      };
      const child = spawn(process.execPath, [CLI, ...words], { stdio: ['ignore', 'pipe', 'inherit'], env });
      process.once('exit', () => child.kill('SIGKILL'));
      const url = await new Promise<string>((resolve, reject) => {
        createInterface({ input: child.stdout }).once('line', (line) => {
          resolve((JSON.parse(line) as { url: string }).url);
        });
        child.once('exit', (code) => reject(new Error(`The server ended with ${code}.`)));
      });
      const group = share === undefined ? null : limitCpu(child.pid ?? 0, share, `omoide-bench-${i}`);
      return new Server(child, url, group);
    }),
  );
}

const PERIOD_US = 20_000;

/** Uses a control group of the kernel. Returns its folder. @throws Error where none can be created */
function limitCpu(pid: number, share: number, name: string): string {
  const quota = String(Math.round(share * PERIOD_US));
  const parent = existsSync('/sys/fs/cgroup/cpu') ? '/sys/fs/cgroup/cpu' : '/sys/fs/cgroup';
  const folder = join(parent, name);
  mkdirSync(folder, { recursive: true });
  if (parent.endsWith('/cpu')) {
    writeFileSync(join(folder, 'cpu.cfs_period_us'), String(PERIOD_US));
    writeFileSync(join(folder, 'cpu.cfs_quota_us'), quota);
  } else writeFileSync(join(folder, 'cpu.max'), `${quota} ${PERIOD_US}`);
  writeFileSync(join(folder, 'cgroup.procs'), String(pid));
  return folder;
}
