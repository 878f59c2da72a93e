/**
 * Measures the speed of memories of several sizes, on generated conversations in three languages.
 *
 *     npm run bench -- [--turns 1000,10000,100000] [--profile conversation,fast] [--embedder bundled]
 *       [--quick-vectors] [--said] [--json] [--markdown SECTION]
 *
 * Each measurement runs in its own process, on a memory in a temporary folder. `10000x300` in `--turns` means turns of
 * 300 characters each; without it, lengths are those of natural conversation. `--quick-vectors`: see quickVectors.ts.
 * With `--said`, the lines before a query were said in a conversation, as in a chat: they are added as turns before the query
 * is asked, and are no hits of it. `--markdown` writes the tables into that section of bench/speed.md.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import type { ProfileName } from '../src/engine/engine.ts';
import { renderMarkdown, renderText } from '../src/eval/eval.ts';
import { parseEmbedderSetting } from '../src/llm/llm.ts';
import { PROFILE_NAMES } from '../src/recall/recall.ts';
import { describeSpeed, type SizeResult, type SpeedReport } from './describe.ts';
import type { OpenResult, Probes, Task } from './probe.ts';

const run = promisify(execFile);
const PROBE = fileURLToPath(new URL('probe.ts', import.meta.url));
const SPEED_FILE = fileURLToPath(new URL('speed.md', import.meta.url));
/** Number of new processes in which opening is measured; the median counts. */
const OPENINGS = 5;

const { values } = parseArgs({
  options: {
    turns: { type: 'string', default: '1000,10000,100000' },
    'quick-vectors': { type: 'boolean', default: false },
    said: { type: 'boolean', default: false },
    profile: { type: 'string', default: 'conversation' },
    embedder: { type: 'string', default: 'bundled' },
    json: { type: 'boolean', default: false },
    markdown: { type: 'string' },
  },
});
const embedder = values.embedder === 'none' ? null : parseEmbedderSetting(values.embedder);
const profiles = values.profile.split(',').map(profileNamed);
const report: SpeedReport = {
  command: `npm run bench -- ${process.argv.slice(2).join(' ')}`.trim(),
  machine: `${cpus()[0]?.model.trim() ?? 'unknown processor'}, ${cpus().length} cores, Node.js ${process.version}`,
  loadBefore: loadavg()[0] ?? 0,
  embedder: values.embedder,
  quickVectors: values['quick-vectors'],
  said: values.said,
  sizes: [],
};
const sizes: SizeResult[] = [];
for (const size of values.turns.split(',').map(sizeNamed)) sizes.push(await measureSize(size));
const whole = { ...report, sizes };
const blocks = describeSpeed(whole);
if (values.markdown !== undefined) writeSection(values.markdown, renderMarkdown(blocks));
process.stdout.write(values.json ? `${JSON.stringify(whole, null, 2)}\n` : renderText(blocks));

interface Size {
  readonly turns: number;
  readonly characters: number | null;
}

async function measureSize({ turns, characters }: Size): Promise<SizeResult> {
  const dataDir = mkdtempSync(join(tmpdir(), 'omoide-bench-'));
  try {
    const { quickVectors, said } = report;
    const task = { dataDir, turns, characters, embedder, quickVectors, said, profiles };
    const build = await probe({ ...task, probe: 'build' });
    const openings: OpenResult[] = [];
    for (let i = 0; i < OPENINGS; i++) openings.push(await probe({ ...task, probe: 'open' }));
    const recall = await probe({ ...task, probe: 'recall' });
    return { turns, characters, build, open: medianOpening(openings), recall };
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function probe<Name extends keyof Probes>(task: Task & { probe: Name }): Promise<Probes[Name]> {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${task.turns} turns: ${task.probe} …`);
  const { stdout } = await run(process.execPath, [PROBE, JSON.stringify(task)]);
  if (process.stderr.isTTY) process.stderr.write('\r\u001b[K');
  return JSON.parse(stdout) as Probes[Name];
}

function medianOpening(openings: readonly OpenResult[]): OpenResult {
  return openings.toSorted((a, b) => a.openMs - b.openMs)[openings.length >> 1]!;
}

function profileNamed(name: string): ProfileName {
  const profile = PROFILE_NAMES.find((known) => known === name);
  if (!profile) throw new Error(`--profile: ${name} is none of ${PROFILE_NAMES.join(', ')}`);
  return profile;
}

function sizeNamed(text: string): Size {
  const [turns, characters] = /^([1-9]\d*)(?:x([1-9]\d*))?$/.exec(text)?.slice(1) ?? [];
  if (turns === undefined)
    throw new Error(`--turns: ${text} is neither a number of turns nor TURNSxCHARACTERS`);
  return { turns: Number(turns), characters: characters === undefined ? null : Number(characters) };
}

/** Replaces the text between the section's two markers. */
function writeSection(section: string, text: string): void {
  const page = readFileSync(SPEED_FILE, 'utf8');
  const [begin, end] = [`<!-- ${section}: written by bench/bench.ts -->`, `<!-- end of ${section} -->`];
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`bench/speed.md has no section ${section}.`);
  writeFileSync(SPEED_FILE, `${page.slice(0, from + begin.length)}\n\n${text}\n${page.slice(to)}`);
}
