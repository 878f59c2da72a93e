/** Statistics of recalls and verdicts, for tuning. */
import type { ModelCall, RecallMetadata, RecallOutcome } from '../engine/engine.ts';
import type { Feedback, ModelUse, RecallUse } from '../settings/settings.ts';

const TOTAL = 'total';
/** The z-score for 95 %. */
const Z = 1.96;

interface Counts {
  injected: number;
  silent: number;
  empty: number;
}

interface Interval {
  readonly share: number;
  readonly low: number;
  readonly high: number;
}

/** `injected`, `silent` (hits were found, but not used) or `empty`. */
export function nameOutcome(metadata: RecallMetadata, { inject }: RecallOutcome): RecallUse['outcome'] {
  if (inject) return 'injected';
  return metadata.candidatesAfter === 0 ? 'empty' : 'silent';
}

export function recallUseOf(
  metadata: RecallMetadata,
  outcome: RecallOutcome,
): Omit<RecallUse, 'at' | 'memoryId'> {
  return {
    profile: metadata.profile,
    outcome: nameOutcome(metadata, outcome),
    totalMs: metadata.totalLatencyMs,
    stages: metadata.breakdown,
  };
}

export function modelUseOf({
  purpose,
  modelId,
  error,
  usage,
  elapsedMs,
}: ModelCall): Omit<ModelUse, 'day' | 'calls'> {
  return {
    purpose,
    model: modelId,
    failed: error === null ? 0 : 1,
    inputTokens: usage.inputTokens ?? 0,
    outputTokens: usage.outputTokens ?? 0,
    totalMs: elapsedMs,
  };
}

export function summarizeRecalls(recalls: readonly RecallUse[]) {
  const byDay = Map.groupBy(recalls, ({ at }) => new Date(at).toISOString().slice(0, 10));
  return {
    recalls: recalls.length,
    outcomes: countOutcomes(recalls),
    stages: stagesOf(recalls),
    days: Array.from(byDay, ([date, ofDay]) => ({
      date,
      ...percentiles(ofDay.map(({ totalMs }) => totalMs)),
      ...countOutcomes(ofDay),
    })),
  };
}

/** Each profile that ranked live recalls, the most frequently used first. */
export function compareProfiles(recalls: readonly RecallUse[], verdicts: readonly Feedback[]) {
  const byProfile = Map.groupBy(recalls, ({ profile }) => profile);
  const rows = Array.from(byProfile, ([profile, ofProfile]) => {
    const given = verdicts.filter((verdict) => verdict.profile === profile);
    const helped = given.filter(({ verdict }) => verdict === 'helped').length;
    return {
      profile,
      recalls: ofProfile.length,
      injected: wilson(countOutcomes(ofProfile).injected, ofProfile.length),
      helped,
      wrong: given.length - helped,
      helpedShare: given.length === 0 ? null : wilson(helped, given.length),
    };
  });
  return rows.toSorted((a, b) => b.recalls - a.recalls);
}

/** The share `hits / all` with its Wilson score interval: Wilson, J. Am. Stat. Assoc. 22 (1927), 209–212. */
function wilson(hits: number, all: number): Interval {
  const share = hits / all;
  const spread = Z ** 2 / all;
  const middle = (share + spread / 2) / (1 + spread);
  const half = (Z * Math.sqrt((share * (1 - share)) / all + spread / (4 * all))) / (1 + spread);
  return { share, low: Math.max(0, middle - half), high: Math.min(1, middle + half) };
}

function countOutcomes(recalls: readonly RecallUse[]): Counts {
  const counts: Counts = { injected: 0, silent: 0, empty: 0 };
  for (const { outcome } of recalls) counts[outcome] += 1;
  return counts;
}

function stagesOf(recalls: readonly RecallUse[]) {
  const times = new Map<string, number[]>([[TOTAL, []]]);
  const add = (stage: string, ms: number) => {
    const known = times.get(stage);
    if (known) known.push(ms);
    else times.set(stage, [ms]);
  };
  for (const { stages, totalMs } of recalls) {
    add(TOTAL, totalMs);
    for (const [stage, ms] of Object.entries(stages)) add(stage, ms);
  }
  if (recalls.length === 0) return [];
  return Array.from(times, ([stage, ms]) => ({ stage, ...percentiles(ms) }));
}

function percentiles(values: readonly number[]): { p50: number; p95: number } {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
  return { p50: at(0.5), p95: at(0.95) };
}
