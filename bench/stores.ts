/**
 * Measures SQLite and PostgreSQL side by side, in two steps:
 *
 *     node bench/stores.ts prepare --keep DIR [--layouts k1,k10] [--stores SQLite,PostgreSQL]
 *     node bench/stores.ts measure --keep DIR [--layouts k1,k10] [--queries 300] [--seconds 20] [--parts recall,load,servers]
 *
 * `prepare` builds the databases in a folder and continues after an interruption; `measure` opens existing ones and
 * prints tables in Markdown. See bench/stores.md.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { missingForServer } from '../test/postgres/server.ts';
import { Cluster } from './stores/cluster.ts';
import { LAYOUTS, type Layout, type StoreName } from './stores/layouts.ts';
import { compareServers, measureOpenLoop } from './stores/load.ts';
import { build, isBuilt } from './stores/prepare.ts';
import { measureSideBySide, SIDE_BY_SIDE_HEAD } from './stores/sideBySide.ts';

/** Many people with one memory each. */
const MANY = 'm1_in_10000';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    keep: { type: 'string' },
    layouts: { type: 'string', default: LAYOUTS.map(({ name }) => name).join(',') },
    stores: { type: 'string', default: 'SQLite,PostgreSQL' },
    queries: { type: 'string', default: '300' },
    seconds: { type: 'string', default: '20' },
    parts: { type: 'string', default: 'recall,load,servers' },
  },
});

const missing = missingForServer();
if (missing !== null) throw new Error(`${missing}.`);
if (values.keep === undefined) throw new Error('Name a folder: --keep DIR.');
const kept = resolve(values.keep);
mkdirSync(kept, { recursive: true });
useMasterKey(join(kept, 'master.key'));
const layouts = values.layouts.split(',').map(layoutOf);
const stores = (['SQLite', 'PostgreSQL'] as const).filter((store) =>
  values.stores.split(',').includes(store),
);
const cluster = await Cluster.start(join(kept, 'postgres'));
try {
  switch (positionals[0]) {
    case 'prepare':
      await prepare(stores);
      break;
    case 'measure':
      await measure(values.parts.split(','));
      break;
    default:
      throw new Error('Say what to do: prepare or measure.');
  }
} finally {
  await cluster.stop();
}

async function prepare(stores: readonly StoreName[]): Promise<void> {
  for (const layout of layouts) {
    for (const store of stores) await build(layout, store, { kept, cluster, report: print });
  }
}

async function measure(parts: readonly string[]): Promise<void> {
  const load = loadavg()[0]?.toFixed(1);
  print(
    `${cpus()[0]?.model.trim()}, ${cpus().length} cores, Node.js ${process.version}; load ${load} at the start.\n`,
  );
  if (parts.includes('recall')) {
    print(SIDE_BY_SIDE_HEAD);
    for (const layout of layouts) {
      const measuring = { kept, cluster, queries: Number(values.queries) };
      for (const row of await measureSideBySide(layout, measuring)) print(row);
    }
  }
  const many = layoutOf(MANY);
  if (!isBuilt(kept, many, 'PostgreSQL')) return;
  const loading = { kept, cluster, seconds: Number(values.seconds) };
  if (parts.includes('load')) print(`\n${(await measureOpenLoop(many, loading)).join('\n')}`);
  if (parts.includes('servers')) print(`\n${(await compareServers(many, loading)).join('\n')}`);
}

/** One master key for all databases and all processes. */
function useMasterKey(path: string): void {
  if (!existsSync(path)) writeFileSync(path, randomBytes(32).toString('base64'), { mode: 0o600 });
  process.env['OMOIDE_MASTER_KEY'] = `file:${path}`;
}

function layoutOf(name: string): Layout {
  const layout = LAYOUTS.find((one) => one.name === name);
  if (layout) return layout;
  throw new Error(`${name} is none of ${LAYOUTS.map((one) => one.name).join(', ')}.`);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
