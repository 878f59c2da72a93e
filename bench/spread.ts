/** The distribution of measurements. */
export interface Spread {
  readonly p50: number;
  readonly p95: number;
  readonly max: number;
}

/** Percentiles by nearest rank. */
export function spread(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (p: number) => sorted[Math.max(0, Math.ceil(p * sorted.length) - 1)] ?? 0;
  return { p50: at(0.5), p95: at(0.95), max: at(1) };
}
