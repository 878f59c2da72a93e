/**
 * Measures a memory of Markdown files: 5,000 sections in 200 files in three languages, in a temporary folder.
 *
 *     node bench/notes.ts [--files 200] [--sections 25] [--queries 200] [--json]
 */
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { internals, openMemory, type Memory } from '../src/engine/engine.ts';
import { renderText } from '../src/eval/eval.ts';
import { generateQueries, generateTurns } from './generate.ts';
import { spread } from './spread.ts';

const { values } = parseArgs({
  options: {
    files: { type: 'string', default: '200' },
    sections: { type: 'string', default: '25' },
    queries: { type: 'string', default: '200' },
    json: { type: 'boolean', default: false },
  },
});
const [files, sectionsEach, queries] = [values.files, values.sections, values.queries].map(Number) as [
  number,
  number,
  number,
];
/** Number of measured edits, and the maximum wait for each, in milliseconds. */
const EDITS = 20;
const MAX_WAIT_MS = 10_000;

const dataDir = mkdtempSync(join(tmpdir(), 'omoide-bench-notes-'));
const root = join(dataDir, 'notes');
const load = loadavg()[0] ?? 0;
try {
  const texts = Array.from(generateTurns(files * sectionsEach), ({ text }) => text);
  for (let i = 0; i < files; i++) writeNote(uriOf(i), texts.slice(i * sectionsEach, (i + 1) * sectionsEach));
  writeNote('user/preferences.md', ['Prefers tea to coffee.', '夜は静かに過ごしたい。', '喜欢吃辣的。']);
  const result = await measure();
  if (values.json) process.stdout.write(`${JSON.stringify(result, null, 2)}\n`);
  else report(result);
} finally {
  rmSync(dataDir, { recursive: true, force: true });
}

type Result = Awaited<ReturnType<typeof measure>>;

async function measure() {
  const [firstMs, first] = await timed(() => open());
  await internals(first).settle();
  await first.close();
  const [againMs, memory] = await timed(() => open());
  const sections = (await memory.admin.info()).units.note;
  await memory.recall('tea', { kinds: ['note'] });
  const notes = memory.notes!;
  const direct = await timeEach(queries, () => notes.find('What are my preferences?'));
  const days = await timeEach(queries, () => notes.find('What did I note on 2026-01-05?'));
  const questions = generateQueries(queries, 11).map(({ text }) => text);
  const hybrid = await timeEach(queries, (i) => notes.find(questions[i] ?? 'tea'));
  const visible: number[] = [];
  for (let i = 0; i < EDITS; i++) visible.push(await timeToRecall(memory, `zanzibar${i}`, i));
  await memory.close();
  return { sections, firstMs, againMs, direct, days, hybrid, visible: spread(visible) };
}

function open(): Promise<Memory> {
  return openMemory({ dataDir, timeZone: 'Asia/Tokyo', notes: { global: root }, learn: false });
}

/** The time from an editor's save until recall finds the line. */
async function timeToRecall(memory: Memory, word: string, i: number): Promise<number> {
  await sleep(50);
  const from = performance.now();
  appendFileSync(join(root, uriOf(i * 7)), `\n- Went to ${word} once.\n`);
  for (;;) {
    const { hits } = await memory.recall(word, { kinds: ['note'], limit: 3, count: false });
    const tookMs = performance.now() - from;
    if (hits.some(({ text }) => text.includes(word))) return tookMs;
    if (tookMs > MAX_WAIT_MS) throw new Error(`${word} was not found within ${MAX_WAIT_MS} ms.`);
    await sleep(5);
  }
}

/** One third each of journals, files about the user, and project files. */
function uriOf(i: number): string {
  const day = new Date(Date.UTC(2026, 0, 1 + Math.floor(i / 3))).toISOString().slice(0, 10);
  return [`journal/${day}.md`, `user/about-${i}.md`, `agent/topic-${i}.md`][i % 3]!;
}

function writeNote(uri: string, texts: readonly string[]): void {
  const path = join(root, uri);
  mkdirSync(dirname(path), { recursive: true });
  const parts = texts.map((text, i) => `## ${i + 1}. ${text.slice(0, 12).trim()}\n\n- ${text}\n`);
  writeFileSync(path, `# ${uri}\n\n${parts.join('\n')}`);
}

async function timed<T>(work: () => Promise<T>): Promise<[ms: number, result: T]> {
  const from = performance.now();
  const result = await work();
  return [performance.now() - from, result];
}

async function timeEach(count: number, work: (i: number) => Promise<unknown>) {
  const times: number[] = [];
  for (let i = 0; i < count; i++) times.push((await timed(() => work(i)))[0]);
  return spread(times);
}

function report({ sections, firstMs, againMs, ...spreads }: Result): void {
  const names = {
    direct: 'a file by its name',
    days: 'a day by its name',
    hybrid: 'search',
    visible: 'from an edit to recall',
  };
  process.stdout.write(
    renderText([
      {
        kind: 'text',
        text: `${cpus()[0]?.model.trim()}, ${cpus().length} cores, Node.js ${process.version}; load ${load.toFixed(1)} at the start.`,
      },
      {
        kind: 'text',
        text: `${sections} sections in ${files + 1} files: first opening ${(firstMs / 1000).toFixed(1)} s, opening with nothing changed ${againMs.toFixed(0)} ms.`,
      },
      {
        kind: 'table',
        head: ['ms', 'p50', 'p95', 'max'],
        rows: Object.entries(names).map(([key, name]) => {
          const { p50, p95, max } = spreads[key as keyof typeof names];
          return [name, p50.toFixed(2), p95.toFixed(2), max.toFixed(2)];
        }),
      },
    ]),
  );
}
