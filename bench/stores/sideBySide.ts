/** SQLite and PostgreSQL in one run: a process for each store, alternating. */
import { fork, type ChildProcess } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { generateQueries } from '../generate.ts';
import { spread } from '../spread.ts';
import type { Cluster } from './cluster.ts';
import { askedMemories, sqliteFolder, type Layout, type Place, type StoreName } from './layouts.ts';
import { isBuilt } from './prepare.ts';
import type { ProbeAnswer, ProbeTask } from './probe.ts';

const PROBE = fileURLToPath(new URL('probe.ts', import.meta.url));
const MIB = 2 ** 20;
const WARM_UP = 30;
const ADDED = 500;

export const SIDE_BY_SIDE_HEAD = [
  '| turns · memories · store | ingest /s | with vectors /s | recall p50 ms | p95 | CPU ms of the process | of PostgreSQL | MB of the process | MB of PostgreSQL | MB on disk |',
  '| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |',
].join('\n');

export interface Measuring {
  readonly kept: string;
  readonly cluster: Cluster;
  readonly queries: number;
}

/** Rows of the table, one for each store that has the layout. */
export async function measureSideBySide(layout: Layout, measuring: Measuring): Promise<string[]> {
  const { kept, cluster } = measuring;
  const stores = (['SQLite', 'PostgreSQL'] as const).filter((store) => isBuilt(kept, layout, store));
  const probes = new Map<StoreName, Probe>(stores.map((store) => [store, new Probe()]));
  const memories = askedMemories(layout);
  for (const [store, probe] of probes) {
    await probe.ask({ do: 'open', place: placeOf(store, layout, measuring), memories });
  }
  const askedOf = await askInTurn(probes, memories.length, measuring);
  const rows: string[] = [];
  for (const [store, probe] of probes) {
    const added = await probe.ask({ do: 'add', turns: ADDED });
    const { ms, cpuMs, serverCpuMs } = askedOf.get(store) ?? notAsked();
    const { p50, p95 } = spread(ms);
    const serverBytes = store === 'SQLite' ? '' : (cluster.memoryBytes() / MIB).toFixed(0);
    const { rssBytes } = await probe.ask({ do: 'close' });
    probe.end();
    const bytes = store === 'SQLite' ? sqliteBytes(kept, layout) : await cluster.bytesOf(layout.name);
    const cells = [
      (ADDED / (added.ms / 1_000)).toFixed(0),
      (ADDED / (added.withVectorsMs / 1_000)).toFixed(0),
      p50.toFixed(1),
      p95.toFixed(1),
      (cpuMs / measuring.queries).toFixed(1),
      store === 'SQLite' ? '' : (serverCpuMs / measuring.queries).toFixed(1),
      (rssBytes / MIB).toFixed(0),
      serverBytes,
      (bytes / MIB).toFixed(0),
    ];
    const size = `${layout.turns.toLocaleString('en')} · ${layout.memories.toLocaleString('en')}`;
    rows.push(`| ${size} · ${store} | ${cells.join(' | ')} |`);
  }
  return rows;
}

/** Runs each query on one store after the other, so that other load affects both equally. */
async function askInTurn(
  probes: ReadonlyMap<StoreName, Probe>,
  memories: number,
  { queries, cluster }: Measuring,
): Promise<Map<StoreName, Asked>> {
  const askedOf = new Map<StoreName, Asked>([...probes.keys()].map((store) => [store, notAsked()]));
  for (const [i, query] of generateQueries(WARM_UP + queries).entries()) {
    if (i === WARM_UP) await probes.get('PostgreSQL')?.ask({ do: 'rest' });
    for (const [store, probe] of probes) {
      const before = cluster.cpuSeconds();
      const { ms, cpuMs } = await probe.ask({ do: 'recall', memory: i % memories, query });
      const asked = askedOf.get(store);
      if (i < WARM_UP || !asked) continue;
      asked.ms.push(ms);
      asked.cpuMs += cpuMs;
      asked.serverCpuMs += (cluster.cpuSeconds() - before) * 1_000;
    }
  }
  return askedOf;
}

/** What the queries took. */
interface Asked {
  readonly ms: number[];
  /** CPU time of the process, and of the database server meanwhile. */
  cpuMs: number;
  serverCpuMs: number;
}

function notAsked(): Asked {
  return { ms: [], cpuMs: 0, serverCpuMs: 0 };
}

function placeOf(store: StoreName, layout: Layout, { kept, cluster }: Measuring): Place {
  if (store === 'SQLite') return { dataDir: sqliteFolder(kept, layout) };
  return { dataDir: join(kept, 'server'), store: cluster.url(layout.name) };
}

class Probe {
  readonly #child: ChildProcess = fork(PROBE);

  async ask(task: ProbeTask): Promise<ProbeAnswer> {
    const { promise, resolve, reject } = Promise.withResolvers<ProbeAnswer>();
    const fail = (code: number | null) => reject(new Error(`The process of the store ended with ${code}.`));
    this.#child.once('message', (answer) => resolve(answer as ProbeAnswer));
    this.#child.once('exit', fail);
    this.#child.send(task);
    try {
      return await promise;
    } finally {
      this.#child.off('exit', fail);
    }
  }

  end(): void {
    this.#child.disconnect();
  }
}

/** The size of all memories, estimated from the mean size of those that exist. */
function sqliteBytes(kept: string, layout: Layout): number {
  const folder = sqliteFolder(kept, layout);
  const names = readdirSync(folder);
  const built = names.filter((name) => name.endsWith('.db') && name.startsWith('memory_')).length;
  const bytes = names.reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
  return (bytes / built) * layout.memories;
}
