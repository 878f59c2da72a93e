/** Stored vectors: integers from −127 to 127, compared by angle. */
import { MemoryError } from '../../model/model.ts';
import { norm } from '../../vectors/vectors.ts';

const MIN_DIMENSIONS = 8;
const MAX_DIMENSIONS = 4_096;
/** Vectors are summed as integer multiples of this step, so that their sum is exact. */
export const SUM_STEPS = 2 ** 20;

/** @throws MemoryError INVALID_INPUT for an unsupported number of dimensions */
export function checkDimensionCount(dimensions: number): void {
  if (dimensions >= MIN_DIMENSIONS && dimensions <= MAX_DIMENSIONS) return;
  throw new MemoryError(
    'INVALID_INPUT',
    `Vectors of ${MIN_DIMENSIONS} to ${MAX_DIMENSIONS} dimensions can be stored, not of ${dimensions}.`,
  );
}

export function addDirection(sum: Float64Array, vector: Int8Array, sign: 1 | -1): void {
  const length = norm(vector);
  for (let i = 0; i < vector.length; i++) {
    sum[i] = sum[i]! + sign * Math.round((vector[i]! / length) * SUM_STEPS);
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
