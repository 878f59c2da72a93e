/** From what each query brought to the figures of a set. */
import type { Failure, Outcome } from './ask.ts';
import { areaUnderCurve, mean, meanFigures, percentile, type Figures } from './measures.ts';
import type { ForeignOutcome } from './run.ts';

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
  /** The mean share of the gold that is left after each stage; null unless traces were asked for. */
  readonly stages: Readonly<Record<string, number>> | null;
  /** The queries that came out worst; empty unless asked for. */
  readonly failures: readonly Failure[];
}

export interface TypeReport {
  readonly queries: number;
  /** Those of them for which the set names turns; the others name only sessions. */
  readonly turnQueries: number;
  readonly turn: Figures;
  readonly session: Figures;
}

interface Latency {
  readonly p50: number;
  readonly p95: number;
  readonly stages: Readonly<Record<string, { readonly p50: number; readonly p95: number }>>;
}

/** Shares of queries on which something would be injected; null where there are none of the kind. */
interface InjectionReport {
  /** Queries that the memory can answer: the higher the better. */
  readonly answerable: number | null;
  /** Queries about the same conversation that nothing answers. */
  readonly unanswerable: number | null;
  /** Queries meant for another conversation: the lower the better; null unless asked for. */
  readonly foreign: number | null;
  readonly foreignQueries: number;
  /** How well the profile's confidence tells answerable from foreign queries: 0.5 not at all, 1 wholly. */
  readonly auc: number | null;
}

export function summarizeProfile(
  profile: string,
  outcomes: readonly Outcome[],
  foreign: readonly ForeignOutcome[],
  failureCount: number,
): ProfileReport {
  const counted = outcomes.filter((outcome) => outcome.isAnswerable);
  const types = Map.groupBy(counted, (outcome) => outcome.type);
  return {
    profile,
    ...summarizeType(counted),
    byType: Object.fromEntries(
      [...types].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([type, own]) => [type, summarizeType(own)]),
    ),
    latencyMs: summarizeLatency(outcomes),
    injection: summarizeInjection(outcomes, foreign),
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

function summarizeLatency(outcomes: readonly Outcome[]): Latency {
  const spread = (values: readonly number[]) => ({
    p50: percentile(values, 0.5),
    p95: percentile(values, 0.95),
  });
  const stages = new Set(outcomes.flatMap(({ breakdown }) => Object.keys(breakdown)));
  return {
    ...spread(outcomes.map((outcome) => outcome.latencyMs)),
    stages: Object.fromEntries(
      [...stages].map((stage) => [stage, spread(outcomes.map(({ breakdown }) => breakdown[stage] ?? 0))]),
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
  };
}

function summarizeStages(outcomes: readonly Outcome[]): Record<string, number> | null {
  const traced = outcomes.flatMap(({ stages }) => (stages === null ? [] : [stages]));
  const [first] = traced;
  if (!first) return null;
  return Object.fromEntries(
    Object.keys(first).map((stage) => [stage, mean(traced.map((stages) => stages[stage] ?? 0))]),
  );
}

/** Those with the lowest NDCG; of those equally bad, from all over the set rather than from its beginning. */
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
