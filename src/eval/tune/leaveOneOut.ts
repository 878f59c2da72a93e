/**
 * The figures of a family of sets with weights fitted without it. The profile's fixed weights may have been fitted to
 * the family, so a linear score is fitted twice from zero: to all families, and to all but one.
 */
import { recordOf } from '../../model/model.ts';
import { setImmediate as otherWork } from 'node:timers/promises';
import { LIMIT } from '../ask.ts';
import { renderMarkdown, renderText, type Block } from '../blocks.ts';
import { openEvaluationEmbedder } from '../opening.ts';
import { growthOf } from '../profile.ts';
import { signed } from '../differenceCells.ts';
import { captureSet } from './capture.ts';
import { fitWeights } from './fit.ts';
import { withGrowingColumns } from './growth.ts';
import {
  isMeasured,
  TUNED_FIGURES,
  type LabelledQuery,
  type MeasuredQuery,
  type TunedFigures,
} from './labelled.ts';
import { figuresUnder, meanBySet, samplesOf } from './learn.ts';
import { findTunable, openSets, type TuneOptions } from './start.ts';

export type LeaveOneOutOptions = Omit<TuneOptions, 'name' | 'now'>;

export interface LeaveOneOutReport {
  readonly profile: string;
  readonly embedder: string | null;
  readonly limit: number | null;
  readonly cut: number | null;
  readonly families: readonly FamilyReport[];
}

/** Means of a family's sets at turn level, every set with the same weight. */
export interface FamilyReport {
  /** The name of its sets up to the first hyphen. */
  readonly name: string;
  readonly queries: number;
  /** With the profile's weights. */
  readonly shipped: TunedFigures;
  /** With weights fitted to all families, and to all but this one. */
  readonly fitted: TunedFigures;
  readonly leftOut: TunedFigures;
}

/** The factor of the penalty: nats per query for half the squared weight, in units of 1 / its feature's standard deviation. */
const STRENGTH = 0.003;

/**
 * @throws MemoryError FILE_UNREADABLE, UNKNOWN_FORMAT, INVALID_INPUT
 * @throws the signal's reason once `signal` is aborted
 */
export async function runLeaveOneOut(
  paths: readonly string[],
  options: LeaveOneOutOptions,
): Promise<LeaveOneOutReport> {
  const profile = findTunable(options);
  const sets = await openSets(paths, options.cut);
  const embedder = await openEvaluationEmbedder(options.embedder);
  const features = Object.keys(profile.weights);
  const growing = Object.keys(growthOf({ ...profile, name: 'left out' }));
  const queries: MeasuredQuery[] = [];
  for (const [index, set] of sets.entries()) {
    for (const asked of await captureSet(set, { ...options, profile, embedder })) {
      const captured = asked.captured && withGrowingColumns(asked.captured, features, growing);
      const query = { ...asked, captured, set: index };
      if (isMeasured(query)) queries.push(query);
    }
  }
  const familyOf = sets.map(({ name }) => name.split('-')[0] ?? name);
  const names = [...new Set(familyOf)];
  const width = features.length + growing.length;
  const all = fit(queries, width);
  const families: FamilyReport[] = [];
  for (const [done, name] of names.entries()) {
    options.onProgress?.({ phase: 'fitting', done, total: names.length });
    await otherWork();
    options.signal?.throwIfAborted();
    const isOwn = ({ set }: MeasuredQuery) => familyOf[set] === name;
    const own = queries.filter(isOwn);
    const without = fit(
      queries.filter((query) => !isOwn(query)),
      width,
    );
    families.push({
      name,
      queries: own.length,
      shipped: meansOf(own, ({ figures }) => figures),
      fitted: meansOf(own, (query) => figuresUnder(query, all, LIMIT)),
      leftOut: meansOf(own, (query) => figuresUnder(query, without, LIMIT)),
    });
  }
  return {
    profile: options.profile ?? 'conversation',
    embedder: embedder?.id ?? null,
    limit: options.limit ?? null,
    cut: options.cut ?? null,
    families,
  };
}

/** The weights with the smallest loss, starting from zero. @param width number of weights */
function fit(queries: readonly LabelledQuery[], width: number): Float64Array {
  const samples = samplesOf(queries);
  const nothing = new Float64Array(width);
  if (samples.length === 0) return nothing;
  const spread = spreadOf(queries, width);
  const unit = spread.map((value) => (value > 0 ? 1 / value : 1));
  return fitWeights(samples, { strength: STRENGTH, centre: nothing, unit }, nothing);
}

/** The standard deviation of each column over all candidates. */
function spreadOf(queries: readonly LabelledQuery[], width: number): Float64Array {
  const sums = new Float64Array(width);
  const squares = new Float64Array(width);
  let count = 0;
  for (const { captured } of queries) {
    if (!captured) continue;
    count += captured.isGold.length;
    for (const [i, value] of captured.values.entries()) {
      sums[i % width]! += value;
      squares[i % width]! += value * value;
    }
  }
  return sums.map((sum, i) => Math.sqrt(Math.max(0, squares[i]! / count - (sum / count) ** 2)));
}

function meansOf(
  queries: readonly MeasuredQuery[],
  figuresOf: (query: MeasuredQuery) => TunedFigures,
): TunedFigures {
  const figures = queries.map(figuresOf);
  return recordOf(TUNED_FIGURES, (name) =>
    meanBySet(
      queries,
      figures.map((each) => each[name]),
    ),
  );
}

export function formatLeaveOneOut(report: LeaveOneOutReport): string {
  return renderText(describe(report));
}

export function formatLeaveOneOutMarkdown(report: LeaveOneOutReport, command: string): string {
  const title: Block = { kind: 'heading', level: 1, text: 'Leaving one family out' };
  return renderMarkdown([title, { kind: 'code', text: command }, ...describe(report)]);
}

function describe({ profile, embedder, limit, cut, families }: LeaveOneOutReport): Block[] {
  const settings = [
    `Features of ${profile}`,
    `embedder: ${embedder ?? 'none'}`,
    ...(limit === null ? [] : [`at most ${limit} queries a set`]),
    ...(cut === null ? [] : [`memories of ${cut} turns`]),
  ];
  const rows = families.flatMap(({ name, queries, shipped, fitted, leftOut }) =>
    TUNED_FIGURES.map((figure) => [
      `${name} · ${figure}`,
      String(queries),
      ...[shipped, fitted, leftOut].map((figures) => figures[figure].toFixed(3)),
      signed(leftOut[figure] - fitted[figure]),
      signed(leftOut[figure] - shipped[figure]),
    ]),
  );
  return [
    { kind: 'text', text: `${settings.join('; ')}.` },
    {
      kind: 'table',
      head: ['family', 'queries', 'as it is', 'fitted to all', 'without it', 'loss', 'less as it is'],
      rows,
    },
  ];
}
