// The model during training: rows of floats, the vectors of a batch, and the backward pass from the gradient of the
// loss by each cosine to the rows.

import type { Placed } from './batches.ts';
import type { Kernels } from './kernels.ts';
import { gaussian } from './random.ts';
import { SETTINGS } from './settings.ts';
import type { Vocabulary } from './vocabulary.ts';

const { width, batchTexts } = SETTINGS;
const FLOAT_BYTES = 4;
const MAX_BATCH_FEATURES = 1 << 20;
/** Memory blocks begin at multiples of this. */
const ALIGNMENT = 64;

interface Block {
  readonly at: number;
  readonly values: Float32Array;
}

export interface Student {
  /** All trained rows, scaled for use without dropout. */
  finishedRows(): Float32Array;
  /** N × N cosines of the last batch; and those of the untrained model, which compares only letters. */
  readonly cosines: Float32Array;
  readonly surface: Float32Array;
  /** N × N, written by the loss. */
  readonly slopes: Float32Array;
  /** Reads a batch of `batchTexts` texts, with dropout of features. */
  read(texts: readonly Uint32Array[]): void;
  /** Takes a gradient step with `slopes`, which are symmetric. */
  learn(rate: number): void;
}

/** Allocates blocks of the kernels' memory. */
export function createArena(kernels: Kernels): (count: number) => Block {
  let top = ALIGNMENT;
  return (count) => {
    const at = top;
    top = Math.ceil((top + count * FLOAT_BYTES) / ALIGNMENT) * ALIGNMENT;
    return { at, values: new Float32Array(kernels.memory.buffer, at, count) };
  };
}

function normaliseRows(from: Float32Array, to: Float32Array, lengths: Float32Array): void {
  for (let i = 0; i < lengths.length; i++) {
    let squares = 0;
    for (let d = i * width; d < (i + 1) * width; d++) squares += (from[d] as number) ** 2;
    const length = Math.sqrt(squares) || 1e-6;
    lengths[i] = length;
    for (let d = i * width; d < (i + 1) * width; d++) to[d] = (from[d] as number) / length;
  }
}

/** Each row in a random direction, with about the length of the feature's weight. */
function drawRows(weights: Float32Array, rows: Float32Array, random: () => number): void {
  weights.forEach((weight, row) => {
    const deviation = weight / Math.sqrt(width);
    for (let d = row * width; d < (row + 1) * width; d++) rows[d] = deviation * gaussian(random);
  });
}

/** Gradient through normalisation: from the unit vector to the sum, which is the orthogonal part divided by the length. */
function passThroughLength(slopes: Float32Array, vectors: Float32Array, text: number, length: number): void {
  const [start, end] = [text * width, (text + 1) * width];
  let along = 0;
  for (let d = start; d < end; d++) along += (slopes[d] as number) * (vectors[d] as number);
  for (let d = start; d < end; d++)
    slopes[d] = ((slopes[d] as number) - along * (vectors[d] as number)) / length;
}

export function createStudent(
  kernels: Kernels,
  arena: (count: number) => Block,
  vocabulary: Vocabulary,
  random: () => number,
): Student {
  const { rowCount, weights } = vocabulary;
  const dropoutOf = Float32Array.from(vocabulary.kinds, (kind) => SETTINGS.dropout[kind] ?? 0);
  const rows = arena(rowCount * width);
  const untaught = arena(rowCount * width);
  const gradients = arena(rowCount * width);
  const squares = arena(rowCount * width);
  const sums = arena(batchTexts * width);
  const vectors = arena(batchTexts * width);
  const untaughtVectors = arena(batchTexts * width);
  const vectorSlopes = arena(batchTexts * width);
  const cosines = arena(batchTexts * batchTexts);
  const surface = arena(batchTexts * batchTexts);
  const slopes = arena(batchTexts * batchTexts);
  const featureBlock = arena(MAX_BATCH_FEATURES);
  const features = new Uint32Array(kernels.memory.buffer, featureBlock.at, MAX_BATCH_FEATURES);
  const starts = new Uint32Array(batchTexts + 1);
  const lengths = new Float32Array(batchTexts);
  const isTouched = new Uint8Array(rowCount);

  drawRows(weights, rows.values, random);
  untaught.values.set(rows.values);
  squares.values.fill(SETTINGS.firstSquares);

  const idsOf = (text: number): [at: number, count: number] => {
    const start = starts[text] ?? 0;
    return [featureBlock.at + start * FLOAT_BYTES, (starts[text + 1] ?? 0) - start];
  };
  function sumAndNormalise(table: Block, into: Block): void {
    for (let i = 0; i < batchTexts; i++)
      kernels.sumRows(table.at, ...idsOf(i), sums.at + i * width * FLOAT_BYTES, width);
    normaliseRows(sums.values, into.values, lengths);
  }
  function keepSomeFeatures(texts: readonly Uint32Array[]): void {
    let count = 0;
    texts.forEach((text, i) => {
      starts[i] = count;
      for (const row of text) if (random() >= (dropoutOf[row] as number)) features[count++] = row;
      if (count === starts[i]) features[count++] = text[0] ?? 0;
    });
    starts[batchTexts] = count;
  }

  return {
    finishedRows: () => rows.values.map((value, i) => value * (1 - (dropoutOf[Math.floor(i / width)] ?? 0))),
    cosines: cosines.values,
    surface: surface.values,
    slopes: slopes.values,
    read(texts) {
      keepSomeFeatures(texts);
      sumAndNormalise(untaught, untaughtVectors);
      kernels.timesTransposed(
        untaughtVectors.at,
        untaughtVectors.at,
        surface.at,
        batchTexts,
        batchTexts,
        width,
      );
      sumAndNormalise(rows, vectors);
      kernels.timesTransposed(vectors.at, vectors.at, cosines.at, batchTexts, batchTexts, width);
    },
    learn(rate) {
      kernels.times(slopes.at, vectors.at, vectorSlopes.at, batchTexts, batchTexts, width);
      for (let i = 0; i < batchTexts; i++) {
        passThroughLength(vectorSlopes.values, vectors.values, i, lengths[i] ?? 1);
        kernels.addToRows(gradients.at, ...idsOf(i), vectorSlopes.at + i * width * FLOAT_BYTES, width);
      }
      const read = features.subarray(0, starts[batchTexts]);
      for (const row of read) {
        if (isTouched[row] === 1) continue;
        isTouched[row] = 1;
        const offset = row * width * FLOAT_BYTES;
        kernels.adagrad(rows.at + offset, gradients.at + offset, squares.at + offset, width, rate);
      }
      for (const row of read) isTouched[row] = 0;
    },
  };
}

/** Fills `cosines` with those of the teacher's vectors of the given members, scaled by `unrelated`. */
export function createTeacher(
  kernels: Kernels,
  arena: (count: number) => Block,
  dimensions: number,
): (placed: Placed, members: Uint32Array, unrelated: number) => Float32Array {
  const vectors = arena(batchTexts * dimensions);
  const cosines = arena(batchTexts * batchTexts);
  return (placed, members, unrelated) => {
    members.forEach((member, i) => {
      const from = (placed.at[member] ?? 0) * dimensions;
      vectors.values.set(placed.vectors.subarray(from, from + dimensions), i * dimensions);
    });
    const count = members.length;
    kernels.timesTransposed(vectors.at, vectors.at, cosines.at, count, count, dimensions);
    const found = cosines.values.subarray(0, count * count);
    if (unrelated !== 0)
      for (let i = 0; i < found.length; i++) found[i] = ((found[i] as number) - unrelated) / (1 - unrelated);
    return found;
  };
}
