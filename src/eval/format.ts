/** A report as JSON, as text for people, and as Markdown. */
import { renderMarkdown, renderText, type Block } from './blocks.ts';
import type { Failure, FailureCandidate } from './ask.ts';
import type { Comparison } from './compare.ts';
import { differenceCells } from './differenceCells.ts';
import type { EvaluationReport, SetReport } from './report.ts';
import { FIGURE_NAMES, mean, type FigureName, type Figures } from './measures.ts';
import type { ProfileReport, TypeReport } from './summarize.ts';
import type { TemporalScore } from './temporal.ts';
import type { TemporalReport } from './temporalSet.ts';

/**
 * The report for programs. With one set and one profile, their figures are at the top level; otherwise `sets` lists
 * each set with its `profiles`. Expressions of time are under `temporal`.
 */
export function toJson(report: EvaluationReport): Record<string, unknown> {
  const { sets, temporal, comparison, ...settings } = report;
  const times = temporal.length > 0 ? { temporal } : {};
  const [set] = sets;
  const [profile] = set?.profiles ?? [];
  if (!set || !profile || sets.length > 1 || set.profiles.length > 1) {
    return { ...(sets.length > 0 && { sets }), ...(comparison && { comparison }), ...times, ...settings };
  }
  const { turn, session, queries, byType, latencyMs, ...rest } = profile;
  const { profiles: _, ...about } = set;
  return { turn, session, queries, byType, latencyMs, ...rest, ...about, ...times, ...settings };
}

/** The report for a terminal. */
export function formatReport(report: EvaluationReport): string {
  return renderText(describe(report));
}

/** The report as Markdown. @param command the command that reproduces it */
export function formatMarkdown(report: EvaluationReport, command?: string): string {
  const how: Block[] = command === undefined ? [] : [{ kind: 'code', text: command }];
  const title: Block = { kind: 'heading', level: 1, text: 'Quality of recall' };
  return renderMarkdown([title, ...how, ...describe(report)]);
}

function describe(report: EvaluationReport): Block[] {
  const overview = report.sets.length > 1 ? [overviewTable(report.sets), injectionOverview(report.sets)] : [];
  return [
    ...(report.sets.length > 0 ? [settingsOf(report), ...overview] : []),
    ...describeOverall(report),
    ...report.sets.flatMap((set) => describeSet(set, report.compared)),
    ...report.temporal.flatMap(describeTemporal),
  ];
}

function settingsOf({ embedder, strategy, limit, cut }: EvaluationReport): Block {
  const parts = [
    `Embedder: ${embedder ?? 'none'}`,
    strategy === null ? 'strategy: as each profile chooses' : `strategy: ${strategy}`,
    ...(limit === null ? [] : [`at most ${limit} queries a set`]),
    ...(cut === null ? [] : [`memories of ${cut} turns`]),
  ];
  return { kind: 'text', text: `${parts.join('; ')}.` };
}

const FIGURES_HEAD = ['R@5', 'R@10', 'NDCG@10', 'MRR'];

function overviewTable(sets: readonly SetReport[]): Block {
  const row = (set: SetReport, profile: ProfileReport) => [
    `${set.name} · ${profile.profile}`,
    String(profile.queries),
    ...figureCells(profile.turn),
    ...figureCells(profile.session).slice(0, 2),
    milliseconds(profile.latencyMs.p95),
  ];
  return {
    kind: 'table',
    head: ['set · profile', 'queries', ...FIGURES_HEAD, 'session R@5', 'session R@10', 'p95 ms'],
    rows: sets.flatMap((set) => set.profiles.map((profile) => row(set, profile))),
  };
}

/** The injection figures of all sets in one table. */
function injectionOverview(sets: readonly SetReport[]): Block {
  const row = (set: SetReport, { profile, injection, calibration }: ProfileReport) => [
    `${set.name} · ${profile}`,
    ...injectionCells(injection),
    shareCell(calibration?.ece ?? null),
  ];
  return {
    kind: 'table',
    head: ['set · profile, injected on', ...INJECTION_HEAD, 'ECE'],
    rows: sets.flatMap((set) => set.profiles.map((profile) => row(set, profile))),
  };
}

const INJECTION_HEAD = [
  'answerable',
  'the right turn',
  'unanswerable',
  'foreign',
  'AUC',
  'precision',
  'with neighbours',
];

function injectionCells(injection: ProfileReport['injection']): string[] {
  const { answerable, right, unanswerable, foreign, auc, precision, precisionNear } = injection;
  return [answerable, right, unanswerable, foreign, auc, precision, precisionNear].map(shareCell);
}

function shareCell(share: number | null): string {
  return share === null ? '–' : share.toFixed(3);
}

function describeSet(set: SetReport, compared: EvaluationReport['compared']): Block[] {
  const size = `${count(set.turns)} turns in ${count(set.conversations)} memories`;
  return [
    { kind: 'heading', level: 2, text: set.name },
    { kind: 'text', text: [`${size}.`, ...set.notes].join(' ') },
    ...(set.profiles.some(({ turnQueries }) => turnQueries > 0) ? [typeTable(set, 'turn')] : []),
    typeTable(set, 'session'),
    costTable(set),
    injectionTable(set),
    ...kindTable(set),
    ...calibrationTables(set),
    ...stageTable(set),
    ...(set.comparison && compared ? describeComparison(set.comparison, compared, [set]) : []),
    ...set.profiles.flatMap(describeFailures),
  ];
}

function typeTable(set: SetReport, level: 'turn' | 'session'): Block {
  const row = (name: string, report: TypeReport) => [
    name,
    String(level === 'turn' ? report.turnQueries : report.queries),
    ...figureCells(report[level]),
  ];
  return {
    kind: 'table',
    head: [`${level} level`, 'queries', ...FIGURES_HEAD],
    rows: set.profiles.flatMap((profile) => {
      const types = Object.entries(profile.byType);
      const details =
        types.length > 1 ? types.map(([type, own]) => row(`${profile.profile} · ${type}`, own)) : [];
      return [row(profile.profile, profile), ...details];
    }),
  };
}

function costTable(set: SetReport): Block {
  const names = [...new Set(set.profiles.flatMap(({ latencyMs }) => Object.keys(latencyMs.stages)))];
  const cell = (spread: { p50: number; p95: number } | undefined) =>
    spread ? `${milliseconds(spread.p50)} / ${milliseconds(spread.p95)}` : '–';
  return {
    kind: 'table',
    head: ['p50 / p95 ms', ...set.profiles.map(({ profile }) => profile)],
    rows: [
      ['whole recall', ...set.profiles.map(({ latencyMs }) => cell(latencyMs))],
      ...names.map((name) => [name, ...set.profiles.map(({ latencyMs }) => cell(latencyMs.stages[name]))]),
    ],
  };
}

function injectionTable(set: SetReport): Block {
  return {
    kind: 'table',
    head: ['injected on', ...INJECTION_HEAD],
    rows: set.profiles.map(({ profile, injection }) => [profile, ...injectionCells(injection)]),
  };
}

/** Only when there is more than one type of query. */
function kindTable(set: SetReport): Block[] {
  const rows = set.profiles.flatMap(({ profile, kinds, latencyMs }) =>
    Object.entries(kinds).map(([type, { queries, injected, right }]) => [
      `${profile} · ${type}`,
      String(queries),
      shareCell(injected),
      shareCell(right),
      milliseconds(latencyMs.types[type]?.p50 ?? 0),
      milliseconds(latencyMs.types[type]?.p95 ?? 0),
    ]),
  );
  const head = ['type of query', 'queries', 'injected', 'the right turn', 'p50 ms', 'p95 ms'];
  return rows.length > set.profiles.length ? [{ kind: 'table', head, rows }] : [];
}

function calibrationTables(set: SetReport): Block[] {
  return set.profiles.flatMap(({ profile, calibration }): Block[] => {
    if (!calibration) return [];
    const { hits, ece, bins } = calibration;
    return [
      {
        kind: 'table',
        head: [`${profile}: probabilities, ECE ${ece.toFixed(3)}`, 'hits', 'said', 'true'],
        rows: [
          ...bins.map((bin) => [
            `${bin.from.toFixed(1)} to ${bin.to.toFixed(1)}`,
            count(bin.hits),
            bin.predicted.toFixed(3),
            bin.observed.toFixed(3),
          ]),
          ['all', count(hits), '', ''],
        ],
      },
    ];
  });
}

function stageTable(set: SetReport): Block[] {
  const traced = set.profiles.filter(({ stages }) => stages !== null);
  const names = [...new Set(traced.flatMap(({ stages }) => Object.keys(stages ?? {})))];
  if (traced.length === 0) return [];
  const rows = traced.map(({ profile, stages }) => [
    profile,
    ...names.map((name) => stages?.[name]?.toFixed(3) ?? '–'),
  ]);
  return [{ kind: 'table', head: ['gold left after', ...names], rows }];
}

function describeOverall({ comparison, compared, sets }: EvaluationReport): Block[] {
  if (!comparison || !compared) return [];
  const title: Block = { kind: 'heading', level: 3, text: 'All sets, with equal weight' };
  return [title, ...describeComparison(comparison, compared, sets)];
}

function describeComparison(
  comparison: Comparison,
  [baseline, other]: readonly [string, string],
  sets: readonly SetReport[],
): Block[] {
  const meanOf = (profile: string, name: FigureName) =>
    mean(sets.map((set) => set.profiles.find((each) => each.profile === profile)?.turn[name] ?? 0));
  return [
    { kind: 'text', text: `${other} less ${baseline}, paired bootstrap over queries, turn level:` },
    {
      kind: 'table',
      head: ['figure', other, baseline, 'difference', 'from', 'to', 'p'],
      rows: FIGURE_NAMES.map((name) => [
        name,
        meanOf(other, name).toFixed(3),
        meanOf(baseline, name).toFixed(3),
        ...differenceCells(comparison[name]),
      ]),
    },
  ];
}

function describeFailures({ profile, failures }: ProfileReport): Block[] {
  if (failures.length === 0) return [];
  return [
    { kind: 'heading', level: 3, text: `What ${profile} missed` },
    ...failures.flatMap(describeFailure),
  ];
}

const SHOWN_CHARACTERS = 300;

function describeFailure({ queryId, type, query, context, figures, gold, top, notes }: Failure): Block[] {
  const confidence =
    notes['confidence'] === undefined ? '' : `; confidence ${JSON.stringify(notes['confidence'])}`;
  const said = context.slice(-3).map((line) => `before it: ${shorten(line)}`);
  const isShown = new Set(gold.map(({ sourceId }) => sourceId));
  const candidates = [...gold, ...top.filter(({ sourceId }) => !isShown.has(sourceId))];
  return [
    { kind: 'text', text: `${queryId} (${type}): ${shorten(query)}` },
    {
      kind: 'list',
      items: [
        ...said,
        `R@10 ${figures['R@10'].toFixed(3)}, NDCG@10 ${figures['NDCG@10'].toFixed(3)}${confidence}`,
        ...candidates.map(describeCandidate),
      ],
    },
  ];
}

function describeCandidate({ sourceId, text, rank, isGold, score, features }: FailureCandidate): string {
  const place = rank === null ? 'not among the hits' : `rank ${rank}`;
  const head = `${isGold ? 'gold' : 'hit'} ${sourceId}, ${place}: ${shorten(text)}`;
  if (score === null || features === null) return `${head}\nnever scored`;
  const values = Object.entries(features).filter(([, value]) => value !== 0);
  return `${head}\nscore ${score.toFixed(3)}: ${values.map(([name, value]) => `${name} ${value.toFixed(2)}`).join(', ')}`;
}

function shorten(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ');
  return line.length <= SHOWN_CHARACTERS ? line : `${line.slice(0, SHOWN_CHARACTERS).toWellFormed()} …`;
}

function describeTemporal({ name, byLanguage }: TemporalReport): Block[] {
  const languages = Object.entries(byLanguage);
  const cells = (tally: { exact: number; total: number } | undefined) =>
    tally && tally.total > 0
      ? [String(tally.total), String(tally.exact), (tally.exact / tally.total).toFixed(3)]
      : ['–', '–', '–'];
  const rows = languages.flatMap(([language, { all, undisputed }]) => [
    [language, ...cells(all), ...cells(undisputed ?? undefined)],
    ...Object.entries(all.byType).map(([type, tally]) => [
      `${language} · ${type}`,
      ...cells(tally),
      ...cells(undisputed?.byType[type]),
    ]),
  ]);
  const failures = languages.flatMap(([, { all, undisputed }]) => (undisputed ?? all).failures);
  return [
    { kind: 'heading', level: 2, text: name },
    {
      kind: 'table',
      head: ['expressions of time', 'all', 'exact', 'share', 'undisputed', 'exact', 'share'],
      rows,
    },
    ...(failures.length > 0 ? [{ kind: 'list' as const, items: failures.map(describeTemporalFailure) }] : []),
  ];
}

function describeTemporalFailure({
  id,
  text,
  expected,
  accepted,
  found,
}: TemporalScore['failures'][number]): string {
  return `${id}: ${shorten(text)}\n“${expected}” is ${accepted.join(' or ')}; found: ${found.join('; ') || 'nothing'}`;
}

function figureCells(figures: Figures): string[] {
  return FIGURE_NAMES.map((name) => figures[name].toFixed(3));
}

function milliseconds(value: number): string {
  return value.toFixed(value < 10 ? 2 : 1);
}

function count(value: number): string {
  return value.toLocaleString('en-US');
}
