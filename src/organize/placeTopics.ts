/** Positions of topics on a map: similar topics are close together. */
import { dot, meanOf, unitLength, withoutDirections } from '../vectors/vectors.ts';

export interface TopicPlace {
  readonly topicId: number;
  /** −1 to 1. */
  readonly x: number;
  readonly y: number;
}

const ITERATIONS = 24;

/**
 * The two principal components of the centroids, by power iteration, each scaled to −1..1. Deterministic.
 * @param centroids directions of unit length, all with the same number of dimensions
 */
export function placeTopics(centroids: ReadonlyMap<number, Float32Array>): TopicPlace[] {
  const vectors = centered([...centroids.values()]);
  const first = principal(vectors, []);
  const second = principal(vectors, [first]);
  const xs = scaled(vectors.map((vector) => dot(vector, first)));
  const ys = scaled(vectors.map((vector) => dot(vector, second)));
  return Array.from(centroids.keys(), (topicId, i) => ({ topicId, x: xs[i] ?? 0, y: ys[i] ?? 0 }));
}

function centered(vectors: readonly Float32Array[]): Float32Array[] {
  const mean = meanOf(vectors);
  return mean ? vectors.map((vector) => vector.map((value, d) => value - mean[d]!)) : [];
}

/** The direction of greatest variance that is orthogonal to those before. */
function principal(vectors: readonly Float32Array[], before: readonly Float32Array[]): Float32Array {
  const dimensions = vectors[0]?.length ?? 0;
  // Any start that is not orthogonal to the result works; it is fixed so that the map is not rotated between runs.
  let direction = unitLength(Float32Array.from({ length: dimensions }, (_, d) => Math.cos(d + 1)));
  for (let i = 0; i < ITERATIONS; i++) {
    const next = new Float32Array(dimensions);
    for (const vector of vectors) {
      const weight = dot(vector, direction);
      // A plain loop for speed: a map of thousands of topics runs it a hundred thousand times.
      for (let d = 0; d < dimensions; d += 1) next[d] = (next[d] ?? 0) + weight * (vector[d] ?? 0);
    }
    direction = unitLength(withoutDirections(next, before));
  }
  return direction;
}

function scaled(values: readonly number[]): number[] {
  const max = values.reduce((max, value) => Math.max(max, Math.abs(value)), 0);
  return values.map((value) => (max > 0 ? value / max : 0));
}
