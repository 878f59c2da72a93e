/** The vector divided by its length; one of zeros as it is. */
export function unitLength(vector: Float32Array): Float32Array {
  const norm = Math.hypot(...vector);
  return norm > 0 ? vector.map((value) => value / norm) : vector;
}
