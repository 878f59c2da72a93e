/** Formats the results of the bench as tables. */
import type { Block } from '../src/eval/eval.ts';
import type { BuildResult, OpenResult, ProfileResult, RecallResults } from './probe.ts';
import type { Spread } from './spread.ts';

export interface SizeResult {
  readonly turns: number;
  readonly characters: number | null;
  readonly build: BuildResult;
  readonly open: OpenResult;
  readonly recall: RecallResults;
}

export interface SpeedReport {
  readonly command: string;
  readonly machine: string;
  /** Number of runnable processes, averaged over the minute before. */
  readonly loadBefore: number;
  readonly embedder: string;
  readonly quickVectors: boolean;
  /** Whether the lines before a query were turns of a conversation. */
  readonly said: boolean;
  readonly sizes: readonly SizeResult[];
}

export function describeSpeed(report: SpeedReport): Block[] {
  const { command, machine, loadBefore, embedder, quickVectors, said, sizes } = report;
  const vectors = quickVectors ? ', but turns have quick vectors (bench/quickVectors.ts)' : '';
  return [
    { kind: 'code', text: command },
    {
      kind: 'text',
      text: `${machine}; load ${loadBefore.toFixed(1)} at the start; embedder ${embedder}${vectors}.`,
    },
    buildTable(sizes),
    openTable(sizes),
    firstStages(sizes),
    recallTable(sizes),
    referringQueries(sizes, said ? 'all just said' : 'all new'),
    ...stageTables(sizes),
    {
      kind: 'text',
      text: 'Generated conversations in English, Japanese and Chinese; 400 different queries of 5 to 15 words, two of five with the lines before them. 10,000 × 300 are turns of 300 characters. Each size has its own memory; each measurement its own process. Recall asks for ten hits within 1,500 tokens, the defaults; CPU is processor time, which other programs do not lengthen.',
    },
  ];
}

function buildTable(sizes: readonly SizeResult[]): Block {
  return {
    kind: 'table',
    head: [
      'turns',
      'ingest /s',
      'embed /s',
      'both /s',
      'one turn p50 ms',
      'p95 ms',
      'max ms',
      'bytes a turn',
      'peak MB',
    ],
    rows: sizes.map(({ build, ...size }) => [
      sizeName(size),
      whole(build.ingestTurnsPerSecond),
      build.embedTurnsPerSecond === null ? '–' : whole(build.embedTurnsPerSecond),
      whole(build.togetherTurnsPerSecond),
      ...cells(build.singleMs),
      whole(build.bytesPerTurn),
      whole(build.peakRssMb),
    ]),
  };
}

function openTable(sizes: readonly SizeResult[]): Block {
  return {
    kind: 'table',
    head: [
      'turns',
      'load code ms',
      'open ms',
      'first recall ms',
      'first ÷ warm p50',
      'MB opened',
      'MB after recall',
    ],
    rows: sizes.map(({ open, recall, ...size }) => {
      const [warm] = Object.values(recall);
      return [
        sizeName(size),
        ms(open.importMs),
        ms(open.openMs),
        ms(open.firstRecallMs),
        warm ? (open.firstRecallMs / warm.wholeMs.p50).toFixed(1) : '–',
        whole(open.openRssMb),
        whole(open.recallRssMb),
      ];
    }),
  };
}

/** The stages of the first recall: much of its time is loading code and indexes. */
function firstStages(sizes: readonly SizeResult[]): Block {
  const slowest = ({ firstStagesMs }: OpenResult) =>
    Object.entries(firstStagesMs)
      .toSorted(([, a], [, b]) => b - a)
      .slice(0, 4)
      .map(([stage, taken]) => `${stage} ${ms(taken)}`)
      .join(', ');
  const items = sizes.map(
    ({ open, ...size }) => `First recall at ${sizeName(size)} turns, slowest stages, ms: ${slowest(open)}`,
  );
  return { kind: 'list', items };
}

function recallTable(sizes: readonly SizeResult[]): Block {
  return {
    kind: 'table',
    head: [
      'turns · profile',
      'p50 ms',
      'p95',
      'max',
      'without embedding p50',
      'p95',
      'max',
      'CPU p50',
      'p95',
      '÷ first',
      'MB',
    ],
    rows: sizes.flatMap(({ recall, ...size }) => {
      const [first] = Object.values(recall);
      return Object.entries(recall).map(([profile, result]) => [
        `${sizeName(size)} · ${profile}`,
        ...cells(result.wholeMs),
        ...cells(result.withoutEmbeddingMs),
        ms(result.cpuMs.p50),
        ms(result.cpuMs.p95),
        first ? (result.wholeMs.p50 / first.wholeMs.p50).toFixed(2) : '–',
        whole(result.rssMb),
      ]);
    }),
  };
}

/** Lines that a query refers to are embedded with it; in a conversation, they were embedded when they were said. */
function referringQueries(sizes: readonly SizeResult[], lines: string): Block {
  const both = ({ p50, p95 }: Spread) => `${ms(p50)} / ${ms(p95)}`;
  const items = sizes.flatMap(({ recall, ...size }) =>
    Object.entries(recall).map(
      ([profile, { referring, referringMs, standingMs }]) =>
        `${sizeName(size)} · ${profile}, p50 / p95 ms: ${both(referringMs)} for the ${referring} queries that refer to lines before them, ${lines}; ${both(standingMs)} for the others`,
    ),
  );
  return { kind: 'list', items };
}

function stageTables(sizes: readonly SizeResult[]): Block[] {
  const profiles = [...new Set(sizes.flatMap(({ recall }) => Object.keys(recall)))];
  return profiles.map((profile): Block => {
    const measured = sizes.flatMap(({ recall, ...size }): [string, ProfileResult][] =>
      recall[profile] ? [[sizeName(size), recall[profile]]] : [],
    );
    const stages = [...new Set(measured.flatMap(([, { stagesMs }]) => Object.keys(stagesMs)))];
    return {
      kind: 'table',
      head: [`${profile}, p50 / p95 ms`, ...measured.map(([name]) => name)],
      rows: stages.map((stage) => [
        stage,
        ...measured.map(([, { stagesMs }]) => {
          const own = stagesMs[stage];
          return own ? `${ms(own.p50)} / ${ms(own.p95)}` : '–';
        }),
      ]),
    };
  });
}

function sizeName({ turns, characters }: Pick<SizeResult, 'turns' | 'characters'>): string {
  return characters === null ? whole(turns) : `${whole(turns)} × ${whole(characters)}`;
}

function cells({ p50, p95, max }: Spread): string[] {
  return [ms(p50), ms(p95), ms(max)];
}

function ms(value: number): string {
  return value.toFixed(value < 10 ? 2 : 1);
}

function whole(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}
