import { expect, test } from 'vitest';
import { cosineScaleOf } from './cosineScale.ts';

test('is the mean and standard deviation over all pairs', () => {
  const vectors = [
    [1, 0],
    [0, 1],
    [0.6, 0.8],
  ].map((values) => Float32Array.from(values));
  const cosines = [0, 0.6, 0.8];
  const mean = (0 + 0.6 + 0.8) / 3;
  const variance = cosines.reduce((sum, cosine) => sum + (cosine - mean) ** 2, 0) / 3;
  const scale = cosineScaleOf(vectors);
  expect(scale?.mean).toBeCloseTo(mean, 6);
  expect(scale?.spread).toBeCloseTo(Math.sqrt(variance), 6);
});

test('is null without two vectors, and when all are equal', () => {
  const one = Float32Array.of(1, 0);
  expect(cosineScaleOf([])).toBeNull();
  expect(cosineScaleOf([one])).toBeNull();
  expect(cosineScaleOf([one, one, one])).toBeNull();
});
