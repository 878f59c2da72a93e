import { rmSync } from 'node:fs';
import { access, mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  internals,
  localDate,
  MemoryError,
  openEmbedder,
  openMemory,
  type ContextLine,
  type Embedder,
  type Memory,
  type RecallResult,
} from '../engine/engine.ts';
import { displayWidth } from '../text/text.ts';
import { EXIT } from './exit.ts';
import { formatHit } from './hits.ts';
import { withMemory } from './opening.ts';
import { addCommand, flag, type FlagsOf } from './command.ts';
import { embedderFlag, readEmbedder } from './settings.ts';
import { countOf, formatCount, lineWidth, printLines, style, wrapped } from './terminal.ts';

/** At the package's root, two folders above this file in the sources and in the build. */
const CONVERSATIONS = new URL('../../examples/conversations/', import.meta.url);

const SCENES = [
  { language: 'ja', title: '日本語', timeZone: 'Asia/Tokyo' },
  { language: 'zh', title: '中文', timeZone: 'Asia/Shanghai' },
  { language: 'en', title: 'English', timeZone: 'Europe/London' },
] as const;

type Scene = (typeof SCENES)[number];

interface DemoQuery {
  readonly text: string;
  readonly askedAt: string;
  readonly context: readonly ContextLine[];
}

interface Figures {
  readonly turns: number;
  readonly ingestMs: number;
  readonly recallMs: readonly number[];
}

const MAX_HITS = 3;
const MAX_TEXT_LINES = 3;
const PACK_INDENT = '       ';

const FLAGS = [
  embedderFlag(),
  flag('--lang <language>', 'one language only (default: all)', {
    choices: SCENES.map(({ language }) => language),
  }),
  flag('--keep', 'keep the memories for further queries'),
  flag('--serve', 'show one recall of each, then serve them with the console (in a terminal)'),
] as const;

export const addDemo = addCommand({
  name: 'demo',
  about: 'Demonstrates recall on three sample conversations, in separate memories.',
  flags: FLAGS,
  run: ({ flags }) => demo(flags),
});

async function demo(flags: FlagsOf<typeof FLAGS>): Promise<void> {
  const startedAt = performance.now();
  const queries = await readQueries();
  const setting = readEmbedder(flags);
  const embedder = setting === null ? null : await openEmbedder(setting ?? { provider: 'bundled' });
  const dataDir = await mkdtemp(join(tmpdir(), 'omoide-demo-'));
  if (!flags.keep) removeAtExit(dataDir);
  if (!flags.serve) process.once('SIGINT', () => process.exit(EXIT.interrupted));
  printLines(['', style('bold', 'Omoide 思い出'), 'Turns from months ago are recalled when they matter.']);
  const language = flags.lang ?? systemLanguage();
  if (flags.serve && process.stdout.isTTY) return playAndServe(queries, { dataDir, embedder, language });
  const figures: Figures[] = [];
  for (const scene of SCENES.filter(({ language }) => (flags.lang ?? language) === language)) {
    figures.push(await playScene(scene, queries[scene.language] ?? [], { dataDir, embedder }));
  }
  printLines(formatSummary(figures, embedder, performance.now() - startedAt));
  printLines(formatNext(flags.keep ? dataDir : null));
}

/** Cleans up whenever the process ends, including Ctrl-C and a closed pipe. */
function removeAtExit(dataDir: string): void {
  process.once('exit', () => rmSync(dataDir, { recursive: true, force: true }));
}

/** Runs one recall of each conversation, then serves all three in the console, with learning. */
async function playAndServe(
  queries: Partial<Record<string, DemoQuery[]>>,
  { dataDir, embedder, language }: { dataDir: string; embedder: Embedder | null; language: string },
): Promise<void> {
  for (const scene of SCENES) {
    const ofScene = (queries[scene.language] ?? []).slice(0, 1);
    await playScene(scene, ofScene, { dataDir, embedder, isBrief: true });
  }
  for (const { language, timeZone } of SCENES) {
    const opened = await openMemory({ dataDir, memoryId: language, timeZone, embedder, worker: false });
    await withMemory(opened, (memory) => memory.admin.rebuild('units'));
  }
  printLines(['']);
  const { serveDemo } = await import('./demoServer.ts');
  await serveDemo(dataDir, language);
}

function systemLanguage(): string {
  const [tag = ''] = new Intl.DateTimeFormat().resolvedOptions().locale.split('-');
  return SCENES.find(({ language }) => language === tag)?.language ?? 'en';
}

async function readQueries(): Promise<Partial<Record<string, DemoQuery[]>>> {
  const file = new URL('queries.json', CONVERSATIONS);
  try {
    await access(file);
  } catch (cause) {
    throw new MemoryError('FILE_UNREADABLE', `The sample conversations are missing: ${file.pathname}`, {
      cause,
    });
  }
  return JSON.parse(await readFile(file, 'utf8')) as Partial<Record<string, DemoQuery[]>>;
}

async function playScene(
  { language, title, timeZone }: Scene,
  queries: readonly DemoQuery[],
  { dataDir, embedder, isBrief = false }: { dataDir: string; embedder: Embedder | null; isBrief?: boolean },
): Promise<Figures> {
  const startedAt = performance.now();
  const opened = await openMemory({
    dataDir,
    memoryId: language,
    timeZone,
    embedder,
    learn: false,
    worker: false,
  });
  return withMemory(opened, async (memory) => {
    await memory.admin.importFile(fileURLToPath(new URL(`${language}.jsonl`, CONVERSATIONS)));
    await internals(memory).settle();
    const ingestMs = performance.now() - startedAt;
    const { turns, firstTurnAt, lastTurnAt } = await memory.admin.info();
    const day = (instant: number | null) => (instant === null ? '' : localDate(instant, timeZone));
    printLines([
      '',
      formatTitle(title, `${countOf(turns, 'turn')}, ${day(firstTurnAt)} to ${day(lastTurnAt)}`),
    ]);
    const recallMs: number[] = [];
    let isPackShown = false;
    for (const query of queries) {
      const result = await ask(memory, query);
      recallMs.push(result.metadata.totalLatencyMs);
      if (!result.inject || isPackShown || isBrief) continue;
      isPackShown = await showPack(memory, query);
    }
    return { turns, ingestMs, recallMs };
  });
}

/** A title followed by a line to the full width. */
function formatTitle(title: string, about: string): string {
  const rule = '─'.repeat(Math.max(2, lineWidth() - displayWidth(`${title}  ${about}  `)));
  return `${style('bold', title)}  ${about}  ${style('dim', rule)}`;
}

async function ask(memory: Memory, { text, askedAt, context }: DemoQuery): Promise<RecallResult> {
  const result = await memory.recall(text, { context: [...context], now: askedAt, limit: MAX_HITS });
  const date = localDate(Date.parse(askedAt), memory.timeZone);
  const before = context.flatMap((line) => wrapped(`${line.speaker}: ${line.text}`, '  '));
  const [first = '', ...rest] = wrapped(text, '  ');
  printLines([
    '',
    style('dim', `  ${date}`),
    ...before.map((line) => style('dim', line)),
    ...[`❯ ${first.trimStart()}`, ...rest].map((line) => style(['bold', 'yellow'], line)),
    '',
    ...formatAnswer(result, memory.timeZone),
  ]);
  return result;
}

function formatAnswer({ hits, inject }: RecallResult, timeZone: string): string[] {
  if (!inject) return [style('dim', '     Nothing is recalled: no earlier turn seems relevant here.')];
  return hits
    .filter((hit) => hit.relevance !== 'low')
    .flatMap((hit, i) => formatHit(hit, i + 1, { timeZone, maxLines: MAX_TEXT_LINES }));
}

async function showPack(memory: Memory, { text, askedAt, context }: DemoQuery): Promise<boolean> {
  const pack = await memory.pack(text, { context: [...context], now: askedAt });
  if (pack.text === '') return false;
  const title = `The pack for the model’s prompt: ${formatCount(pack.tokens)} of ${formatCount(pack.budgetTokens)} tokens`;
  const lines = wrapped(pack.text, PACK_INDENT).map((line) => line.slice(PACK_INDENT.length));
  printLines([
    '',
    `     ${style('bold', title)}`,
    ...lines.map((line) => `     ${style('dim', '│')} ${line}`),
  ]);
  return true;
}

function formatSummary(figures: readonly Figures[], embedder: Embedder | null, elapsedMs: number): string[] {
  const turns = figures.reduce((sum, each) => sum + each.turns, 0);
  const ingestMs = figures.reduce((sum, each) => sum + each.ingestMs, 0);
  const recallMs = figures.flatMap((each) => each.recallMs).sort((a, b) => a - b);
  const median = recallMs[recallMs.length >> 1] ?? 0;
  return [
    '',
    formatTitle('In figures', `${(elapsedMs / 1_000).toFixed(1)} s in all`),
    `  ${countOf(turns, 'turn')} kept, indexed and embedded (${embedder?.id ?? 'no embedder: keywords only'}) in ${Math.round(ingestMs)} ms`,
    `  ${countOf(recallMs.length, 'recall')}, half of them within ${median.toFixed(1)} ms; no language model was asked`,
  ];
}

const NEXT = [
  ['omoide ingest FILE', 'import your own: ChatGPT, Claude, SillyTavern, CSV, JSON Lines'],
  ['omoide recall "…" --explain', 'query, and see how each score is computed'],
  ['omoide pack "…"', 'the text for a prompt'],
  ['omoide --help', 'everything else'],
] as const;

/** @param kept the folder with the memories, if they are kept */
function formatNext(kept: string | null): string[] {
  const steps = kept === null ? NEXT : [...keptSteps(kept), ...NEXT];
  const width = Math.max(...NEXT.map(([command]) => command.length));
  return [
    '',
    `${style('bold', 'Next')}  ${style('dim', '(in a clone: npm run --silent omoide -- …)')}`,
    ...steps.map(([command, what]) => `  ${style('cyan', command.padEnd(width))}  ${style('dim', what)}`),
    '',
  ];
}

function keptSteps(dataDir: string): (readonly [string, string])[] {
  const languages = SCENES.map(({ language }) => language).join(', ');
  return [[`omoide recall "…" --data ${dataDir} --memory ja`, `query these memories: ${languages}`]];
}
