import { norm } from './vector.ts';

/** A vector as integers; the largest component is ±127. A vector that is zero or not finite becomes zeros. */
export function quantize(vector: Float32Array): Int8Array {
  const largest = vector.reduce((max, value) => Math.max(max, Math.abs(value)), 0);
  return Int8Array.from(vector, (value) => Math.round((value / largest) * 127));
}

/** A quantized vector as floating point numbers of unit length. The vector must not be zero. */
export function dequantize(vector: Int8Array): Float32Array {
  const length = norm(vector);
  const values = new Float32Array(vector.length);
  // `Float32Array.from` takes many times as long.
  for (let i = 0; i < values.length; i += 1) values[i] = vector[i]! / length;
  return values;
}
