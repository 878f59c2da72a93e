import { defineConfig } from 'vitest/config';

const measuresCoverage = process.argv.includes('--coverage');

const TESTS = ['src/**/*.test.ts', 'test/**/*.test.ts'];
/** Tests that start programs, kill processes, remove permissions, write at the same time, or take long: each file runs in its own process. */
const SLOW_TESTS = ['**/*.slow.test.ts'];
/** Property tests that the slow lane repeats with the full number of runs (`propertyRuns`). */
const LONG_PROPERTIES = [
  'src/engine/export/form.test.ts',
  'src/notes/{editing/editing,parse/parse,write/lines}.test.ts',
  'src/organize/organize.test.ts',
  'src/pack/{fit,pack}.test.ts',
  'src/store/sqlite/{postings,sqlite}.test.ts',
  'src/text/{display,graphemes,sentences,snippet,tokens}.test.ts',
  'test/modelStore.test.ts',
];
/** Tests in a real browser: `npm run test:console`. */
const BROWSER_TESTS = ['**/*.browser.test.ts'];

export default defineConfig({
  test: {
    // Long, because machines that run tests are shared: it only ends tests that hang.
    testTimeout: 240_000,
    hookTimeout: 120_000,
    setupFiles: ['test/longWaits.ts'],
    // A shared machine may stop for seconds during a test. The summary names tests that passed at the second attempt.
    retry: process.env['CI'] === undefined ? 0 : 1,
    restoreMocks: true,
    unstubEnvs: true,
    // Otherwise one core is idle.
    maxWorkers: '100%',
    coverage: {
      include: ['src/**/*.ts'],
      exclude: ['**/*.test.ts'],
      reporter: ['text-summary'],
    },
    projects: [
      {
        extends: true,
        // Files share a worker and its loaded modules, which halves the time of a run.
        test: {
          name: 'fast',
          ...(measuresCoverage && { env: { OMOIDE_RUNS: 'few' }, testTimeout: 600_000 }),
          include: TESTS,
          exclude: [...SLOW_TESTS, ...BROWSER_TESTS],
          pool: 'forks',
          isolate: false,
        },
      },
      {
        extends: true,
        test: { name: 'browser', include: BROWSER_TESTS, pool: 'forks' },
      },
      {
        extends: true,
        test: {
          name: 'slow',
          include: [...SLOW_TESTS, ...LONG_PROPERTIES],
          env: { OMOIDE_RUNS: 'all' },
          pool: 'forks',
        },
      },
    ],
  },
});
