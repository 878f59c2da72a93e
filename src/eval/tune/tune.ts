/** Fits a profile's weights to labelled sets, and measures the gain on other conversations. */
import type { ProfileFile } from '../../engine/engine.ts';
import { MemoryError } from '../../model/model.ts';
import { LIMIT } from '../ask.ts';
import { openEvaluationEmbedder } from '../opening.ts';
import { captureSet } from './capture.ts';
import type { CapturedQuery } from '../captured.ts';
import { divide } from './folds.ts';
import { crossValidate, MAX_FOLDS } from './crossValidate.ts';
import { isMeasured, TUNED_FIGURES, type LabelledQuery } from './labelled.ts';
import { figuresUnder } from './learn.ts';
import { mapValues } from './mapValues.ts';
import { gainOf, type Gain, type Held, type SetGain, type TunedWeight, type TuneReport } from './report.ts';
import { rescale } from './size.ts';
import { reportWrong, type WrongReport } from './wrong.ts';
import { DEFAULT_PROFILE, findTunable, openSets, type TuneOptions } from './start.ts';

export { formatTuning, formatTuningMarkdown } from './format.ts';
export { formatLeaveOneOut, formatLeaveOneOutMarkdown, runLeaveOneOut } from './leaveOneOut.ts';
export type { TuneProgress } from './progress.ts';
export type { TuneReport } from './report.ts';
export type { TuneOptions } from './start.ts';

/** Fewer queries cannot show a gain. */
const MIN_QUERIES = 10;

/**
 * Runs every query once with the base's weights, and fits weights to the captured candidates. The gain is measured by
 * cross-validation: on each fold with weights fitted to the others. Memories are stored in a temporary folder that is
 * removed. The same sets and options give the same weights.
 *
 * @throws MemoryError FILE_UNREADABLE, UNKNOWN_FORMAT, INVALID_INPUT
 * @throws the signal's reason once `signal` is aborted
 */
export async function runTuning(paths: readonly string[], options: TuneOptions): Promise<TuneReport> {
  const start = findTunable(options);
  const sets = await openSets(paths, options.cut);
  const embedder = await openEvaluationEmbedder(options.embedder);
  const queries: LabelledQuery[] = [];
  for (const [index, set] of sets.entries()) {
    const asked = await captureSet(set, { ...options, profile: start, embedder });
    queries.push(...asked.map((query) => ({ ...query, set: index })));
  }
  requireEnough(queries);
  const base = Float64Array.from(Object.values(start.weights));
  const { whole, parts, held } = await crossValidate(queries, base, options);
  const judges = start.base === 'conversation' ? 'leads' : 'scores';
  const sized = (weights: Float64Array) => rescale(queries, base, weights, judges);
  const weights = sized(whole.weights).map(toThousandths);
  const measured = queries.flatMap((query, i) =>
    isMeasured(query) ? [{ query, held: figuresUnder(query, held[i] ?? base, LIMIT) }] : [],
  );
  const overall = gainOf(measured);
  const wrong = reportWrong(queries, base, held);
  const found = {
    profile: options.profile ?? DEFAULT_PROFILE,
    embedder: embedder?.id ?? null,
    strategy: options.strategy ?? null,
    limit: options.limit ?? null,
    learnt: options.learn === true,
    sets: sets.flatMap(({ name }, index) =>
      gainOfSet(
        name,
        measured.filter(({ query }) => query.set === index),
      ),
    ),
    overall,
    wrong,
    isWorthHaving: whole.strength !== null && isGain(overall, wrong),
    strength: whole.strength,
    weights: weightsTable(start, weights, parts.map(sized), queries),
  };
  return { ...found, file: fileOf(start, weights, options, found) };
}

/** The figures rise, or less of what was called wrong is shown while they do not fall. */
function isGain({ gain: { mean } }: Gain, wrong: WrongReport | null): boolean {
  return mean.low > 0 || (wrong !== null && wrong.change.high < 0 && mean.mean >= 0);
}

function requireEnough(queries: readonly LabelledQuery[]): void {
  const known = queries.filter(({ captured }) => captured?.isGold.includes(1)).length;
  if (known >= MIN_QUERIES) return;
  throw new MemoryError(
    'INVALID_INPUT',
    `Of ${known} queries what answers them was found; tuning needs ${MIN_QUERIES}, and hundreds to show anything.`,
  );
}

/** None for a set without gold. */
function gainOfSet(name: string, own: readonly Held[]): SetGain[] {
  if (own.length === 0) return [];
  const conversations = own.map(({ query }) => query.conversationId);
  const folds = divide(conversations, MAX_FOLDS).kind;
  return [{ name, conversations: new Set(conversations).size, queries: own.length, folds, ...gainOf(own) }];
}

function weightsTable(
  start: ProfileFile,
  tuned: Float64Array,
  parts: readonly Float64Array[],
  queries: readonly LabelledQuery[],
): TunedWeight[] {
  return Object.entries(start.weights).map(([feature, base], column) => {
    const fitted = parts.map((weights) => weights[column] ?? 0);
    return {
      feature,
      base,
      tuned: tuned[column] ?? 0,
      from: Math.min(...fitted),
      to: Math.max(...fitted),
      isIdle: queries.every(({ captured }) => captured === null || isConstant(captured, column)),
    };
  });
}

function isConstant({ values, isGold }: CapturedQuery, column: number): boolean {
  const size = values.length / isGold.length;
  for (let row = 1; row < isGold.length; row++)
    if (values[row * size + column] !== values[column]) return false;
  return true;
}

function fileOf(
  start: ProfileFile,
  weights: Float64Array,
  { name, now }: TuneOptions,
  { sets, overall }: Pick<TuneReport, 'sets' | 'overall'>,
): ProfileFile {
  const features = Object.keys(start.weights);
  const figures = TUNED_FIGURES.map((figure) => {
    const { mean: gain, low, high, p } = overall.gain[figure];
    const all = { base: overall.base[figure], tuned: overall.tuned[figure], gain, low, high, p };
    return [figure, mapValues(all, (value) => Number(value.toFixed(4)))] as const;
  });
  return {
    ...start,
    name,
    weights: Object.fromEntries(features.map((feature, i) => [feature, weights[i] ?? 0])),
    tuned: {
      when: now.toISOString(),
      sets: sets.map(({ name, conversations, queries }) => ({ name, conversations, queries })),
      figures: Object.fromEntries(figures),
    },
  };
}

function toThousandths(value: number): number {
  return Number(value.toFixed(3));
}
