import { addScaled, dot, norm } from './vector.ts';

/** A vector and its weight. */
export interface Weighted {
  /** Unit length. */
  readonly vector: Float32Array;
  readonly weight: number;
}

/** Sums over a group of weighted vectors of unit length, sufficient for the mean cosines below. */
export interface Mass {
  /** Σ wᵢ·vᵢ */
  readonly sum: Float32Array;
  /** Σ wᵢ */
  readonly weight: number;
  /** Σ wᵢ² */
  readonly squares: number;
}

export function massOf(members: readonly Weighted[], dimensions: number): Mass {
  const sum = new Float32Array(dimensions);
  let weight = 0;
  let squares = 0;
  for (const { vector, weight: w } of members) {
    addScaled(sum, vector, w);
    weight += w;
    squares += w * w;
  }
  return { sum, weight, squares };
}

export function joined(a: Mass, b: Mass): Mass {
  return {
    sum: a.sum.map((value, i) => value + b.sum[i]!),
    weight: a.weight + b.weight,
    squares: a.squares + b.squares,
  };
}

/** Mean cosine of the pairs within a group, weighted; 1 where there is no pair. */
export function within({ sum, weight, squares }: Mass): number {
  const pairs = weight * weight - squares;
  return pairs > 1e-9 ? (dot(sum, sum) - squares) / pairs : 1;
}

/** Mean cosine of the pairs of one of each group, weighted; 0 where there is none. */
export function between(a: Mass, b: Mass): number {
  const pairs = a.weight * b.weight;
  return pairs > 0 ? dot(a.sum, b.sum) / pairs : 0;
}

/** Mean cosine of the members of a group with its direction, weighted, 0..1. */
export function coherence({ sum, weight }: Mass): number {
  return weight > 0 ? norm(sum) / weight : 0;
}
