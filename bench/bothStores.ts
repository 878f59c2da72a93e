/**
 * Measures recall on labelled sets twice, with memories in SQLite files and in PostgreSQL, which must give the same
 * results. Starts a PostgreSQL server of its own.
 *
 *     node bench/bothStores.ts SETS_FOLDER --sets locomo-en,madial-zh [--embedder static] [--limit QUERIES]
 *
 * `SETS_FOLDER` contains a folder for each set, as docs/evaluating.md describes. Exits with 1 when a figure differs by
 * more than .002.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { runEvaluation, type SetReport } from '../src/eval/eval.ts';
import { parseEmbedderSetting } from '../src/llm/llm.ts';
import { missingForServer, TestServer } from '../test/postgres/server.ts';
import { withDatabase } from '../test/postgres/shared.ts';

const MAX_DIFFERENCE = 0.002;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sets: { type: 'string' },
    embedder: { type: 'string', default: 'static' },
    limit: { type: 'string' },
  },
});
const [folder] = positionals;
if (folder === undefined || values.sets === undefined) throw new Error('Name the folder and --sets.');
const missing = missingForServer();
if (missing !== null) throw new Error(`${missing}.`);
const embedder = values.embedder === 'none' ? null : parseEmbedderSetting(values.embedder);
const limit = values.limit === undefined ? {} : { limit: Number(values.limit) };
const server = await TestServer.start();

try {
  await compare(folder, values.sets.split(','));
} finally {
  await server.remove();
}

async function compare(path: string, names: readonly string[]): Promise<void> {
  print('| set · store | queries | R@5 | R@10 | NDCG@10 | MRR | told | the right turn |');
  print('| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |');
  let greatest = 0;
  for (const [at, name] of names.entries()) {
    const sqlite = figuresOf(await measure(join(path, name)));
    print(row(`${name} · SQLite`, sqlite));
    const database = `set_${at}`;
    await withDatabase(server.url(), (sql) => sql.unsafe(`CREATE DATABASE ${database}`));
    const postgres = figuresOf(await measure(join(path, name), server.url(database)));
    print(row(`${name} · PostgreSQL`, postgres));
    for (const [i, value] of sqlite.figures.entries())
      greatest = Math.max(greatest, Math.abs(value - (postgres.figures[i] ?? 0)));
  }
  print(`\nThe greatest difference is ${greatest.toFixed(4)}.`);
  process.exitCode = greatest > MAX_DIFFERENCE ? 1 : 0;
}

async function measure(path: string, store?: string): Promise<SetReport> {
  const { sets } = await runEvaluation([path], { embedder, ...limit, ...(store !== undefined && { store }) });
  const [set] = sets;
  if (set) return set;
  throw new Error(`${path} is no set of questions.`);
}

interface Measured {
  readonly queries: number;
  readonly figures: readonly number[];
}

function figuresOf({ profiles }: SetReport): Measured {
  const [profile] = profiles;
  if (!profile) throw new Error('Nothing was measured.');
  const { queries, turn, injection } = profile;
  return {
    queries,
    figures: [
      turn['R@5'],
      turn['R@10'],
      turn['NDCG@10'],
      turn.MRR,
      injection.answerable ?? 0,
      injection.right ?? 0,
    ],
  };
}

function row(name: string, { queries, figures }: Measured): string {
  return `| ${[name, queries, ...figures.map((figure) => figure.toFixed(4))].join(' | ')} |`;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
