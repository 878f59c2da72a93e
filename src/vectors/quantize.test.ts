import { describe, expect, test } from 'vitest';
import { quantize } from './vectors.ts';

describe('quantize', () => {
  test('scales the largest component to 127, whatever its sign, and rounds the others', () => {
    expect([...quantize(Float32Array.of(1, -2, 0.5, 0))]).toEqual([64, -127, 32, 0]);
    expect([...quantize(Float32Array.of(1e-42, -1e-42))]).toEqual([127, -127]);
    expect([...quantize(Float32Array.of(3e38, -3e38))]).toEqual([127, -127]);
  });

  test('returns zeros for a vector without direction', () => {
    for (const value of [0, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect([...quantize(Float32Array.of(0, value))]).toEqual([0, 0]);
    }
  });

  test('keeps the angle to within half a degree', () => {
    const vector = Float32Array.from({ length: 256 }, (_, i) => Math.sin(i * i));
    const quantized = Float32Array.from(quantize(vector));
    const product = (a: Float32Array, b: Float32Array) => a.reduce((sum, x, i) => sum + x * (b[i] ?? 0), 0);
    const cosine =
      product(vector, quantized) / Math.sqrt(product(vector, vector) * product(quantized, quantized));
    expect(Math.acos(Math.min(1, cosine))).toBeLessThan(Math.PI / 360);
  });
});
