// Measures the quality of inferred emotions.

import { SHOWS } from '../../src/llm/emotion/classifier.ts';
import { EMOTION_KEYS, emotionCosine, type Emotion } from '../../src/model/model.ts';
import type { Example } from './examples.ts';

export interface Judged {
  readonly example: Example;
  readonly emotion: Emotion;
}

export interface Figures {
  readonly count: number;
  /** Share of examples with the correct strongest emotion, or correctly none. */
  readonly top1: number;
  /** Mean F1 over the keys at the threshold; slight emotions are ignored. */
  readonly macroF1: number;
  /** Mean cosine with the labels, where there is any emotion. */
  readonly cosine: number;
}

/** Examples of similar confidence. */
export interface Bin {
  readonly count: number;
  /** Share of all examples in this bin, with equal weight for both sources. */
  readonly share: number;
  /** Mean confidence. */
  readonly confidence: number;
  /** Share of correct ones. */
  readonly right: number;
}

/** Correct: the strongest emotion shows at least slightly, or none is found and none clearly shows. */
export function isRight({ example, emotion }: Judged, threshold = SHOWS): boolean {
  const values = EMOTION_KEYS.map((key) => emotion.values[key] ?? 0);
  const strongest = Math.max(...values);
  if (strongest < threshold) return Math.max(...example.shows) <= 0.5;
  return (example.shows[values.indexOf(strongest)] ?? 0) > 0;
}

export function figuresOf(judged: readonly Judged[], threshold = SHOWS): Figures {
  const telling = judged.filter(({ example }) => Math.max(...example.shows) > 0);
  return {
    count: judged.length,
    top1: mean(judged.map((one) => Number(isRight(one, threshold)))),
    macroF1: macroF1(judged, threshold),
    cosine: mean(telling.map(({ example, emotion }) => emotionCosine(emotion, emotionOf(example)))),
  };
}

/** By confidence, in tenths, without empty ones; both sources have the same weight. */
export function reliabilityOf(judged: readonly Judged[]): Bin[] {
  const sources = Map.groupBy(judged, ({ example }) => example.source);
  const weigh = ({ example }: Judged) => 1 / (sources.size * (sources.get(example.source)?.length ?? 1));
  const bins = Map.groupBy(judged, ({ emotion }) => Math.min(9, Math.floor(emotion.confidence * 10)));
  return [...bins]
    .sort(([a], [b]) => a - b)
    .map(([, bin]) => {
      const share = sum(bin.map(weigh));
      return {
        count: bin.length,
        share,
        confidence: sum(bin.map((one) => weigh(one) * one.emotion.confidence)) / share,
        right: sum(bin.map((one) => weigh(one) * Number(isRight(one)))) / share,
      };
    });
}

/** Expected calibration error: the mean difference of confidence and accuracy. */
export function calibrationError(bins: readonly Bin[]): number {
  return sum(bins.map(({ share, confidence, right }) => share * Math.abs(confidence - right)));
}

function macroF1(judged: readonly Judged[], threshold: number): number {
  const scores = EMOTION_KEYS.flatMap((key, k) => {
    const clear = judged.filter(({ example }) => example.shows[k] !== 0.5);
    const count = (found: boolean, shows: boolean) =>
      clear.filter(
        ({ example, emotion }) =>
          (emotion.values[key] ?? 0) >= threshold === found && (example.shows[k] === 1) === shows,
      ).length;
    const [right, missed, wrong] = [count(true, true), count(false, true), count(true, false)];
    return right + missed === 0 ? [] : [(2 * right) / (2 * right + missed + wrong)];
  });
  return mean(scores);
}

function emotionOf({ shows }: Example): Emotion {
  return {
    values: Object.fromEntries(EMOTION_KEYS.map((key, k) => [key, shows[k] ?? 0])),
    confidence: 1,
  };
}

function mean(numbers: readonly number[]): number {
  return sum(numbers) / (numbers.length || 1);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, x) => total + x, 0);
}
