/** Vectors as they are kept: whole numbers from −127 to 127, compared by angle. */
import { MemoryError } from '../../model/model.ts';

const MIN_DIMENSIONS = 8;
const MAX_DIMENSIONS = 4_096;
/** Vectors are summed in whole steps of this size, so that their sum is exact. */
export const SUM_STEPS = 2 ** 20;

/** @throws MemoryError INVALID_INPUT for a number of dimensions that cannot be kept */
export function checkDimensionCount(dimensions: number): void {
  if (dimensions >= MIN_DIMENSIONS && dimensions <= MAX_DIMENSIONS) return;
  throw new MemoryError(
    'INVALID_INPUT',
    `Vectors of ${MIN_DIMENSIONS} to ${MAX_DIMENSIONS} dimensions can be kept, not of ${dimensions}.`,
  );
}

export function normOf(vector: Int8Array): number {
  return Math.sqrt(dot(vector, vector));
}

export function dot(a: Int8Array, b: Int8Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
}

export function addDirection(sum: Float64Array, vector: Int8Array, sign: 1 | -1): void {
  const norm = normOf(vector);
  for (let i = 0; i < vector.length; i++) {
    sum[i] = sum[i]! + sign * Math.round((vector[i]! / norm) * SUM_STEPS);
  }
}

export function mismatch(
  set: { model: string; dimensions: number },
  modelId: string,
  dimensions: number,
): MemoryError {
  return new MemoryError(
    'MODEL_MISMATCH',
    `The memory holds vectors of ${set.model} (${set.dimensions} dimensions), not of ${modelId} (${dimensions}). ` +
      'Rebuild the memory to change the model.',
  );
}

/** The vector in whole numbers, its largest component ±127. One of zeros, or not finite, becomes zeros. */
export function quantize(vector: Float32Array): Int8Array {
  const largest = vector.reduce((max, value) => Math.max(max, Math.abs(value)), 0);
  return Int8Array.from(vector, (value) => Math.round((value / largest) * 127));
}

export function unitLength(vector: Int8Array): Float32Array {
  const norm = normOf(vector);
  const unit = new Float32Array(vector.length);
  for (let i = 0; i < vector.length; i++) unit[i] = vector[i]! / norm;
  return unit;
}
