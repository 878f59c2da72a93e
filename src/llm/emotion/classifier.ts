import { messageOf } from '../../model/model.ts';
import { addScaled } from '../../vectors/vectors.ts';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { CUE_COUNT, KEY_COUNT, VECTOR_WIDTH, type SentenceView } from './sentence.ts';

/**
 * A logistic classifier for each of the twelve keys, over three views of a sentence:
 *
 *     logit = bias + Σ cues·C + VECTOR_SCALE · vector·V + (Σ weights of known features) / √(known features)
 *
 * The data file, little-endian, where k runs over the keys:
 *
 *     magic "OMOIEMOT" | version | vector width | features n        (u32 each)
 *     6 × calibration | 12 × bias | 36 × 12 C | 256 × 12 V          f32
 *     12 × scale of the features' weights                           f32
 *     n × hash of the feature, ascending                            u32
 *     n × 12 weights, times the key's scale                         i8
 */
export interface EmotionClassifier {
  /** For each key the probability that a reader would perceive this emotion, 0..1. */
  probabilities(view: SentenceView): Float32Array;
  /** The probability that the strongest of these, or that there is none, is correct: 0..1. */
  confidence(probabilities: Float32Array): number;
}

/** The content of a data file. */
export interface ClassifierWeights {
  /** For the confidence: intercept and two slopes when an emotion is detected, then when none is. */
  readonly calibration: Float32Array;
  readonly bias: Float32Array;
  readonly cues: Float32Array;
  readonly vector: Float32Array;
  readonly scales: Float32Array;
  readonly hashes: Uint32Array;
  readonly features: Int8Array;
}

export const MAGIC = 'OMOIEMOT';
export const VERSION = 1;
export const HEADER_BYTES = MAGIC.length + 3 * 4;
export const CALIBRATION_COUNT = 6;
/** Below this the strongest emotion counts as none. */
export const SHOWS = 0.3;
/** The weight of the embedder's vector; each of the n features counts 1/√n. */
export const VECTOR_SCALE = 3;

export const CLASSIFIER_PATH = fileURLToPath(new URL('./omoide-emotion-v1.bin', import.meta.url));

/** @throws Error when the data file is missing, truncated, of another version, or not a classifier. */
export function loadClassifier(path: string = CLASSIFIER_PATH): EmotionClassifier {
  try {
    return createClassifier(decodeWeights(readFileSync(path)));
  } catch (cause) {
    const reason = messageOf(cause);
    throw new Error(`The data file of emotions ${path} cannot be used: ${reason}`, { cause });
  }
}

/** @throws Error when the bytes are not a complete classifier of this version. */
export function decodeWeights(bytes: Buffer): ClassifierWeights {
  if (bytes.length < HEADER_BYTES || bytes.toString('latin1', 0, MAGIC.length) !== MAGIC)
    throw new Error('it is not an Omoide emotion classifier.');
  const field = (index: number) => bytes.readUInt32LE(MAGIC.length + index * 4);
  const [version, width, count] = [field(0), field(1), field(2)];
  if (version !== VERSION) throw new Error(`it is of version ${version}, and this program reads ${VERSION}.`);
  if (width !== VECTOR_WIDTH)
    throw new Error(`it reads vectors of width ${width}, and the embedder gives ${VECTOR_WIDTH}.`);
  const floats = CALIBRATION_COUNT + (2 + CUE_COUNT + width) * KEY_COUNT;
  const expected = HEADER_BYTES + (floats + count) * 4 + count * KEY_COUNT;
  if (bytes.length !== expected)
    throw new Error(`it has ${bytes.length} bytes instead of ${expected}; it was cut short or damaged.`);

  let at = HEADER_BYTES;
  const take = (size: number): ArrayBuffer => {
    const part = new Uint8Array(bytes.subarray(at, at + size));
    at += size;
    return part.buffer;
  };
  return {
    calibration: new Float32Array(take(CALIBRATION_COUNT * 4)),
    bias: new Float32Array(take(KEY_COUNT * 4)),
    cues: new Float32Array(take(CUE_COUNT * KEY_COUNT * 4)),
    vector: new Float32Array(take(width * KEY_COUNT * 4)),
    scales: new Float32Array(take(KEY_COUNT * 4)),
    hashes: new Uint32Array(take(count * 4)),
    features: new Int8Array(take(count * KEY_COUNT)),
  };
}

export function createClassifier(weights: ClassifierWeights): EmotionClassifier {
  const { calibration } = weights;
  const rowOf = new Map(Array.from(weights.hashes, (hash, row) => [hash, row]));
  return {
    probabilities(view) {
      const logits = weights.bias.slice();
      addWeighted(logits, view.cues, weights.cues, 1);
      addWeighted(logits, view.vector, weights.vector, VECTOR_SCALE);
      addFeatures(logits, view.hashes, rowOf, weights);
      return logits.map(sigmoid);
    },
    confidence(probabilities) {
      const evidence = evidenceOf(probabilities);
      const [intercept = 0, ...slopes] = calibration.subarray(evidence.shows ? 0 : CALIBRATION_COUNT / 2);
      return sigmoid(slopes.reduce((sum, slope, i) => sum + slope * (evidence.inputs[i] ?? 0), intercept));
    },
  };
}

/** The inputs of the confidence: whether an emotion is detected, and the logits of the two strongest. */
export function evidenceOf(probabilities: Float32Array): { shows: boolean; inputs: [number, number] } {
  const [first = 0, second = 0] = probabilities.toSorted((a, b) => b - a);
  return { shows: first >= SHOWS, inputs: [logit(first), logit(second)] };
}

/** logits += factor · inputs × rows; each input has a row of twelve. */
function addWeighted(logits: Float32Array, inputs: Float32Array, rows: Float32Array, factor: number): void {
  inputs.forEach((input, i) => {
    if (input !== 0) addScaled(logits, rows, factor * input, i * KEY_COUNT);
  });
}

function addFeatures(
  logits: Float32Array,
  hashes: Uint32Array,
  rowOf: ReadonlyMap<number, number>,
  { features, scales }: ClassifierWeights,
): void {
  const sums = new Float32Array(KEY_COUNT);
  let known = 0;
  for (const hash of hashes) {
    const row = rowOf.get(hash);
    if (row === undefined) continue;
    known++;
    addScaled(sums, features, 1, row * KEY_COUNT);
  }
  if (known === 0) return;
  for (const [k, sum] of sums.entries()) logits[k]! += (sum * scales[k]!) / Math.sqrt(known);
}

export function sigmoid(logit: number): number {
  return 1 / (1 + Math.exp(-logit));
}

/** The logit of a probability, which is clamped away from 0 and 1. */
function logit(probability: number): number {
  const inside = Math.min(0.999, Math.max(0.001, probability));
  return Math.log(inside / (1 - inside));
}
