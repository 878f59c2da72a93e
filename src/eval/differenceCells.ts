import type { Difference } from './compare.ts';

/** The cells under `difference`, `from`, `to` and `p`. */
export function differenceCells({ mean, low, high, p }: Difference): string[] {
  return [...[mean, low, high].map(signed), p < 0.001 ? '< 0.001' : p.toFixed(3)];
}

export function signed(value: number): string {
  return `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(3)}`;
}
