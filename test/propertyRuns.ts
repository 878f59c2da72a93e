const SHARES: Readonly<Record<string, number>> & { readonly some: number } = { all: 1, some: 0.1, few: 0.01 };

/**
 * Number of runs of a property test: all in the slow lane, a tenth in the fast one, and a hundredth while coverage is
 * measured, which is many times slower. A file that uses this is listed in `LONG_PROPERTIES` of `vitest.config.ts`, so
 * that both lanes run it.
 */
export function propertyRuns(all: number): number {
  const share = SHARES[process.env['OMOIDE_RUNS'] ?? 'some'] ?? SHARES.some;
  return Math.ceil(all * share);
}
