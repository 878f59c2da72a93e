// Fits the classifier: Adagrad on the log loss of twelve independent binary outputs.

import { CUE_COUNT, KEY_COUNT, VECTOR_WIDTH } from '../../src/llm/emotion/sentence.ts';
import { sigmoid, VECTOR_SCALE } from '../../src/llm/emotion/classifier.ts';
import { createRandom, shuffle } from '../random.ts';
import type { Example } from './examples.ts';

const EPOCHS = 20;
const RATE = 0.1;
const DECAY = 1e-3;
const FIRST_SQUARES = 1e-2;
/** Initial bias of every key: most sentences do not show it. */
const FIRST_BIAS = -2;
/** The share of training steps without lexicon cues, so that the model learns more than the lexicon. */
const HIDE_CUES = 0.4;
/** Minimum number of examples with a feature for it to have weights. */
const MIN_OCCURRENCES = 2;
/** Factor of the cues' values. */
const CUE_SCALE = 2;

export interface Fitted {
  readonly bias: Float32Array;
  readonly cues: Float32Array;
  readonly vector: Float32Array;
  readonly hashes: Uint32Array;
  readonly features: Float32Array;
}

/** Inputs of one kind: their weights, twelve a row, and the sums of squared gradients. */
interface Weights {
  readonly values: Float32Array;
  readonly squares: Float32Array;
}

export function fit(examples: readonly Example[], seed: number): Fitted {
  const random = createRandom(seed);
  const hashes = frequentFeatures(examples);
  const rowOf = new Map(Array.from(hashes, (hash, row) => [hash, row]));
  const inputs = examples.map(({ view, shows }) => ({
    cues: view.cues.map((cue) => cue * CUE_SCALE),
    vector: view.vector.map((x) => x * VECTOR_SCALE),
    rows: Uint32Array.from([...view.hashes].flatMap((hash) => rowOf.get(hash) ?? [])),
    shows,
  }));
  const weights = {
    bias: createWeights(1),
    cues: createWeights(CUE_COUNT),
    vector: createWeights(VECTOR_WIDTH),
    features: createWeights(hashes.length),
  };
  weights.bias.values.fill(FIRST_BIAS);

  for (let epoch = 0; epoch < EPOCHS; epoch++) {
    const rate = RATE * (1 - epoch / EPOCHS);
    for (const { cues, vector, rows, shows } of shuffle([...inputs], random)) {
      const seesCues = random() >= HIDE_CUES;
      const share = 1 / Math.sqrt(rows.length || 1);
      const logits = weights.bias.values.slice();
      if (seesCues) cues.forEach((x, i) => addRow(logits, weights.cues, i, x));
      vector.forEach((x, i) => addRow(logits, weights.vector, i, x));
      for (const row of rows) addRow(logits, weights.features, row, share);

      const slopes = logits.map((logit, k) => sigmoid(logit) - (shows[k] ?? 0));
      if (seesCues) cues.forEach((x, i) => learnRow(slopes, weights.cues, i, x, rate));
      vector.forEach((x, i) => learnRow(slopes, weights.vector, i, x, rate));
      for (const row of rows) learnRow(slopes, weights.features, row, share, rate);
      learnRow(slopes, weights.bias, 0, 1, rate, 0);
    }
  }
  return {
    bias: weights.bias.values,
    cues: weights.cues.values.map((weight) => weight * CUE_SCALE),
    vector: weights.vector.values,
    hashes,
    features: weights.features.values,
  };
}

function createWeights(rows: number): Weights {
  return {
    values: new Float32Array(rows * KEY_COUNT),
    squares: new Float32Array(rows * KEY_COUNT).fill(FIRST_SQUARES),
  };
}

function addRow(logits: Float32Array, { values }: Weights, row: number, input: number): void {
  if (input === 0) return;
  for (let k = 0, at = row * KEY_COUNT; k < KEY_COUNT; k++, at++)
    logits[k] = (logits[k] as number) + input * (values[at] as number);
}

function learnRow(
  slopes: Float32Array,
  { values, squares }: Weights,
  row: number,
  input: number,
  rate: number,
  decay = DECAY,
): void {
  if (input === 0) return;
  for (let k = 0, at = row * KEY_COUNT; k < KEY_COUNT; k++, at++) {
    const slope = (slopes[k] as number) * input + decay * (values[at] as number);
    const square = (squares[at] as number) + slope * slope;
    squares[at] = square;
    values[at] = (values[at] as number) - (rate * slope) / Math.sqrt(square);
  }
}

function frequentFeatures(examples: readonly Example[]): Uint32Array {
  const counts = new Map<number, number>();
  for (const { view } of examples)
    for (const hash of view.hashes) counts.set(hash, (counts.get(hash) ?? 0) + 1);
  return Uint32Array.from(
    [...counts].filter(([, count]) => count >= MIN_OCCURRENCES).map(([hash]) => hash),
  ).sort();
}
