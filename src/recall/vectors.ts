/** Σ aᵢ·bᵢ: of vectors of unit length their cosine. */
export function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
}

/** The vector divided by its length; one of zeros as it is. */
export function unitLength(vector: Float32Array): Float32Array {
  const norm = Math.hypot(...vector);
  return norm > 0 ? vector.map((value) => value / norm) : vector;
}
