/**
 * Measures how long `verify`, `rebuild` and `migrate` take for large memories, and how much memory they need.
 *
 *     node bench/verify.ts --keep DIR [--turns 50000,200000] [--steps verify,rebuild,migrate] [--vocabulary 1] [--heap 256]
 *         [--embedder none]
 *
 * Builds the memories that are not in the folder yet. Every turn has `--vocabulary` words that no other has, as names
 * and numbers of real conversations have, and a vector, unless `--embedder` is `none`. Each step runs in a process of its own, in which JavaScript may use
 * `--heap` MB: a step that needs more fails. The table gives the peak of the process, as the operating system counts it, and
 * the largest heap that was left after a full garbage collection. See bench/stores.md.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { internals, migrateMemory, openMemory } from '../src/engine/engine.ts';
import { missingForServer } from '../test/postgres/server.ts';
import { withDatabase } from '../test/postgres/shared.ts';
import { generateTurns, type GeneratedTurn } from './generate.ts';
import { Cluster } from './stores/cluster.ts';
import type { Place } from './stores/layouts.ts';

const MEMORY = 'bench';
/** Turns that are added together. */
const BATCH = 10_000;
/** Comes before the result of a step, after the lines of the garbage collector. */
const RESULT = '\nresult: ';

interface Step {
  readonly does: 'build' | 'verify' | 'rebuild' | 'migrate';
  readonly turns: number;
  readonly vocabulary: number;
  readonly embedder: string;
  readonly from: Place;
  readonly to?: Place;
}

interface Measured {
  readonly seconds: number;
  readonly megabytes: number;
  /** Of the heap, after a garbage collection. */
  readonly liveMegabytes: number;
  readonly problems: number;
}

const { values } = parseArgs({
  options: {
    keep: { type: 'string' },
    turns: { type: 'string', default: '50000,200000' },
    steps: { type: 'string', default: 'verify,rebuild,migrate' },
    vocabulary: { type: 'string', default: '1' },
    heap: { type: 'string', default: '256' },
    embedder: { type: 'string', default: 'static' },
    run: { type: 'string' },
  },
});

if (values.run !== undefined) {
  const measured = await measure(JSON.parse(values.run) as Step);
  process.stdout.write(`${RESULT}${JSON.stringify(measured)}\n`);
} else if (values.keep !== undefined) await compare(resolve(values.keep), values.steps.split(','));
else throw new Error('Name a folder: --keep DIR.');

async function compare(kept: string, steps: readonly string[]): Promise<void> {
  mkdirSync(kept, { recursive: true });
  const key = join(kept, 'master.key');
  if (!existsSync(key)) writeFileSync(key, randomBytes(32).toString('base64'), { mode: 0o600 });
  process.env['OMOIDE_MASTER_KEY'] = `file:${key}`;
  print('| step | turns | seconds | peak MB | live MB |');
  print('| --- | ---: | ---: | ---: | ---: |');
  for (const turns of values.turns.split(',').map(Number)) {
    const files: Place = { dataDir: join(kept, `turns_${turns}`) };
    const base = { turns, vocabulary: Number(values.vocabulary), embedder: values.embedder, from: files };
    if (!existsSync(join(files.dataDir, 'complete'))) {
      mkdirSync(files.dataDir, { recursive: true, mode: 0o700 });
      run({ ...base, does: 'build' });
      writeFileSync(join(files.dataDir, 'complete'), '');
    }
    const show = (step: Step, place: string) => {
      const { seconds, problems, ...memory } = run(step);
      const sizes = [memory.megabytes, memory.liveMegabytes].map((size) => size.toFixed(0)).join(' | ');
      print(`| ${step.does}, ${place} | ${turns} | ${seconds.toFixed(1)} | ${sizes} |`);
      if (problems > 0) throw new Error(`There are ${problems} problems.`);
    };
    if (steps.includes('verify')) show({ ...base, does: 'verify' }, 'SQLite');
    if (steps.includes('rebuild')) show({ ...base, does: 'rebuild' }, 'SQLite');
    if (!steps.includes('migrate') || missingForServer() !== null) continue;
    const cluster = await Cluster.start(join(kept, 'postgres'));
    try {
      const name = `turns_${turns}`;
      await withDatabase(cluster.url(), (sql) => sql.unsafe(`DROP DATABASE IF EXISTS ${name}`));
      const database: Place = { dataDir: kept, store: await cluster.database(name) };
      show({ ...base, does: 'migrate', to: database }, 'from SQLite to PostgreSQL');
      if (steps.includes('verify')) show({ ...base, does: 'verify', from: database }, 'PostgreSQL');
      if (steps.includes('rebuild')) show({ ...base, does: 'rebuild', from: database }, 'PostgreSQL');
    } finally {
      await cluster.stop();
    }
  }
}

function run(step: Step): Measured {
  const options = ['--trace-gc', `--max-old-space-size=${values.heap}`];
  const args = [...options, fileURLToPath(import.meta.url), '--run', JSON.stringify(step)];
  const output = execFileSync(process.execPath, args, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: 256 << 20,
  });
  const [result = ''] = output.slice(output.lastIndexOf(RESULT) + RESULT.length).split('\n');
  const measured = JSON.parse(result) as Measured;
  const collections = [...output.matchAll(/Mark-Compact .*?-> ([\d.]+) /g)];
  return { ...measured, liveMegabytes: Math.max(0, ...collections.map(([, size]) => Number(size))) };
}

async function measure(step: Step): Promise<Omit<Measured, 'liveMegabytes'>> {
  const startedAt = performance.now();
  const problems = await perform(step);
  return {
    seconds: (performance.now() - startedAt) / 1_000,
    megabytes: process.resourceUsage().maxRSS / 1_024,
    problems,
  };
}

async function perform({ does, from, to, turns, vocabulary, embedder }: Step): Promise<number> {
  if (does === 'migrate') {
    if (to) await migrateMemory({ memoryId: MEMORY, from, to });
    return 0;
  }
  const memory = await openMemory({
    ...from,
    memoryId: MEMORY,
    embedder: embedder === 'none' ? null : { provider: 'static' },
    worker: false,
    learn: false,
  });
  try {
    if (does === 'verify') return (await memory.admin.verify()).problems.length;
    if (does === 'rebuild') await memory.admin.rebuild('indexes');
    else {
      let batch: GeneratedTurn[] = [];
      let count = 0;
      for (const turn of generateTurns(turns)) {
        const own = Array.from({ length: vocabulary }, (_, n) => wordOf(count * vocabulary + n));
        batch.push({ ...turn, text: [turn.text, ...own].join(' ') });
        count += 1;
        if (batch.length < BATCH && count < turns) continue;
        await memory.add(batch);
        batch = [];
      }
      await internals(memory).settle();
    }
    return 0;
  } finally {
    await memory.close();
  }
}

/** A word of its own for each number. */
function wordOf(number: number): string {
  return `q${number.toString(36)}x`;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
