/** The numbers of a vector: floating point as computed, or integers as stored. */
export type Numbers = Float32Array | Int8Array;

/** Below this length a vector is taken to have no direction. */
const MIN_LENGTH = 1e-6;

/** Σ aᵢ·bᵢ. For vectors of unit length this is their cosine. */
export function dot(a: Numbers, b: Numbers): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
}

/** Adds `factor` times the values from `offset` on to a sum. */
export function addScaled(sum: Float32Array, values: Numbers, factor: number, offset = 0): void {
  for (let i = 0; i < sum.length; i++) sum[i]! += factor * values[offset + i]!;
}

/** Euclidean length. */
export function norm(vector: Numbers): number {
  return Math.sqrt(dot(vector, vector));
}

/** The vector scaled to length one. A vector of zeros is returned unchanged. */
export function unitLength(vector: Float32Array): Float32Array {
  const length = norm(vector);
  return length > 0 ? vector.map((value) => value / length) : vector;
}

/** The vector scaled to length one; null when it is too short to have a direction. */
export function direction(vector: Float32Array): Float32Array | null {
  return norm(vector) > MIN_LENGTH ? unitLength(vector) : null;
}

/** Null when there are no vectors. */
export function meanOf(vectors: readonly Float32Array[]): Float32Array | null {
  const [first] = vectors;
  if (!first) return null;
  const mean = new Float32Array(first.length);
  for (const vector of vectors) for (let i = 0; i < mean.length; i++) mean[i]! += vector[i]! / vectors.length;
  return mean;
}
