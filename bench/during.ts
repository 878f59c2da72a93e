/**
 * Measures recall while a bulk import is embedded in the background, and how fast that goes.
 *
 *     node bench/during.ts [--known 1000] [--imported 2000] [--characters 160]
 *
 * One memory, the bundled encoder: recall every 50 ms, first with nothing else to do, then until the imported turns have
 * their vectors. Prints a table in Markdown.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { internals, openMemory, type Memory } from '../src/engine/engine.ts';
import { generateQueries, generateTurns, type GeneratedQuery } from './generate.ts';
import { spread } from './spread.ts';

const { values } = parseArgs({
  options: {
    known: { type: 'string', default: '1000' },
    imported: { type: 'string', default: '2000' },
    characters: { type: 'string', default: '160' },
  },
});
const [known, imported] = [Number(values.known), Number(values.imported)];
const PAUSE_MS = 50;
const IDLE_QUERIES = 200;
const WARM_UP_QUERIES = 50;

const dataDir = mkdtempSync(join(tmpdir(), 'omoide-bench-'));
try {
  const memory = await openMemory({ dataDir, embedder: { provider: 'bundled' }, learn: false });
  const turns = [...generateTurns(known + imported, Number(values.characters))];
  await memory.add(turns.slice(0, known));
  await internals(memory).settle();
  const queries = generateQueries(2_000).values();
  await measure(memory, queries, (done) => done === WARM_UP_QUERIES);
  const alone = await measure(memory, queries, (done) => done === IDLE_QUERIES);
  const startedAt = performance.now();
  await memory.add(turns.slice(known));
  let isEmbedded = false;
  const embedding = internals(memory)
    .settle()
    .then(() => {
      isEmbedded = true;
      return performance.now() - startedAt;
    });
  const during = await measure(memory, queries, () => isEmbedded);
  const seconds = (await embedding) / 1_000;
  await memory.close();
  const row = (name: string, all: readonly number[]) => {
    const { p50, p95, max } = spread(all);
    return `| ${[name, all.length, p50.toFixed(1), p95.toFixed(1), max.toFixed(1)].join(' | ')} |`;
  };
  process.stdout.write(
    [
      `${cpus()[0]?.model.trim()}, ${cpus().length} cores, load ${loadavg()[0]?.toFixed(1)}; ${known} turns known, ${imported} of ${values.characters} characters imported.`,
      '',
      '| recall, ms | recalls | p50 | p95 | max |',
      '| --- | ---: | ---: | ---: | ---: |',
      row('nothing else to do', alone),
      row('while imported turns are embedded', during),
      '',
      `${(imported / seconds).toFixed(0)} turns a second got their vectors (${seconds.toFixed(0)} s).`,
      '',
    ].join('\n'),
  );
} finally {
  rmSync(dataDir, { recursive: true, force: true });
}

/** Milliseconds of each recall. */
async function measure(
  memory: Memory,
  queries: Iterator<GeneratedQuery>,
  isOver: (done: number) => boolean,
): Promise<number[]> {
  const taken: number[] = [];
  while (!isOver(taken.length)) {
    const { value: query } = queries.next();
    if (!query) throw new Error('There are too few queries for so long an import.');
    const before = performance.now();
    await memory.recall(query.text, { context: query.context });
    taken.push(performance.now() - before);
    await wait(PAUSE_MS);
  }
  return taken;
}
