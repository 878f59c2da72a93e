/**
 * Runs of a property test: all of them in the slow lane, a tenth in the fast one. A file that uses this is listed in
 * `LONG_PROPERTIES` of `vitest.config.ts`, so that both lanes run it.
 */
export function propertyRuns(all: number): number {
  return process.env['OMOIDE_ALL_RUNS'] === '1' ? all : Math.ceil(all / 10);
}
