/**
 * One measurement in its own process, so that measurements do not affect each other. Takes a task as JSON in its first
 * argument, prints the result as JSON.
 */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { internals, type EmbedderSettings, type Memory, type ProfileName } from '../src/engine/engine.ts';
import { generateQueries, generateTurns, type GeneratedQuery } from './generate.ts';
import { quickVectors } from './quickVectors.ts';
import { spread, type Spread } from './spread.ts';

export interface Task {
  readonly probe: keyof Probes;
  readonly dataDir: string;
  readonly turns: number;
  /** Number of characters of a turn; null for natural lengths. */
  readonly characters: number | null;
  readonly embedder: EmbedderSettings | null;
  /** Turns get vectors that are cheap to compute (see quickVectors.ts); queries are embedded as usual. */
  readonly quickVectors: boolean;
  /** Whether the lines before a query are added as turns of a conversation first, as in a chat. */
  readonly said: boolean;
  readonly profiles: readonly ProfileName[];
}

export interface Probes {
  readonly build: BuildResult;
  readonly open: OpenResult;
  readonly recall: RecallResults;
}

export interface BuildResult {
  readonly ingestTurnsPerSecond: number;
  readonly embedTurnsPerSecond: number | null;
  readonly togetherTurnsPerSecond: number;
  readonly singleMs: Spread;
  readonly bytesPerTurn: number;
  readonly peakRssMb: number;
}

export interface OpenResult {
  readonly importMs: number;
  readonly openMs: number;
  readonly firstRecallMs: number;
  readonly firstStagesMs: Readonly<Record<string, number>>;
  readonly openRssMb: number;
  readonly recallRssMb: number;
}

export type RecallResults = Readonly<Record<string, ProfileResult>>;

export interface ProfileResult {
  readonly wholeMs: Spread;
  /** Without the time for embedding the query. */
  readonly withoutEmbeddingMs: Spread;
  /** CPU time of all threads, which other programs do not affect. */
  readonly cpuMs: Spread;
  /** By whether the query refers to lines before it, which are then embedded too. */
  readonly referringMs: Spread;
  readonly standingMs: Spread;
  /** Number of queries that refer to lines before them. */
  readonly referring: number;
  readonly stagesMs: Readonly<Record<string, Spread>>;
  /** Share of the queries with a result. */
  readonly found: number;
  readonly rssMb: number;
}

const SINGLE_TURNS = 200;
const WARM_UP_QUERIES = 30;
const QUERIES = 400;

const rssMb = () => process.memoryUsage.rss() / 2 ** 20;

async function build(task: Task): Promise<BuildResult> {
  const { openMemory } = await import('../src/engine/engine.ts');
  const turns = [...generateTurns(task.turns + SINGLE_TURNS, task.characters)];
  const bulk = turns.slice(0, task.turns);
  const memory = await openMemory({
    dataDir: task.dataDir,
    embedder: task.quickVectors ? await quickVectors() : task.embedder,
    worker: false,
    learn: false,
  });
  const startedAt = performance.now();
  await memory.add(bulk);
  const ingestedAt = performance.now();
  await internals(memory).settle();
  const embeddedAt = performance.now();
  const peakRssMb = rssMb();
  const single: number[] = [];
  for (const turn of turns.slice(task.turns)) {
    const before = performance.now();
    await memory.add(turn);
    single.push(performance.now() - before);
  }
  await internals(memory).settle();
  await memory.close();
  const perSecond = (ms: number) => task.turns / (ms / 1_000);
  return {
    ingestTurnsPerSecond: perSecond(ingestedAt - startedAt),
    embedTurnsPerSecond: task.embedder === null ? null : perSecond(embeddedAt - ingestedAt),
    togetherTurnsPerSecond: perSecond(embeddedAt - startedAt),
    singleMs: spread(single),
    bytesPerTurn: folderBytes(task.dataDir) / turns.length,
    peakRssMb,
  };
}

function folderBytes(folder: string): number {
  return readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
}

/** As at the start of a program: nothing is loaded or cached except the file, by the operating system. */
async function open(task: Task): Promise<OpenResult> {
  const startedAt = performance.now();
  const { openMemory } = await import('../src/engine/engine.ts');
  const importedAt = performance.now();
  const memory = await openMemory({ dataDir: task.dataDir, embedder: task.embedder, learn: false });
  const openedAt = performance.now();
  const openRssMb = rssMb();
  const [query] = generateQueries(1, 3);
  const askedAt = performance.now();
  const { metadata } = await memory.recall(query?.text ?? '', { context: query?.context ?? [] });
  const answeredAt = performance.now();
  await memory.close();
  return {
    importMs: importedAt - startedAt,
    openMs: openedAt - importedAt,
    firstRecallMs: answeredAt - askedAt,
    firstStagesMs: metadata.breakdown,
    openRssMb,
    recallRssMb: rssMb(),
  };
}

/** The profiles alternate query by query, so that other load affects all equally. */
async function recall(task: Task): Promise<RecallResults> {
  const { openMemory } = await import('../src/engine/engine.ts');
  const memory = await openMemory({ dataDir: task.dataDir, embedder: task.embedder, learn: false });
  const now = (await memory.admin.info()).lastTurnAt ?? 0;
  const samples = new Map<ProfileName, Sample[]>(task.profiles.map((profile) => [profile, []]));
  for (const [index, query] of generateQueries(WARM_UP_QUERIES + QUERIES).entries()) {
    const exceptUnitIds = task.said ? await say(memory, query, now + index) : [];
    for (const [profile, taken] of samples) {
      const cpuBefore = process.cpuUsage();
      const before = performance.now();
      const result = await memory.recall(query.text, { profile, context: query.context, now, exceptUnitIds });
      const wholeMs = performance.now() - before;
      const { user, system } = process.cpuUsage(cpuBefore);
      // Background work of a recall must not delay the next one.
      await internals(memory).settle();
      const { breakdown, intent } = result.metadata;
      const refers = query.context.length > 0 && intent.references.length > 0;
      const sample = { wholeMs, cpuMs: (user + system) / 1_000, refers, breakdown, hits: result.hits.length };
      if (index >= WARM_UP_QUERIES) taken.push(sample);
    }
  }
  const results = [...samples].map(([profile, taken]) => [profile, summarize(taken)] as const);
  await memory.close();
  return Object.fromEntries(results);
}

/** Adds the lines before a query, one by one, each with its background work. @returns their units */
async function say(memory: Memory, { context }: GeneratedQuery, at: number): Promise<number[]> {
  const unitIds: number[] = [];
  for (const { speaker, text } of context) {
    const turn = { conversationId: `said-${at}`, speaker: speaker ?? 'user', text, occurredAt: at };
    unitIds.push((await memory.add(turn)).unitId);
    await internals(memory).settle();
  }
  return unitIds;
}

interface Sample {
  readonly wholeMs: number;
  readonly cpuMs: number;
  readonly refers: boolean;
  readonly breakdown: Readonly<Record<string, number>>;
  readonly hits: number;
}

function summarize(samples: readonly Sample[]): ProfileResult {
  const stages = new Set(samples.flatMap(({ breakdown }) => Object.keys(breakdown)));
  const stage = (name: string) => spread(samples.map(({ breakdown }) => breakdown[name] ?? 0));
  const [referring, standing] = [true, false].map((refers) =>
    samples.filter((sample) => sample.refers === refers).map(({ wholeMs }) => wholeMs),
  );
  return {
    wholeMs: spread(samples.map(({ wholeMs }) => wholeMs)),
    referringMs: spread(referring ?? []),
    standingMs: spread(standing ?? []),
    referring: referring?.length ?? 0,
    withoutEmbeddingMs: spread(samples.map(({ wholeMs, breakdown }) => wholeMs - (breakdown['embed'] ?? 0))),
    cpuMs: spread(samples.map(({ cpuMs }) => cpuMs)),
    stagesMs: Object.fromEntries([...stages].map((name) => [name, stage(name)])),
    found: samples.filter(({ hits }) => hits > 0).length / samples.length,
    rssMb: rssMb(),
  };
}

const PROBES = { build, open, recall };
const task = JSON.parse(process.argv[2] ?? '') as Task;
process.stdout.write(JSON.stringify(await PROBES[task.probe](task)));
