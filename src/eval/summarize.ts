/** Computes the figures of a set from the results of its queries. */
import type { Failure, ForeignOutcome, Outcome } from './ask.ts';
import { calibrationOf, type Calibration } from './calibration.ts';
import { areaUnderCurve, mean, meanFigures, percentile, type Figures } from './measures.ts';

export interface ProfileReport {
  readonly profile: string;
  /** Queries that count for recall. */
  readonly queries: number;
  readonly turnQueries: number;
  readonly turn: Figures;
  readonly session: Figures;
  readonly byType: Readonly<Record<string, TypeReport>>;
  readonly latencyMs: Latency;
  readonly injection: InjectionReport;
  /** By type of query, including unanswerable ones. */
  readonly kinds: Readonly<Record<string, KindReport>>;
  /** Of the first hits of all queries, including foreign ones if there are any; null when hits have no probability. */
  readonly calibration: Calibration | null;
  /** The mean share of the gold that remains after each stage; null unless traces were requested. */
  readonly stages: Readonly<Record<string, number>> | null;
  /** The queries with the worst results; empty unless requested. */
  readonly failures: readonly Failure[];
}

export interface TypeReport {
  readonly queries: number;
  /** The number of them for which the set names turns; for the others it names only sessions. */
  readonly turnQueries: number;
  readonly turn: Figures;
  readonly session: Figures;
}

interface Spread {
  readonly p50: number;
  readonly p95: number;
}

interface Latency extends Spread {
  readonly stages: Readonly<Record<string, Spread>>;
  /** By type of query. */
  readonly types: Readonly<Record<string, Spread>>;
}

/** The results for queries of one type. */
interface KindReport {
  readonly queries: number;
  /** Share of them for which something is injected. */
  readonly injected: number;
  /** Share of them for which gold is injected; null when the set names none. */
  readonly right: number | null;
}

/** Shares of queries for which something would be injected; null when there are no such queries. */
interface InjectionReport {
  /** Queries that the memory can answer: higher is better. */
  readonly answerable: number | null;
  /** Queries about the same conversation that have no answer. */
  readonly unanswerable: number | null;
  /** Queries meant for another conversation: lower is better; null unless requested. */
  readonly foreign: number | null;
  readonly foreignQueries: number;
  /** How well the profile's confidence separates answerable from foreign queries: 0.5 not at all, 1 perfectly. */
  readonly auc: number | null;
  /** Share of the answerable queries for which at least one turn of the gold is injected. */
  readonly right: number | null;
  /** Of the turns injected for answerable queries, the share that is gold; null when nothing is injected. */
  readonly precision: number | null;
  /** The same, with turns right before or after gold counting as gold. */
  readonly precisionNear: number | null;
}

export function summarizeProfile(
  profile: string,
  outcomes: readonly Outcome[],
  foreign: readonly ForeignOutcome[],
  failureCount: number,
): ProfileReport {
  const counted = outcomes.filter((outcome) => outcome.isAnswerable);
  return {
    profile,
    ...summarizeType(counted),
    byType: Object.fromEntries(byTypeOf(counted).map(([type, own]) => [type, summarizeType(own)])),
    latencyMs: summarizeLatency(outcomes),
    injection: summarizeInjection(outcomes, foreign),
    kinds: summarizeKinds(outcomes),
    calibration: calibrationOf([...outcomes, ...foreign].flatMap(({ judged }) => judged)),
    stages: summarizeStages(counted),
    failures: worst(counted, failureCount),
  };
}

function summarizeType(outcomes: readonly Outcome[]): TypeReport {
  return {
    queries: outcomes.length,
    turnQueries: outcomes.filter(({ turn }) => turn !== null).length,
    turn: meanFigures(outcomes.flatMap(({ turn }) => turn ?? [])),
    session: meanFigures(outcomes.flatMap(({ session }) => session ?? [])),
  };
}

function spread(values: readonly number[]): Spread {
  return { p50: percentile(values, 0.5), p95: percentile(values, 0.95) };
}

function summarizeLatency(outcomes: readonly Outcome[]): Latency {
  const stages = new Set(outcomes.flatMap(({ breakdown }) => Object.keys(breakdown)));
  return {
    ...spread(outcomes.map((outcome) => outcome.latencyMs)),
    stages: Object.fromEntries(
      [...stages].map((stage) => [stage, spread(outcomes.map(({ breakdown }) => breakdown[stage] ?? 0))]),
    ),
    types: Object.fromEntries(
      byTypeOf(outcomes).map(([type, own]) => [type, spread(own.map(({ latencyMs }) => latencyMs))]),
    ),
  };
}

function summarizeInjection(
  outcomes: readonly Outcome[],
  foreign: readonly ForeignOutcome[],
): InjectionReport {
  const share = (of: readonly { inject: boolean }[]) =>
    of.length === 0 ? null : of.filter(({ inject }) => inject).length / of.length;
  const answerable = outcomes.filter((outcome) => outcome.isAnswerable);
  const confidences = (of: readonly { confidence: number | null }[]) =>
    of.flatMap((each) => each.confidence ?? []);
  return {
    answerable: share(answerable),
    unanswerable: share(outcomes.filter((outcome) => outcome.isUnanswerable)),
    foreign: share(foreign),
    foreignQueries: foreign.length,
    auc: areaUnderCurve(confidences(answerable), confidences(foreign)),
    right: shareRight(answerable),
    ...precisionOf(answerable),
  };
}

/** Only queries for which the set names turns. */
function shareRight(outcomes: readonly Outcome[]): number | null {
  const known = outcomes.filter(({ isAnswerable, turn }) => isAnswerable && turn !== null);
  return known.length === 0 ? null : known.filter(({ injected }) => injected.gold > 0).length / known.length;
}

function precisionOf(outcomes: readonly Outcome[]): Pick<InjectionReport, 'precision' | 'precisionNear'> {
  const known = outcomes.filter(({ turn }) => turn !== null).map(({ injected }) => injected);
  const sum = (count: (of: Outcome['injected']) => number) =>
    known.reduce((total, each) => total + count(each), 0);
  const turns = sum((each) => each.turns);
  if (turns === 0) return { precision: null, precisionNear: null };
  return { precision: sum(({ gold }) => gold) / turns, precisionNear: sum(({ near }) => near) / turns };
}

function byTypeOf(outcomes: readonly Outcome[]): [string, Outcome[]][] {
  return [...Map.groupBy(outcomes, ({ type }) => type)].toSorted(([a], [b]) => (a < b ? -1 : 1));
}

function summarizeKinds(outcomes: readonly Outcome[]): Record<string, KindReport> {
  return Object.fromEntries(
    byTypeOf(outcomes).map(([type, own]) => [
      type,
      {
        queries: own.length,
        injected: own.filter(({ inject }) => inject).length / own.length,
        right: shareRight(own),
      },
    ]),
  );
}

function summarizeStages(outcomes: readonly Outcome[]): Record<string, number> | null {
  const traced = outcomes.flatMap(({ stages }) => (stages === null ? [] : [stages]));
  const [first] = traced;
  if (!first) return null;
  return Object.fromEntries(
    Object.keys(first).map((stage) => [stage, mean(traced.map((stages) => stages[stage] ?? 0))]),
  );
}

/** Those with the lowest NDCG; ties are taken evenly from the whole set, not only from its beginning. */
function worst(outcomes: readonly Outcome[], count: number): Failure[] {
  const failures = outcomes.flatMap(({ failure }) => failure ?? []);
  const byNdcg = failures.toSorted((a, b) => a.figures['NDCG@10'] - b.figures['NDCG@10']);
  const bar = byNdcg[Math.min(count, byNdcg.length) - 1]?.figures['NDCG@10'] ?? 0;
  const below = byNdcg.filter((failure) => failure.figures['NDCG@10'] < bar);
  const equal = byNdcg.filter((failure) => failure.figures['NDCG@10'] === bar);
  const room = Math.min(equal.length, Math.max(0, count - below.length));
  const spread = Array.from({ length: room }, (_, i) => equal[Math.floor((i * equal.length) / room)]);
  return [...below, ...spread.flatMap((failure) => failure ?? [])];
}
