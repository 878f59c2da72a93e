/**
 * Measures the cost of encryption: the same turns in two memories, one encrypted, one in plain text.
 *
 *     npm run bench:encryption -- [--turns 10000] [--queries 400] [--rounds 3] [--embedder none]
 *
 * Every query runs on both, in alternating order, so that other load affects both equally; CPU time of the process.
 * "Cold": just opened; "warm": after the read-ahead of a server. Each round opens both again. Prints a table in
 * Markdown.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { internals, openMemory, type Memory } from '../src/engine/engine.ts';
import { KeyFile, type MemoryKeys } from '../src/keys/keys.ts';
import { parseEmbedderSetting } from '../src/llm/llm.ts';
import { generateQueries, generateTurns } from './generate.ts';
import { spread } from './spread.ts';

const { values } = parseArgs({
  options: {
    turns: { type: 'string', default: '10000' },
    queries: { type: 'string', default: '400' },
    rounds: { type: 'string', default: '3' },
    embedder: { type: 'string', default: 'none' },
  },
});
/** Queries before the first measurement, so that the code is compiled. */
const QUERIES_TO_COMPILE = 200;
const PLAIN = 'plain';
const KINDS = [PLAIN, 'encrypted'] as const;
type Kind = (typeof KINDS)[number];
type Times = Record<Kind, number[]>;

/** Leaves everything in plain text. */
const PLAIN_KEYS: MemoryKeys = {
  seal: (words) => words,
  open: (sealed) => sealed,
  hashTerm: (term) => term,
  hashWords: (words) => words,
  hashRow: (row) => row,
  makeForOldRows: () => undefined,
  sealTurn: (words) => Buffer.from(words),
  openTurn: (sealed) => Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength).toString(),
  sealMore: (_, words) => Buffer.from(words),
  openMore: (_, more) => Buffer.from(more).toString(),
  destroyTurnKeys: () => undefined,
  dropCaches: () => undefined,
};

const folder = mkdtempSync(join(tmpdir(), 'omoide-bench-'));
leaveInPlainText(join(folder, PLAIN));
try {
  await measure();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** There is no setting for it, so the keys of this folder are replaced. */
function leaveInPlainText(dataDir: string): void {
  // oxlint-disable-next-line typescript/unbound-method -- called with their `this` below
  const { of, has } = KeyFile.prototype;
  const isPlain = (file: KeyFile) => file.path.startsWith(dataDir);
  KeyFile.prototype.of = function (memoryId) {
    return isPlain(this) ? PLAIN_KEYS : of.call(this, memoryId);
  };
  KeyFile.prototype.has = function (memoryId) {
    return isPlain(this) || has.call(this, memoryId);
  };
}

async function measure(): Promise<void> {
  const turns = wholeNumber(values.turns);
  const queries = generateQueries(wholeNumber(values.queries));
  const load = loadavg()[0]?.toFixed(1);
  print(`${cpus()[0]?.model.trim()}, ${cpus().length} cores, Node.js ${process.version}; load ${load}`);
  print(
    `${turns.toLocaleString('en')} turns, ${queries.length} questions × ${values.rounds}, CPU time in ms\n`,
  );
  print('| | plain text | encrypted | growth |');
  print('| --- | ---: | ---: | ---: |');
  const ingest = { [PLAIN]: 0, encrypted: 0 };
  for (const kind of KINDS) ingest[kind] = await build(kind, turns);
  printRow('ingest', ingest[PLAIN], ingest.encrypted);
  await recallFromBoth(generateQueries(QUERIES_TO_COMPILE, 2), 'cold');
  for (const state of ['cold', 'warm'] as const) {
    const taken: Times = { [PLAIN]: [], encrypted: [] };
    for (let round = 0; round < wholeNumber(values.rounds); round += 1) {
      const times = await recallFromBoth(queries, state);
      for (const kind of KINDS) taken[kind].push(...times[kind]);
    }
    const plain = spread(taken[PLAIN]);
    const encrypted = spread(taken.encrypted);
    printRow(`recall, ${state}, p50`, plain.p50, encrypted.p50);
    printRow(`recall, ${state}, p95`, plain.p95, encrypted.p95);
  }
}

function open(kind: Kind): Promise<Memory> {
  const embedder = values.embedder === 'none' ? null : parseEmbedderSetting(values.embedder);
  return openMemory({ dataDir: join(folder, kind), embedder, worker: false, learn: false });
}

async function build(kind: Kind, turns: number): Promise<number> {
  const memory = await open(kind);
  const said = [...generateTurns(turns)];
  const spent = await cpuMs(() => memory.add(said));
  await internals(memory).settle();
  await memory.close();
  return spent;
}

async function recallFromBoth(
  queries: ReturnType<typeof generateQueries>,
  state: 'cold' | 'warm',
): Promise<Times> {
  const memories = { [PLAIN]: await open(PLAIN), encrypted: await open('encrypted') };
  const now = (await memories[PLAIN].admin.info()).lastTurnAt ?? 0;
  const taken: Times = { [PLAIN]: [], encrypted: [] };
  if (state === 'warm') for (const kind of KINDS) await internals(memories[kind]).warmUp();
  for (const [i, { text, context }] of queries.entries()) {
    for (const kind of i % 2 === 0 ? KINDS : KINDS.toReversed()) {
      taken[kind].push(await cpuMs(() => memories[kind].recall(text, { context, now })));
      // Background work of a recall must not delay the next one.
      await internals(memories[kind]).settle();
    }
  }
  for (const kind of KINDS) await memories[kind].close();
  return taken;
}

async function cpuMs(body: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await body();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

function printRow(name: string, plain: number, encrypted: number): void {
  const growth = ((encrypted / plain - 1) * 100).toFixed(0);
  print(`| ${name} | ${plain.toFixed(1)} | ${encrypted.toFixed(1)} | ${growth} % |`);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function wholeNumber(text: string): number {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value > 0) return value;
  throw new Error(`${text} is no whole number above 0.`);
}
