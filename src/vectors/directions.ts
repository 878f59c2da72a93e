import { addScaled, dot, unitLength } from './vector.ts';

/** A vector that keeps less than this share of its length after projection is left out. */
const MIN_SHARE = 0.05;

/** The vector minus its projections on the given orthogonal directions of unit length. */
export function withoutDirections(vector: Float32Array, directions: readonly Float32Array[]): Float32Array {
  const left = vector.slice();
  for (const each of directions) {
    addScaled(left, each, -dot(left, each));
  }
  return left;
}

/** Orthogonal directions of unit length that span the vectors (Gram–Schmidt). Nearly dependent vectors are left out. */
export function orthogonal(vectors: readonly Float32Array[]): Float32Array[] {
  const directions: Float32Array[] = [];
  for (const vector of vectors) {
    const left = withoutDirections(vector, directions);
    if (dot(left, left) > MIN_SHARE ** 2 * dot(vector, vector)) directions.push(unitLength(left));
  }
  return directions;
}
